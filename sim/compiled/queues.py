"""The schedule: a heap of future events, a ring of events due now, and queues of walkers linked through NEXT."""

from __future__ import annotations

from sim.compiled.jit import compiled
from sim.compiled.layout import (
    FAR_NS,
    HEAP_SIZE,
    HOLE,
    KIND_BITS,
    NEXT,
    RING_MASK,
    RING_TAIL,
    SEQUENCE,
    SEQUENCE_SHIFT,
    URGENT_MASK,
    URGENT_TAIL,
)

Memory = list[int]
"""Integers, addressed by absolute index: a bare pointer in compiled code; in plain Python, a list."""

Floats = list[float]
"""The same of floating-point numbers."""


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
def next_time(memory: Memory, times: Memory) -> int:
    """When the next event of the heap is due. Behind its last event the heap is filled with FAR_NS."""
    if memory[HOLE]:
        return min(times[1], times[2])
    return times[0]


@compiled
def sink(times: Memory, keys: Memory, size: int, time: int, key: int) -> None:
    """Put (time, key) at the root and let it sink to where it belongs."""
    at = 0
    child = 1
    while child < size:
        right = child + 1
        if times[right] < times[child] or (times[right] == times[child] and keys[right] < keys[child]):
            child = right
        if times[child] > time or (times[child] == time and keys[child] > key):
            break
        times[at] = times[child]
        keys[at] = keys[child]
        at = child
        child = 2 * at + 1
    times[at] = time
    keys[at] = key


@compiled
def schedule(memory: Memory, times: Memory, keys: Memory, time: int, walker_number: int) -> None:
    """Put an event into the heap: into the hole at the root if there is one, so that nothing rises."""
    key = memory[SEQUENCE] << SEQUENCE_SHIFT | walker_number
    memory[SEQUENCE] += 1
    size = memory[HEAP_SIZE]
    if memory[HOLE]:
        memory[HOLE] = 0
        sink(times, keys, size, time, key)
        return
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if times[parent] <= time:  # of two events at one time, the newer one has the larger key
            break
        times[at] = times[parent]
        keys[at] = keys[parent]
        at = parent
    times[at] = time
    keys[at] = key
    memory[HEAP_SIZE] = size + 1


@compiled
def close_hole(memory: Memory, times: Memory, keys: Memory) -> None:
    """Take the event at the root out for good."""
    memory[HOLE] = 0
    last = memory[HEAP_SIZE] - 1
    memory[HEAP_SIZE] = last
    time = times[last]
    key = keys[last]
    times[last] = FAR_NS
    if last > 0:
        sink(times, keys, last, time, key)


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
