"""What the rare op-codes do: locks, forks, gates, arrivals. Apart, so that the hot loop stays small."""

from __future__ import annotations

from sim.engines.compiled import opcodes as op
from sim.engines.compiled.common_ops import dequeue, draw, dry, enqueue, room_for, touch, write_row
from sim.engines.compiled.event_queue import Floats, Memory, due_now, join, leave, quiet, start_now
from sim.engines.compiled.jit import compiled
from sim.engines.compiled.layout import (
    AMOUNT,
    ARRIVED,
    BACKGROUND,
    BRANCH_DONE,
    BRANCH_ENDED,
    BRANCH_SENT,
    BUSY,
    CLIENT,
    END,
    EXCLUSIVE,
    EXTRA,
    FREE_WALKER,
    HEAD,
    HEAD_2,
    ITEMS,
    LEFT,
    LEVEL,
    LOCK_RELEASED,
    NEXT,
    NOW,
    PARENT,
    PC,
    POSITION,
    QUEUE,
    REGISTERS,
    RESERVE,
    RESUME,
    STEPS,
    TAIL,
    TALLY,
    TIME_SPENT,
    TRACED,
    VISITS,
    WALKER_BASE,
    WALKER_LIMIT,
    WALKER_SIZE,
    WALKERS,
    WANTED,
)
from sim.engines.compiled.opcodes import INSTRUCTION_SIZE

# What the loop is to do next: go on where the walker stands, or one of these. Instructions lie above 0.
GO_ON, BLOCKED, SLEEP, WANT_STREAM, WANT_WALKERS, WANT_ROOM, WANT_PAUSE = range(0, -7, -1)

COUNTED = -1
"""In the register of a batch: the client waits for somebody to come."""


@compiled
def take_rare(memory: Memory, floats: Floats, ring: Memory, urgent: Memory, record: Memory, walker: int) -> int:
    """Take the instruction at which ``walker`` stands; move its program counter; say what the loop does next.

    With SLEEP, the time to sleep stands in AMOUNT of the walker.
    """
    pc = memory[walker + PC]
    code = memory[pc]
    if op.LOCK <= code <= op.UNLOCK:
        return _lock(memory, ring, walker, pc)
    if op.FORK <= code <= op.BACKGROUND_END:
        return _fork(memory, ring, urgent, record, walker, pc)
    if op.AWAIT <= code <= op.WAKE:
        return _gate(memory, ring, walker, pc)
    if code == op.IF_ANY:
        return _if_any(memory, walker, pc)
    if code == op.START or code == op.STOP:  # noqa: PLR1714  (a tuple takes longer to compile)
        return _timed(memory, walker, pc)
    if code == op.SPAWN:
        return _spawn(memory, urgent, walker, pc)
    return _die(memory, walker) if code == op.DIE else _arrive(memory, floats, walker, pc)


@compiled
def note_time_spent(memory: Memory, record: Memory, walker: int) -> None:
    """Write down where ``walker`` spent the time since it last went on: at the instruction before, mostly."""
    went_on, now = walker + memory[TRACED], memory[NOW]
    if memory[went_on] != now:
        at = memory[walker + PC]
        if not (memory[at] == op.GATHER and memory[walker + REGISTERS + memory[at + 2]] == COUNTED):
            at -= INSTRUCTION_SIZE
        write_row(memory, record, TIME_SPENT, walker, memory[at], memory[at + 1], memory[went_on])
        memory[went_on] = now


@compiled
def grant_lock(memory: Memory, ring: Memory, lock: int) -> None:
    """Grant the lock from the head of the queue for as long as the holders allow it."""
    while memory[lock + HEAD] and not memory[lock + EXCLUSIVE]:
        exclusive = memory[memory[lock + HEAD] + AMOUNT]
        if exclusive and memory[lock + LEVEL]:
            return
        memory[lock + EXCLUSIVE] += exclusive
        memory[lock + LEVEL] += 1 - exclusive
        due_now(memory, ring, RESUME, dequeue(memory, lock, lock + HEAD))


@compiled
def _lock(memory: Memory, ring: Memory, walker: int, pc: int) -> int:
    code, lock, exclusive = memory[pc], memory[pc + 1], memory[pc + 2]
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    if code == op.LOCK:
        memory[memory[walker + TALLY] + STEPS] += 1
        memory[walker + AMOUNT] = exclusive
        enqueue(memory, lock, lock + HEAD, walker)
        grant_lock(memory, ring, lock)
        return BLOCKED
    touch(memory, lock)
    if code == op.LOCKED:
        memory[lock + VISITS] += 1
        memory[lock + HEAD_2] += 1  # holders that have gone on; of a lock, this is no queue
        memory[lock + BUSY] = 1
        return GO_ON
    memory[lock + HEAD_2] -= 1
    if memory[lock + HEAD_2] == 0:
        memory[lock + BUSY] = 0
    memory[lock + EXCLUSIVE] -= exclusive
    memory[lock + LEVEL] -= 1 - exclusive
    if memory[lock + HEAD] or not quiet(memory):
        due_now(memory, ring, LOCK_RELEASED, lock)
    return GO_ON


@compiled
def can_spawn(memory: Memory, count: int) -> bool:
    """Whether there is room for ``count`` more walkers."""
    return memory[WALKERS] + count <= memory[WALKER_LIMIT]


@compiled
def spawn(memory: Memory, urgent: Memory, pc: int, tally: int, client: int) -> int:
    """A new walker, that starts at ``pc`` before anything else that is due now."""
    walker = memory[FREE_WALKER]
    if walker:
        memory[FREE_WALKER] = memory[walker + NEXT]
    else:
        walker = memory[WALKER_BASE] + memory[WALKERS] * memory[WALKER_SIZE]
        memory[WALKERS] += 1
    memory[walker + PC] = pc
    memory[walker + TALLY] = tally
    memory[walker + CLIENT] = client
    memory[walker + ITEMS] = 0
    if memory[TRACED]:
        memory[walker + memory[TRACED]] = memory[NOW]
    start_now(memory, urgent, walker)
    return walker


@compiled
def _die(memory: Memory, walker: int) -> int:
    memory[walker + PC] = 0
    memory[walker + NEXT] = memory[FREE_WALKER]
    memory[FREE_WALKER] = walker
    return BLOCKED


@compiled
def _fork(memory: Memory, ring: Memory, urgent: Memory, record: Memory, walker: int, pc: int) -> int:
    code, tally = memory[pc], memory[walker + TALLY]
    if code == op.FORK:
        return _branch(memory, urgent, record, walker, pc)
    if memory[TRACED] and not room_for(memory, 1):
        return WANT_ROOM
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    if code == op.BACKGROUND_BEGIN:
        memory[tally + BACKGROUND] += 1
        return GO_ON
    if code == op.BACKGROUND_END:
        memory[tally + BACKGROUND] -= 1
    else:
        due_now(memory, ring, BRANCH_DONE, memory[walker + PARENT])
    if memory[TRACED]:
        write_row(memory, record, BRANCH_ENDED, walker, 0, 0, memory[NOW])
    return _die(memory, walker)


@compiled
def _branch(memory: Memory, urgent: Memory, record: Memory, walker: int, pc: int) -> int:
    """Operands: a table of where the branches begin, with their number first; and whether to wait for them."""
    table = memory[pc + 1]
    count = memory[table]
    if not can_spawn(memory, count):
        return WANT_WALKERS
    if memory[TRACED] and not room_for(memory, count):
        return WANT_ROOM
    memory[memory[walker + TALLY] + STEPS] += 1
    for number in range(1, count + 1):
        branch = spawn(memory, urgent, memory[table + number], memory[walker + TALLY], memory[walker + CLIENT])
        memory[branch + PARENT] = walker
        memory[branch + ITEMS] = memory[walker + ITEMS]
        if memory[TRACED]:
            write_row(memory, record, BRANCH_SENT, branch, walker, 1 - memory[pc + 2], memory[NOW])
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    memory[walker + AMOUNT] = count
    return BLOCKED if memory[pc + 2] else GO_ON


@compiled
def _gate(memory: Memory, ring: Memory, walker: int, pc: int) -> int:
    code, gate, register = memory[pc], memory[pc + 1], walker + REGISTERS + memory[pc + 2]
    if code == op.AWAIT:
        memory[memory[walker + TALLY] + STEPS] += 1
        memory[walker + PC] = pc + INSTRUCTION_SIZE
        enqueue(memory, gate, gate + HEAD, walker)
        if memory[gate + HEAD_2]:
            due_now(memory, ring, RESUME, leave(memory, gate + HEAD_2))
        return BLOCKED
    if code == op.GATHER:
        return _gather(memory, walker, pc, gate, register)
    memory[memory[walker + TALLY] + STEPS] += 1
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    touch(memory, gate)
    waiting = memory[register]
    while waiting:
        following = memory[waiting + NEXT]
        memory[gate + BUSY] -= 1
        due_now(memory, ring, RESUME, waiting)
        waiting = following
    memory[register] = 0
    return GO_ON


@compiled
def _gather(memory: Memory, walker: int, pc: int, gate: int, register: int) -> int:
    """Taken again when somebody has come; then the register says that the step is counted already."""
    if memory[register] != COUNTED:
        memory[memory[walker + TALLY] + STEPS] += 1
    if not memory[gate + HEAD]:
        memory[register] = COUNTED
        join(memory, gate + HEAD_2, walker)
        return BLOCKED
    touch(memory, gate)
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    memory[walker + ITEMS] = memory[gate + QUEUE]
    memory[gate + BUSY] += memory[gate + QUEUE]
    memory[gate + VISITS] += memory[gate + QUEUE]
    memory[gate + QUEUE] = 0
    memory[gate + EXTRA] += 1
    memory[register] = memory[gate + HEAD]
    memory[gate + HEAD] = memory[gate + TAIL] = 0
    return GO_ON


@compiled
def _if_any(memory: Memory, walker: int, pc: int) -> int:
    """Operands: a place, which of its cells says whether anything is there, and where the path for none is."""
    memory[memory[walker + TALLY] + STEPS] += 1
    place, cell = memory[pc + 1], memory[pc + 2]
    some = memory[place + cell]
    if cell == EXCLUSIVE:  # a lock: shared holders and who waits count too
        some += memory[place + LEVEL] + memory[place + HEAD]
    memory[walker + PC] = pc + INSTRUCTION_SIZE if some else memory[pc + 3]
    return GO_ON


@compiled
def _timed(memory: Memory, walker: int, pc: int) -> int:
    """START has a time to sleep; STOP a time from which on the walker goes where it says."""
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    if memory[pc] == op.START:
        memory[walker + AMOUNT] = memory[pc + 1]
        return SLEEP
    if memory[NOW] >= memory[pc + 1]:
        memory[walker + PC] = memory[pc + 2]
    return GO_ON


@compiled
def _spawn(memory: Memory, urgent: Memory, walker: int, pc: int) -> int:
    """Operand: where the walk begins."""
    tally = memory[walker + TALLY]
    if not can_spawn(memory, 1):
        return WANT_WALKERS
    spawn(memory, urgent, memory[pc + 1], tally, memory[tally + ARRIVED])
    memory[tally + ARRIVED] += 1
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    return GO_ON


@compiled
def _arrive(memory: Memory, floats: Floats, walker: int, pc: int) -> int:
    """A sampler, a table of gaps with their number first, or a stream."""
    tally = memory[walker + TALLY]
    if memory[tally + LEFT] == 0 and memory[tally + RESERVE]:
        return WANT_PAUSE
    sampler, table, stream = memory[pc + 1], memory[pc + 2], memory[pc + 3]
    if stream:
        if memory[stream + POSITION] == memory[stream + END]:
            memory[WANTED] = stream
            return WANT_STREAM
        gap = memory[memory[stream + POSITION]]
        memory[stream + POSITION] += 1
    elif table:
        if memory[tally + ARRIVED] == memory[table]:
            return _die(memory, walker)
        gap = memory[table + 1 + memory[tally + ARRIVED]]
    else:
        if dry(memory, sampler):
            memory[WANTED] = memory[sampler]
            return WANT_STREAM
        gap = draw(memory, floats, sampler, 0)
    if memory[tally + LEFT] == 0:
        return _die(memory, walker)
    memory[tally + LEFT] -= 1
    memory[walker + AMOUNT] = gap
    memory[walker + PC] = pc + INSTRUCTION_SIZE
    return SLEEP
