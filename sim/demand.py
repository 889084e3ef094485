"""What a path asks of its places on average, read off the path data without simulating."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.distributions import NANOSECONDS_PER_SECOND, Constant, Empirical, PerItem, Time, nanoseconds
from sim.places import Place, Pool, Station
from sim.steps import Choose, Delay, Fork, Hold, IfAny, Lookup, Path, Put, Repeat, Step, Use

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
    return _sum((1.0, _step_demands_s(step)) for step in path)


def _step_demands_s(step: Step) -> Demands:
    match step:
        case Use():
            return {step.station: step.time.mean}
        case Hold():
            exclusive = isinstance(step.held, Pool) or step.exclusive
            needed: Demands = {step.held: step.tokens * least_time_s(step.steps)} if exclusive else {}
            return _sum([(1.0, needed), (1.0, demands_s(step.steps))])
        case Choose():
            return _sum((share, demands_s(inner)) for share, inner in step.options)
        case Repeat():
            return _sum([(step.times, demands_s(step.steps))])
        case Lookup():
            hit, miss = demands_s(step.hit), demands_s(step.miss)
            return _lesser(hit, miss)
        case IfAny():
            return _lesser(demands_s(step.some), demands_s(step.none))
    return _sum((1.0, demands_s(inner)) for inner in step.inner)


def _lesser(one: Demands, other: Demands) -> Demands:
    return {place: min(one[place], other[place]) for place in one.keys() & other.keys()}


def _sum(parts: Iterable[tuple[float, Demands]]) -> Demands:
    total: Demands = {}
    for weight, part in parts:
        for place, demand in part.items():
            total[place] = total.get(place, 0.0) + weight * demand
    return total


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


def put(path: Path) -> Demands:
    """Mean amount that one walk of ``path`` puts into each buffer; where only simulation can tell, the lesser."""
    return _sum((1.0, _step_put(step)) for step in path)


def _step_put(step: Step) -> Demands:
    match step:
        case Put():
            return {step.buffer: float(step.amount)}
        case Choose():
            return _sum((share, put(inner)) for share, inner in step.options)
        case Repeat():
            return _sum([(step.times, put(step.steps))])
        case Lookup():
            return _lesser(put(step.hit), put(step.miss))
        case IfAny():
            return _lesser(put(step.some), put(step.none))
    return _sum((1.0, put(inner)) for inner in step.inner)


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
