"""Bursts: throughput before a buffer is full or a bucket of credits is empty, and its duration.

The long run is the main answer, but as long as a write-back cache absorbs writes, or credits last, throughput is
higher. The long run is known only once that is over, so that a burst lies in its warm-up.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.result import Burst
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.statistics import intervals
from sim.engine.statistics.estimates import Estimate, Series

OVER = 0.01
"""A buffer counts as full, or empty, when this share of the way from its initial level is left."""

MIN_INTERVALS = 8
"""Least number of intervals of a burst that is measured."""

MIN_COMPLETED = 500
"""Least number of requests completed in a burst: fewer are no more than a start."""


class Bursts:
    """Watches the buffers of one run until each has been full or empty once, other than at first."""

    def __init__(self, model: Model, rows: list[int], confidence: float) -> None:
        self._rows, self._confidence = rows, confidence
        self._left = {row: place for row, place in enumerate(model.places) if isinstance(place, Buffer)}
        self._bursts: list[Burst] = []

    def look(self, snapshots: Snapshots) -> None:
        """Measure the bursts of the buffers that have become full or empty since the last look."""
        rows = list(self._left)
        if not rows:
            return
        levels, ends = _levels(snapshots, rows), np.array([_ends(buffer) for buffer in self._left.values()])
        over = (levels <= ends[:, 0]) | (levels >= ends[:, 1])
        reached = np.flatnonzero(over.any(axis=0)).tolist()
        counted = snapshots.counter("completed", self._rows) if reached else np.zeros(0)
        for column in reached:
            end = int(over[:, column].argmax())
            full = bool(levels[end, column] >= ends[column, 1])
            self._measure(snapshots, counted[: end + 1], self._left.pop(rows[column]), full=full)

    def _measure(self, snapshots: Snapshots, completed: Series, buffer: Buffer, *, full: bool) -> None:
        """Measure throughput up to the last interval of ``completed``, in which ``buffer`` filled or ran empty."""
        end = len(completed) - 1
        if end < MIN_INTERVALS or completed[-1] < MIN_COMPLETED:
            return
        times = snapshots.times_ns(list(range(end + 1)))
        throughput = intervals.ratio(np.diff(completed), times, self._confidence).estimate
        low, high = snapshots.seconds(end), snapshots.seconds(end + 1) / (1.0 - OVER)  # the rest at the same pace
        duration = Estimate((low + high) / 2, low, high, self._confidence)
        self._bursts.append(Burst(str(buffer), throughput.scaled(NANOSECONDS_PER_SECOND), duration, full))

    def unlike(self, sustained: Estimate, precision: float) -> tuple[Burst, ...]:
        """Bursts whose throughput differs from the ``sustained`` one, the longest last."""
        bursts = [burst for burst in self._bursts if _differ(burst.throughput, sustained, precision)]
        return tuple(sorted(bursts, key=lambda burst: burst.seconds.value))


def _levels(snapshots: Snapshots, rows: list[int]) -> Series:
    """Mean level of each of the places ``rows`` in each interval, shape (intervals, rows)."""
    times = np.diff(snapshots.history.now_ns.astype(np.float64))
    levels: Series = snapshots.place_growth("busy_ns", rows) / times[:, None]
    return levels


def _ends(buffer: Buffer) -> tuple[float, float]:
    """Levels at which ``buffer`` counts as empty and as full; infinite for the one that it begins with."""
    empty = OVER * buffer.initial if buffer.initial else -math.inf
    full = buffer.capacity - OVER * (buffer.capacity - buffer.initial)
    return empty, full if buffer.initial < buffer.capacity else math.inf


def _differ(burst: Estimate, sustained: Estimate, precision: float) -> bool:
    """True if both are more than two precisions apart, and their intervals do not overlap."""
    apart = abs(burst.value - sustained.value) > 2.0 * precision * sustained.value
    return apart and not (burst.low <= sustained.high and sustained.low <= burst.high)
