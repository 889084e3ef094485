"""The interface of an engine, and its counters: cumulative integers, equal bit for bit in all engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.engine.statistics.histogram import Counts

PLACE_COLUMNS = ("visits", "busy_ns", "queue_ns", "extra")
"""Counters of a place: visits begun; the integral over time of servers, tokens, holders or level in use; that of
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
"""Counters of a workload: requests started and completed; the summed latency of the completed ones; the integral
over time of requests in flight; branches that nobody waits for and that are still in flight; look-ups in caches,
and hits; and steps begun."""


@dataclass(frozen=True)
class Snapshot:
    """All counters from the start of a run until ``now_ns``.

    Attributes:
        places: int64, shape (places, len(PLACE_COLUMNS)).
        workloads: int64, shape (workloads, len(WORKLOAD_COLUMNS)).
        histograms: latencies of completed requests of each group, shape (groups, BINS).
    """

    now_ns: int
    places: NDArray[np.int64]
    workloads: NDArray[np.int64]
    histograms: Counts

    def since(self, earlier: Snapshot) -> Snapshot:
        """Counts after ``earlier``; ``now_ns`` is the time between."""
        return Snapshot(
            self.now_ns - earlier.now_ns,
            self.places - earlier.places,
            self.workloads - earlier.workloads,
            self.histograms - earlier.histograms,
        )


@dataclass(frozen=True)
class History:
    """The counters at several times, in order.

    Attributes:
        now_ns: int64, shape (times,).
        places: counters of places, shape (times, places, len(PLACE_COLUMNS)).
        workloads: counters of workloads, shape (times, workloads, len(WORKLOAD_COLUMNS)).
        histograms: latencies of completed requests, shape (times, groups, BINS).
    """

    now_ns: NDArray[np.int64]
    places: NDArray[np.int64]
    workloads: NDArray[np.int64]
    histograms: Counts

    def __len__(self) -> int:
        """Number of times."""
        return len(self.now_ns)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """Times and the three arrays of counters."""
        return self.now_ns, self.places, self.workloads, self.histograms

    def part(self, times: slice) -> History:
        """Counters at some of the times, without a copy."""
        return History(*(array[times] for array in self.arrays))

    def at(self, index: int) -> Snapshot:
        """Counters at one of the times, without a copy."""
        return Snapshot(int(self.now_ns[index]), self.places[index], self.workloads[index], self.histograms[index])


def history_of(snapshots: Sequence[Snapshot], like: Snapshot) -> History:
    """The ``snapshots`` as one record; ``like`` gives the shapes if there are none."""
    columns = ("places", "workloads", "histograms")
    return History(
        np.array([each.now_ns for each in snapshots], dtype=np.int64),
        *(
            np.array([getattr(each, name) for each in snapshots], dtype=np.int64).reshape(
                len(snapshots), *getattr(like, name).shape
            )
            for name in columns
        ),
    )


MOST_SHOWN = 6
"""Largest number of clients named in a line."""


def waits_shown(waits: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """One line of ``waits``, triples of client, place and holders; all beyond a few are left out."""
    named = [
        f"{who} waits for {place}"
        + (f", held by {', '.join(holders[:MOST_SHOWN])}" if holders else "")
        + (", …" if len(holders) > MOST_SHOWN else "")
        for who, place, holders in islice(waits, MOST_SHOWN + 1)
    ]
    return "; ".join([*named[:MOST_SHOWN], *(["…"] if len(named) > MOST_SHOWN else [])])


@dataclass(frozen=True)
class Completion:
    """A request completed by a client."""

    workload: str
    client: int
    started_ns: int
    ended_ns: int


class Engine(Protocol):
    """One run of one model: created at time 0, advanced as far as wanted, read at any time."""

    name: str

    @property
    def now_ns(self) -> int:
        """The clock, in nanoseconds."""

    @property
    def finished(self) -> bool:
        """True if every workload with a count has completed it; never true if none has one."""

    @property
    def stuck(self) -> bool:
        """True if nothing is scheduled although requests are in flight."""

    def advance(self, until_ns: int) -> None:
        """Process all events due before ``until_ns``, or until the run is finished."""

    def snapshot(self) -> Snapshot:
        """Read all counters at the present time."""

    def levels(self) -> NDArray[np.int64]:
        """The present level of each buffer, in the order of the model's places, shape (buffers,)."""

    def look(self) -> None:
        """Record in the trace the present activity of all requests and branches in flight."""

    def intervals(self, interval_ns: int, count: int) -> History:
        """All counters at the end of each of the next ``count`` intervals; fewer if the run ends before.

        The arrays are valid until the next call: the engine may reuse their memory.
        """

    def completed(self, interval_ns: int, count: int) -> NDArray[np.int64]:
        """Requests completed by each workload at the times of ``intervals``, shape (times, workloads)."""

    def who_waits(self) -> str:
        """One line on the clients that wait, the places, and their holders."""
