"""Service demands: mean needs of a path at its places, read off the path without simulating."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from sim.engine.model.distributions import NANOSECONDS_PER_SECOND, Constant, Empirical, PerItem, Time, nanoseconds
from sim.engine.model.places import Place, Pool, Station
from sim.engine.model.steps import (
    Await,
    Choose,
    Delay,
    Fork,
    Gather,
    Hold,
    IfAny,
    Lookup,
    Path,
    Put,
    Repeat,
    Step,
    Take,
    Use,
    distinct_steps,
)

TICK_S = 1.0 / NANOSECONDS_PER_SECOND
"""Resolution of the clock in seconds."""

Contribution = tuple[tuple[Place, float], ...]
"""Needs of one step at places, or amounts moved there, without the steps inside it."""

Demands = dict[Place, float]
"""Mean seconds of servers, tokens or a lock needed at each place."""


def capacity(place: Place) -> int:
    """The number of servers or tokens of ``place``; 1 for a lock."""
    match place:
        case Station():
            return place.servers
        case Pool():
            return place.tokens
    return 1


def demands_s(path: Path) -> Demands:
    """Mean seconds of each station, pool and lock for one request on ``path``, including forked branches.

    A lower bound: a hold counts the time of its steps without queueing, a shared hold nothing (many
    fit at once), and if only simulation decides which of two branches is taken, the lesser of both.
    """
    return demands_of([path])[0]


def demands_of(paths: Iterable[Path]) -> list[Demands]:
    """Demands of each of ``paths``, see ``demands_s``; shared sub-paths are read once."""
    return list(map(_Reader(_needed()).read, paths))


def _needed(mean_s: Callable[[Time], float] | None = None) -> Callable[[Step], Contribution]:
    """A function that returns a step's needs at its place; ``mean_s`` selects a part of each time."""
    times = _MinTimes(mean_s or _clock_s)

    def needed(step: Step) -> Contribution:
        match step:
            case Use():
                return ((step.station, mean_s(step.time) if mean_s else step.time.mean),)
            case Hold() if isinstance(step.held, Pool) or step.exclusive:
                return ((step.held, step.tokens * times.of(step.steps)),)
        return ()

    return needed


def _fixed_s(time: Time) -> float:
    """The part of ``time`` that does not depend on a batch."""
    return time.fixed.mean if isinstance(time, PerItem) else time.mean


def _items_s(time: Time) -> float:
    """The part of ``time`` per client of a batch."""
    return time.each if isinstance(time, PerItem) else 0.0


def waited_demands_of(paths: Iterable[Path]) -> list[Demands]:
    """Demands without branches that nobody waits for."""
    return list(map(_Reader(_needed(), unwaited=False).read, paths))


def fixed_demands_of(paths: Iterable[Path]) -> list[Demands]:
    """Demands without the time for each client of a batch, and an upper bound: of two branches both count."""
    return list(map(_Reader(_needed(_fixed_s), either=1.0).read, paths))


def awaits_of(paths: Iterable[Path]) -> list[Demands]:
    """Mean number of arrivals at each gate by one request on each path; the lesser of two branches."""

    def awaited(step: Step) -> Contribution:
        return ((step.gate, 1.0),) if isinstance(step, Await) else ()

    return list(map(_Reader(awaited).read, paths))


def items_of(paths: Iterable[Path]) -> list[Demands]:
    """The part of each path's demands per client of a gathered batch."""
    return list(map(_Reader(_needed(_items_s)).read, paths))


def per_item(paths: Iterable[Path]) -> dict[Place, list[Demands]]:
    """Mean seconds of each place for one client of a batch, by gate: an entry for each `Gather` on a path.

    A lower bound: the path is followed as far as it is certain, until it may gather again.
    """
    reader, times, by_gate = _Reader(_needed(_items_s)), _MinTimes(_items_s), dict[Place, list[Demands]]()

    def after(path: Path, behind: tuple[Path, ...], around: tuple[tuple[Hold, int], ...]) -> None:
        """Read ``path``, followed by ``behind``, of which each hold ``around`` contains the first ones."""
        for at, step in enumerate(path):
            follows = (path[at + 1 :], *behind)
            if isinstance(step, Gather):
                demands = reader.read(_until_next(follows))
                for hold, depth in around:
                    seconds = hold.tokens * times.of(_until_next(follows[:depth]))
                    demands[hold.held] = demands.get(hold.held, 0.0) + seconds
                by_gate.setdefault(step.gate, []).append(demands)
            own = (
                ((step, 0),) if isinstance(step, Hold) and (step.exclusive or isinstance(step.held, Pool)) else ()
            )
            within = tuple((hold, depth + 1) for hold, depth in (*around, *own))
            for inner in step.inner:
                after(inner, *((follows, within) if isinstance(step, Hold) else ((), ())))

    for path in paths:
        after(path, (), ())
    return by_gate


def _until_next(paths: Iterable[Path]) -> Path:
    """Steps of ``paths``, one after the other, until one that may gather another batch."""
    steps = (step for path in paths for step in path)
    return tuple(takewhile(lambda each: not any(isinstance(s, Gather) for s in distinct_steps([(each,)])), steps))


def puts_of(paths: Iterable[Path]) -> list[Demands]:
    """Mean amount that a request on each path puts into each buffer; the lesser of two undetermined branches."""
    return list(map(_Reader(_put).read, paths))


def _put(step: Step) -> Contribution:
    return ((step.buffer, float(step.amount)),) if isinstance(step, Put) else ()


def nets_of(paths: Iterable[Path]) -> list[Demands]:
    """Mean amount that a request on each path puts into each buffer, less what it takes.

    Buffers with equal puts and takes are left out; nan if only simulation decides. Shared sub-paths are
    read once.
    """
    paths = list(paths)
    reader = _Reader(_moved, either=math.nan)
    return [
        {place: net for place, net in reader.read(path).items() if not abs(net) <= ROUNDING * put.get(place, 0.0)}
        for path, put in zip(paths, puts_of(paths), strict=True)
    ]


def variances_of(paths: Iterable[Path]) -> list[Demands]:
    """Variance of the amount that a request on each path puts into each buffer, less what it takes.

    The variance is by ``Choose``; nan if only simulation decides. Shared sub-paths are read once.
    """
    reader = _Spreads()
    return [{place: variance for place, (_, variance) in reader.of(path).items() if variance} for path in paths]


ROUNDING = 1e-12
"""Relative surplus of puts that is due to rounding of branch probabilities."""


class _Spreads:
    """Mean and variance of a path's puts into each buffer, less its takes."""

    def __init__(self) -> None:
        self._known: dict[int, dict[Place, tuple[float, float]]] = {}

    def of(self, path: Path) -> dict[Place, tuple[float, float]]:
        """Mean and variance along ``path``, whose steps draw independently."""
        total: dict[Place, tuple[float, float]] = {}
        for step in path:
            if id(step) not in self._known:
                self._known[id(step)] = self._read(step)
            _add(total, self._known[id(step)])
        return total

    def _read(self, step: Step) -> dict[Place, tuple[float, float]]:
        if isinstance(step, Put | Take):
            return {place: (amount, 0.0) for place, amount in _moved(step)}
        total: dict[Place, tuple[float, float]] = {}
        squares: dict[Place, float] = {}
        for share, inner in weighed(step, math.nan):
            for place, (mean, variance) in self.of(inner).items():
                _add(total, {place: (share * mean, share * variance)})
                squares[place] = squares.get(place, 0.0) + share * mean * mean
        if isinstance(step, Choose):
            return {
                place: (mean, variance + squares[place] - mean * mean) for place, (mean, variance) in total.items()
            }
        return total


def _add(total: dict[Place, tuple[float, float]], more: dict[Place, tuple[float, float]]) -> None:
    for place, (mean, variance) in more.items():
        before = total.get(place, (0.0, 0.0))
        total[place] = before[0] + mean, before[1] + variance


def _moved(step: Step) -> Contribution:
    match step:
        case Put():
            return ((step.buffer, float(step.amount)),)
        case Take():
            return ((step.buffer, float(-step.amount)),)
    return ()


def weighed(step: Step, either: float) -> Iterator[tuple[float, Path]]:
    """Paths inside ``step``, each with its frequency: ``either`` if only simulation decides."""
    match step:
        case Choose():
            yield from step.options
        case Repeat():
            yield step.times, step.steps
        case Lookup() | IfAny():
            yield from ((either, each) for each in step.inner)
        case _:
            yield from ((1.0, each) for each in step.inner)


class _Reader:
    """Sums contributions of steps along paths, which must outlive it: shared steps are read once.

    Args:
        contribution: returns that of one step, without those of the steps inside it.
        either: weight of each of two paths if only simulation decides; None: the lesser of both counts.
        unwaited: count branches that nobody waits for.
    """

    def __init__(
        self, contribution: Callable[[Step], Contribution], either: float | None = None, *, unwaited: bool = True
    ) -> None:
        self._contribution, self._either, self._unwaited = contribution, either, unwaited
        self._known: dict[tuple[int, float], list[tuple[Place, float]]] = {}
        self._empty: set[int] = set()  # steps without any contribution

    def read(self, path: Path) -> Demands:
        """The sum over all steps of ``path``, by place."""
        total: Demands = {}
        for place, amount in self._along(path, 1.0):
            total[place] = total.get(place, 0.0) + amount
        return total

    def _along(self, path: Path, times: float) -> list[tuple[Place, float]]:
        """Contributions of the steps of ``path``, taken ``times`` times in one request."""
        amounts: list[tuple[Place, float]] = []
        for step in path:
            if id(step) in self._empty:
                continue
            if not step.inner:
                amounts += [(place, times * amount) for place, amount in self._contribution(step)]
                continue
            key = id(step), times
            if key not in self._known:
                self._known[key] = within = self._within(step, times)
                if not within:
                    self._empty.add(id(step))
            amounts += self._known[key]
        return amounts

    def _within(self, step: Step, times: float) -> list[tuple[Place, float]]:
        """Contributions of a ``step`` with others inside."""
        amounts = [(place, times * amount) for place, amount in self._contribution(step)]
        if isinstance(step, Fork) and step.leaves and not self._unwaited:
            return amounts
        if self._either is None and isinstance(step, Lookup | IfAny):
            one, other = map(self.read, step.inner)
            return amounts + [(place, times * min(one[place], other[place])) for place in one if place in other]
        for share, inner in weighed(step, self._either or 0.0):
            amounts += self._along(inner, times * share)
        return amounts


class Totals:
    """Demands of all requests of a model, from those of one request of each workload.

    Kept as a sparse matrix (row, column and amount of each entry), as most workloads use few of the places.

    Args:
        demands: demands of one request of each workload, in the order of the workloads.
        places: places of the model.
    """

    def __init__(self, demands: Sequence[Demands], places: Sequence[Place]) -> None:
        column = {place: number for number, place in enumerate(places)}
        entries = [
            (row, column[place], amount)
            for row, amounts in enumerate(demands)
            for place, amount in amounts.items()
        ]
        self._workloads = np.array([row for row, _, _ in entries], dtype=np.int64)
        self._places = np.array([column for _, column, _ in entries], dtype=np.int64)
        self._amounts = np.array([amount for _, _, amount in entries])
        self._count = len(places)

    def of(self, requests: NDArray[np.int64]) -> NDArray[np.float64]:
        """Demands of ``requests``, counts of shape (workloads,), at the places, shape (places,)."""
        return self._sums(self._amounts * requests[self._workloads])

    def sizes_of(self, requests: NDArray[np.int64]) -> NDArray[np.float64]:
        """Sums of absolute amounts of ``requests``, shape (workloads,), at the places, shape (places,)."""
        return self._sums(np.abs(self._amounts) * requests[self._workloads])

    def rows(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Demands of one request of each workload at these ``places``, shape (places, workloads)."""
        at, entries = np.nonzero(places[:, None] == self._places[None, :])
        demanded = np.zeros((len(places), 1 + self._workloads.max(initial=0)))
        demanded[at, self._workloads[entries]] = self._amounts[entries]
        return demanded

    def _sums(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.bincount(self._places, weights, self._count)
        return total.astype(np.float64)


def min_time_s(path: Path) -> float:
    """Least mean seconds of one request on ``path``, without queueing or waiting for others."""
    return _MinTimes().of(path)


def min_times_of(paths: Iterable[Path]) -> list[float]:
    """Least mean seconds on each of ``paths``; shared sub-paths are read once."""
    return list(map(_MinTimes().of, paths))


class _MinTimes:
    """Least times of paths, which must outlive it: steps shared by many clients are read once."""

    def __init__(self, clock_s: Callable[[Time], float] | None = None) -> None:
        self._clock_s = clock_s or _clock_s
        self._known: dict[int, float] = {}

    def of(self, path: Path) -> float:
        """Least seconds on ``path``, summed alike in all versions of Python: since 3.12 ``sum`` compensates."""
        return reduce(lambda total, step: total + self._step(step), path, 0.0)

    def _step(self, step: Step) -> float:
        if id(step) not in self._known:
            self._known[id(step)] = self._read(step)
        return self._known[id(step)]

    def _read(self, step: Step) -> float:
        match step:
            case Use() | Delay():
                return self._clock_s(step.time)
            case Choose():
                return reduce(lambda total, option: total + option[0] * self.of(option[1]), step.options, 0.0)
            case Repeat():
                return step.times * self.of(step.steps)
            case Lookup():
                return min(self.of(step.hit), self.of(step.miss))
            case IfAny():
                return min(self.of(step.some), self.of(step.none))
            case Fork():
                return _min_fork_time_s(step, sorted(map(self.of, step.branches)))
        return reduce(lambda total, inner: total + self.of(inner), step.inner, 0.0)


def _min_fork_time_s(step: Fork, times_s: list[float]) -> float:
    """Least seconds of a fork: the longest branch; if fewer are needed, only a tick if time passes at all."""
    if not step.leaves:
        return times_s[-1]
    return TICK_S if step.wait and times_s[step.needed - 1] > 0.0 else 0.0


def _clock_s(time: Time) -> float:
    """Mean of ``time`` on the clock in seconds; times below half a nanosecond are rounded to 0."""
    match time:
        case PerItem():
            return _clock_s(time.fixed) + _clock_s(Constant(time.each))
        case Constant():
            return nanoseconds(time.mean) / NANOSECONDS_PER_SECOND
        case Empirical():
            return time.mean if any(map(nanoseconds, time.values)) else 0.0
    return time.mean
