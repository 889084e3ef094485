"""The record of an analytic solution: frozen, with named fields. Times in seconds, rates per second."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sim.engine.analytic.accuracy import Accuracy
from sim.engine.result import Bound, GroupResult, Latency, PlaceResult, Result
from sim.engine.statistics.answers import QUANTILES
from sim.engine.statistics.estimates import Estimate, certain, point


@dataclass(frozen=True)
class PlaceAnalysis:
    """One place in the long run.

    Attributes:
        kind: ``station``, ``lock``, ``pool``, ``buffer``, ``gate`` or ``cache``.
        visits: per second.
        utilisation: share of servers or tokens in use, or of the time an exclusive lock is held; nan if unknown.
        queue: mean number of clients waiting.
        residence_s: mean seconds of a visit, waiting included.
        wait_s: mean seconds that a visit waits.
        hit_ratio: hit ratio of a cache; None for other places.
        batch: mean clients of a gathered batch of a gate, else None.
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
    """All workloads of one group together.

    Attributes:
        throughput: requests per second.
        latency_s: mean response time of a request.
        upper: upper bound of the throughput.
        lower: lower bound of the throughput; 0 if none is known.
        hit_ratio: hits per look-up in any cache; None without look-ups.
        accuracy: accuracy of the answer; None if it is exact.
    """

    throughput: float
    latency_s: float
    upper: Bound
    lower: float
    hit_ratio: float | None
    accuracy: Accuracy | None = None


@dataclass(frozen=True)
class Analysis:
    """An analytic solution.

    Attributes:
        groups: by the group of the workloads.
        places: by the name of the place; identical places have equal figures.
        limits: bounds by places for each group, the lowest first.
        methods: methods of the computation, each with its source.
        exact: True if the answer is exact, except for rounding.
        elapsed_s: seconds until all jobs are done; None for an endless load.
    """

    groups: Mapping[str, GroupAnalysis]
    places: Mapping[str, PlaceAnalysis]
    limits: Mapping[str, tuple[Bound, ...]]
    methods: tuple[str, ...]
    exact: bool
    elapsed_s: float | None = None

    def result(self, watch: str, seed: int) -> Result:
        """The solution as the record of a simulation; fields that only a simulation has are nan or 0."""
        watched = self.groups[watch]
        return Result(
            groups={name: self._group(group) for name, group in self.groups.items()},
            places={name: _place(place) for name, place in self.places.items()},
            watched=watch,
            limits=self.limits[watch],
            elapsed=None if self.elapsed_s is None else self._elapsed(watched, self.elapsed_s),
            measured_s=math.nan if self.elapsed_s is None else self.elapsed_s,
            warmup_s=0.0,
            steps=0,
            engine="analytic",
            seed=seed,
            warnings=() if watched.accuracy is None else (watched.accuracy.warning,),
        )

    def _group(self, group: GroupAnalysis) -> GroupResult:
        throughput, latency = certain(group.throughput), certain(group.latency_s)
        if group.accuracy is not None:
            throughput = group.accuracy.throughput.around(group.throughput, group.upper.throughput)
            latency = group.accuracy.latency.around(group.latency_s)
        population = group.throughput * group.latency_s
        completed = round(group.throughput * (self.elapsed_s or 0.0))
        hit_ratio = None if group.hit_ratio is None else point(group.hit_ratio)
        times = Latency(latency, *map(point, (math.nan,) * len(QUANTILES)))
        return GroupResult(throughput, times, completed, 0, 0, population, hit_ratio)

    def _elapsed(self, watched: GroupAnalysis, elapsed_s: float) -> Estimate:
        if watched.accuracy is None:
            return certain(elapsed_s)
        rate = watched.accuracy.throughput.around(1.0)
        return rate.duration(elapsed_s)


def _place(place: PlaceAnalysis) -> PlaceResult:
    return PlaceResult(
        place.kind, place.visits, place.utilisation, place.queue, place.wait_s, place.hit_ratio, place.batch
    )
