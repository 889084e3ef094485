"""The instructions of buffers."""

from __future__ import annotations

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled import opcodes as op
from sim.engine.events.compiled.common_ops import enqueue, grant_room, grant_takes, lower_level, may_take, visit
from sim.engine.events.compiled.event_queue import due_now, nothing_due
from sim.engine.events.compiled.instructions import code_of, first_of, second_of
from sim.engine.events.compiled.jit import compiled, inlined
from sim.engine.events.compiled.layout import Memory
from sim.engine.events.compiled.rare_ops import BLOCKED


@compiled
def change_level(memory: Memory, ring: Memory, process: int, pc: int, word: int) -> int:
    """PUT and TAKE, including the next instruction if the process need not wait; PUT_DONE and TAKE_DONE.

    Operands: the buffer, and the address of the amount. Return the next instruction, or BLOCKED.
    """
    code, buffer, amount = code_of(word), first_of(word), memory[second_of(word)]
    if code == op.PUT or code == op.TAKE:  # noqa: PLR1714  (a tuple takes longer to compile)
        memory[memory[process + at.COUNTERS] + at.STEPS] += 1
        pc += 1
        memory[process + at.PC] = pc
        if code == op.PUT:
            if not _put(memory, ring, buffer, amount, process):
                return BLOCKED
        elif not _take(memory, ring, buffer, amount, process):
            return BLOCKED
    visit(memory, buffer, amount if code <= op.PUT_DONE else -amount)
    return pc + 1


@inlined
def _put(memory: Memory, ring: Memory, buffer: int, amount: int, process: int) -> bool:
    """Put ``amount``, or enqueue ``process``; return True if it goes on at once.

    The grant is an event of its own, before which takes are granted. If nothing else is due it would be the
    next, so it is left out.
    """
    if memory[buffer + at.HEAD] == 0 and amount <= memory[buffer + at.CAPACITY] - memory[buffer + at.LEVEL]:
        memory[buffer + at.LEVEL] += amount
        if nothing_due(memory):
            grant_takes(memory, ring, buffer, at.TAKE_GRANTED)
            return True
        due_now(memory, ring, at.PUT_GRANTED, process)
    else:
        memory[process + at.AMOUNT] = amount
        enqueue(memory, buffer, buffer + at.HEAD, process)
        grant_room(memory, ring, buffer, at.PUT_GRANTED)
    return False


@inlined
def _take(memory: Memory, ring: Memory, buffer: int, amount: int, process: int) -> bool:
    """Take ``amount``, or enqueue ``process``; return True if it goes on at once, as in ``_put``."""
    if memory[buffer + at.HEAD_2] == 0 and may_take(memory, buffer, amount):
        lower_level(memory, buffer, amount)
        if nothing_due(memory):
            grant_room(memory, ring, buffer, at.PUT_GRANTED)
            return True
        due_now(memory, ring, at.TAKE_GRANTED, process)
    else:
        memory[process + at.AMOUNT] = amount
        enqueue(memory, buffer, buffer + at.HEAD_2, process)
        grant_takes(memory, ring, buffer, at.TAKE_GRANTED)
    return False
