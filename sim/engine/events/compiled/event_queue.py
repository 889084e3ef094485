"""The schedule: future events, a ring of events due now, and queues of processes linked through NEXT.

Future events are in a heap. If there are many, those due later are on shelves, unordered.
"""

from __future__ import annotations

from sim.engine.events.compiled.heap import push, take
from sim.engine.events.compiled.jit import compiled, inlined, prefetch
from sim.engine.events.compiled.layout import (
    HORIZON,
    KIND_BITS,
    LINE_BITS,
    NEXT,
    NEXT_TIME,
    NOW,
    PROCESS_BASE,
    RING_HEAD,
    RING_MASK,
    RING_TAIL,
    ROOT,
    SEQUENCE,
    SEQUENCE_SHIFT,
    URGENT_HEAD,
    URGENT_MASK,
    URGENT_TAIL,
    Memory,
)
from sim.engine.events.compiled.shelves import process_of, shelve


@compiled
def due_now(memory: Memory, ring: Memory, kind: int, target: int) -> None:
    """Append an event to the ring of events due now."""
    tail = memory[RING_TAIL]
    ring[tail & memory[RING_MASK]] = target << KIND_BITS | kind
    memory[RING_TAIL] = tail + 1


@compiled
def start_now(memory: Memory, urgent: Memory, process: int) -> None:
    """Schedule a new process before all other events due now."""
    tail = memory[URGENT_TAIL]
    urgent[tail & memory[URGENT_MASK]] = process
    memory[URGENT_TAIL] = tail + 1


@compiled
def nothing_due(memory: Memory) -> bool:
    """True if nothing else is due now, so that the event about to be scheduled would be the next."""
    return (
        memory[RING_HEAD] == memory[RING_TAIL]
        and memory[URGENT_HEAD] == memory[URGENT_TAIL]
        and memory[NEXT_TIME] > memory[NOW]
    )


@inlined
def schedule(memory: Memory, heap: Memory, time: int, process: int) -> None:
    """Schedule an event."""
    key = memory[SEQUENCE] << SEQUENCE_SHIFT | (process - memory[PROCESS_BASE]) >> LINE_BITS
    memory[SEQUENCE] += 1
    if time < memory[HORIZON]:
        memory[NEXT_TIME] = min(memory[NEXT_TIME], time)
        push(memory, heap, time, key)
    else:
        shelve(memory, heap, time, key)


@inlined
def pop(memory: Memory, heap: Memory) -> int:
    """Remove the next event and return its process; prefetch the process after it."""
    key = take(memory, heap)
    memory[NEXT_TIME] = heap[ROOT]
    prefetch(memory, process_of(memory, heap[ROOT + 1]))
    return process_of(memory, key)


@compiled
def join(memory: Memory, head: int, process: int) -> None:
    """Append ``process`` to the queue with its head at ``head`` and its tail behind it."""
    memory[process + NEXT] = 0
    if memory[head] == 0:
        memory[head] = process
    else:
        memory[memory[head + 1] + NEXT] = process
    memory[head + 1] = process


@compiled
def leave(memory: Memory, head: int) -> int:
    """Remove the first process of the queue at ``head``, and return it."""
    process = memory[head]
    memory[head] = memory[process + NEXT]
    return process
