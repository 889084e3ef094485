"""Snapshots of a run at equal intervals, in bounded memory, and the batches that are cut from them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim.engines.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS, Engine, Snapshot
from sim.statistics.estimates import Series, mser5
from sim.statistics.histogram import Counts
from sim.statistics.intervals import Batches

BATCHES = 64
"""The fewest batches; there are fewer than twice as many. So many show their skewness and correlation.

A run that stops when its confidence interval looks narrow stops too early whenever that is so by chance, and that
is more often with fewer batches: with twenty, the interval of p99 at 90 % load covers it in 74 % of runs, not in
95 %.
"""

_COLUMN = {name: index for index, name in enumerate(WORKLOAD_COLUMNS)}


class Snapshots:
    """The snapshots of one run of ``engine``; the intervals between them are ``interval_ns`` long to begin with.

    Attributes:
        taken: all snapshots so far, one more than intervals.
    """

    def __init__(self, engine: Engine, interval_ns: int) -> None:
        self._engine = engine
        self._interval_ns = max(1, interval_ns)
        self.taken = [engine.snapshot()]
        self._counters: NDArray[np.int64] | None = None
        self._places: NDArray[np.int64] | None = None

    @property
    def intervals(self) -> int:
        """Number of intervals so far."""
        return len(self.taken) - 1

    def extend(self, intervals: int) -> None:
        """Run for so many more intervals, or until nothing is left to do."""
        self.taken += self._engine.intervals(self._interval_ns, intervals)
        self._counters = self._places = None

    def merge(self) -> None:
        """Merge neighbouring intervals in pairs; the next ones are twice as long."""
        self.taken = self.taken[::2]
        self._interval_ns *= 2
        self._counters = self._places = None

    def counter(self, column: str, rows: list[int]) -> Series:
        """The counter ``column`` at every snapshot, shape (intervals + 1,), summed over the workloads ``rows``."""
        if self._counters is None:  # kept, since each look at a run reads many columns
            self._counters = np.array([snapshot.workloads for snapshot in self.taken])
        summed: Series = self._counters[:, rows, _COLUMN[column]].sum(axis=1).astype(np.float64)
        return summed

    def place_counter(self, column: str, rows: list[int]) -> Series:
        """The counter ``column`` of each of the places ``rows`` at every snapshot, shape (intervals + 1, rows)."""
        if self._places is None:
            self._places = np.array([snapshot.places for snapshot in self.taken])
        counted: Series = self._places[:, rows, PLACE_COLUMNS.index(column)].astype(np.uint64).astype(np.float64)
        return counted

    def growth(self, column: str, edges: list[int]) -> Series:
        """By how much the counter ``column`` of each workload grew between ``edges``, shape (workloads,)."""
        first, last = (self.taken[edge].workloads[:, _COLUMN[column]] for edge in (edges[0], edges[-1]))
        return (last - first).astype(np.float64)

    def warmup(self, series: Iterable[Series]) -> int | None:
        """Intervals to remove until each of ``series``, shape (intervals,), has settled; None if one has not."""
        removed = [mser5(values) for values in series]
        return None if None in removed else max(count for count in removed if count is not None)

    def edges(self, warmup: int) -> list[int]:
        """Edges of at least ``BATCHES`` equal batches after ``warmup`` intervals; a remainder joins the warm-up.

        An edge is the index of a snapshot; one batch lies between two neighbouring edges.
        """
        size = max(1, (self.intervals - warmup) // BATCHES)
        batches = (self.intervals - warmup) // size
        return [self.intervals - size * (batches - batch) for batch in range(batches + 1)]

    def batches(self, column: str, rows: list[int], edges: list[int]) -> Series:
        """By how much the counter ``column`` of the workloads ``rows`` grew in each batch, shape (batches,)."""
        return np.diff(self.counter(column, rows)[edges])

    def times_ns(self, edges: list[int]) -> Series:
        """How long each batch took, shape (batches,)."""
        return np.diff(np.array([self.taken[edge].now_ns for edge in edges], dtype=np.float64))

    def request_batches(self, rows: list[int], group: int, edges: list[int]) -> Batches:
        """The completed requests of the workloads ``rows``, which are group number ``group``, batch by batch."""

        def histograms() -> Counts:
            return np.diff(np.array([self.taken[edge].histograms[group] for edge in edges]), axis=0)

        completed, latency_ns = (self.batches(column, rows, edges) for column in ("completed", "latency_ns"))
        return Batches(self.times_ns(edges), completed, latency_ns, histograms)

    @property
    def steps(self) -> int:
        """Steps taken so far by all workloads."""
        return int(self.taken[-1].workloads[:, _COLUMN["steps"]].sum())

    def window(self, first: int, last: int = -1) -> Snapshot:
        """What was counted from snapshot ``first`` to ``last``, by default to the end of the run."""
        return self.taken[last].since(self.taken[first])


def place_column(window: Snapshot, column: str) -> Series:
    """One counter of every place over ``window``, shape (places,); none is negative: the sign is a digit."""
    return window.places[:, PLACE_COLUMNS.index(column)].astype(np.uint64).astype(np.float64)
