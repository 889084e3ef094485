"""The event loop. It executes op-codes and knows no storage; ties go as in SimPy (see ``next_process``)."""

from __future__ import annotations

import numpy as np

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled import opcodes as op
from sim.engine.events.compiled.buffers import change_level
from sim.engine.events.compiled.cache_policies import look_up
from sim.engine.events.compiled.common_ops import (
    begin,
    chosen_target,
    draw,
    enqueue,
    exhausted,
    finish,
    grant_room,
    grant_server,
    occupy,
    over_budget,
    room_for,
    visit,
)
from sim.engine.events.compiled.event_queue import due_now, nothing_due, schedule
from sim.engine.events.compiled.instructions import code_of, first_of, second_of
from sim.engine.events.compiled.jit import called, inlined, noinline
from sim.engine.events.compiled.layout import Floats, Memory
from sim.engine.events.compiled.next_process import next_process
from sim.engine.events.compiled.rare_ops import (
    BLOCKED,
    GO_ON,
    SLEEP,
    WANT_PAUSE,
    WANT_ROOM,
    WANT_STREAM,
    note_time_spent,
    take_rare,
)
from sim.engine.events.compiled.shelves import put_up


@inlined
def _sleep(memory: Memory, ring: Memory, heap: Memory, process: int, time: int) -> None:
    if time:
        schedule(memory, heap, min(memory[at.NOW] + time, at.FAR_NS - 1), process)
    else:
        due_now(memory, ring, at.RESUME, process)


@inlined
def _request(memory: Memory, ring: Memory, station: int, process: int) -> bool:
    """Request a server, or enqueue ``process``; return True if it goes on at once.

    A grant is an event of its own. If nothing else is due it would be the next, so it is left out.
    """
    if memory[station + at.HEAD] == 0 and memory[station + at.LEVEL] < memory[station + at.CAPACITY]:
        memory[station + at.LEVEL] += 1
        if nothing_due(memory):
            return True
        due_now(memory, ring, at.RESUME, process)
    else:
        enqueue(memory, station, station + at.HEAD, process)
        grant_server(memory, ring, station)
    return False


@inlined
def _acquire(memory: Memory, ring: Memory, pool: int, tokens: int, process: int) -> bool:
    """Acquire tokens, or enqueue ``process``; return True if it goes on at once, as in ``_request``."""
    if memory[pool + at.HEAD] == 0 and tokens <= memory[pool + at.CAPACITY] - memory[pool + at.LEVEL]:
        memory[pool + at.LEVEL] += tokens
        if nothing_due(memory):
            return True
        due_now(memory, ring, at.RESUME, process)
    else:
        memory[process + at.AMOUNT] = tokens
        enqueue(memory, pool, pool + at.HEAD, process)
        grant_room(memory, ring, pool, at.RESUME)
    return False


@inlined
def _release(memory: Memory, ring: Memory, place: int, amount: int, released: int) -> None:
    """Release servers or tokens.

    A release is an event of its own. If nothing else is due and nobody waits, it would be the next and would
    change nothing, so it is left out.
    """
    occupy(memory, place, -amount)
    memory[place + at.LEVEL] -= amount
    if memory[place + at.HEAD] or not nothing_due(memory):
        due_now(memory, ring, released, place)


@inlined
def _pass_time(
    memory: Memory, floats: Floats, ring: Memory, heap: Memory, process: int, pc: int, word: int
) -> int:
    """SERVE, PAUSE and DELAY at ``pc``. Operands in ``word``: the place, or 0, and the sampler."""
    place, sampler = first_of(word), second_of(word)
    if exhausted(memory, sampler):
        memory[at.WANTED] = memory[sampler + at.STREAM]
        memory[process + at.PC] = pc
        return WANT_STREAM
    time = draw(memory, floats, sampler, memory[process + at.ITEMS])
    memory[process + at.PC] = pc + 1
    if place:
        visit(memory, place, 1)
    elif code_of(word) == op.DELAY:
        memory[memory[process + at.COUNTERS] + at.STEPS] += 1
    _sleep(memory, ring, heap, process, time)
    return BLOCKED


@inlined
def _serve(memory: Memory, floats: Floats, ring: Memory, heap: Memory, process: int, pc: int, word: int) -> int:
    """Instructions of stations, pools and delays; return the next instruction, or a code for the loop."""
    if code_of(word) == op.RELEASE:
        _release(memory, ring, first_of(word), 1, at.STATION_RELEASED)
        pc += 1
        word = memory[pc]
        if code_of(word) != op.REQUEST:  # which often follows
            return pc
    code, place = code_of(word), first_of(word)
    following = pc + 1
    if code <= op.PAUSE:
        if code == op.REQUEST:
            memory[memory[process + at.COUNTERS] + at.STEPS] += 1
            memory[process + at.PC] = following
            if not _request(memory, ring, place, process):
                return BLOCKED
            pc = following  # its SERVE, which has the same operands
        return _pass_time(memory, floats, ring, heap, process, pc, word)
    tokens = memory[second_of(word)]
    if code == op.ACQUIRE:
        memory[memory[process + at.COUNTERS] + at.STEPS] += 1
        memory[process + at.PC] = following
        if not _acquire(memory, ring, place, tokens, process):
            return BLOCKED
        following += 1  # without its ACQUIRED, which comes next
    if code == op.FREE:
        _release(memory, ring, place, tokens, at.POOL_RELEASED)
    else:
        visit(memory, place, tokens)
    return following


@inlined
def _control(  # noqa: C901, PLR0912  (a branch an op-code)
    memory: Memory, floats: Floats, ring: Memory, record: Memory, process: int, pc: int, word: int
) -> int:
    """Instructions of control flow, and those that begin and end a request."""
    code, first, second = code_of(word), first_of(word), second_of(word)
    counters = memory[process + at.COUNTERS]
    if code == op.JUMP:
        return first
    if code < op.TURN:
        if memory[second + at.POSITION] == memory[second + at.END]:
            memory[at.WANTED] = second
            memory[process + at.PC] = pc
            return WANT_STREAM
        memory[counters + at.STEPS] += 1
        if code == op.CHOOSE:
            if memory[first]:  # its options are shared code: store the way back
                memory[process + memory[first]] = pc + 1
            return chosen_target(memory, floats, first + 1, second)
        hit = look_up(memory, floats, first, second, code - op.LOOKUP)
        memory[counters + at.LOOKUPS] += 1
        memory[counters + at.HITS] += hit
        pc += hit  # skips the jump to the miss path
    elif code == op.TURN:
        if memory[counters + at.LEFT] == 0:
            if memory[counters + at.RESERVE] == 0:
                return first  # all requests of the count have begun: to DIE
            memory[process + at.PC] = pc
            return WANT_PAUSE
        memory[counters + at.LEFT] -= 1
    elif code == op.BEGIN or code == op.FINISH:  # noqa: PLR1714  (a tuple takes longer to compile)
        if memory[at.RECORD_LIMIT] and not room_for(memory, 1):
            memory[process + at.PC] = pc
            return WANT_ROOM
        if code == op.BEGIN:
            begin(memory, record, process)
        elif finish(memory, record, process):
            due_now(memory, ring, at.ALL_DONE, 0)
    elif code == op.REPEAT:
        memory[counters + at.STEPS] += 1
        memory[process + at.REGISTERS + first] = memory[second]
    elif code == op.RETURN:
        return memory[process + first]
    else:  # LOOP; the register counts the repetitions left; second: target, and cells of code of a repetition
        if over_budget(memory, memory[second + 1]):
            memory[process + at.PC] = pc
            return WANT_PAUSE
        memory[process + at.REGISTERS + first] -= 1
        if memory[process + at.REGISTERS + first]:
            return memory[second]
    return pc + 1


@inlined
def _take_instructions(
    memory: Memory, floats: Floats, ring: Memory, urgent: Memory, heap: Memory, record: Memory, process: int
) -> int:
    """Take the instructions of ``process`` from its program counter until it has to wait; return the reason.

    Op-codes are numbered so that the first comparisons find the common ones. Their handlers return the next
    instruction, which is above 0, or one of BLOCKED, SLEEP, WANT_… (see ``rare_ops``).
    """
    pc = memory[process + at.PC]
    while pc > 0:
        word = memory[pc]
        code = code_of(word)
        if code <= op.FREE:
            pc = _serve(memory, floats, ring, heap, process, pc, word)
        elif code <= op.RETURN:
            pc = _control(memory, floats, ring, record, process, pc, word)
        elif code <= op.TAKE_DONE:
            pc = change_level(memory, ring, process, pc, word)
        else:
            memory[process + at.PC] = pc
            pc = take_rare(memory, floats, ring, urgent, record, process)
            if pc == GO_ON:
                pc = memory[process + at.PC]
            elif pc == SLEEP:
                _sleep(memory, ring, heap, process, memory[process + at.AMOUNT])
                pc = BLOCKED
    return pc


@noinline
def _next_interval(memory: Memory, why: int, watched: Memory, readings: Memory, intervals: Memory) -> bool:
    """Read the watched cells at the end of an interval; return True if there is another one."""
    if why == at.DONE:
        return False
    count, length_ns, columns = intervals[0], intervals[1], intervals[2]
    row = memory[at.INTERVAL] * columns
    for column in range(columns):
        readings[row + column] = memory[watched[column]]
    memory[at.INTERVAL] += 1
    memory[at.INTERVAL_END] += length_ns
    return why == at.UNTIL and memory[at.INTERVAL] < count


def _run(
    memory: Memory,
    floats: Floats,
    ring: Memory,
    urgent: Memory,
    heap: Memory,
    record: Memory,
    watched: Memory,
    readings: Memory,
    intervals: Memory,
) -> int:
    """Process all due events, interval by interval; return the reason to stop (see ``layout``).

    Python calls it again to go on. All state that outlives a return is in the arrays; of the process that was
    under way, CURRENT has the address and its PC the instruction, which is then taken from its beginning. An
    instruction that wants something therefore leaves the model unchanged until it has it.

    Args:
        ring, urgent: of a power of two of cells.
        watched: the cells of the memory that are read at the end of each interval, shape (cells,).
        readings: room for these, shape (intervals * cells,).
        intervals: number of intervals, length of each (ns), and number of watched cells.
    """
    put_up(memory, heap)
    process = memory[at.CURRENT]
    memory[at.CURRENT] = -1
    while True:
        if process < 0:  # none was interrupted, or the last one waits: find the next
            process = next_process(memory, ring, urgent, heap, memory[at.INTERVAL_END])
            if process < 0:
                # There is none before the interval ends: read the counters, and go on with the next interval.
                if _next_interval(memory, -1 - process, watched, readings, intervals):
                    continue
                return -1 - process
        if memory[at.TRACED]:
            if not room_for(memory, 1):
                memory[at.CURRENT] = process
                return at.RECORD_FULL
            # Resuming an interrupted process writes nothing: no time has passed since it last went on.
            note_time_spent(memory, record, process)
        answer = _take_instructions(memory, floats, ring, urgent, heap, record, process)
        if answer != BLOCKED:
            memory[at.CURRENT] = process  # it wants something that only Python can give
            if answer == WANT_STREAM:
                return at.REFILL
            if answer == WANT_PAUSE:
                return at.PAUSED
            return at.RECORD_FULL if answer == WANT_ROOM else at.GROW
        process = -1


run = called(_run, np.int64, np.float64, *(np.int64,) * 7)
"""The one function that Python calls, with arrays of one dimension."""
