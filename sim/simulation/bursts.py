"""Bursts: the throughput before a buffer is full or a bucket of credits is empty, and how long that lasts.

The long run is the main answer, but as long as a write-back cache absorbs writes, or credits last, throughput is
higher. The long run is known only once that is over, so that a burst lies in its warm-up.
"""

from __future__ import annotations

import math

import numpy as np

from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.model.places import Buffer
from sim.result import Burst
from sim.simulation.snapshots import Snapshots
from sim.statistics import intervals
from sim.statistics.estimates import Estimate, Series

OVER = 0.01
"""Share of the way from the initial level to full, or to empty, at which a buffer counts as there."""

MIN_INTERVALS = 8
"""Intervals that a burst must last to be measured."""

MIN_COMPLETED = 500
"""Requests that must be completed in a burst: fewer are no more than a start."""


SHORT = 0.01
"""Share of an image's burst within which the end of another one hardly shows in how long it is told to last."""


class Bursts:
    """Watches the buffers of one run until each has been full once, or empty if it was not so at first."""

    def __init__(self, model: Model, rows: list[int], confidence: float) -> None:
        self._rows, self._confidence = rows, confidence
        self._left = {row: place for row, place in enumerate(model.places) if isinstance(place, Buffer)}
        self._bursts: list[Burst] = []
        self._images: dict[str, Buffer] = {}
        self._meanwhile: dict[str, str] = {}

    def look(self, snapshots: Snapshots) -> None:
        """Measure the bursts of the buffers that have become full or empty since the last look."""
        rows, buffers = list(self._left), list(self._left.values())
        if not rows:
            return
        levels, ends = _levels(snapshots, rows), np.array([_ends(buffer) for buffer in buffers])
        over = (levels <= ends[:, 0]) | (levels >= ends[:, 1])
        reached = np.flatnonzero(over.any(axis=0)).tolist()
        counted = snapshots.counter("completed", self._rows) if reached else np.zeros(0)
        for column in reached:
            end = int(over[:, column].argmax())
            self._note_image(levels[: end + 1], buffers, column)
            self._measure(snapshots, counted[: end + 1], self._left.pop(rows[column]))

    def _measure(self, snapshots: Snapshots, completed: Series, buffer: Buffer) -> None:
        """Throughput up to the last interval of ``completed``, in which ``buffer`` became full or empty."""
        end = len(completed) - 1
        if end < MIN_INTERVALS or completed[-1] < MIN_COMPLETED:
            return
        times = snapshots.times_ns(list(range(end + 1)))
        throughput = intervals.ratio(np.diff(completed), times, self._confidence).estimate
        low, high = snapshots.seconds(end), snapshots.seconds(end + 1) / (1.0 - OVER)  # what is left takes as long
        duration = Estimate((low + high) / 2, low, high, self._confidence).scaled(buffer.scale)
        self._bursts.append(Burst(str(buffer), throughput.scaled(NANOSECONDS_PER_SECOND), duration))

    def unlike(self, sustained: Estimate, precision: float) -> tuple[Burst, ...]:
        """The bursts whose throughput differs from the ``sustained`` one, the longest last."""
        bursts = [burst for burst in self._bursts if _differ(burst.throughput, sustained, precision)]
        return tuple(sorted(bursts, key=lambda burst: burst.seconds.value))

    def _note_image(self, levels: Series, buffers: list[Buffer], column: int) -> None:
        """Note that the buffer of ``column`` is over, if it is an image, and what may be before its original.

        Args:
            levels: until then, shape (intervals, buffers).
        """
        image = buffers[column]
        if image.scale == 1:
            return
        self._images[str(image)] = image
        for other, level in zip(buffers, levels.T, strict=True):
            if other.scale == 1 and _drifts(level, other.capacity / image.scale):
                self._meanwhile[str(image)] = str(other)

    def uncertain(self, bursts: tuple[Burst, ...]) -> tuple[str, ...]:
        """A warning where one of ``bursts`` is that of an image, during whose original another buffer is over."""
        warnings = []
        for burst in bursts:
            image = self._images.get(burst.place)
            other = image and (self._meanwhile.get(burst.place) or self._ended_in(burst, image, bursts))
            if other:
                warnings.append(
                    "how long the burst lasts, and what comes in between, is not known: "
                    f"{image} is so deep that it is simulated as a smaller one, and {other} gets full or empty "
                    "meanwhile; ask for each without the other"
                )
        return tuple(warnings)

    def _ended_in(self, burst: Burst, image: Buffer, bursts: tuple[Burst, ...]) -> str | None:
        short_s = SHORT * burst.seconds.value / image.scale
        others = (each for each in bursts if each.place not in self._images)
        return next((each.place for each in others if each.seconds.value > short_s), None)


def _levels(snapshots: Snapshots, rows: list[int]) -> Series:
    """Mean level of each of the places ``rows`` in each interval, shape (intervals, rows)."""
    areas = snapshots.place_counter("busy_ns", rows)
    times = np.diff(snapshots.history.now_ns.astype(np.float64))
    levels: Series = np.diff(areas, axis=0) / times[:, None]
    return levels


def _drifts(levels: Series, far: float) -> bool:
    """Whether ``levels`` move one way in all four quarters, and further than ``far``."""
    quarters = np.array([each.mean() for each in np.array_split(levels, 4) if each.size])
    moves = np.diff(quarters)
    return bool(((moves > 0).all() or (moves < 0).all()) and abs(quarters[-1] - quarters[0]) > far)


def _ends(buffer: Buffer) -> tuple[float, float]:
    """The levels at which ``buffer`` counts as empty and as full; out of reach for the one that it begins with."""
    empty = OVER * buffer.initial if buffer.initial else -math.inf
    full = buffer.capacity - OVER * (buffer.capacity - buffer.initial)
    return empty, full if buffer.initial < buffer.capacity else math.inf


def _differ(burst: Estimate, sustained: Estimate, precision: float) -> bool:
    """Whether the two are more than two precisions apart, and their intervals have nothing in common."""
    apart = abs(burst.value - sustained.value) > 2.0 * precision * sustained.value
    return apart and not (burst.low <= sustained.high and sustained.low <= burst.high)
