"""Percentiles from measured jobs, for models with constant times, which have none.

They are read off the curve that predicts jobs best from the others, each left out in turn; a measurement
scatters about it as jobs do about a curve through the others. There are none beyond the measured settings,
or for options that were never measured, such as flushes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from sim.data.baselines.best import Best, best
from sim.engine.statistics.answers import QUANTILES
from sim.engine.statistics.estimates import Estimate
from sim.engine.statistics.student_t import quantile
from sim.prediction.jobs import Jobs, shape_of
from sim.prediction.prediction_record import ToldRecord
from sim.prediction.structures import NOISE
from sim.prediction.uncertainty import PredictionInterval
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.scenario import Answer

FEWEST = 8
"""Least number of jobs from which a curve, and the scatter about it, are known well enough."""


@dataclass(frozen=True)
class Told:
    """One percentile, in seconds.

    Attributes:
        low, high: 90 % range of measurements.
        curve: name of the curve that it was read off.
    """

    measure: str
    value: float
    low: float
    high: float
    curve: str

    @property
    def by(self) -> str:
        """Source of the percentile, as text."""
        return f"{self.curve} of measured jobs"

    @property
    def answer(self) -> Answer:
        """The percentile as an answer; its interval has no width, as it comes from no run."""
        return Answer(Estimate(self.value, self.value, self.value, 1.0), "s", by=self.by)

    @property
    def band(self) -> PredictionInterval:
        """The prediction interval."""
        miss = 0.5 * math.log(self.high / self.low) / DEVIATIONS
        return PredictionInterval(self.low, self.high, CONFIDENCE, 0.0, 0.0, missed=miss)

    def record(self) -> ToldRecord:
        """The JSON record."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": "s",
            "confidence": CONFIDENCE,
            "by": self.curve,
        }


def told_percentiles(case: Case) -> tuple[Told, ...]:
    """Percentiles of ``case`` from measured jobs, lowest first, each no lower than the one before."""
    percentiles: list[Told] = []
    for each in _told(case):
        below = percentiles[-1] if percentiles else each
        ordered = (max(each.value, below.value), max(each.low, below.low), max(each.high, below.high))
        percentiles.append(replace(each, value=ordered[0], low=ordered[1], high=ordered[2]))
    return tuple(percentiles)


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
