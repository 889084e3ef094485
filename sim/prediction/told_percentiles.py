"""Percentiles that measured jobs tell where the model has none, as times that are constants have no percentiles.

They are read off the curve that tells those of the jobs best from each other, each left out in turn; a measurement
lies about it as jobs lie about a curve through the others. Beyond what was measured of that percentile, and with
words that it was never measured with, such as flushes, nothing tells it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sim.data.baselines.best import Best, best
from sim.prediction.jobs import Jobs, shape_of
from sim.prediction.structures import NOISE
from sim.prediction.uncertainty import PredictionInterval
from sim.statistics.answers import QUANTILES
from sim.statistics.estimates import Estimate
from sim.statistics.student_t import quantile
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.scenario import Answer

FEWEST = 8
"""Jobs from which a curve through them, and how far others lie about it, are known well enough."""


@dataclass(frozen=True)
class Told:
    """One percentile, in seconds.

    Attributes:
        low, high: between which nine of ten measurements lie.
        curve: what it was read off.
    """

    measure: str
    value: float
    low: float
    high: float
    curve: str

    @property
    def by(self) -> str:
        """What tells it, in words."""
        return f"{self.curve} of measured jobs"

    @property
    def answer(self) -> Answer:
        """In the place of one that the model does not have; of no run, so that none has noise in it."""
        return Answer(Estimate(self.value, self.value, self.value, 1.0), "s", by=self.by)

    @property
    def band(self) -> PredictionInterval:
        """Where a measurement would lie."""
        miss = 0.5 * math.log(self.high / self.low) / DEVIATIONS
        return PredictionInterval(self.low, self.high, CONFIDENCE, 0.0, 0.0, missed=miss)

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        return {**ends, "unit": "s", "confidence": CONFIDENCE, "by": self.curve}


def told_percentiles(case: Case) -> tuple[Told, ...]:
    """Those that jobs tell of ``case``, lowest first, each no lower than the one before."""
    found: list[Told] = []
    for each in _told(case):
        below = found[-1] if found else each
        ordered = (max(each.value, below.value), max(each.low, below.low), max(each.high, below.high))
        found.append(replace(each, value=ordered[0], low=ordered[1], high=ordered[2]))
    return tuple(found)


def _told(case: Case) -> Iterator[Told]:
    for measure in QUANTILES:
        jobs = Jobs.near(case, measure, "s", modelled=False)
        count = len(jobs.compared)
        curve = _curve(jobs) if count >= FEWEST and jobs.around(case) else None
        if curve:
            value = curve.says(case.conditions)
            tail = 0.5 + CONFIDENCE / 2.0
            width = math.exp(quantile(tail, count - 1) * max(NOISE, curve.deviation))
            yield Told(measure, value, value / width, value * width, curve.name)


@lru_cache(maxsize=64)
def _curve(jobs: Jobs) -> Best | None:
    return best(shape_of(jobs.system), jobs.settings, jobs.measured)
