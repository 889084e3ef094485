"""The schedule: a heap of future events, a ring of events due now, and queues of walkers linked through NEXT."""

from __future__ import annotations

from sim.compiled.jit import compiled, inlined
from sim.compiled.layout import (
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
    RING_HEAD,
    RING_MASK,
    RING_TAIL,
    ROOT,
    SEQUENCE,
    SEQUENCE_SHIFT,
    URGENT_HEAD,
    URGENT_MASK,
    URGENT_TAIL,
    WALKER_BASE,
)

Memory = list[int]
"""Integers, addressed by absolute index: a bare pointer in compiled code; in plain Python, a list."""

Floats = list[float]
"""The same of floating-point numbers."""

SHIFT = 4 * ROOT - LINE
"""The children of the event at ``at`` begin at 4 * at - SHIFT, so that those of the root have a cache line, too."""

WALKER_MASK = (1 << SEQUENCE_SHIFT) - 1


@compiled
def due_now(memory: Memory, ring: Memory, kind: int, whom: int) -> None:
    """Put an event at the end of those due now."""
    tail = memory[RING_TAIL]
    ring[tail & memory[RING_MASK]] = whom << KIND_BITS | kind
    memory[RING_TAIL] = tail + 1


@compiled
def start_now(memory: Memory, urgent: Memory, walker: int) -> None:
    """Let a new walker start before anything else that is due now."""
    tail = memory[URGENT_TAIL]
    urgent[tail & memory[URGENT_MASK]] = walker
    memory[URGENT_TAIL] = tail + 1


@compiled
def quiet(memory: Memory) -> bool:
    """Whether nothing else is due now, so that what follows at once may happen without an event between."""
    return (
        memory[RING_HEAD] == memory[RING_TAIL]
        and memory[URGENT_HEAD] == memory[URGENT_TAIL]
        and memory[NEXT_TIME] > memory[NOW]
    )


@compiled
def _before(heap: Memory, one: int, other: int) -> bool:
    """Whether the event at ``one`` goes first. Without branches, which nobody could predict."""
    earlier = heap[one] < heap[other]
    return earlier | ((heap[one] == heap[other]) & (heap[one + 1] < heap[other + 1]))


@compiled
def _first_of_four(heap: Memory, child: int) -> int:
    left = child + EVENT_SIZE * _before(heap, child + EVENT_SIZE, child)
    right = child + EVENT_SIZE * (2 + _before(heap, child + 3 * EVENT_SIZE, child + 2 * EVENT_SIZE))
    return right if _before(heap, right, left) else left


@inlined
def sink(heap: Memory, end: int, time: int, key: int) -> None:
    """Put (time, key) at the root and let it sink to where it belongs."""
    at = ROOT
    child = 4 * at - SHIFT
    while child < end:
        child = _first_of_four(heap, child)
        if heap[child] > time or (heap[child] == time and heap[child + 1] > key):
            break
        heap[at] = heap[child]
        heap[at + 1] = heap[child + 1]
        at = child
        child = 4 * at - SHIFT
    heap[at] = time
    heap[at + 1] = key


@inlined
def schedule(memory: Memory, heap: Memory, time: int, walker: int) -> None:
    """Put an event into the heap: into the hole at the root if there is one, so that nothing rises."""
    key = memory[SEQUENCE] << SEQUENCE_SHIFT | (walker - memory[WALKER_BASE]) >> LINE_BITS
    memory[SEQUENCE] += 1
    memory[NEXT_TIME] = min(memory[NEXT_TIME], time)
    at = memory[HEAP_END]
    if memory[HOLE]:
        memory[HOLE] = 0
        sink(heap, at, time, key)
        return
    memory[HEAP_END] = at + EVENT_SIZE
    while at > ROOT:
        parent = (at + SHIFT >> LINE_BITS) * EVENT_SIZE
        if heap[parent] <= time:  # of two events at one time, the newer one has the larger key
            break
        heap[at] = heap[parent]
        heap[at + 1] = heap[parent + 1]
        at = parent
    heap[at] = time
    heap[at + 1] = key


@inlined
def pop(memory: Memory, heap: Memory) -> int:
    """Take the walker of the next event off the heap, leaving a hole that the next one scheduled may fill."""
    if memory[HOLE]:
        end = memory[HEAP_END] - EVENT_SIZE
        memory[HEAP_END] = end
        time = heap[end]
        heap[end] = FAR_NS
        sink(heap, end, time, heap[end + 1])
    memory[HOLE] = 1
    first = 4 * ROOT - SHIFT
    left = min(heap[first], heap[first + EVENT_SIZE])
    memory[NEXT_TIME] = min(left, min(heap[first + 2 * EVENT_SIZE], heap[first + 3 * EVENT_SIZE]))
    return memory[WALKER_BASE] + ((heap[ROOT + 1] & WALKER_MASK) << LINE_BITS)


@compiled
def join(memory: Memory, head: int, walker: int) -> None:
    """Put ``walker`` at the end of the queue whose head and tail lie at ``head``."""
    memory[walker + NEXT] = 0
    if memory[head] == 0:
        memory[head] = walker
    else:
        memory[memory[head + 1] + NEXT] = walker
    memory[head + 1] = walker


@compiled
def leave(memory: Memory, head: int) -> int:
    """Take the first walker off the queue whose head lies at ``head``."""
    walker = memory[head]
    memory[head] = memory[walker + NEXT]
    return walker
