"""What a path asks of its places on average, read off the path data without simulating."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.model.distributions import NANOSECONDS_PER_SECOND, Constant, Empirical, PerItem, Time, nanoseconds
from sim.model.places import Place, Pool, Station
from sim.model.steps import Choose, Delay, Fork, Hold, IfAny, Lookup, Path, Put, Repeat, Step, Take, Use

Asked = Callable[[Step], tuple[tuple[Place, float], ...]]
Demands = dict[Place, float]
"""Mean seconds for which servers, tokens or a lock are needed at each place."""


def capacity(place: Place) -> int:
    """How many servers or tokens ``place`` has; 1 for a lock."""
    match place:
        case Station():
            return place.servers
        case Pool():
            return place.tokens
    return 1


def demands_s(path: Path) -> Demands:
    """Mean seconds that one walk of ``path`` needs of each station, pool and lock, forked branches included.

    A lower bound: a hold counts the time that its steps take without queueing, a shared hold nothing (many
    fit at once), and where only simulation can tell which of two branches is taken, the lesser of both.
    """
    return _collected(path, _needed)


def _needed(step: Step) -> tuple[tuple[Place, float], ...]:
    match step:
        case Use():
            return ((step.station, step.time.mean),)
        case Hold() if isinstance(step.held, Pool) or step.exclusive:
            return ((step.held, step.tokens * least_time_s(step.steps)),)
    return ()


def put(path: Path) -> Demands:
    """Mean amount that one walk of ``path`` puts into each buffer; where only simulation can tell, the lesser."""
    return _collected(path, _put)


def _put(step: Step) -> tuple[tuple[Place, float], ...]:
    return ((step.buffer, float(step.amount)),) if isinstance(step, Put) else ()


def net(path: Path, times: float = 1.0) -> Demands:
    """Mean amount that so many walks of ``path`` put into each buffer, less what they take.

    None where both are the same, and nan where only simulation can tell.
    """
    found: Demands = {}
    for step in path:
        if isinstance(step, Put | Take):
            _add(found, step.buffer, times * (step.amount if isinstance(step, Put) else -step.amount))
        for share, inner in weighed(step, math.nan):
            for place, amount in net(inner, times * share).items():
                _add(found, place, amount)
    return {place: amount for place, amount in found.items() if amount}


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


def _add(found: Demands, place: Place, amount: float) -> None:
    found[place] = found.get(place, 0.0) + amount


def _collected(path: Path, asked: Asked) -> Demands:
    total: Demands = {}
    _collect(path, 1.0, asked, total)
    return total


def _collect(path: Path, times: float, asked: Asked, total: Demands) -> None:
    """Add to ``total`` what ``asked`` says of every step, as often as it is taken in so many walks of ``path``."""
    for step in path:
        for place, amount in asked(step):
            total[place] = total.get(place, 0.0) + times * amount
        match step:
            case Choose():
                for share, inner in step.options:
                    _collect(inner, times * share, asked, total)
            case Repeat():
                _collect(step.steps, times * step.times, asked, total)
            case Lookup() | IfAny():
                one, other = (_collected(inner, asked) for inner in step.inner)
                for place in one:
                    if place in other:
                        total[place] = total.get(place, 0.0) + times * min(one[place], other[place])
            case _:
                for inner in step.inner:
                    _collect(inner, times, asked, total)


class Totals:
    """What the walks of a model ask of its places, from what one walk of each workload does.

    Args:
        asked: by one walk of each workload, in the order of the workloads.
        places: of the model.
    """

    def __init__(self, asked: Sequence[Demands], places: Sequence[Place]) -> None:
        row = {place: number for number, place in enumerate(places)}
        found = [(one, row[place], amount) for one, part in enumerate(asked) for place, amount in part.items()]
        self._workloads, self._places = (
            np.array([each[side] for each in found], dtype=np.int64) for side in (0, 1)
        )
        self._amounts = np.array([amount for _, _, amount in found])
        self._count = len(places)

    def of(self, walks: NDArray[np.int64]) -> NDArray[np.float64]:
        """What so many ``walks``, shape (workloads,), ask of the places, shape (places,)."""
        weights = self._amounts * walks[self._workloads]
        total = np.bincount(self._places, weights, self._count)
        return total.astype(np.float64)


def least_time_s(path: Path) -> float:
    """Mean seconds that one walk of ``path`` takes at least: no queueing, nobody to wait for."""
    return sum(_least_step_time_s(step) for step in path)


def _least_step_time_s(step: Step) -> float:
    match step:
        case Use() | Delay():
            return _clock_s(step.time)
        case Choose():
            return sum(share * least_time_s(inner) for share, inner in step.options)
        case Repeat():
            return step.times * least_time_s(step.steps)
        case Lookup():
            return min(least_time_s(step.hit), least_time_s(step.miss))
        case IfAny():
            return min(least_time_s(step.some), least_time_s(step.none))
        case Fork():
            return max(map(least_time_s, step.branches)) if step.wait else 0.0
    return sum(map(least_time_s, step.inner))


def _clock_s(time: Time) -> float:
    """The mean of ``time`` as the clock sees it: what is below half a nanosecond is no time at all."""
    match time:
        case PerItem():
            return _clock_s(time.fixed) + _clock_s(Constant(time.each))
        case Constant():
            return nanoseconds(time.mean) / NANOSECONDS_PER_SECOND
        case Empirical():
            return time.mean if any(map(nanoseconds, time.values)) else 0.0
    return time.mean
