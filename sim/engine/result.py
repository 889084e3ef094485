"""The record of a simulation: frozen, with named fields. Times in seconds, rates per second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sim.engine.statistics.estimates import Estimate


@dataclass(frozen=True)
class Latency:
    """Time from the beginning of a request to its end, seconds.

    The interval of a percentile has no upper end if too few requests were slower. If all times are equal, the ends
    of an interval are those of the histogram's bin, at most 1.6 % apart.
    """

    mean: Estimate
    p50: Estimate
    p95: Estimate
    p99: Estimate


@dataclass(frozen=True)
class GroupResult:
    """The workloads of one group, added up.

    Attributes:
        throughput: completed requests per second.
        latency: latency of the completed requests.
        completed: requests completed in the measured time.
        in_flight: requests in flight when the run stopped.
        background: branches in flight then that no request waits for.
        population: mean number of requests in flight.
        hit_ratio: hits per look-up in any cache; None without look-ups.
        narrowed: answers whose intervals control variates narrowed, each with the ratio of its standard errors
            with and without them.
    """

    throughput: Estimate
    latency: Latency
    completed: int
    in_flight: int
    background: int
    population: float
    hit_ratio: Estimate | None
    narrowed: Mapping[str, float] = field(default_factory=dict)

    @property
    def answers(self) -> dict[str, Estimate]:
        """Throughput, and latency by its mean and percentiles, by names of ``sim.engine.statistics.answers``."""
        return {"throughput": self.throughput, **vars(self.latency)}

    def marked(self, known: Mapping[str, bool]) -> GroupResult:
        """Copy with the answers named in ``known`` marked as converged or not."""
        return self.changed(lambda name, answer: answer.marked(known=known.get(name, answer.known)))

    def changed(self, change: Callable[[str, Estimate], Estimate]) -> GroupResult:
        """Copy with each answer replaced by ``change(name, answer)``."""
        answers = {name: change(name, answer) for name, answer in self.answers.items()}
        return replace(self, throughput=answers.pop("throughput"), latency=Latency(**answers))


@dataclass(frozen=True)
class PlaceResult:
    """One place over the measured time.

    Attributes:
        kind: ``station``, ``lock``, ``pool``, ``buffer``, ``gate`` or ``cache``.
        visits: services, holds, level changes, gathered clients or look-ups that begin, per second.
        utilisation: share of servers or tokens in use, of the time that a lock is held, or of a capacity that is
            filled; for a gate, the mean number of clients gathered and not yet woken.
        queue: mean number of clients waiting.
        wait_s: mean seconds that a visit waited, by Little's law.
        hit_ratio: hits per look-up of a cache, else None.
        batch: clients per batch of a gate, else None.
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
    """Utilisation law: an upper bound of requests per second, at which ``place`` is always in use."""

    place: str
    throughput: float


@dataclass(frozen=True)
class Burst:
    """Initial throughput of the watched group, until ``place`` was full or empty.

    Attributes:
        throughput: completed requests per second.
        seconds: its duration.
        full: True if ``place`` was full then, False if empty.
    """

    place: str
    throughput: Estimate
    seconds: Estimate
    full: bool = True


@dataclass(frozen=True)
class Result:
    """Answers of one simulation.

    Attributes:
        groups: results by group of workloads.
        places: results by name of the place.
        watched: the group whose throughput decided when to stop.
        limits: throughput bound of each place, the lowest first, but no less than the estimated ``throughput``,
            which chance may raise above it; empty if no place is used.
        elapsed: seconds that a finite job took, from replications; None for an endless load.
        measured_s: simulated seconds after warm-up.
        warmup_s: simulated seconds removed as warm-up.
        steps: number of steps taken.
        warnings: warnings for readers, one line each.
        bursts: throughputs that did not last; the longest burst comes last.
        parts: records of parts of the run after warm-up, or of each run of a job; empty if not asked for.
        judged: the system's own answers that the run waited for, with True for converged ones.
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
    judged: Mapping[str, bool] = field(default_factory=dict)

    @property
    def bound(self) -> Bound | None:
        """The bound of the bottleneck, the place with the lowest one."""
        return self.limits[0] if self.limits else None

    @property
    def throughput(self) -> Estimate:
        """Requests per second of the watched group."""
        return self.groups[self.watched].throughput

    def unknown(self, warning: str) -> Result:
        """Copy with no answer converged, for the reason in ``warning``."""
        groups = {name: group.marked(dict.fromkeys(group.answers, False)) for name, group in self.groups.items()}
        judged = dict.fromkeys(self.judged, False)
        warnings = (f"not known well enough: {warning}", *self.warnings)
        return replace(self, groups=groups, judged=judged, warnings=warnings)
