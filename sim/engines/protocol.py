"""What an engine counts while it runs: cumulative integers that every engine must agree on bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.statistics.histogram import Counts

PLACE_COLUMNS = ("visits", "busy_ns", "queue_ns", "extra")
"""Of each place: visits begun; the integral over time of servers, tokens, holders or level in use; that of
clients waiting; and hits of a cache or batches of a gate."""

WORKLOAD_COLUMNS = (
    "started",
    "completed",
    "latency_ns",
    "population_ns",
    "background",
    "lookups",
    "hits",
    "steps",
)
"""Of each workload: walks started and completed; summed latency of the completed; the integral over time of
clients on the path; branches nobody waits for that are still on their way; look-ups in caches, and hits; and
steps begun."""


@dataclass(frozen=True)
class Snapshot:
    """Everything counted from the start of a run until ``now_ns``.

    Attributes:
        places: int64, shape (places, len(PLACE_COLUMNS)).
        workloads: int64, shape (workloads, len(WORKLOAD_COLUMNS)).
        histograms: latencies of completed walks of each group, shape (groups, BINS).
    """

    now_ns: int
    places: NDArray[np.int64]
    workloads: NDArray[np.int64]
    histograms: Counts

    def since(self, earlier: Snapshot) -> Snapshot:
        """The difference: what was counted after ``earlier``, with ``now_ns`` as the time between."""
        return Snapshot(
            self.now_ns - earlier.now_ns,
            self.places - earlier.places,
            self.workloads - earlier.workloads,
            self.histograms - earlier.histograms,
        )


@dataclass(frozen=True)
class Completion:
    """One client finished one walk."""

    workload: str
    client: int
    started_ns: int
    ended_ns: int


class Engine(Protocol):
    """One run of one model. Created at time 0, advanced as far as wanted, read at any time."""

    name: str

    @property
    def now_ns(self) -> int:
        """The clock."""

    @property
    def finished(self) -> bool:
        """Whether every workload with a count has completed it (never, where none has one)."""

    @property
    def stuck(self) -> bool:
        """Whether nothing will ever happen again although clients are on their way."""

    def advance(self, until_ns: int) -> None:
        """Let everything happen that is due before ``until_ns``, or until the run is finished."""

    def snapshot(self) -> Snapshot:
        """Read all counters at the present time."""

    def intervals(self, interval_ns: int, count: int) -> list[Snapshot]:
        """Advance by ``interval_ns``, ``count`` times, and read all counters after each; stop early at the end."""

    def who_waits(self) -> str:
        """Say in one line which clients wait for what, and who holds it."""
