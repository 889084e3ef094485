"""The schedule: a heap of future events, a ring of events due now, and queues of processes linked through NEXT.

Each event of the heap has four children, which share a cache line. Behind the last event, and in the hole
that the event taken last has left at a leaf, the heap is filled with FAR_NS.
"""

from __future__ import annotations

from sim.engines.compiled.jit import compiled, inlined, prefetch
from sim.engines.compiled.layout import (
    EVENT_SIZE,
    FAR_NS,
    HEAP_END,
    HOLE,
    KIND_BITS,
    LINE,
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
)

Memory = list[int]
"""Integers, addressed by absolute index: a bare pointer in compiled code; in plain Python, a list."""

Floats = list[float]
"""The same of floating-point numbers."""

SHIFT = 4 * ROOT - LINE
"""The children of the event at ``at`` begin at 4 * at - SHIFT: a cache line each time."""

LINE_MASK = (1 << SEQUENCE_SHIFT) - 1


@compiled
def due_now(memory: Memory, ring: Memory, kind: int, target: int) -> None:
    """Append an event to the ring of those due now."""
    tail = memory[RING_TAIL]
    ring[tail & memory[RING_MASK]] = target << KIND_BITS | kind
    memory[RING_TAIL] = tail + 1


@compiled
def start_now(memory: Memory, urgent: Memory, process: int) -> None:
    """Let a new process start before anything else that is due now."""
    tail = memory[URGENT_TAIL]
    urgent[tail & memory[URGENT_MASK]] = process
    memory[URGENT_TAIL] = tail + 1


@compiled
def nothing_due(memory: Memory) -> bool:
    """Whether nothing else is due now, so that the next event would be the one about to be scheduled."""
    return (
        memory[RING_HEAD] == memory[RING_TAIL]
        and memory[URGENT_HEAD] == memory[URGENT_TAIL]
        and memory[NEXT_TIME] > memory[NOW]
    )


@compiled
def _before(heap: Memory, one: int, other: int) -> bool:
    """Whether the event at ``one`` goes first: it is due earlier, or was scheduled earlier."""
    return heap[one] < heap[other] or (heap[one] == heap[other] and heap[one + 1] < heap[other + 1])


@compiled
def _process(memory: Memory, key: int) -> int:
    """The process whose event has this key."""
    return memory[PROCESS_BASE] + ((key & LINE_MASK) << LINE_BITS)


@compiled
def _first_of_four(heap: Memory, child: int) -> int:
    """The first of four children. Mostly their times alone decide, in fewer dependent instructions."""
    second, third, fourth = child + EVENT_SIZE, child + 2 * EVENT_SIZE, child + 3 * EVENT_SIZE
    left_time, right_time = min(heap[child], heap[second]), min(heap[third], heap[fourth])
    time = min(left_time, right_time)
    is_second, is_third, is_fourth = heap[second] == time, heap[third] == time, heap[fourth] == time
    if (heap[child] == time) + is_second + is_third + is_fourth == 1:
        return child + EVENT_SIZE * (is_second + 2 * is_third + 3 * is_fourth)
    left = second if _before(heap, second, child) else child
    right = fourth if _before(heap, fourth, third) else third
    return right if _before(heap, right, left) else left


@inlined
def _rise(heap: Memory, at: int, time: int, key: int) -> None:
    """Put (time, key) at the leaf ``at`` and let it rise to where it belongs."""
    while at > ROOT:
        parent = (at + SHIFT >> LINE_BITS) * EVENT_SIZE
        if heap[parent] < time or (heap[parent] == time and heap[parent + 1] < key):
            break
        heap[at] = heap[parent]
        heap[at + 1] = heap[parent + 1]
        at = parent
    heap[at] = time
    heap[at + 1] = key


@inlined
def schedule(memory: Memory, heap: Memory, time: int, process: int) -> None:
    """Put an event into the heap: into the hole that the event taken last has left, if there is one."""
    key = memory[SEQUENCE] << SEQUENCE_SHIFT | (process - memory[PROCESS_BASE]) >> LINE_BITS
    memory[SEQUENCE] += 1
    memory[NEXT_TIME] = min(memory[NEXT_TIME], time)
    at = memory[HOLE]
    if at:
        memory[HOLE] = 0
    else:
        at = memory[HEAP_END]
        memory[HEAP_END] = at + EVENT_SIZE
    _rise(heap, at, time, key)


@inlined
def pop(memory: Memory, heap: Memory) -> int:
    """Take the next event off the heap, and return its process.

    The hole sinks to a leaf at once: the processor does that while it already takes the instructions of the
    process, and meanwhile fetches the process that comes next.
    """
    if memory[HOLE]:
        _close_hole(memory, heap)
    process = _process(memory, heap[ROOT + 1])
    end = memory[HEAP_END]
    at = ROOT
    child = 4 * at - SHIFT
    while child < end:
        child = _first_of_four(heap, child)
        heap[at] = heap[child]
        heap[at + 1] = heap[child + 1]
        at = child
        child = 4 * at - SHIFT
    heap[at] = FAR_NS
    memory[HOLE] = at
    memory[NEXT_TIME] = heap[ROOT]
    prefetch(memory, _process(memory, heap[ROOT + 1]))
    return process


@inlined
def _close_hole(memory: Memory, heap: Memory) -> None:
    """Put the last event into the hole."""
    end = memory[HEAP_END] - EVENT_SIZE
    memory[HEAP_END] = end
    time = heap[end]
    heap[end] = FAR_NS
    if memory[HOLE] != end:
        _rise(heap, memory[HOLE], time, heap[end + 1])


@compiled
def join(memory: Memory, head: int, process: int) -> None:
    """Put ``process`` at the end of the queue whose head and tail lie at ``head``."""
    memory[process + NEXT] = 0
    if memory[head] == 0:
        memory[head] = process
    else:
        memory[memory[head + 1] + NEXT] = process
    memory[head + 1] = process


@compiled
def leave(memory: Memory, head: int) -> int:
    """Take the first process off the queue whose head lies at ``head``."""
    process = memory[head]
    memory[head] = memory[process + NEXT]
    return process
