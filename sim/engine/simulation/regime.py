"""Regimes of a run: successive windows in which a model does the same, but for chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.engine.statistics.histogram import Counts

ALIKE = 8
"""Windows after which a regime may be repeated."""

FEW = 4
"""Latest windows that are compared together with the ones before."""

OFTEN = 2
"""A level that met thresholds in more windows of a regime stays near one of them."""

UNLIKELY, SAME = 5.0, 0.02
"""Standard deviations, and share of the mean, by which alike windows may differ."""


@dataclass(frozen=True)
class Window:
    """Counts of one window.

    Attributes:
        completed: requests that the watched group completed, and ``latency_ns`` their summed latency.
        moved: change of every buffer's level, shape (buffers,).
        grains: the largest amount of which all puts and takes are multiples, shape (buffers,).
        crossed: buffers whose level met a threshold, shape (buffers,).
        workloads: growth of the counters of all workloads, shape (workloads, WORKLOAD_COLUMNS).
    """

    completed: float
    latency_ns: float
    moved: NDArray[np.int64]
    grains: NDArray[np.int64]
    crossed: NDArray[np.bool_]
    workloads: NDArray[np.int64]

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Counts by which windows are compared: requests completed, and all moves in grains."""
        return np.concatenate([[self.completed], self.moved / self.grains])


@dataclass
class Regime:
    """Windows that are alike.

    Attributes:
        begin_ns: time of its beginning, with what was skipped before.
        histogram: latencies of the watched group in all its windows.
        end_ns: its end; with the repetitions it may last longer than its windows.
        completed: requests in that time, as the repetitions count.
    """

    begin_ns: int
    histogram: Counts
    windows: list[Window] = field(default_factory=list)
    end_ns: int = 0
    completed: float = 0.0

    @property
    def counts(self) -> NDArray[np.float64]:
        """Counts of all windows, shape (windows, counts)."""
        return np.array([each.counts for each in self.windows])

    @property
    def moves(self) -> NDArray[np.int64]:
        """Moves of all levels, shape (windows, buffers)."""
        return np.array([each.moved for each in self.windows])

    def grown(self, column: int) -> NDArray[np.int64]:
        """Growth of a counter of each workload in all windows, shape (workloads,)."""
        total: NDArray[np.int64] = np.sum([each.workloads[:, column] for each in self.windows], axis=0)
        return total

    def differs(self, window: Window) -> bool:
        """True if ``window``, or the last few with it, are unlike the ones before by more than chance."""
        if len(self.windows) < ALIKE:
            return False
        seen, latest = self.counts, window.counts
        return _unlike(latest[None], seen) or _unlike(np.vstack([seen[1 - FEW :], latest]), seen[: 1 - FEW])

    def split(self, window_ns: int) -> Regime | None:
        """The regime that began among these windows of ``window_ns``, which it takes over; None if alike."""
        seen = self.counts
        cuts = [cut for cut in range(1, len(seen) - 1) if _unlike(seen[:cut], seen[cut:])]
        if not cuts:
            return None
        windows = self.windows[cuts[-1] :]
        begin_ns = self.end_ns - len(windows) * window_ns
        completed = sum(each.completed for each in windows)
        later = Regime(begin_ns, np.zeros_like(self.histogram), windows, self.end_ns, completed)
        self.end_ns = begin_ns
        self.completed -= completed
        return later

    @property
    def perhaps_over(self) -> bool:
        """True if a level met a threshold just now that it does not meet again and again: look what it does."""
        crossed = np.array([each.crossed for each in self.windows])
        return bool(np.any(crossed[-FEW:].any(axis=0) & (crossed.sum(axis=0) <= OFTEN)))

    @property
    def drifts(self) -> bool:
        """True if its first and second half are unlike: each window may still be like the ones before it."""
        completed = self.counts[:, :1]
        half = len(completed) // 2
        return _unlike(completed[:half], completed[half:])


def _unlike(some: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """True if the means of ``some`` and ``others``, of shape (windows, counts), are far apart in any count."""
    first, second = some.mean(axis=0), others.mean(axis=0)
    within = ((some - first) ** 2).sum(axis=0) + ((others - second) ** 2).sum(axis=0)
    spread = np.maximum(np.sqrt(within / (len(some) + len(others) - 2)), 0.5)
    chance = UNLIKELY * spread * np.sqrt(1.0 / len(some) + 1.0 / len(others))
    return bool(np.any(np.abs(first - second) > chance + SAME * np.abs(second)))
