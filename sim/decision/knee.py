"""Search for the knee of a design: the load from which latency rises faster than throughput."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass

from sim.decision.load_curve import MOST, LoadCurve
from sim.engine.simulation.options import ANALYTIC
from sim.engine.statistics.power import at_knee, power

LEAST = 1.0 / 32.0
"""The smallest load tried, in multiples of the present one."""

COARSE = 2.0**0.5
"""Factor between two loads at first; then, around the best one, its fourth root, repeatedly."""

NEAR, NEAR_SIMULATED = 1.01, 1.1
"""Factor at which the search ends, computed and simulated: power is flat near its maximum, and has noise."""


@dataclass(frozen=True)
class Knee:
    """The knee of a design.

    Attributes:
        load: load at the knee, in ``unit``.
        times: load at the knee over the present load.
        throughput, latency: answers at the knee, in the unit of the system and in seconds.
        engine: engine that computed the knee.
        within: relative distance to the neighbouring loads tried; 0 if the knee is computed and no load lies
            between. With simulation, noise may have decided between neighbours.
    """

    load: float
    unit: str
    times: float
    throughput: float
    latency: float
    engine: str
    within: float


def knee(curve: LoadCurve) -> Knee | None:
    """The knee on ``curve``; None for a job, or if latency does not rise faster up to ten times the load."""
    if curve.scenario.model.finite:
        return None  # more work of a job takes longer, and is no load
    steps = math.ceil(math.log(MOST / LEAST, COARSE))
    loads = _loads(curve, (LEAST * COARSE**step for step in range(steps + 1)))
    if (at := at_knee([_power(curve, load) for load in loads])) is None:
        return None
    best, width = loads[at], COARSE
    while width > (NEAR if curve.options.engine == ANALYTIC else NEAR_SIMULATED):
        width **= 0.25
        around = _loads(curve, (best / curve.amount.value * width**step for step in range(-3, 4)))
        loads = sorted({*loads, *around})
        best = max(around, key=lambda load: _power(curve, load))
    point, amount = curve.at(best), curve.amount
    throughput, latency = point.value("throughput"), point.value("mean")
    within = _within(loads, best, sure=amount.whole and curve.options.engine == ANALYTIC)
    return Knee(best, amount.unit, best / amount.value, throughput, latency, curve.engine, within)


def _loads(curve: LoadCurve, times: Iterable[float]) -> list[float]:
    return list(dict.fromkeys(map(curve.load, times)))


def _power(curve: LoadCurve, load: float) -> float:
    point = curve.at(load)
    return power(point.value("throughput"), point.value("mean"))


def _within(loads: list[float], best: float, *, sure: bool) -> float:
    """Relative distance from ``best`` to its neighbours in the sorted ``loads``.

    Args:
        sure: True if loads are whole and powers exact: neighbours at a distance of one then count as 0.
    """
    at = bisect(loads, best)
    distance = max(abs(load - best) for load in loads[max(0, at - 2) : at + 1])
    return 0.0 if sure and distance <= 1.0 else distance / best
