"""What a path asks of its places on average, read off the path data without simulating."""

from __future__ import annotations

from collections.abc import Iterable

from sim.places import Station
from sim.steps import Choose, Delay, Fork, Lookup, Path, Repeat, Step, Use

Demands = dict[Station, float]
"""Mean server seconds asked of each station."""


def demands_s(path: Path) -> Demands:
    """Mean server seconds that one walk of ``path`` asks of each station, forked branches included.

    The hit ratio of a cache is not known before simulation: a look-up counts the lesser of its two
    branches at each station, so that the result is a lower bound.
    """
    return _sum((1.0, _step_demands_s(step)) for step in path)


def _step_demands_s(step: Step) -> Demands:
    match step:
        case Use():
            return {step.station: step.time.mean}
        case Choose():
            return _sum((share, demands_s(inner)) for share, inner in step.options)
        case Repeat():
            return _sum([(step.times, demands_s(step.steps))])
        case Lookup():
            hit, miss = demands_s(step.hit), demands_s(step.miss)
            return {station: min(hit[station], miss[station]) for station in hit.keys() & miss.keys()}
    return _sum((1.0, demands_s(inner)) for inner in step.inner)


def _sum(parts: Iterable[tuple[float, Demands]]) -> Demands:
    total: Demands = {}
    for weight, part in parts:
        for station, demand in part.items():
            total[station] = total.get(station, 0.0) + weight * demand
    return total


def least_time_s(path: Path) -> float:
    """Mean seconds that one walk of ``path`` takes at least: no queueing, nobody to wait for."""
    return sum(_least_step_time_s(step) for step in path)


def _least_step_time_s(step: Step) -> float:
    match step:
        case Use() | Delay():
            return step.time.mean
        case Choose():
            return sum(share * least_time_s(inner) for share, inner in step.options)
        case Repeat():
            return step.times * least_time_s(step.steps)
        case Lookup():
            return min(least_time_s(step.hit), least_time_s(step.miss))
        case Fork():
            return max(map(least_time_s, step.branches)) if step.wait else 0.0
    return sum(map(least_time_s, step.inner))
