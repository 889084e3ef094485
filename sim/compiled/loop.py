"""The event loop. It knows op-codes, not storage; ties go as in SimPy.

Of the events at one time, new walkers start first; then comes what the heap has (it was scheduled earlier); then
what became due at this very time, first come first served: grants, releases and ends of branches are events too.
"""

from __future__ import annotations

from typing import Any

from sim.compiled import layout as at
from sim.compiled import opcodes as op
from sim.compiled.hot import (
    begin,
    draw,
    dry,
    enqueue,
    finish,
    grant_room,
    grant_server,
    grant_takes,
    touch,
)
from sim.compiled.jit import compiled, kept, pointer
from sim.compiled.queues import Floats, Memory, close_hole, due_now, next_time, schedule
from sim.compiled.rare import BLOCKED, GO_ON, SLEEP, WANT_STREAM, WANT_WALKERS, grant_lock, take_rare

RECORD_IS_FULL = 5
"""What an instruction may answer beside those of ``rare``."""

_NUMBER = (1 << at.SEQUENCE_SHIFT) - 1
_KIND = (1 << at.KIND_BITS) - 1


@compiled
def _next_walker(memory: Memory, ring: Memory, urgent: Memory, times: Memory, keys: Memory, until: int) -> int:
    """Whose turn it is, or -1 - the reason to stop."""
    while True:
        if memory[at.URGENT_HEAD] != memory[at.URGENT_TAIL]:
            memory[at.URGENT_HEAD] += 1
            return urgent[(memory[at.URGENT_HEAD] - 1) & memory[at.URGENT_MASK]]
        time = next_time(memory, times)
        if time == memory[at.NOW]:
            return _pop(memory, times, keys)
        if memory[at.RING_HEAD] == memory[at.RING_TAIL]:
            if time >= until:
                memory[at.NOW] = until
                return -1 - (at.IDLE if time == at.FAR_NS else at.UNTIL)
            memory[at.NOW] = time
            return _pop(memory, times, keys)
        event = ring[memory[at.RING_HEAD] & memory[at.RING_MASK]]
        memory[at.RING_HEAD] += 1
        walker = _happen(memory, ring, event & _KIND, event >> at.KIND_BITS)
        if walker:
            return walker
        if memory[at.FINISHED]:
            return -1 - at.DONE


@compiled
def _pop(memory: Memory, times: Memory, keys: Memory) -> int:
    """Take the next event out of the heap, leaving a hole that the next one scheduled may fill."""
    if memory[at.HOLE]:
        close_hole(memory, times, keys)
    memory[at.HOLE] = 1
    return memory[at.WALKER_BASE] + (keys[0] & _NUMBER) * memory[at.WALKER_SIZE]


@compiled
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
        memory[whom + at.PENDING] -= 1
        if memory[whom + at.PENDING] == 0:
            due_now(memory, ring, at.RESUME, whom)
    else:
        memory[at.FINISHED] = 1
    return 0


@compiled
def _quiet(memory: Memory, times: Memory) -> bool:
    """Whether nothing else is due now, so that what is granted now may go on without an event between."""
    return (
        memory[at.RING_HEAD] == memory[at.RING_TAIL]
        and memory[at.URGENT_HEAD] == memory[at.URGENT_TAIL]
        and next_time(memory, times) > memory[at.NOW]
    )


@compiled
def _sleep(memory: Memory, ring: Memory, times: Memory, keys: Memory, walker: int, time: int) -> None:
    if time:
        number = (walker - memory[at.WALKER_BASE]) // memory[at.WALKER_SIZE]
        schedule(memory, times, keys, memory[at.NOW] + time, number)
    else:
        due_now(memory, ring, at.RESUME, walker)


@compiled
def _request(memory: Memory, ring: Memory, times: Memory, station: int, walker: int) -> int:
    if memory[station + at.HEAD] == 0 and memory[station + at.LEVEL] < memory[station + at.CAPACITY]:
        memory[station + at.LEVEL] += 1
        if _quiet(memory, times):
            return GO_ON
        due_now(memory, ring, at.RESUME, walker)
        return BLOCKED
    enqueue(memory, station, station + at.HEAD, walker)
    grant_server(memory, ring, station)
    return BLOCKED


@compiled
def _acquire(memory: Memory, ring: Memory, times: Memory, pool: int, tokens: int, walker: int) -> int:
    if memory[pool + at.HEAD] == 0 and tokens <= memory[pool + at.CAPACITY] - memory[pool + at.LEVEL]:
        memory[pool + at.LEVEL] += tokens
        if _quiet(memory, times):
            return GO_ON
        due_now(memory, ring, at.RESUME, walker)
        return BLOCKED
    memory[walker + at.AMOUNT] = tokens
    enqueue(memory, pool, pool + at.HEAD, walker)
    grant_room(memory, ring, pool, at.RESUME)
    return BLOCKED


@compiled
def _change_level(memory: Memory, ring: Memory, buffer: int, amount: int, walker: int, put: bool) -> None:  # noqa: FBT001
    memory[walker + at.AMOUNT] = amount
    if put:
        enqueue(memory, buffer, buffer + at.HEAD, walker)
        grant_room(memory, ring, buffer, at.PUT_GRANTED)
    else:
        enqueue(memory, buffer, buffer + at.HEAD_2, walker)
        grant_takes(memory, ring, buffer, at.TAKE_GRANTED)


@compiled
def _occupy(memory: Memory, place: int, amount: int) -> None:
    touch(memory, place)
    memory[place + at.BUSY] += amount


@compiled
def _visit(memory: Memory, place: int, amount: int) -> None:
    _occupy(memory, place, amount)
    memory[place + at.VISITS] += 1


@compiled
def _chosen(memory: Memory, floats: Floats, stream: int, table: int) -> int:
    """Where to go on: the table has the number of limits, where these begin, and one target more than limits."""
    drawn = floats[memory[stream + at.POSITION]]
    memory[stream + at.POSITION] += 1
    option = 0
    for limit in range(memory[table + 1], memory[table + 1] + memory[table]):
        option += drawn >= floats[limit]
    return memory[table + 2 + option]


@compiled
def _serve(memory: Memory, floats: Floats, ring: Memory, times: Memory, keys: Memory, walker: int, pc: int) -> int:
    """Stations, pools and delays."""
    code, place, second = memory[pc], memory[pc + 1], memory[pc + 2]
    tally = memory[walker + at.TALLY]
    memory[walker + at.PC] = pc + op.INSTRUCTION_SIZE
    if code == op.REQUEST:
        memory[tally + at.STEPS] += 1
        return _request(memory, ring, times, place, walker)
    if code <= op.DELAY and code != op.RELEASE:
        sampler = second if code == op.SERVE else place
        if dry(memory, sampler):
            memory[at.WANTED] = memory[sampler + at.STREAM]
            memory[walker + at.PC] = pc
            return WANT_STREAM
        if code == op.SERVE:
            _visit(memory, place, 1)
        elif code == op.DELAY:
            memory[tally + at.STEPS] += 1
        time = draw(memory, floats, sampler, memory[walker + at.ITEMS])
        _sleep(memory, ring, times, keys, walker, time)
        return BLOCKED
    if code == op.RELEASE:
        _occupy(memory, place, -1)
        memory[place + at.LEVEL] -= 1
        due_now(memory, ring, at.STATION_RELEASED, place)
    elif code == op.ACQUIRE:
        memory[tally + at.STEPS] += 1
        return _acquire(memory, ring, times, place, second, walker)
    elif code == op.ACQUIRED:
        _visit(memory, place, second)
    else:
        _occupy(memory, place, -second)
        memory[place + at.LEVEL] -= second
        due_now(memory, ring, at.POOL_RELEASED, place)
    return GO_ON


@compiled
def _flow(  # noqa: C901, PLR0912  (a branch an op-code; the compiler makes it a jump table)
    memory: Memory, floats: Floats, ring: Memory, record: Memory, walker: int, pc: int
) -> int:
    """Buffers, and the order of the instructions."""
    code, first, second = memory[pc], memory[pc + 1], memory[pc + 2]
    tally = memory[walker + at.TALLY]
    following = pc + op.INSTRUCTION_SIZE
    answer = GO_ON
    if code in (op.PUT, op.TAKE):
        memory[tally + at.STEPS] += 1
        _change_level(memory, ring, first, second, walker, code == op.PUT)
        answer = BLOCKED
    elif code == op.PUT_DONE:
        _visit(memory, first, second)
    elif code == op.TAKE_DONE:
        _visit(memory, first, -second)
    elif code == op.REPEAT:
        memory[tally + at.STEPS] += 1
        memory[walker + at.REGISTERS + first] = second
    elif code == op.LOOP:
        memory[walker + at.REGISTERS + first] -= 1
        if memory[walker + at.REGISTERS + first]:
            following = second
    elif code == op.JUMP:
        following = first
    elif code == op.CHOOSE:
        if memory[first + at.POSITION] == memory[first + at.END]:
            memory[at.WANTED] = first
            following, answer = pc, WANT_STREAM
        else:
            memory[tally + at.STEPS] += 1
            following = _chosen(memory, floats, first, second)
    elif code == op.TURN:
        if memory[tally + at.LEFT]:
            memory[tally + at.LEFT] -= 1
        else:
            following = first
    elif code == op.BEGIN:
        begin(memory, walker)
    elif memory[at.RECORD_LIMIT] and memory[at.RECORDED] == memory[at.RECORD_LIMIT]:
        following, answer = pc, RECORD_IS_FULL
    elif finish(memory, record, walker):
        due_now(memory, ring, at.ALL_DONE, 0)
    memory[walker + at.PC] = following
    return answer


@compiled
def _go(
    memory: Memory,
    floats: Floats,
    ring: Memory,
    urgent: Memory,
    times: Memory,
    keys: Memory,
    record: Memory,
    walker: int,
) -> int:
    """Take the instructions of ``walker`` from where it stands until it has to wait for something."""
    while True:
        pc = memory[walker + at.PC]
        code = memory[pc]
        if code <= op.FREE:
            answer = _serve(memory, floats, ring, times, keys, walker, pc)
        elif code <= op.FINISH:
            answer = _flow(memory, floats, ring, record, walker, pc)
        else:
            answer = take_rare(memory, floats, ring, urgent, walker)
            if answer == SLEEP:
                _sleep(memory, ring, times, keys, walker, memory[walker + at.AMOUNT])
                answer = BLOCKED
        if answer != GO_ON:
            return answer


@compiled
def _run(
    memory: Memory,
    floats: Floats,
    ring: Memory,
    urgent: Memory,
    times: Memory,
    keys: Memory,
    record: Memory,
    until: int,
) -> int:
    walker = memory[at.CURRENT]
    memory[at.CURRENT] = -1
    while True:
        if walker < 0:
            walker = _next_walker(memory, ring, urgent, times, keys, until)
            if walker < 0:
                return -1 - walker
        answer = _go(memory, floats, ring, urgent, times, keys, record, walker)
        if answer != BLOCKED:
            memory[at.CURRENT] = walker
            if answer == WANT_STREAM:
                return at.REFILL
            return at.GROW if answer == WANT_WALKERS else at.RECORD_FULL
        walker = -1


@kept
def run(memory: Any, floats: Any, ring: Any, urgent: Any, times: Any, keys: Any, record: Any, until: int) -> int:
    """Let everything happen that is due before ``until``; return why it stopped (see ``layout``).

    Args:
        memory, ring, urgent, times, keys, record: int64, one-dimensional; the rings have a power of two of cells.
        floats: float64, one-dimensional.
    """
    return _run(
        pointer(memory),
        pointer(floats),
        pointer(ring),
        pointer(urgent),
        pointer(times),
        pointer(keys),
        pointer(record),
        until,
    )
