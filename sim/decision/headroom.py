"""Headroom: growth of the load, in per cent, until a goal breaks; negative if it has to fall."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sim.decision.goals import Goal
from sim.decision.load_curve import MOST, LoadCurve

UP = (1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, MOST)
DOWN = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
"""Multiples of the load tried, outwards, up to the first with another outcome."""

NEAR = 0.01
"""Precision of the edge, as a share of the load."""


@dataclass(frozen=True)
class Headroom:
    """Distance of the load from the edge of one goal.

    Attributes:
        percent: growth of the load up to the edge, in per cent; negative if it has to fall; None: there is no edge
            from a twentieth of the load to ten times as much.
        load: largest load with the goal kept; None if no edge was found, or searched for.
        engine: engine that found the edge; empty if none was searched for.
    """

    percent: float | None
    load: float | None
    engine: str


def headroom(curve: LoadCurve, goal: Goal, value: float) -> Headroom:
    """The headroom of ``goal`` on ``curve``, with the answer ``value`` under the present load.

    A throughput that waiting clients have to reach is a load itself, as more clients would only bring more
    of it: its headroom is the share by which it is exceeded.
    """
    kept = goal.keeps(value)
    if goal.at_least and goal.limit > 0.0 and (curve.amount.whole or not kept):
        return Headroom(100.0 * (value / goal.limit - 1.0), None, "") if value >= 0.0 else Headroom(None, None, "")

    def keeps(load: float) -> bool | None:
        answers = curve.at(load).answers
        if answers is None:
            return None
        return goal.measure in answers and goal.keeps(goal.answer(answers).value)

    now = curve.amount.value
    edge = _edge(curve, [curve.load(times) for times in (UP if kept else DOWN)], keeps, kept=kept)
    percent = None if edge is None else 100.0 * (edge / now - 1.0)
    return Headroom(percent, edge, curve.engine)


def _edge(
    curve: LoadCurve, loads: Iterable[float], keeps: Callable[[float], bool | None], *, kept: bool
) -> float | None:
    """The last load, outwards, at which the goal is kept; or the first such load, if it is not ``kept`` now."""
    last = curve.amount.value
    for load in dict.fromkeys(loads):
        keeps_there = kept if load == last else keeps(load)
        if keeps_there is None:
            return None
        if keeps_there != kept:
            inside, outside = _between(curve, last, load, keeps, kept=kept)
            return inside if kept else outside
        last = load
    return None


def _between(
    curve: LoadCurve, inside: float, outside: float, keeps: Callable[[float], bool | None], *, kept: bool
) -> tuple[float, float]:
    """Bisect to two neighbouring loads, between which the goal breaks."""
    while abs(outside - inside) > NEAR * curve.amount.value:
        middle = 0.5 * (inside + outside)
        if curve.amount.whole:
            middle = float(round(middle))
            if middle in (inside, outside):
                break
        inside, outside = (middle, outside) if keeps(middle) == kept else (inside, middle)
    return inside, outside
