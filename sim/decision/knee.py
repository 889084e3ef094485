"""The knee: the load from which latency rises faster than throughput.

Under more load both rise. Where one per cent more load makes latency longer by more per cent than throughput
higher, their ratio, throughput / mean latency, begins to fall: the knee is where that ratio is largest. It is the
*power* of Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
communications"
(ICC 1979).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sim.decision.load_curve import MOST, LoadCurve, Point

LEAST = 1.0 / 32.0
"""The smallest load that is looked at, in multiples of the one there is."""

COARSE, FINE = 2.0**0.5, 2.0**0.125
"""Factors between two loads: everywhere, and then around the best one."""


@dataclass(frozen=True)
class Knee:
    """The knee of a design.

    Attributes:
        load: in ``unit``.
        times: the multiple of the load there is.
        throughput, latency: there, in the unit of the system and in seconds.
        engine: by which it was found.
    """

    load: float
    unit: str
    times: float
    throughput: float
    latency: float
    engine: str

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``find --json``."""
        return dict(vars(self))


def knee(curve: LoadCurve) -> Knee | None:
    """The knee on ``curve``; None if latency does not rise faster up to ten times the load, or for a job."""
    if curve.scenario.model.finite:
        return None  # which takes longer the more there is of it, and is no faster
    steps = math.ceil(math.log(MOST / LEAST, COARSE))
    loads = list(dict.fromkeys(curve.load(LEAST * COARSE**step) for step in range(steps + 1)))
    best = max(loads, key=lambda load: _power(curve.at(load)))
    if best == loads[-1] or not _power(curve.at(best)) > 0.0:
        return None
    times = best / curve.amount.value
    around = dict.fromkeys(curve.load(times * FINE**step) for step in range(-3, 4))
    point = max(map(curve.at, around), key=_power)
    return Knee(
        point.load,
        curve.amount.unit,
        point.load / curve.amount.value,
        point.value("throughput"),
        point.value("mean"),
        curve.engine,
    )


def _power(point: Point) -> float:
    """Throughput over mean latency; 0 where no steady state is reached."""
    latency = point.value("mean")
    return point.value("throughput") / latency if latency > 0.0 else 0.0
