"""The knee of a design: the load from which latency rises faster than throughput."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim.decision.load_curve import MOST, LoadCurve
from sim.simulation.options import ANALYTIC
from sim.statistics.power import at_knee, power

LEAST = 1.0 / 32.0
"""The smallest load that is looked at, in multiples of the one there is."""

COARSE = 2.0**0.5
"""The factor between two loads, to begin with; then, around the best one, its fourth root, again and again."""

NEAR, NEAR_SIMULATED = 1.01, 1.1
"""The factor that is near enough, computed and simulated: where the power is largest it is flat, and has noise."""


@dataclass(frozen=True)
class Knee:
    """The knee of a design.

    Attributes:
        load: in ``unit``.
        times: the multiple of the load there is.
        throughput, latency: there, in the unit of the system and in seconds.
        engine: by which it was found.
        within: how far off the next loads are that were looked at, as a share of it; 0 where it is computed and
            no load lies between, while of simulated neighbours noise may have chosen one.
    """

    load: float
    unit: str
    times: float
    throughput: float
    latency: float
    engine: str
    within: float

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``find --json``."""
        return dict(vars(self))


def knee(curve: LoadCurve) -> Knee | None:
    """The knee on ``curve``; None if latency does not rise faster up to ten times the load, or for a job."""
    if curve.scenario.model.finite:
        return None  # which takes longer the more there is of it, and is no faster
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
    """How far off the neighbours of ``best`` among ``loads`` are, which are sorted, as a share of it.

    Args:
        sure: whether loads are whole and powers exact, so that nothing is open where the neighbours are one away.
    """
    at = bisect(loads, best)
    distance = max(abs(load - best) for load in loads[max(0, at - 2) : at + 1])
    return 0.0 if sure and distance <= 1.0 else distance / best
