"""Skipping time in a run: levels move as if it had passed, and later events come nearer.

The clock of the engine does not move, so requests in flight and their latencies know nothing of the skip: what is
due soon stays where it is, and only what is due later, such as a timer, is brought forward by the time skipped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.compiled import layout as at

Cells = NDArray[np.int64]


def first_timer(memory: Cells, heap: Cells, from_ns: int, mark: int) -> int | None:
    """The time of the first event that is due at ``from_ns`` or later, or was scheduled before ``mark``.

    ``FAR_NS`` if there is none; None if it is not known, as so many events are pending that some are on shelves.
    """
    if memory[at.HORIZON] != at.FAR_NS:
        return None
    times = _times(memory, heap)
    scheduled = heap[at.ROOT + 1 : at.ROOT + 1 + len(times) * at.EVENT_SIZE : at.EVENT_SIZE] >> at.SEQUENCE_SHIFT
    return int(times[(times >= from_ns) | (scheduled < mark)].min(initial=at.FAR_NS))


def bring_forward(memory: Cells, heap: Cells, from_ns: int, by_ns: int) -> None:
    """Bring all events that are due at ``from_ns`` or later forward; none may come before ``from_ns``."""
    times = _times(memory, heap)
    times[(times >= from_ns) & (times < at.FAR_NS)] -= by_ns
    memory[at.NEXT_TIME] = heap[at.ROOT]


def move(memory: Cells, buffers: Cells, amounts: Cells) -> None:
    """Raise the levels of the buffers at these addresses by ``amounts``, which may be negative."""
    memory[buffers + at.BUSY_AREA] += memory[buffers + at.BUSY] * (memory[at.NOW] - memory[buffers + at.SINCE])
    memory[buffers + at.SINCE] = memory[at.NOW]
    memory[buffers + at.LEVEL] += amounts
    memory[buffers + at.BUSY] += amounts


def _times(memory: Cells, heap: Cells) -> Cells:
    """A view of the times of all events in the heap; those of its hole are ``FAR_NS``."""
    return heap[at.ROOT : max(at.ROOT, int(memory[at.HEAP_END])) : at.EVENT_SIZE]
