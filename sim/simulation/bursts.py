"""The speed before a buffer is full, or credits are spent, and how long it lasts: a second answer.

The long run is what remains; but for as long as a write-back cache absorbs, or a bucket of credits pays, a load
gets more. The long run is known only once that is over, so the burst lies in its warm-up.
"""

from __future__ import annotations

import math

import numpy as np

from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.model.places import Buffer
from sim.result import Burst
from sim.simulation.snapshots import History, place_column
from sim.statistics import intervals
from sim.statistics.estimates import Estimate, Series

OVER = 0.01
"""Of a buffer's way, this much left is nothing."""

LEAST_SLICES = 8
"""Slices that a burst must last, to be measured."""

LEAST_COMPLETED = 500
"""Walks that it must have served, to be more than a start."""


class Bursts:
    """Watches the buffers of one run until each has once been full, or empty if it was not so at first."""

    def __init__(self, model: Model, rows: list[int], confidence: float) -> None:
        self._rows, self._confidence = rows, confidence
        self._left = {row: place for row, place in enumerate(model.places) if isinstance(place, Buffer)}
        self._found: list[Burst] = []

    def look(self, history: History) -> None:
        """See which buffers have come to an end of their way since the last look."""
        rows = list(self._left)
        if not rows:
            return
        levels, ends = _levels(history, rows), np.array([_ends(buffer) for buffer in self._left.values()])
        over = (levels <= ends[:, 0]) | (levels >= ends[:, 1])
        for column in np.flatnonzero(over.any(axis=0)).tolist():
            buffer = self._left.pop(rows[column])
            self._measure(history, int(over[:, column].argmax()), buffer)

    def _measure(self, history: History, end: int, buffer: Buffer) -> None:
        completed = history.counted("completed", self._rows)[: end + 1]
        if end < LEAST_SLICES or completed[-1] < LEAST_COMPLETED:
            return
        times = history.times_ns(list(range(end + 1)))
        speed = intervals.ratio(np.diff(completed), times, self._confidence).estimate
        low, high = (history.snapshots[each].now_ns / NANOSECONDS_PER_SECOND for each in (end, end + 1))
        lasted = Estimate((low + high) / 2, low, high, self._confidence)
        self._found.append(Burst(str(buffer), speed.scaled(NANOSECONDS_PER_SECOND), lasted))

    def beside(self, sustained: Estimate, precision: float) -> tuple[Burst, ...]:
        """Those that were of another speed than the ``sustained`` one, the longest last."""
        told = [each for each in self._found if _differ(each.throughput, sustained, precision)]
        return tuple(sorted(told, key=lambda each: each.seconds.value))


def _levels(history: History, rows: list[int]) -> Series:
    """Mean level of each of the places ``rows`` in each slice, shape (slices, rows)."""
    areas = np.array([place_column(each, "busy_ns")[rows] for each in history.snapshots])
    times = np.diff(np.array([each.now_ns for each in history.snapshots], dtype=np.float64))
    levels: Series = np.diff(areas, axis=0) / times[:, None]
    return levels


def _ends(buffer: Buffer) -> tuple[float, float]:
    """The levels at which ``buffer`` counts as empty and as full; beyond all where it was so at first."""
    empty = OVER * buffer.initial if buffer.initial else -math.inf
    full = buffer.capacity - OVER * (buffer.capacity - buffer.initial)
    return empty, full if buffer.initial < buffer.capacity else math.inf


def _differ(burst: Estimate, sustained: Estimate, precision: float) -> bool:
    apart = abs(burst.value - sustained.value) > 2.0 * precision * sustained.value
    return apart and not (burst.low <= sustained.high and sustained.low <= burst.high)
