"""Answers about a design: a fast one at once, then, once nothing moves, better ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sim.engine.errors import ModelError, printable
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import figure_text, range_text
from sim.prediction.answer_page import answer_page
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.published import PublishedFigure, conditions
from sim.prediction.structures import bands_over_structures
from sim.prediction.uncertainty import PredictionInterval, prediction_intervals
from sim.system.case import Case
from sim.system.scenario import LATENCIES
from stacksim.explorer.choices import Choices, figures_of
from stacksim.explorer.hour import first_hour
from stacksim.explorer.question import Question
from stacksim.explorer.stages import stages_of

COMPUTED = RunOptions(engine=ANALYTIC)
ROUGH, CAREFUL = RunOptions(precision=0.1), RunOptions(precision=0.03)
"""Run options while something moves, if the analytic engine refuses; and once nothing moves."""


@dataclass(frozen=True)
class Found:
    """A prediction, its run options, and the analytic engine's refusal if there was one."""

    prediction: Prediction
    options: RunOptions
    refusal: str = ""

    @property
    def how(self) -> str:
        """Method of the prediction, as text."""
        if self.options.engine == ANALYTIC:
            return "computed, approximately"
        return f"simulated to ±{self.options.precision:.0%}"


def at_once(case: Case, look: Progress) -> Found:
    """Fastest answer: computed, or roughly simulated if the analytic engine refuses.

    Raises:
        StacksimError: there is no answer.
    """
    try:
        return Found(predict_case(case, COMPUTED), COMPUTED)
    except ModelError as error:
        return Found(predict_case(case, ROUGH, look), ROUGH, str(error))


def answers(choices: Choices, question: Question, look: Progress, *, carefully: bool) -> Iterator[dict[str, Any]]:
    """Records of the answer to ``question``, each better than the one before.

    Args:
        carefully: True to go on with a simulation, and then with prediction intervals.

    Raises:
        StacksimError: there is no answer.
    """
    case = question.case(choices)
    first = at_once(case, look)
    yield _record(choices, question, first, last=not carefully)
    if not carefully:
        return
    careful = Found(predict_case(case, CAREFUL, look), CAREFUL, first.refusal)
    yield _record(choices, question, careful, last=False)
    opened = prediction_intervals(case, careful.prediction.result, look)
    bands = bands_over_structures(case, careful.prediction.answers, opened)
    full = replace(careful, prediction=replace(careful.prediction, intervals=bands))
    yield _record(choices, question, full, last=True) | {"hour": first_hour(case, look)}


def _record(choices: Choices, question: Question, found: Found, *, last: bool) -> dict[str, Any]:
    prediction = found.prediction
    figures = figures_of(prediction.case.system)
    key = conditions(prediction.case.settings)
    return {
        "system": prediction.system,
        "how": found.how,
        "refusal": printable(found.refusal),
        "answers": [_answer(prediction, name, figures.get((key, name))) for name in prediction.answers],
        "page": answer_page(prediction).record(),
        "stages": stages_of(prediction),
        "command": question.command(choices, found.options),
        "last": last,
    }


def _answer(prediction: Prediction, name: str, published: PublishedFigure | None) -> dict[str, Any]:
    answer = prediction.answers[name]
    estimate, unit = answer.estimate, answer.unit
    known = math.isfinite(estimate.value)
    return {
        "name": name,
        "label": LATENCIES.get(name, name.replace("_", " ")),
        "unit": unit,
        "value": _finite(estimate.value),
        "low": _finite(estimate.low),
        "high": _finite(estimate.high),
        "text": figure_text(estimate.value, unit) if known else "–",
        "known": estimate.known,
        "interval": _interval(estimate, unit),
        "measured": _measured(prediction.intervals.get(name), unit),
        "published": figure_text(published.value, unit) if published and published.unit == unit else "",
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _interval(estimate: Estimate, unit: str) -> str:
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return ""
    return f"{range_text(estimate.low, estimate.high, unit)} at {estimate.confidence:.0%}"


def _measured(interval: PredictionInterval | None, unit: str) -> str:
    return range_text(interval.low, interval.high, unit) if interval else ""
