"""Where an answer lies at 90 %, as far as simulation, parameters and measurements leave it open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

from sim.decision.goals import Goal
from sim.decision.trials import told_instead
from sim.prediction.prediction import Prediction
from sim.prediction.structures import bands_over_structures
from sim.prediction.uncertainty import PredictionInterval, comparable, prediction_intervals
from sim.simulation.options import Progress, RunOptions
from sim.system.parameters import DEVIATIONS
from sim.system.scenario import Answer


@dataclass(frozen=True)
class Ends:
    """The ``value`` of an answer, and the ``low`` and ``high`` between which it lies at 90 %.

    Attributes:
        opened: whether what is open about parameters is in it, beside the simulation.
        by: what tells the answer where that is not the model.
    """

    value: float
    low: float
    high: float
    known: bool = True
    opened: bool = False
    by: str = ""

    def worse(self, goal: Goal) -> float:
        """The end that is nearer to breaking ``goal``."""
        return self.low if goal.at_least else self.high

    def better(self, goal: Goal) -> float:
        """The other end."""
        return self.high if goal.at_least else self.low


def ends(goal: Goal, answers: Mapping[str, Answer] | None) -> Ends:
    """The one of ``answers`` that ``goal`` is about, as far as the simulation is known.

    Without answers, because more arrives than is done, the worst that can be.
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
    """Half of an interval at ``confidence``, at 90 %; 0 where none is known, or it has no width."""
    if math.isnan(half) or not half:
        return 0.0
    return half * DEVIATIONS / NormalDist().inv_cdf(0.5 + 0.5 * confidence)


@dataclass(frozen=True)
class Opening:
    """How far an answer may lie below and above its value, as shares of it, since parameters are open."""

    below: float
    above: float
    known: bool = True


def openings(prediction: Prediction, options: RunOptions, look: Progress) -> dict[str, Opening]:
    """Of each answer, by measure; of what jobs tell alone if all parameters are certain, or no engine can say."""
    told = told_instead(prediction.case, prediction.answers)
    opened = prediction_intervals(prediction.case, prediction.result, look) if comparable(options) else {}
    bands = bands_over_structures(prediction.case, prediction.answers, opened)
    found = {name: _opening(prediction.answers[name].estimate.value, each) for name, each in bands.items()}
    return found | {name: _opening(each.value, each.band) for name, each in told.items()}


def _opening(value: float, interval: PredictionInterval) -> Opening:
    below, above = ((value - interval.low) / value, (interval.high - value) / value) if value else (0.0, 0.0)
    return Opening(below, above, interval.known)


def widened(around: Ends, opening: Opening | None) -> Ends:
    """The same with what parameters add, if that was computed."""
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
