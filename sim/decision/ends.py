"""The 90 % range of an answer, by the uncertainty of simulation, parameters and measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

from sim.decision.goals import Goal
from sim.decision.trials import told_instead
from sim.engine.simulation.options import Progress, RunOptions
from sim.prediction.over_time import PredictionOverTime
from sim.prediction.prediction import Prediction
from sim.prediction.structures import bands_over_structures
from sim.prediction.uncertainty import PredictionInterval, comparable, prediction_intervals
from sim.system.parameters import DEVIATIONS
from sim.system.scenario import Answer


@dataclass(frozen=True)
class Ends:
    """The ``value`` of an answer, and the ends ``low`` and ``high`` of its 90 % range.

    Attributes:
        opened: True if it includes the uncertainty of parameters, besides that of simulation.
        by: source of the answer if that is not the model.
    """

    value: float
    low: float
    high: float
    known: bool = True
    opened: bool = False
    by: str = ""

    def worse(self, goal: Goal) -> float:
        """The end nearer to breaking ``goal``."""
        return self.low if goal.at_least else self.high

    def better(self, goal: Goal) -> float:
        """The end further from breaking ``goal``."""
        return self.high if goal.at_least else self.low


def ends(goal: Goal, answers: Mapping[str, Answer] | None) -> Ends:
    """The 90 % range of the answer that ``goal`` is about, by the simulation alone.

    Without answers, because more arrives than is completed, the worst possible value.
    """
    if answers is None:
        worst = -math.inf if goal.at_least else math.inf
        return Ends(worst, worst, worst)
    estimate = goal.answer(answers)
    below, above = (
        _at_90(half, estimate.confidence)
        for half in (estimate.value - estimate.low, estimate.high - estimate.value)
    )
    by = answers[goal.measure].by
    return Ends(estimate.value, estimate.value - below, estimate.value + above, estimate.known, by=by)


def _at_90(half: float, confidence: float) -> float:
    """Half of an interval at ``confidence``, converted to 90 %; 0 if it is not known, or has no width."""
    if math.isnan(half) or not half:
        return 0.0
    return half * DEVIATIONS / NormalDist().inv_cdf(0.5 + 0.5 * confidence)


@dataclass(frozen=True)
class Opening:
    """Relative uncertainty of an answer below and above its value, by parameters."""

    below: float
    above: float
    known: bool = True


def openings(prediction: Prediction, options: RunOptions, look: Progress) -> dict[str, Opening]:
    """Uncertainty by parameters of each answer, by measure; only of measured jobs' answers if no engine has it."""
    from_jobs = told_instead(prediction.case, prediction.answers)
    opened = prediction_intervals(prediction.case, prediction.result, look) if comparable(options) else {}
    bands = bands_over_structures(prediction.case, prediction.answers, opened)
    by_parameters = {name: _opening(prediction.answers[name].estimate.value, each) for name, each in bands.items()}
    return by_parameters | {name: _opening(each.value, each.band) for name, each in from_jobs.items()}


def openings_over_time(over: PredictionOverTime) -> dict[str, Opening]:
    """Uncertainty by parameters of each answer over time, by measure."""
    values = {name: each.estimate.value for name, each in over.answers.items()}
    return {name: _opening(values[name], each) for name, each in over.intervals.items()}


def _opening(value: float, interval: PredictionInterval) -> Opening:
    below, above = ((value - interval.low) / value, (interval.high - value) / value) if value else (0.0, 0.0)
    return Opening(below, above, interval.known)


def widened(around: Ends, opening: Opening | None) -> Ends:
    """A copy of ``around`` that includes ``opening``, if that was computed."""
    if opening is None:
        return around
    size = abs(around.value)
    return replace(
        around,
        low=around.value - math.hypot(around.value - around.low, size * opening.below),
        high=around.value + math.hypot(around.high - around.value, size * opening.above),
        known=around.known and opening.known,
        opened=True,
    )
