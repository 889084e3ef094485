"""The record of an analytic solution: frozen, with named fields. Times in seconds, rates per second."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sim.analytic.accuracy import Accuracy, around
from sim.result import Bound, GroupResult, Latency, PlaceResult, Result
from sim.statistics.answers import QUANTILES
from sim.statistics.estimates import Estimate, point


@dataclass(frozen=True)
class PlaceAnalysis:
    """One place in the long run.

    Attributes:
        kind: ``station``, ``lock``, ``pool``, ``buffer``, ``gate`` or ``cache``.
        visits: a second.
        utilisation: share of servers or tokens in use, or of the time an exclusive lock is held; nan if unknown.
        queue: mean number of clients waiting.
        residence_s: mean seconds of a visit, waiting included.
        wait_s: mean seconds that a visit waits.
        hit_ratio: for a cache, else None.
        batch: clients a batch for a gate, else None.
    """

    kind: str
    visits: float
    utilisation: float
    queue: float
    residence_s: float
    wait_s: float
    hit_ratio: float | None = None
    batch: float | None = None


@dataclass(frozen=True)
class GroupAnalysis:
    """The workloads of one group, added up.

    Attributes:
        throughput: walks per second; its interval is what nine of ten models like this are within, nan if exact.
        latency_s: mean time of a walk, likewise.
        upper, lower: throughput can be no more, and no less; 0 where no lower one is known.
        hit_ratio: hits a look-up in any cache; None without look-ups.
    """

    throughput: float
    latency_s: float
    upper: Bound
    lower: float
    hit_ratio: float | None


@dataclass(frozen=True)
class Analysis:
    """What the analytic engine found.

    Attributes:
        groups: by the group of the workloads.
        places: by the name of the place; alike places have equal figures.
        bottleneck: the station, pool or lock that is needed most, if any.
        needed: for which share of its time that is needed.
        methods: how it was computed, each with its source.
        exact: whether the answer is exact, but for rounding.
        elapsed_s: seconds that jobs which end take; None for an endless load.
        accuracy: how far off it may be; None if it is exact.
    """

    groups: Mapping[str, GroupAnalysis]
    places: Mapping[str, PlaceAnalysis]
    bottleneck: str | None
    needed: float
    methods: tuple[str, ...]
    exact: bool
    elapsed_s: float | None = None
    accuracy: Accuracy | None = None

    def _bound(self, throughput: float) -> Bound | None:
        """The bottleneck, and the throughput with it always in use."""
        return Bound(self.bottleneck, throughput / self.needed) if self.bottleneck else None

    def result(self, watch: str, seed: int) -> Result:
        """The same as the record of a simulation: what only simulations tell is nan or 0."""
        watched = self.groups[watch]
        bound = self._bound(watched.throughput)
        return Result(
            groups={name: self._group(each) for name, each in self.groups.items()},
            places={name: _place(each) for name, each in self.places.items()},
            watched=watch,
            limits=() if bound is None else (bound,),
            elapsed=None if self.elapsed_s is None else self._elapsed(self.elapsed_s),
            measured_s=math.nan if self.elapsed_s is None else self.elapsed_s,
            warmup_s=0.0,
            steps=0,
            engine="analytic",
            seed=seed,
            warnings=() if self.accuracy is None else (self.accuracy.warning,),
        )

    def _group(self, found: GroupAnalysis) -> GroupResult:
        throughput, latency = point(found.throughput), point(found.latency_s)
        if self.accuracy is not None:
            most = max(found.upper.throughput, found.throughput)
            throughput = around(found.throughput, self.accuracy.throughput, most)
            latency = around(found.latency_s, self.accuracy.latency)
        population = found.throughput * found.latency_s
        completed = round(found.throughput * (self.elapsed_s or 0.0))
        hit_ratio = None if found.hit_ratio is None else point(found.hit_ratio)
        times = Latency(latency, *map(point, (math.nan,) * len(QUANTILES)))
        return GroupResult(throughput, times, completed, 0, 0, population, hit_ratio)

    def _elapsed(self, elapsed_s: float) -> Estimate:
        return point(elapsed_s) if self.accuracy is None else around(elapsed_s, self.accuracy.throughput)


def _place(found: PlaceAnalysis) -> PlaceResult:
    return PlaceResult(
        found.kind, found.visits, found.utilisation, found.queue, found.wait_s, found.hit_ratio, found.batch
    )
