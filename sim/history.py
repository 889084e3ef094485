"""Snapshots of a run at equal distances, in bounded memory, and the batches that are cut from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.estimates import Series, independent, mser5
from sim.measures import PLACE_COLUMNS, WORKLOAD_COLUMNS, Engine, Snapshot

BATCHES = 20
"""Batches at least: enough for Student's t, few enough to be long (Schmeiser 1982 advises 10 to 30)."""

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
        self.snapshots += self._engine.laps(self._slice_ns, slices)
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

    def warmup(self, rows: list[int]) -> int | None:
        """Slices to remove: MSER-5 on throughput and on population, whichever takes longer to settle."""
        found = [mser5(np.diff(self.counted(column, rows))) for column in ("completed", "population_ns")]
        return None if None in found else max(each for each in found if each is not None)

    def edges(self, warmup: int) -> list[int]:
        """Ends of ``BATCHES`` equal batches after ``warmup`` slices; a remainder joins the warm-up."""
        size = (len(self) - warmup) // BATCHES
        return [len(self) - size * (BATCHES - batch) for batch in range(BATCHES + 1)]

    def finest(self, edges: list[int], rows: list[int]) -> list[int]:
        """Cut the window of ``edges`` into as many equal batches as are still independent in throughput.

        Twenty batches tell the width of an interval to a sixth, and a run that stops when its interval looks
        narrow stops too early where it is too narrow by chance: with twenty, it held the true rate in 90 to
        93 % of runs instead of 95 %.
        """
        completed = self.counted("completed", rows)
        for size in range(1, edges[1] - edges[0]):
            finer = list(range(edges[0], edges[-1] + 1, size))
            if finer[-1] == edges[-1] and independent(np.diff(completed[finer])):
                return finer
        return edges

    @property
    def steps(self) -> int:
        """Steps taken so far by all workloads."""
        return int(self.snapshots[-1].workloads[:, _COLUMN["steps"]].sum())

    def window(self, first: int) -> Snapshot:
        """What was counted from slice ``first`` to the end."""
        return self.snapshots[-1].since(self.snapshots[first])


def place_column(window: Snapshot, column: str) -> Series:
    """One counter of every place over ``window``, shape (places,)."""
    return window.places[:, PLACE_COLUMNS.index(column)].astype(np.float64)
