"""Regimes of a run: successive windows in which a model does the same, but for chance."""

from __future__ import annotations

from dataclasses import dataclass, field

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


@dataclass
class Regime:
    """Windows that are alike.

    Attributes:
        begin_ns: time of its beginning, with what was skipped before.
        histogram: latencies of the watched group in all its windows.
        windows: of each window the requests that the watched group completed, and their summed latency.
        moves: of each window the change of every buffer's level.
        crossed: of each window the buffers whose level met a threshold.
        looped: of each window the requests that each workload with loops completed, and the steps that it took.
        done: of each window the requests that every workload completed.
        end_ns: its end; with the repetitions it may last longer than its windows.
        completed: requests in that time, as the repetitions count.
    """

    begin_ns: int
    histogram: Counts
    windows: list[tuple[float, float]] = field(default_factory=list)
    moves: list[NDArray[np.int64]] = field(default_factory=list)
    looped: list[NDArray[np.int64]] = field(default_factory=list)
    crossed: list[NDArray[np.bool_]] = field(default_factory=list)
    done: list[NDArray[np.float64]] = field(default_factory=list)
    end_ns: int = 0
    completed: float = 0.0

    def differs(self, completed: float, moved: NDArray[np.int64]) -> bool:
        """True if a window, or the last few with it, are unlike the ones before, by more than chance explains."""
        if len(self.windows) < ALIKE:
            return False
        seen = np.column_stack([np.array(self.windows)[:, :1], np.array(self.moves)])
        latest = np.concatenate([[completed], moved])
        if _unlike(latest[None], seen):
            return True
        return _unlike(np.vstack([seen[1 - FEW :], latest]), seen[: 1 - FEW])

    def split(self, window_ns: int) -> Regime | None:
        """The regime that began among these windows of ``window_ns``, which it takes over; None if alike."""
        seen = np.column_stack([np.array(self.windows)[:, :1], np.array(self.moves)])
        cuts = [cut for cut in range(1, len(seen) - 1) if _unlike(seen[:cut], seen[cut:])]
        if not cuts:
            return None
        cut = cuts[-1]
        later = Regime(self.end_ns - (len(seen) - cut) * window_ns, np.zeros_like(self.histogram))
        for name in ("windows", "moves", "crossed", "looped", "done"):
            setattr(later, name, getattr(self, name)[cut:])
        later.end_ns, self.end_ns = self.end_ns, later.begin_ns
        later.completed = sum(completed for completed, _ in later.windows)
        self.completed -= later.completed
        return later

    @property
    def perhaps_over(self) -> bool:
        """True if a level met a threshold just now that it does not meet again and again: look what it does."""
        crossed = np.array(self.crossed)
        return bool(np.any(crossed[-FEW:].any(axis=0) & (crossed.sum(axis=0) <= OFTEN)))

    @property
    def drifts(self) -> bool:
        """True if its first and second half are unlike: each window may still be like the ones before it."""
        completed = np.array(self.windows)[:, :1]
        half = len(completed) // 2
        return _unlike(completed[:half], completed[half:])

    @property
    def in_a_loop(self) -> bool:
        """True if a loop may go on from window to window, and come to an end that no repetition shows."""
        completed, steps = np.sum(self.looped, axis=0)
        return bool(np.any((steps > 0) & (completed < ALIKE)))


def _unlike(some: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """True if the means of ``some`` and ``others``, of shape (windows, counts), are far apart in any count."""
    first, second = some.mean(axis=0), others.mean(axis=0)
    within = ((some - first) ** 2).sum(axis=0) + ((others - second) ** 2).sum(axis=0)
    spread = np.maximum(np.sqrt(within / (len(some) + len(others) - 2)), 0.5)
    chance = UNLIKELY * spread * np.sqrt(1.0 / len(some) + 1.0 / len(others))
    return bool(np.any(np.abs(first - second) > chance + SAME * np.abs(second)))
