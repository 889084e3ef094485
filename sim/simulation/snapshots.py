"""Snapshots of a run at equal distances, in bounded memory, and the batches that are cut from them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim.engines.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS, Engine, Snapshot
from sim.statistics.estimates import Series, mser5
from sim.statistics.histogram import Counts
from sim.statistics.intervals import Batches

BATCHES = 64
"""Batches at least, and fewer than twice as many: their skewness and correlation must show.

A run that stops when its interval looks narrow stops too early where it is too narrow by chance, the more often
the fewer batches tell its width: with twenty, the interval of p99 at 90 % load holds it in 74 % of runs, not 95 %.
"""

_COLUMN = {name: index for index, name in enumerate(WORKLOAD_COLUMNS)}


class History:
    """The snapshots of one run of ``engine``, ``slice_ns`` apart to begin with."""

    def __init__(self, engine: Engine, slice_ns: int) -> None:
        self._engine = engine
        self._slice_ns = max(1, slice_ns)
        self.snapshots = [engine.snapshot()]
        self._counters: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Slices so far."""
        return len(self.snapshots) - 1

    def extend(self, slices: int) -> None:
        """Run for so many more slices, or until nothing is left to do."""
        self.snapshots += self._engine.intervals(self._slice_ns, slices)
        self._counters = None

    def merge(self) -> None:
        """Make one slice of two; the next ones are twice as long."""
        self.snapshots = self.snapshots[::2]
        self._slice_ns *= 2
        self._counters = None

    def counted(self, column: str, rows: list[int]) -> Series:
        """The counter ``column``, summed over the workloads ``rows``, at every snapshot; shape (slices + 1,)."""
        if self._counters is None:  # a look at a run asks for many columns
            self._counters = np.array([each.workloads for each in self.snapshots])
        summed: Series = self._counters[:, rows, _COLUMN[column]].sum(axis=1).astype(np.float64)
        return summed

    def grown(self, column: str, edges: list[int]) -> Series:
        """By how much the counter ``column`` of each workload grew between ``edges``, shape (workloads,)."""
        first, last = (self.snapshots[each].workloads[:, _COLUMN[column]] for each in (edges[0], edges[-1]))
        return (last - first).astype(np.float64)

    def warmup(self, series: Iterable[Series]) -> int | None:
        """Slices to remove until each of ``series``, shape (slices,), has settled; None where one never does."""
        removed = [mser5(each) for each in series]
        return None if None in removed else max(each for each in removed if each is not None)

    def edges(self, warmup: int) -> list[int]:
        """Ends of ``BATCHES`` equal batches, or some more, after ``warmup`` slices; a rest joins the warm-up."""
        size = max(1, (len(self) - warmup) // BATCHES)
        batches = (len(self) - warmup) // size
        return [len(self) - size * (batches - batch) for batch in range(batches + 1)]

    def batches(self, column: str, rows: list[int], edges: list[int]) -> Series:
        """By how much the counter ``column`` of the workloads ``rows`` grew in each batch, shape (batches,)."""
        return np.diff(self.counted(column, rows)[edges])

    def times_ns(self, edges: list[int]) -> Series:
        """How long each batch took, shape (batches,)."""
        return np.diff(np.array([self.snapshots[edge].now_ns for edge in edges], dtype=np.float64))

    def walks(self, rows: list[int], group: int, edges: list[int]) -> Batches:
        """The walks of the workloads ``rows``, which are the group number ``group``, batch by batch."""

        def histograms() -> Counts:
            return np.diff(np.array([self.snapshots[edge].histograms[group] for edge in edges]), axis=0)

        completed, latency_ns = (self.batches(column, rows, edges) for column in ("completed", "latency_ns"))
        return Batches(self.times_ns(edges), completed, latency_ns, histograms)

    @property
    def steps(self) -> int:
        """Steps taken so far by all workloads."""
        return int(self.snapshots[-1].workloads[:, _COLUMN["steps"]].sum())

    def window(self, first: int, last: int = -1) -> Snapshot:
        """What was counted from snapshot ``first`` to ``last``, the end of the run unless given."""
        return self.snapshots[last].since(self.snapshots[first])


def place_column(window: Snapshot, column: str) -> Series:
    """One counter of every place over ``window``, shape (places,); none is negative: the sign is a digit."""
    return window.places[:, PLACE_COLUMNS.index(column)].astype(np.uint64).astype(np.float64)
