"""Service demands: what a path needs of its places on average, read off the path without simulating."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.model.distributions import NANOSECONDS_PER_SECOND, Constant, Empirical, PerItem, Time, nanoseconds
from sim.model.places import Place, Pool, Station
from sim.model.steps import Choose, Delay, Fork, Hold, IfAny, Lookup, Path, Put, Repeat, Step, Take, Use

TICK_S = 1.0 / NANOSECONDS_PER_SECOND
"""The least time that the clock can show."""

Contribution = Callable[[Step], tuple[tuple[Place, float], ...]]
"""The demands of one step, without those of the steps inside it."""

Demands = dict[Place, float]
"""Mean seconds for which servers, tokens or a lock are needed at each place."""


def capacity(place: Place) -> int:
    """The number of servers or tokens of ``place``; 1 for a lock."""
    match place:
        case Station():
            return place.servers
        case Pool():
            return place.tokens
    return 1


def demands_s(path: Path) -> Demands:
    """Mean seconds that one request on ``path`` needs of each station, pool and lock, forked branches included.

    A lower bound: a hold counts the time that its steps take without queueing, a shared hold nothing (many
    fit at once), and where only simulation can tell which of two branches is taken, the lesser of both.
    """
    return _collected(path, _needed)


def _needed(step: Step) -> tuple[tuple[Place, float], ...]:
    match step:
        case Use():
            return ((step.station, step.time.mean),)
        case Hold() if isinstance(step.held, Pool) or step.exclusive:
            return ((step.held, step.tokens * min_time_s(step.steps)),)
    return ()


def put(path: Path) -> Demands:
    """Mean amount that one request puts into each buffer; where only simulation can tell, the lesser."""
    return _collected(path, _put)


def _put(step: Step) -> tuple[tuple[Place, float], ...]:
    return ((step.buffer, float(step.amount)),) if isinstance(step, Put) else ()


def net(path: Path) -> Demands:
    """Mean amount that one request on ``path`` puts into each buffer, less what it takes.

    Buffers where both are the same are left out; nan where only simulation can tell.
    """
    total: Demands = {}
    _add_net(path, 1.0, total)
    return {place: amount for place, amount in total.items() if amount}


def _add_net(path: Path, times: float, total: Demands) -> None:
    for step in path:
        if isinstance(step, Put | Take):
            amount = step.amount if isinstance(step, Put) else -step.amount
            total[step.buffer] = total.get(step.buffer, 0.0) + times * amount
        elif step.inner:
            for share, inner in weighed(step, math.nan):
                _add_net(inner, times * share, total)


def weighed(step: Step, either: float) -> Iterator[tuple[float, Path]]:
    """The paths inside ``step``, each with how often it is taken: ``either`` where only simulation can tell."""
    match step:
        case Choose():
            yield from step.options
        case Repeat():
            yield step.times, step.steps
        case Lookup() | IfAny():
            yield from ((either, each) for each in step.inner)
        case _:
            yield from ((1.0, each) for each in step.inner)


def _collected(path: Path, contribution: Contribution) -> Demands:
    total: Demands = {}
    _collect(path, 1.0, contribution, total)
    return total


def _collect(path: Path, times: float, contribution: Contribution, total: Demands) -> None:
    """Add the ``contribution`` of every step to ``total``, as often as it is taken in so many requests."""
    for step in path:
        for place, amount in contribution(step):
            total[place] = total.get(place, 0.0) + times * amount
        match step:
            case Choose():
                for share, inner in step.options:
                    _collect(inner, times * share, contribution, total)
            case Repeat():
                _collect(step.steps, times * step.times, contribution, total)
            case Lookup() | IfAny():
                one, other = (_collected(inner, contribution) for inner in step.inner)
                for place in one:
                    if place in other:
                        total[place] = total.get(place, 0.0) + times * min(one[place], other[place])
            case _:
                for inner in step.inner:
                    _collect(inner, times, contribution, total)


class Totals:
    """The demands of all requests of a model, from those of one request of each workload.

    Kept as a sparse matrix (row, column and amount of each entry), as most workloads use few of the places.

    Args:
        demands: of one request of each workload, in the order of the workloads.
        places: of the model.
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
        """The demands of so many ``requests``, shape (workloads,), at the places, shape (places,)."""
        weights = self._amounts * requests[self._workloads]
        total = np.bincount(self._places, weights, self._count)
        return total.astype(np.float64)


def min_time_s(path: Path) -> float:
    """The least mean seconds of one request on ``path``: no queueing, nobody to wait for."""
    return sum(_min_step_time_s(step) for step in path)


def _min_step_time_s(step: Step) -> float:
    match step:
        case Use() | Delay():
            return _clock_s(step.time)
        case Choose():
            return sum(share * min_time_s(inner) for share, inner in step.options)
        case Repeat():
            return step.times * min_time_s(step.steps)
        case Lookup():
            return min(min_time_s(step.hit), min_time_s(step.miss))
        case IfAny():
            return min(min_time_s(step.some), min_time_s(step.none))
        case Fork():
            return _min_fork_time_s(step)
    return sum(map(min_time_s, step.inner))


def _min_fork_time_s(step: Fork) -> float:
    """Of all branches the longest; of fewer, means say no more than whether time passes: a tick of the clock."""
    times_s = sorted(map(min_time_s, step.branches))
    if not step.leaves:
        return times_s[-1]
    return TICK_S if step.wait and times_s[step.needed - 1] > 0.0 else 0.0


def _clock_s(time: Time) -> float:
    """The mean of ``time`` on the clock, which rounds what is below half a nanosecond to nothing."""
    match time:
        case PerItem():
            return _clock_s(time.fixed) + _clock_s(Constant(time.each))
        case Constant():
            return nanoseconds(time.mean) / NANOSECONDS_PER_SECOND
        case Empirical():
            return time.mean if any(map(nanoseconds, time.values)) else 0.0
    return time.mean
