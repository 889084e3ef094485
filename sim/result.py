"""The record of a simulation: frozen, with named fields. Times in seconds, rates per second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sim.statistics.estimates import Estimate


@dataclass(frozen=True)
class Latency:
    """Time from the start of a walk to its end, seconds.

    A percentile that too few slower walks tell apart from the longest has no upper end. Where times are all alike,
    the ends of an interval are those of the histogram's bin, at most 1.6 % apart.
    """

    mean: Estimate
    p50: Estimate
    p95: Estimate
    p99: Estimate


@dataclass(frozen=True)
class GroupResult:
    """The workloads of one group, added up.

    Attributes:
        throughput: completed walks per second.
        latency: of the completed walks.
        completed: walks completed in the measured time.
        in_flight: walks still on their way when the run stopped.
        background: branches nobody waits for that were still on their way then.
        population: mean number of walks on their way.
        hit_ratio: hits a look-up in any cache; None without look-ups.
    """

    throughput: Estimate
    latency: Latency
    completed: int
    in_flight: int
    background: int
    population: float
    hit_ratio: Estimate | None

    @property
    def answers(self) -> dict[str, Estimate]:
        """Throughput, and latency by its mean and percentiles, under the names of ``sim.statistics.answers``."""
        return {"throughput": self.throughput, **vars(self.latency)}

    def marked(self, known: Mapping[str, bool]) -> GroupResult:
        """The same, with each of the answers named in ``known`` marked as known or not."""
        return self.changed(lambda name, each: each.marked(known=known.get(name, each.known)))

    def changed(self, change: Callable[[str, Estimate], Estimate]) -> GroupResult:
        """The same, with ``change`` made to each answer, given its name."""
        found = {name: change(name, each) for name, each in self.answers.items()}
        return replace(self, throughput=found.pop("throughput"), latency=Latency(**found))


@dataclass(frozen=True)
class PlaceResult:
    """One place over the measured time.

    Attributes:
        kind: ``station``, ``lock``, ``pool``, ``buffer``, ``gate`` or ``cache``.
        visits: services, holds, level changes, gathered clients or look-ups begun, per second.
        utilisation: share of the servers or tokens in use, of the time a lock is held, of a capacity filled;
            for a gate, clients gathered and not yet woken.
        queue: mean number of clients waiting.
        wait_s: mean seconds that a visit waited, by Little's law.
        hit_ratio: hits a look-up for a cache, else None.
        batch: clients a batch for a gate, else None.
    """

    kind: str
    visits: float
    utilisation: float
    queue: float
    wait_s: float
    hit_ratio: float | None
    batch: float | None


@dataclass(frozen=True)
class Bound:
    """Utilisation law: throughput cannot exceed ``throughput`` walks/s, where ``place`` would be always in use."""

    place: str
    throughput: float


@dataclass(frozen=True)
class Burst:
    """Another speed at first: of the watched group, until ``place`` was full or empty.

    Attributes:
        throughput: completed walks per second.
        seconds: how long it lasted.
    """

    place: str
    throughput: Estimate
    seconds: Estimate


@dataclass(frozen=True)
class Result:
    """What one simulation found.

    Attributes:
        groups: by the group of the workloads.
        places: by the name of the place.
        watched: the group whose throughput decided when to stop.
        limits: what each place allows, the narrowest first; empty if none is needed.
        elapsed: seconds that a finite job took, from replications; None for an endless load.
        measured_s: simulated seconds after warm-up.
        warmup_s: simulated seconds removed as warm-up.
        steps: steps of the vocabulary taken in all.
        warnings: what a reader should know, a line each.
        bursts: speeds that did not last, the longest last.
        parts: records of parts of the run after warm-up, or of each run of a job; empty if not asked for.
    """

    groups: Mapping[str, GroupResult]
    places: Mapping[str, PlaceResult]
    watched: str
    limits: tuple[Bound, ...]
    elapsed: Estimate | None
    measured_s: float
    warmup_s: float
    steps: int
    engine: str
    seed: int
    warnings: tuple[str, ...]
    bursts: tuple[Burst, ...] = ()
    parts: tuple[Result, ...] = field(default=(), repr=False)

    @property
    def bound(self) -> Bound | None:
        """The bottleneck: the place that is needed most."""
        return self.limits[0] if self.limits else None

    @property
    def throughput(self) -> Estimate:
        """Walks per second of the watched group."""
        return self.groups[self.watched].throughput
