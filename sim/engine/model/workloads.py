"""Workloads: clients, the path of their requests, and the times at which these begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sim.engine import checks
from sim.engine.errors import ModelError
from sim.engine.model.addresses import AddressSource
from sim.engine.model.distributions import Distribution, distribution
from sim.engine.model.steps import Path, Step, path_of


@dataclass(frozen=True)
class Arrivals:
    """Arrival times of the clients of an open workload."""

    @property
    def rate(self) -> float | None:
        """Long-run arrivals per second; None for a finite list of times."""
        raise NotImplementedError


@dataclass(frozen=True)
class Poisson(Arrivals):
    """Independent arrivals, ``per_second`` of them a second on average."""

    per_second: float

    def __post_init__(self) -> None:
        rate = checks.number("the Poisson arrival rate", self.per_second, low=1e-9, high=1e9, unit=" per second")
        object.__setattr__(self, "per_second", rate)

    @property
    def rate(self) -> float:
        return self.per_second


@dataclass(frozen=True)
class Periodic(Arrivals):
    """One arrival every ``interval_s`` seconds, the first after one interval."""

    interval_s: float

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "interval_s", checks.countable_seconds("the interval of periodic arrivals", self.interval_s)
        )

    @property
    def rate(self) -> float:
        return 1.0 / self.interval_s


@dataclass(frozen=True)
class ReplayedTimes(Arrivals):
    """Arrivals at the given ``times_s`` (seconds from the start, in order)."""

    times_s: tuple[float, ...]

    def __init__(self, times_s: Sequence[float]) -> None:
        checked = tuple(
            checks.seconds("a replayed arrival time", each)
            for each in checks.listed("replayed arrival times", times_s)
        )
        if not checked:
            raise ModelError("replayed arrival times are empty; give at least one time in seconds")
        for earlier, later in pairwise(checked):
            if later < earlier:
                raise ModelError(f"replayed arrival time {later!r} comes after {earlier!r}; put them in order")
        object.__setattr__(self, "times_s", checked)

    @property
    def rate(self) -> None:
        return None


@dataclass(frozen=True)
class RecordedGaps(Arrivals):
    """``count`` arrivals after gaps in whole nanoseconds, from the source ``gaps``, read on demand."""

    gaps: AddressSource
    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.gaps, AddressSource):
            raise ModelError(f"recorded gaps are {checks.quoted(self.gaps)}; allowed: a source of whole numbers")
        object.__setattr__(self, "count", checks.whole("the number of recorded gaps", self.count, 1))

    @property
    def rate(self) -> None:
        return None


@dataclass(frozen=True)
class Workload:
    """Clients whose requests take ``path``; ``count`` limits their number. Results of a ``group`` are summed."""

    name: str
    path: Path
    group: str
    count: int | None

    def __str__(self) -> str:
        return f"workload '{self.name}'"

    @property
    def timed(self) -> str:
        """The argument that sets its begin or end, so that it has no long run; empty if there is none."""
        return ""


@dataclass(frozen=True)
class Closed(Workload):
    """``clients`` clients; each thinks, makes a request, and begins again. ``count``: requests in all.

    Attributes:
        begins: number of steps of the path before the request: like thinking, they are not part of its latency.
        start_s: time at which the clients begin, in seconds.
        stop_s: time from which no client begins a request, in seconds; None: they go on.
    """

    clients: int
    begins: int
    think: Distribution | None
    start_s: float
    stop_s: float | None

    def __init__(
        self,
        name: str,
        clients: int,
        path: Step | Iterable[Step],
        *,
        begins: int = 0,
        think: float | Distribution | None = None,
        count: int | None = None,
        group: str | None = None,
        start_s: float = 0.0,
        stop_s: float | None = None,
    ) -> None:
        _describe(self, name, path, group)
        _limit(self, start_s, stop_s, count)
        object.__setattr__(self, "clients", checks.whole(f"clients of workload '{name}'", clients, 1))
        object.__setattr__(self, "begins", _before(self, begins))
        wanted = None if think is None else distribution(f"the think time of workload '{name}'", think)
        object.__setattr__(self, "think", wanted)
        object.__setattr__(self, "count", _count(name, count))

    @property
    def timed(self) -> str:
        if self.start_s:
            return f"start_s {self.start_s:g}"
        return "" if self.stop_s is None else f"stop_s {self.stop_s:g}"


@dataclass(frozen=True)
class Open(Workload):
    """Clients that arrive from outside, make one request and leave; ``count`` of them, or endlessly many."""

    arrivals: Arrivals

    def __init__(
        self,
        name: str,
        arrivals: Arrivals,
        path: Step | Iterable[Step],
        *,
        count: int | None = None,
        group: str | None = None,
    ) -> None:
        _describe(self, name, path, group)
        if not isinstance(arrivals, Arrivals):
            raise ModelError(
                f"workload '{name}' has arrivals {checks.quoted(arrivals)}; "
                "allowed: Poisson, Periodic, ReplayedTimes or RecordedGaps"
            )
        count = _count(name, count)
        if isinstance(arrivals, ReplayedTimes):
            count = len(arrivals.times_s) if count is None else min(count, len(arrivals.times_s))
        if isinstance(arrivals, RecordedGaps):
            count = arrivals.count if count is None else min(count, arrivals.count)
        object.__setattr__(self, "arrivals", arrivals)
        object.__setattr__(self, "count", count)

    @property
    def timed(self) -> str:
        return "RecordedGaps" if isinstance(self.arrivals, RecordedGaps) else ""


def _before(workload: Workload, begins: int) -> int:
    """The number of steps before a request; at least one is left for it."""
    what = f"the steps before a request of {workload}"
    if checks.whole(what, begins, 0) >= len(workload.path):
        raise ModelError(f"{what} are {begins} of {len(workload.path)}; leave it at least one")
    return begins


def _describe(workload: Workload, name: str, path: Step | Iterable[Step], group: str | None) -> None:
    checks.name("workload", name)
    if group is not None:
        checks.name(f"the group of workload '{name}'", group)
    steps = path_of(f"the path of workload '{name}'", path)
    if not steps:
        raise ModelError(f"the path of workload '{name}' is empty; give it at least one step")
    object.__setattr__(workload, "name", name)
    object.__setattr__(workload, "path", steps)
    object.__setattr__(workload, "group", group or name)


def _limit(workload: Closed, start_s: float, stop_s: float | None, count: int | None) -> None:
    start = checks.seconds(f"the start of {workload}", start_s)
    stop = None if stop_s is None else checks.seconds(f"the stop of {workload}", stop_s)
    if stop is not None and stop <= start:
        raise ModelError(f"{workload} stops at {stop:g} s; allowed: after its start at {start:g} s")
    if stop is not None and count is not None:
        raise ModelError(f"{workload} has a count and a stop; give one of them")
    object.__setattr__(workload, "start_s", start)
    object.__setattr__(workload, "stop_s", stop)


def _count(name: str, count: int | None) -> int | None:
    return None if count is None else checks.whole(f"count of workload '{name}'", count, 1)
