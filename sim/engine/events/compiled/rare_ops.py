"""The rare op-codes: locks, forks, gates, arrivals. A function of their own keeps the hot loop small."""

from __future__ import annotations

from sim.engine.events.compiled import opcodes as op
from sim.engine.events.compiled.common_ops import (
    accumulate_area,
    dequeue,
    draw,
    enqueue,
    exhausted,
    room_for,
    write_row,
)
from sim.engine.events.compiled.event_queue import due_now, join, leave, nothing_due, start_now
from sim.engine.events.compiled.instructions import code_of, first_of, second_of
from sim.engine.events.compiled.jit import compiled
from sim.engine.events.compiled.layout import (
    AMOUNT,
    ARRIVED,
    BACKGROUND,
    BRANCH_DONE,
    BRANCH_ENDED,
    BRANCH_SENT,
    BUSY,
    CLIENT,
    COUNTERS,
    END,
    EXCLUSIVE,
    EXTRA,
    FREE_PROCESS,
    HEAD,
    HEAD_2,
    HOLDERS,
    ITEMS,
    LEFT,
    LEVEL,
    LOCK_RELEASED,
    NEXT,
    NOW,
    PARENT,
    PC,
    PLACE_SIZE,
    POSITION,
    PROCESS_BASE,
    PROCESS_LIMIT,
    PROCESS_SIZE,
    PROCESSES,
    QUEUE,
    REGISTERS,
    RESERVE,
    RESUME,
    STEPS,
    TAIL,
    TIME_SPENT,
    TRACED,
    VISITS,
    WANTED,
    Floats,
    Memory,
)

# Codes for the loop. GO_ON: take the instruction at the program counter; BLOCKED: take another process;
# SLEEP: let time pass; WANT_…: return to Python. Instructions are above 0, so that one number holds either.
GO_ON, BLOCKED, SLEEP, WANT_STREAM, WANT_PROCESSES, WANT_ROOM, WANT_PAUSE = range(0, -7, -1)

JOIN = -1
"""PC of the join of a fork that needs some of its branches; such a join is stored like a process."""

WAITS_TO_GATHER = -1
"""Register of a batch whose GATHER waits for the first client, with its step already counted."""


@compiled
def take_rare(memory: Memory, floats: Floats, ring: Memory, urgent: Memory, record: Memory, process: int) -> int:
    """Take the next instruction of ``process``, move its program counter, and return a code for the loop.

    With SLEEP, AMOUNT of the process is the time to sleep.
    """
    pc = memory[process + PC]
    code = code_of(memory[pc])
    if op.LOCK <= code <= op.UNLOCK:
        return _lock(memory, ring, process, pc)
    if op.FORK <= code <= op.BACKGROUND_END:
        return _fork(memory, ring, urgent, record, process, pc)
    if op.AWAIT <= code <= op.WAKE:
        return _gate(memory, ring, process, pc)
    if code == op.IF_ANY:
        return _if_any(memory, process, pc)
    if code == op.START or code == op.STOP:  # noqa: PLR1714  (a tuple takes longer to compile)
        return _timed(memory, process, pc)
    if code == op.SPAWN:
        return _spawn(memory, urgent, process, pc)
    return _die(memory, process) if code == op.DIE else _arrive(memory, floats, process, pc)


@compiled
def note_time_spent(memory: Memory, record: Memory, process: int) -> None:
    """Record the activity of ``process`` since it last went on."""
    went_on, now = process + memory[TRACED], memory[NOW]
    if memory[went_on] != now:
        at = memory[process + PC]
        # Before an instruction lets time pass it moves PC to its successor, where the process goes on now. So the
        # time was spent one instruction back. Only a GATHER that waits for its first client is taken again.
        word = memory[at]
        if not (code_of(word) == op.GATHER and memory[process + REGISTERS + second_of(word)] == WAITS_TO_GATHER):
            at -= 1
        write_row(memory, record, TIME_SPENT, process, at, memory[process + REGISTERS], memory[went_on])
        memory[went_on] = now


@compiled
def grant_lock(memory: Memory, ring: Memory, lock: int) -> None:
    """Grant the lock from the head of the queue as long as the holders allow it.

    AMOUNT of a waiting process is 1 for exclusive, 0 for shared mode. EXCLUSIVE and LEVEL count what is granted.
    """
    while memory[lock + HEAD] and not memory[lock + EXCLUSIVE]:
        exclusive = memory[memory[lock + HEAD] + AMOUNT]
        if exclusive and memory[lock + LEVEL]:
            return
        memory[lock + EXCLUSIVE] += exclusive
        memory[lock + LEVEL] += 1 - exclusive
        due_now(memory, ring, RESUME, dequeue(memory, lock, lock + HEAD))


@compiled
def _lock(memory: Memory, ring: Memory, process: int, pc: int) -> int:
    word = memory[pc]
    code, lock, exclusive = code_of(word), first_of(word), second_of(word)
    memory[process + PC] = pc + 1
    if code == op.LOCK:
        memory[memory[process + COUNTERS] + STEPS] += 1
        memory[process + AMOUNT] = exclusive
        enqueue(memory, lock, lock + HEAD, process)
        grant_lock(memory, ring, lock)
        return BLOCKED
    accumulate_area(memory, lock)
    if code == op.LOCKED:
        memory[lock + VISITS] += 1
        memory[lock + HOLDERS] += 1
        memory[lock + BUSY] = 1
        return GO_ON
    memory[lock + HOLDERS] -= 1
    if memory[lock + HOLDERS] == 0:
        memory[lock + BUSY] = 0
    memory[lock + EXCLUSIVE] -= exclusive
    memory[lock + LEVEL] -= 1 - exclusive
    if memory[lock + HEAD] or not nothing_due(memory):
        due_now(memory, ring, LOCK_RELEASED, lock)
    return GO_ON


@compiled
def can_spawn(memory: Memory, count: int) -> bool:
    """True if there is room for ``count`` more processes."""
    return memory[PROCESSES] + count <= memory[PROCESS_LIMIT]


@compiled
def _room(memory: Memory, pc: int, counters: int) -> int:
    """Allocate a process, and return its address."""
    process = memory[FREE_PROCESS]
    if process:
        memory[FREE_PROCESS] = memory[process + NEXT]
    else:
        process = memory[PROCESS_BASE] + memory[PROCESSES] * memory[PROCESS_SIZE]
        memory[PROCESSES] += 1
    memory[process + PC] = pc
    memory[process + COUNTERS] = counters
    return process


@compiled
def spawn(memory: Memory, urgent: Memory, pc: int, counters: int, whose: int) -> int:
    """Create a process that starts at ``pc`` before all other events due now; return its address.

    ``whose`` is the number of its client, or the parent of a branch.
    """
    process = _room(memory, pc, counters)
    memory[process + CLIENT] = whose
    memory[process + ITEMS] = 0
    if memory[TRACED]:
        memory[process + memory[TRACED]] = memory[NOW]
    start_now(memory, urgent, process)
    return process


@compiled
def _die(memory: Memory, process: int) -> int:
    """End ``process`` and keep its memory for the next one."""
    memory[process + PC] = 0
    memory[process + NEXT] = memory[FREE_PROCESS]
    memory[FREE_PROCESS] = process
    return BLOCKED


@compiled
def _fork(memory: Memory, ring: Memory, urgent: Memory, record: Memory, process: int, pc: int) -> int:
    code, counters = code_of(memory[pc]), memory[process + COUNTERS]
    if code == op.FORK:
        return _branch(memory, urgent, record, process, pc)
    if memory[TRACED] and not room_for(memory, 1):
        return WANT_ROOM
    memory[process + PC] = pc + 1
    if code == op.BACKGROUND_BEGIN:
        memory[counters + BACKGROUND] += 1
        return GO_ON
    if code == op.BACKGROUND_END:
        memory[counters + BACKGROUND] -= 1
    else:
        due_now(memory, ring, BRANCH_DONE, memory[process + PARENT])
    if memory[TRACED]:
        write_row(memory, record, BRANCH_ENDED, process, 0, 0, memory[NOW])
    return _die(memory, process)


@compiled
def _branch(memory: Memory, urgent: Memory, record: Memory, process: int, pc: int) -> int:
    """FORK. Operands: a table of the number of branches and their addresses; and the number needed."""
    table, needed = first_of(memory[pc]), second_of(memory[pc])
    count = memory[table]
    some = 0 < needed < count
    if not can_spawn(memory, count + some):
        return WANT_PROCESSES
    if memory[TRACED] and not room_for(memory, count):
        return WANT_ROOM
    memory[memory[process + COUNTERS] + STEPS] += 1
    joined = _join_of_some(memory, process, count, needed) if some else process
    for number in range(1, count + 1):
        branch = spawn(memory, urgent, memory[table + number], memory[process + COUNTERS], joined)
        memory[branch + ITEMS] = memory[process + ITEMS]
        if memory[TRACED]:
            write_row(memory, record, BRANCH_SENT, branch, process, int(needed == 0), memory[NOW])
    memory[process + PC] = pc + 1
    memory[process + AMOUNT] = count
    return BLOCKED if needed else GO_ON


@compiled
def _join_of_some(memory: Memory, process: int, count: int, needed: int) -> int:
    """Create the join of ``count`` branches of ``process``, of which fewer are ``needed``.

    It may outlive its fork, since ``process`` goes on meanwhile and may fork again. So it has the memory of a
    process that never runs. Its AMOUNT is the number of ends still needed, its ITEMS the number still to come.
    """
    joined = _room(memory, JOIN, memory[process + COUNTERS])
    memory[joined + PARENT] = process
    memory[joined + AMOUNT] = needed
    memory[joined + ITEMS] = count
    return joined


@compiled
def end_of_some(memory: Memory, ring: Memory, joined: int) -> None:
    """Handle the end of a branch of which some are needed: once enough have ended, the others are left behind."""
    background = memory[joined + COUNTERS] + BACKGROUND
    memory[joined + ITEMS] -= 1
    if memory[joined + AMOUNT] == 0:
        memory[background] += memory[joined + ITEMS]
        due_now(memory, ring, RESUME, memory[joined + PARENT])
    elif memory[joined + AMOUNT] < 0:
        memory[background] -= 1
    if memory[joined + ITEMS] == 0:
        _die(memory, joined)


@compiled
def _gate(memory: Memory, ring: Memory, process: int, pc: int) -> int:
    word = memory[pc]
    code, gate, register = code_of(word), first_of(word), process + REGISTERS + second_of(word)
    if code == op.AWAIT:
        memory[memory[process + COUNTERS] + STEPS] += 1
        memory[process + PC] = pc + 1
        enqueue(memory, gate, gate + HEAD, process)
        if memory[gate + HEAD_2]:
            due_now(memory, ring, RESUME, leave(memory, gate + HEAD_2))
        return BLOCKED
    if code == op.GATHER:
        return _gather(memory, process, pc, gate, register)
    memory[memory[process + COUNTERS] + STEPS] += 1
    memory[process + PC] = pc + 1
    accumulate_area(memory, gate)
    waiting = memory[register]
    while waiting:
        following = memory[waiting + NEXT]
        memory[gate + BUSY] -= 1
        due_now(memory, ring, RESUME, waiting)
        waiting = following
    memory[register] = 0
    return GO_ON


@compiled
def _gather(memory: Memory, process: int, pc: int, gate: int, register: int) -> int:
    """GATHER. Taken again when the first client has come; the register then marks its step as counted."""
    if memory[register] != WAITS_TO_GATHER:
        memory[memory[process + COUNTERS] + STEPS] += 1
    if not memory[gate + HEAD]:
        memory[register] = WAITS_TO_GATHER
        join(memory, gate + HEAD_2, process)
        return BLOCKED
    accumulate_area(memory, gate)
    memory[process + PC] = pc + 1
    memory[process + ITEMS] = memory[gate + QUEUE]
    memory[gate + BUSY] += memory[gate + QUEUE]
    memory[gate + VISITS] += memory[gate + QUEUE]
    memory[gate + QUEUE] = 0
    memory[gate + EXTRA] += 1
    memory[register] = memory[gate + HEAD]
    memory[gate + HEAD] = memory[gate + TAIL] = 0
    return GO_ON


@compiled
def _if_any(memory: Memory, process: int, pc: int) -> int:
    """IF_ANY. Operands: a place, and its cell that is not 0 if there is any. The jump for none follows.

    Of a buffer, the second operand is the address of the least level, which lies behind all cells of a place.
    """
    memory[memory[process + COUNTERS] + STEPS] += 1
    place, cell = first_of(memory[pc]), second_of(memory[pc])
    if cell >= PLACE_SIZE:
        some = memory[place + LEVEL] >= memory[cell]
    elif cell == EXCLUSIVE:  # of a lock, shared holders and those who wait count too
        some = memory[place + cell] + memory[place + LEVEL] + memory[place + HEAD] != 0
    else:
        some = memory[place + cell] != 0
    memory[process + PC] = pc + 2 if some else pc + 1
    return GO_ON


@compiled
def _timed(memory: Memory, process: int, pc: int) -> int:
    """START and STOP. Operands: of START the address of a delay; of STOP a jump target, and that of a time."""
    word = memory[pc]
    memory[process + PC] = pc + 1
    if code_of(word) == op.START:
        memory[process + AMOUNT] = memory[first_of(word)]
        return SLEEP
    if memory[NOW] >= memory[second_of(word)]:
        memory[process + PC] = first_of(word)
    return GO_ON


@compiled
def _spawn(memory: Memory, urgent: Memory, process: int, pc: int) -> int:
    """SPAWN. Operand: the address of the path of the arrival."""
    counters = memory[process + COUNTERS]
    if not can_spawn(memory, 1):
        return WANT_PROCESSES
    spawn(memory, urgent, first_of(memory[pc]), counters, memory[counters + ARRIVED])
    memory[counters + ARRIVED] += 1
    memory[process + PC] = pc + 1
    return GO_ON


@compiled
def _arrive(memory: Memory, floats: Floats, process: int, pc: int) -> int:
    """ARRIVE. Operands: the address of a sampler, table or stream of gaps; and the kind of source."""
    counters = memory[process + COUNTERS]
    if memory[counters + LEFT] == 0 and memory[counters + RESERVE]:
        return WANT_PAUSE
    gaps, kind = first_of(memory[pc]), second_of(memory[pc])
    if kind == op.BY_STREAM:
        if memory[gaps + POSITION] == memory[gaps + END]:
            memory[WANTED] = gaps
            return WANT_STREAM
        gap = memory[memory[gaps + POSITION]]
        memory[gaps + POSITION] += 1
    elif kind == op.BY_TABLE:
        if memory[counters + ARRIVED] == memory[gaps]:
            return _die(memory, process)
        gap = memory[gaps + 1 + memory[counters + ARRIVED]]
    else:
        if exhausted(memory, gaps):
            memory[WANTED] = memory[gaps]
            return WANT_STREAM
        gap = draw(memory, floats, gaps, 0)
    if memory[counters + LEFT] == 0:
        return _die(memory, process)
    memory[counters + LEFT] -= 1
    memory[process + AMOUNT] = gap
    memory[process + PC] = pc + 1
    return SLEEP
