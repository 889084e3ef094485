"""Shelves for later events, so that the heap stays small if very many are pending.

All events due before HORIZON are in the heap. Later ones are on the shelf of their time, unordered, or on
the last shelf, which has no end; when the heap is empty, the events of the next shelf go into it. When all other
shelves are empty, they are set up again for the events of the last. The order of events is that of the heap alone.

An event on a shelf is stored in its process: AMOUNT is its time, NEXT is its order of scheduling and the
line of the process below it, or its own line.
"""

from __future__ import annotations

from sim.engine.events.compiled.heap import push
from sim.engine.events.compiled.jit import bit_length, compiled, noinline, prefetch
from sim.engine.events.compiled.layout import (
    AMOUNT,
    EVENT_SIZE,
    FAR_NS,
    HEAP_END,
    HOLE,
    HORIZON,
    LINE_BITS,
    NEXT,
    NEXT_TIME,
    NOW,
    PROCESS_BASE,
    ROOT,
    SEQUENCE_SHIFT,
    SHELF_BITS,
    SHELVED_FROM,
    SHELVES,
    SHELVES_TAKEN,
    Memory,
)

LINE_MASK = (1 << SEQUENCE_SHIFT) - 1

FEW, MANY, MOST = 128, 512, 1 << 14
"""Number of events below which shelves are given up, from which they are used, and up to which: for more, the
processes do not fit into a cache of the processor, and are found only one through the other."""

ON_A_SHELF = 4
"""Approximate number of events on a shelf."""

SPREAD = 2
"""Reach of all shelves, in multiples of the mean time to an event."""

LONGEST_BITS = 40
"""log2 of the largest length of a shelf in nanoseconds: a quarter of an hour."""


@compiled
def process_of(memory: Memory, key: int) -> int:
    """The process whose event has this key."""
    return memory[PROCESS_BASE] + ((key & LINE_MASK) << LINE_BITS)


@noinline
def shelve(memory: Memory, heap: Memory, time: int, key: int) -> None:
    """Put an event that is due at HORIZON or later onto its shelf."""
    _lay(memory, heap, min((time - memory[SHELVED_FROM]) >> memory[SHELF_BITS], SHELVES), time, key)


@compiled
def _lay(memory: Memory, heap: Memory, shelf: int, time: int, key: int) -> None:
    process = process_of(memory, key)
    below = heap[shelf] or process
    memory[process + NEXT] = (key & ~LINE_MASK) | (below - memory[PROCESS_BASE]) >> LINE_BITS
    memory[process + AMOUNT] = time
    heap[shelf] = process


@noinline
def put_up(memory: Memory, heap: Memory) -> None:
    """Begin to use shelves if there are many events: move all of them to the last, then fill the heap."""
    if memory[HORIZON] != FAR_NS or not MANY <= (memory[HEAP_END] - ROOT) // EVENT_SIZE <= MOST:
        return
    for at in range(ROOT, memory[HEAP_END], EVENT_SIZE):
        if heap[at] != FAR_NS:  # not the hole
            _lay(memory, heap, SHELVES, heap[at], heap[at + 1])
            heap[at] = FAR_NS
    memory[HEAP_END], memory[HOLE], memory[SHELVES_TAKEN] = ROOT, 0, SHELVES
    fill_heap(memory, heap)


@noinline
def fill_heap(memory: Memory, heap: Memory) -> None:
    """Move the events of the next shelf to the empty heap; those of the last, if few are left, or too many."""
    shelf = _next_shelf(memory, heap)
    if shelf == SHELVES and _set_up(memory, heap):
        shelf = _next_shelf(memory, heap)
    memory[HORIZON] = FAR_NS
    if shelf < SHELVES:
        memory[SHELVES_TAKEN] = shelf + 1
        memory[HORIZON] = memory[SHELVED_FROM] + (shelf + 1 << memory[SHELF_BITS])
    _empty(memory, heap, shelf)
    memory[NEXT_TIME] = heap[ROOT]


@compiled
def _next_shelf(memory: Memory, heap: Memory) -> int:
    """The first shelf that has events, or the last one."""
    shelf = memory[SHELVES_TAKEN]
    while shelf < SHELVES and heap[shelf] == 0:
        shelf += 1
    return shelf


@compiled
def _empty(memory: Memory, heap: Memory, shelf: int) -> None:
    """Move the events of ``shelf`` to the heap.

    Meanwhile prefetch those of the following shelf: following the links takes a memory access each time.
    """
    process, ahead = heap[shelf], heap[min(shelf + 1, SHELVES)]
    heap[shelf] = 0
    while process:
        link = memory[process + NEXT]
        below = process_of(memory, link)
        push(memory, heap, memory[process + AMOUNT], _key(memory, process, link))
        process = below if below != process else 0
        if ahead:
            ahead = process_of(memory, memory[ahead + NEXT])
            prefetch(memory, ahead)


@compiled
def _key(memory: Memory, process: int, link: int) -> int:
    """The key of the event of ``process``; ``link`` has its order of scheduling."""
    return (link & ~LINE_MASK) | (process - memory[PROCESS_BASE]) >> LINE_BITS


@compiled
def _set_up(memory: Memory, heap: Memory) -> bool:
    """Set shelves up for the events of the last, unless they are too few or too many; return True if done.

    Each is long enough for ``ON_A_SHELF`` events on average, and all together reach ``SPREAD`` times the mean.
    """
    count, distance = _counted(memory, heap)
    if not FEW <= count <= MOST:
        return False
    process = heap[SHELVES]
    heap[SHELVES] = 0
    length = max(ON_A_SHELF * distance // count, SPREAD * distance // SHELVES)
    memory[SHELVED_FROM], memory[SHELVES_TAKEN] = memory[NOW], 0
    memory[SHELF_BITS] = min(LONGEST_BITS, bit_length(length))
    while process:
        link = memory[process + NEXT]
        below = process_of(memory, link)
        prefetch(memory, below)
        shelve(memory, heap, memory[process + AMOUNT], _key(memory, process, link))
        process = below if below != process else 0
    return True


@compiled
def _counted(memory: Memory, heap: Memory) -> tuple[int, int]:
    """Number of events on the last shelf, and their mean time from now in nanoseconds."""
    count, total, process = 0, 0.0, heap[SHELVES]
    while process:
        count += 1
        total += memory[process + AMOUNT] - memory[NOW]
        below = process_of(memory, memory[process + NEXT])
        process = below if below != process else 0
    return count, int(total / max(1, count))
