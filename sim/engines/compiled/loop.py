"""The event loop. It knows op-codes, not storage; ties go as in SimPy.

Of the events at one time, new walkers start first; then comes what the heap has (it was scheduled earlier); then
what became due at this very time, first come first served: grants, releases and ends of branches are events too.
"""

from __future__ import annotations

import numpy as np

from sim.engines.compiled import layout as at
from sim.engines.compiled import opcodes as op
from sim.engines.compiled.cache_policies import look_up
from sim.engines.compiled.common_ops import (
    begin,
    draw,
    dry,
    enqueue,
    finish,
    grant_room,
    grant_server,
    grant_takes,
    impatient,
    room_for,
    touch,
)
from sim.engines.compiled.event_queue import Floats, Memory, due_now, pop, quiet, schedule
from sim.engines.compiled.jit import apart, called, compiled, inlined
from sim.engines.compiled.rare_ops import (
    BLOCKED,
    GO_ON,
    SLEEP,
    WANT_PAUSE,
    WANT_ROOM,
    WANT_STREAM,
    grant_lock,
    note_time_spent,
    take_rare,
)

_KIND = (1 << at.KIND_BITS) - 1


@inlined
def _next_walker(memory: Memory, ring: Memory, urgent: Memory, heap: Memory, until: int) -> int:
    """Whose turn it is, or -1 - the reason to stop."""
    while True:
        if memory[at.URGENT_HEAD] != memory[at.URGENT_TAIL]:
            memory[at.URGENT_HEAD] += 1
            return urgent[(memory[at.URGENT_HEAD] - 1) & memory[at.URGENT_MASK]]
        time = memory[at.NEXT_TIME]
        if time == memory[at.NOW]:
            return pop(memory, heap)
        if memory[at.RING_HEAD] == memory[at.RING_TAIL]:
            if time >= until:
                memory[at.NOW] = until
                return -1 - (at.IDLE if time == at.FAR_NS else at.UNTIL)
            memory[at.NOW] = time
            return pop(memory, heap)
        event = ring[memory[at.RING_HEAD] & memory[at.RING_MASK]]
        memory[at.RING_HEAD] += 1
        walker = _happen(memory, ring, event & _KIND, event >> at.KIND_BITS)
        if walker:
            return walker
        if memory[at.FINISHED]:
            return -1 - at.DONE


@inlined
def _happen(memory: Memory, ring: Memory, kind: int, whom: int) -> int:
    """Let one event that is due now happen; return the walker that goes on with it, or 0."""
    if kind == at.RESUME:
        return whom
    if kind == at.STATION_RELEASED:
        grant_server(memory, ring, whom)
    elif kind == at.POOL_RELEASED:
        grant_room(memory, ring, whom, at.RESUME)
    elif kind == at.LOCK_RELEASED:
        grant_lock(memory, ring, whom)
    elif kind == at.PUT_GRANTED:
        grant_takes(memory, ring, memory[memory[whom + at.PC] + 1], at.TAKE_GRANTED)
        return whom
    elif kind == at.TAKE_GRANTED:
        grant_room(memory, ring, memory[memory[whom + at.PC] + 1], at.PUT_GRANTED)
        return whom
    elif kind == at.BRANCH_DONE:
        memory[whom + at.AMOUNT] -= 1
        if memory[whom + at.AMOUNT] == 0:
            due_now(memory, ring, at.RESUME, whom)
    else:
        memory[at.FINISHED] = 1
    return 0


@inlined
def _sleep(memory: Memory, ring: Memory, heap: Memory, walker: int, time: int) -> None:
    if time:
        schedule(memory, heap, min(memory[at.NOW] + time, at.FAR_NS - 1), walker)
    else:
        due_now(memory, ring, at.RESUME, walker)


@inlined
def _request(memory: Memory, ring: Memory, station: int, walker: int) -> bool:
    """Whether ``walker`` goes on at once with a server."""
    if memory[station + at.HEAD] == 0 and memory[station + at.LEVEL] < memory[station + at.CAPACITY]:
        memory[station + at.LEVEL] += 1
        if quiet(memory):
            return True
        due_now(memory, ring, at.RESUME, walker)
    else:
        enqueue(memory, station, station + at.HEAD, walker)
        grant_server(memory, ring, station)
    return False


@inlined
def _acquire(memory: Memory, ring: Memory, pool: int, tokens: int, walker: int) -> bool:
    """Whether ``walker`` goes on at once with its tokens."""
    if memory[pool + at.HEAD] == 0 and tokens <= memory[pool + at.CAPACITY] - memory[pool + at.LEVEL]:
        memory[pool + at.LEVEL] += tokens
        if quiet(memory):
            return True
        due_now(memory, ring, at.RESUME, walker)
    else:
        memory[walker + at.AMOUNT] = tokens
        enqueue(memory, pool, pool + at.HEAD, walker)
        grant_room(memory, ring, pool, at.RESUME)
    return False


@compiled
def _occupy(memory: Memory, place: int, amount: int) -> None:
    touch(memory, place)
    memory[place + at.BUSY] += amount


@compiled
def _visit(memory: Memory, place: int, amount: int) -> None:
    _occupy(memory, place, amount)
    memory[place + at.VISITS] += 1


@compiled
def _taken(memory: Memory, stream: int) -> int:
    """Where the next number of ``stream`` lies."""
    memory[stream + at.POSITION] += 1
    return memory[stream + at.POSITION] - 1


@compiled
def _chosen(memory: Memory, floats: Floats, table: int, stream: int) -> int:
    """Where to go on: the table has the number of limits, where these begin, and one target more than limits."""
    drawn = floats[_taken(memory, stream)]
    option = 0
    for limit in range(memory[table + 1], memory[table + 1] + memory[table]):
        option += drawn >= floats[limit]
    return memory[table + 2 + option]


@inlined
def _release(memory: Memory, ring: Memory, place: int, amount: int, released: int) -> None:
    """Servers or tokens come back. Where nothing else is due and nobody waits, the event would change nothing."""
    _occupy(memory, place, -amount)
    memory[place + at.LEVEL] -= amount
    if memory[place + at.HEAD] or not quiet(memory):
        due_now(memory, ring, released, place)


@inlined
def _pass_time(memory: Memory, floats: Floats, ring: Memory, heap: Memory, walker: int, pc: int) -> int:
    """Serve, pause or delay. The operands: the place, or 0, and the sampler."""
    place, sampler = memory[pc + 1], memory[pc + 2]
    if dry(memory, sampler):
        memory[at.WANTED] = memory[sampler + at.STREAM]
        memory[walker + at.PC] = pc
        return WANT_STREAM
    time = draw(memory, floats, sampler, memory[walker + at.ITEMS])
    memory[walker + at.PC] = pc + op.INSTRUCTION_SIZE
    if place:
        _visit(memory, place, 1)
    elif memory[pc] == op.DELAY:
        memory[memory[walker + at.TALLY] + at.STEPS] += 1
    _sleep(memory, ring, heap, walker, time)
    return BLOCKED


@inlined
def _serve(memory: Memory, floats: Floats, ring: Memory, heap: Memory, walker: int, pc: int) -> int:
    """Stations, pools and delays."""
    code, place, second = memory[pc], memory[pc + 1], memory[pc + 2]
    following = pc + op.INSTRUCTION_SIZE
    if code <= op.PAUSE:
        if code == op.REQUEST:
            memory[memory[walker + at.TALLY] + at.STEPS] += 1
            memory[walker + at.PC] = following
            if not _request(memory, ring, place, walker):
                return BLOCKED
            pc = following  # behind a request stands its serve
        return _pass_time(memory, floats, ring, heap, walker, pc)
    if code == op.RELEASE:
        _release(memory, ring, place, 1, at.STATION_RELEASED)
    elif code == op.ACQUIRE:
        memory[memory[walker + at.TALLY] + at.STEPS] += 1
        memory[walker + at.PC] = following
        if not _acquire(memory, ring, place, second, walker):
            return BLOCKED
    elif code == op.ACQUIRED:
        _visit(memory, place, second)
    else:
        _release(memory, ring, place, second, at.POOL_RELEASED)
    return following


@inlined
def _order(  # noqa: C901, PLR0912  (a branch an op-code)
    memory: Memory, floats: Floats, ring: Memory, record: Memory, walker: int, pc: int
) -> int:
    """The order of the instructions, and walks."""
    code, first, second = memory[pc], memory[pc + 1], memory[pc + 2]
    tally = memory[walker + at.TALLY]
    if code == op.JUMP:
        return first
    if code < op.TURN:
        if memory[second + at.POSITION] == memory[second + at.END]:
            memory[at.WANTED] = second
            memory[walker + at.PC] = pc
            return WANT_STREAM
        memory[tally + at.STEPS] += 1
        if code == op.CHOOSE:
            return _chosen(memory, floats, first, second)
        hit = look_up(memory, floats, first, second, code - op.LOOKUP)
        memory[tally + at.LOOKUPS] += 1
        memory[tally + at.HITS] += hit
        if not hit:
            return memory[pc + 3]
    elif code == op.TURN:
        if memory[tally + at.LEFT] == 0:
            if memory[tally + at.RESERVE] == 0:
                return first
            memory[walker + at.PC] = pc
            return WANT_PAUSE
        memory[tally + at.LEFT] -= 1
    elif code == op.BEGIN or code == op.FINISH:  # noqa: PLR1714  (a tuple takes longer to compile)
        if memory[at.RECORD_LIMIT] and not room_for(memory, 1):
            memory[walker + at.PC] = pc
            return WANT_ROOM
        if code == op.BEGIN:
            begin(memory, record, walker)
        elif finish(memory, record, walker):
            due_now(memory, ring, at.ALL_DONE, 0)
    elif code == op.REPEAT:
        memory[tally + at.STEPS] += 1
        memory[walker + at.REGISTERS + first] = second
    else:
        if impatient(memory, pc - second):
            memory[walker + at.PC] = pc
            return WANT_PAUSE
        memory[walker + at.REGISTERS + first] -= 1
        if memory[walker + at.REGISTERS + first]:
            return second
    return pc + op.INSTRUCTION_SIZE


@compiled
def _flow(memory: Memory, ring: Memory, walker: int, pc: int) -> int:
    """Buffers."""
    code, buffer, amount = memory[pc], memory[pc + 1], memory[pc + 2]
    memory[walker + at.PC] = pc + op.INSTRUCTION_SIZE
    if code == op.PUT_DONE:
        _visit(memory, buffer, amount)
        return pc + op.INSTRUCTION_SIZE
    if code == op.TAKE_DONE:
        _visit(memory, buffer, -amount)
        return pc + op.INSTRUCTION_SIZE
    memory[memory[walker + at.TALLY] + at.STEPS] += 1
    memory[walker + at.AMOUNT] = amount
    if code == op.PUT:
        enqueue(memory, buffer, buffer + at.HEAD, walker)
        grant_room(memory, ring, buffer, at.PUT_GRANTED)
    else:
        enqueue(memory, buffer, buffer + at.HEAD_2, walker)
        grant_takes(memory, ring, buffer, at.TAKE_GRANTED)
    return BLOCKED


@inlined
def _go(
    memory: Memory, floats: Floats, ring: Memory, urgent: Memory, heap: Memory, record: Memory, walker: int
) -> int:
    """Take the instructions of ``walker`` from where it stands until it has to wait; return for what."""
    pc = memory[walker + at.PC]
    while pc > 0:
        code = memory[pc]
        if code <= op.FREE:
            pc = _serve(memory, floats, ring, heap, walker, pc)
        elif code <= op.LOOP:
            pc = _order(memory, floats, ring, record, walker, pc)
        elif code <= op.TAKE_DONE:
            pc = _flow(memory, ring, walker, pc)
        else:
            memory[walker + at.PC] = pc
            pc = take_rare(memory, floats, ring, urgent, record, walker)
            if pc == GO_ON:
                pc = memory[walker + at.PC]
            elif pc == SLEEP:
                _sleep(memory, ring, heap, walker, memory[walker + at.AMOUNT])
                pc = BLOCKED
    return pc


@apart
def _next_interval(memory: Memory, why: int, watched: Memory, books: Memory, intervals: Memory) -> bool:
    """Read the watched cells at the end of an interval; whether there is another one."""
    if why == at.DONE:
        return False
    row = memory[at.INTERVAL] * intervals[2]
    for column in range(intervals[2]):
        books[row + column] = memory[watched[column]]
    memory[at.INTERVAL] += 1
    memory[at.INTERVAL_END] += intervals[1]
    return why == at.UNTIL and memory[at.INTERVAL] < intervals[0]


def _run(
    memory: Memory,
    floats: Floats,
    ring: Memory,
    urgent: Memory,
    heap: Memory,
    record: Memory,
    watched: Memory,
    books: Memory,
    intervals: Memory,
) -> int:
    """Let everything happen that is due, interval by interval; return why it stopped (see ``layout``).

    Args:
        ring, urgent: of a power of two of cells.
        watched: which cells of the memory are written down at the end of an interval.
        books: room for these, an interval after the other.
        intervals: how many, how long each is (ns), and how many cells are watched.
    """
    walker = memory[at.CURRENT]
    memory[at.CURRENT] = -1
    while True:
        if walker < 0:
            walker = _next_walker(memory, ring, urgent, heap, memory[at.INTERVAL_END])
            if walker < 0:
                if _next_interval(memory, -1 - walker, watched, books, intervals):
                    continue
                return -1 - walker
        if memory[at.TRACED]:
            if not room_for(memory, 1):
                memory[at.CURRENT] = walker
                return at.RECORD_FULL
            note_time_spent(memory, record, walker)
        answer = _go(memory, floats, ring, urgent, heap, record, walker)
        if answer != BLOCKED:
            memory[at.CURRENT] = walker
            if answer == WANT_STREAM:
                return at.REFILL
            if answer == WANT_PAUSE:
                return at.PAUSED
            return at.RECORD_FULL if answer == WANT_ROOM else at.GROW
        walker = -1


run = called(_run, np.int64, np.float64, *(np.int64,) * 7)
"""The one function that Python calls, with arrays of one dimension."""
