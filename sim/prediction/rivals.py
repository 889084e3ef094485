"""Rival predictions from measured jobs, beside the mechanism fitted to them.

Between measured jobs, a curve through them gives an answer without any mechanism. And if the
mechanism missed some jobs by much, it misses those nearby by as much. So there are three rival
predictions: the mechanism, the curve, and the mechanism times a surface through its errors. Weights come from
errors for jobs not seen: each job was held out of a fit, and left out of curve and surface
(``structures.weights_of``). Beyond the measured settings the mechanism alone is used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sim.data.baselines.best import best
from sim.data.baselines.gaussian_process import GaussianProcess
from sim.data.shape import Predictor
from sim.engine.model.workloads import Closed
from sim.engine.statistics.answers import QUANTILES
from sim.engine.statistics.estimates import Series
from sim.engine.units.text import number_text
from sim.prediction.jobs import Jobs, shape_of
from sim.prediction.mixture import Mixture, Side
from sim.prediction.prediction_record import RivalRecord
from sim.prediction.structures import NOISE, weights_of
from sim.prediction.uncertainty import PredictionInterval
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE
from sim.system.scenario import Answer

FEWEST = 4
"""Least number of held-out jobs from which weights can be estimated."""


@dataclass(frozen=True)
class Rival:
    """A rival prediction of the throughput of a case.

    Attributes:
        name: the method.
        weight: its probability.
        throughput: its prediction, in the unit of the mechanism's answer.
        deviation: standard deviation of the logarithm of its errors for jobs not seen.
    """

    name: str
    weight: float
    throughput: float
    deviation: float

    def words(self, unit: str) -> str:
        """The prediction in ``unit`` and its weight, as text."""
        return f"{number_text(self.throughput)} {unit} by {self.name} (weight {self.weight:.1%})"

    def record(self) -> RivalRecord:
        """The prediction as a JSON record."""
        return {"name": self.name, "weight": self.weight, "throughput": self.throughput}


def rivals_of(case: Case, unit: str, throughput: float) -> tuple[Rival, ...]:
    """The mechanism, with ``throughput`` in ``unit``, and its rivals; empty beyond the measured settings."""
    jobs = Jobs.near(case, "throughput", unit, modelled=True)
    fitted = _told(jobs) if jobs.compared and throughput > 0.0 else None
    if fitted is None:
        return ()
    here = case.conditions
    throughputs = (throughput, fitted.curve(here), throughput * fitted.missed(here))
    each = zip(fitted.names, fitted.weights, throughputs, fitted.deviations, strict=True)
    return tuple(Rival(*told) for told in each)


@dataclass(frozen=True)
class _Told:
    """The rivals of a system: names, weights, and standard deviations of their errors for jobs not seen.

    Attributes:
        curve, missed: functions through all jobs: of throughput, and of measured / predicted.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    deviations: tuple[float, ...]
    curve: Predictor
    missed: Predictor


@lru_cache(maxsize=16)
def _told(jobs: Jobs) -> _Told | None:
    settings, measured, predicted, held_out = jobs.settings, jobs.measured, jobs.predicted, jobs.held_out
    tested = np.isfinite(held_out)
    shape = shape_of(jobs.system)
    curve = best(shape, settings, measured) if np.sum(tested) >= FEWEST else None
    if curve is None:
        return None
    surface, off = GaussianProcess(shape), measured / predicted
    missed = surface.fit(settings, off)
    misses = [
        np.log(held_out / measured)[tested],
        curve.missed[tested],
        np.log(held_out * surface.left_out(settings, off, missed) / measured)[tested],
    ]
    return _Told(
        ("the stack", f"{curve.name} of measured jobs", "the stack times what it missed nearby"),
        tuple(weights_of(misses)),
        tuple(_deviation(each) for each in misses),
        curve.says,
        missed,
    )


def _deviation(misses: Series) -> float:
    return max(NOISE, math.sqrt(float(np.mean(misses**2))))


def bands_over_rivals(
    case: Case, answers: Mapping[str, Answer], bands: Mapping[str, PredictionInterval]
) -> dict[str, PredictionInterval]:
    """The ``bands`` of the mechanism, over all rivals if there are some."""
    throughput = answers["throughput"]
    rivals = rivals_of(case, throughput.unit, throughput.estimate.value) if bands else ()
    if not rivals:
        return dict(bands)
    factors = [each.throughput / throughput.estimate.value for each in rivals]
    factors_of = {name: factors for name in bands if answers[name].unit.endswith("/s")}
    if _clients_wait(case):
        slower = [1.0 / factor for factor in factors]
        factors_of |= dict.fromkeys(("mean", *QUANTILES), slower)
    return {
        name: _over(rivals, factors_of[name], answers[name], band) if name in factors_of else band
        for name, band in bands.items()
    }


def _over(
    rivals: Sequence[Rival], factors: Sequence[float], answer: Answer, band: PredictionInterval
) -> PredictionInterval:
    """The band of one ``answer``, which each rival multiplies by its factor in ``factors``."""
    value = answer.estimate.value
    if not value > 0.0:
        return band
    own = Side.of(value, band.low, band.high)
    sides = [
        (each.weight, replace(own.scaled(factor), below=each.deviation, above=each.deviation))
        for each, factor in zip(rivals[1:], factors[1:], strict=True)
    ]
    mixture = Mixture(((rivals[0].weight, own), *sides))
    low, high = mixture.ends(CONFIDENCE)
    spread = replace(band, low=low, high=high, structures=mixture.spread, mixture=mixture)
    return spread.within(band.least, band.most, value)


def _clients_wait(case: Case) -> bool:
    """True if watched clients are closed without think time, so that latency is inverse to throughput."""
    scenario = case.scenario
    loads = [each for each in scenario.model.workloads if each.group == scenario.watch]
    return all(isinstance(each, Closed) and each.think is None for each in loads)
