"""The heap of events: each has four children, which share a cache line.

Cells behind the last event, and the hole at a leaf left by the event taken last, hold FAR_NS.
"""

from __future__ import annotations

from sim.engine.events.compiled.jit import compiled, inlined
from sim.engine.events.compiled.layout import EVENT_SIZE, FAR_NS, HEAP_END, HOLE, LINE_BITS, ROOT, Memory

SHIFT = 3 * ROOT - EVENT_SIZE
"""The children of the event at ``at`` begin at 4 * at - SHIFT: a cache line each time."""


@inlined
def push(memory: Memory, heap: Memory, time: int, key: int) -> None:
    """Insert an event into the heap: into the hole left by the event taken last, if there is one."""
    at = memory[HOLE]
    if at:
        memory[HOLE] = 0
    else:
        at = memory[HEAP_END]
        memory[HEAP_END] = at + EVENT_SIZE
    _rise(heap, at, time, key)


@inlined
def take(memory: Memory, heap: Memory) -> int:
    """Take the first event off the heap, and return its key.

    The hole sinks to a leaf at once: the processor does this in parallel with the process's next instructions.
    """
    if memory[HOLE]:
        _close_hole(memory, heap)
    key = heap[ROOT + 1]
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
    return key


@compiled
def _before(heap: Memory, one: int, other: int) -> bool:
    """True if the event at ``one`` goes first: it is due earlier, or was scheduled earlier."""
    return heap[one] < heap[other] or (heap[one] == heap[other] and heap[one + 1] < heap[other + 1])


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
    """Put (time, key) at the leaf ``at`` and let it rise to its position."""
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
def _close_hole(memory: Memory, heap: Memory) -> None:
    """Put the last event into the hole."""
    end = memory[HEAP_END] - EVENT_SIZE
    memory[HEAP_END] = end
    time = heap[end]
    heap[end] = FAR_NS
    if memory[HOLE] != end:
        _rise(heap, memory[HOLE], time, heap[end + 1])
