"""A design under one load, examined closely: the probability of each goal, headroom, knee, and failures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sim.decision.goals import Goal
from sim.decision.headroom import Headroom, headroom
from sim.decision.knee import Knee, knee
from sim.decision.load_curve import LoadCurve, accuracy
from sim.decision.probability import probability
from sim.decision.scaled_load import Amount
from sim.decision.screening import COMPUTED
from sim.decision.trials import Asked, predicted_answers, qualified, told_instead, watching
from sim.engine.errors import InputError, NoSteadyStateError, StacksimError
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.prediction.over_time import Span, predict_over_time
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.uncertainty import PredictionInterval, draws_of
from sim.system.case import Case
from sim.system.failures import Failure
from sim.system.scenario import Answer, Scenario

STEPS = 2_000_000
"""Steps of each run for the edge or the knee: near saturation no run knows its answers well."""


@dataclass(frozen=True)
class Kept:
    """Outcome of one goal.

    Attributes:
        probability: that a measurement keeps it; nan if the answer or its uncertainty by parameters is unknown:
            some of the draws have no answer, or the engine makes none.
        headroom: None if the load cannot be scaled, or the answer is not known under other loads.
        band: prediction interval of the answer, in the unit of the goal; None if there is none.
        by: source of the answer if that is not the model: a curve through measured jobs.
    """

    goal: Goal
    estimate: Estimate
    probability: float
    headroom: Headroom | None
    band: PredictionInterval | None = None
    by: str = ""


@dataclass(frozen=True)
class LostPart:
    """A goal while a part is lost or slow.

    Attributes:
        value: value of the answer; nan if there is none.
        kept: True if the goal is kept, False also without a steady state. None if unknown: the part has failed
            already, the rest cannot be built, or the run had no answer.
        why: why there is no value; empty if there is one.
        probability: that a measurement keeps the goal, with the relative band of the answer before the failure;
            nan if that is not known.
    """

    part: str
    goal: Goal
    value: float
    kept: bool | None
    why: str = ""
    probability: float = math.nan


@dataclass(frozen=True)
class Examination:
    """A design under one load.

    Attributes:
        load: the load of the watched group; None if it cannot be scaled.
        beside: groups of other, simultaneous loads, which are not scaled: headroom, knee and limits are
            those of the watched one.
        knee: None if there is none within the loads tried.
        lost: each goal under each failure of the system.
        unsettled: why a time asked for is too short to tell what lasts.
    """

    asked: Asked
    prediction: Prediction
    goals: tuple[Kept, ...]
    load: Amount | None
    knee: Knee | None
    lost: tuple[LostPart, ...]
    beside: tuple[str, ...]
    unsettled: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """Warnings of the run, and about the percentiles of goals."""
        measures = (goal.measure for goal in self.asked.goals)
        return [*self.unsettled, *self.prediction.result.warnings, *qualified(self.prediction, measures)]

    @property
    def headroom(self) -> float | None:
        """Smallest headroom of any goal, in per cent of the load; None if no goal breaks."""
        margins = [
            each.headroom.percent for each in self.goals if each.headroom and each.headroom.percent is not None
        ]
        return min(margins, default=None)


def examined(case: Case, asked: Asked, options: RunOptions) -> Examination:
    """Examine ``case`` under the load and goals of ``asked``.

    Raises:
        StacksimError: it cannot be predicted at all, such as one without a steady state.
    """
    if asked.over:
        return _examined_over(asked.over, case, asked, options)
    prediction = predict_case(case, watching(options, asked.goals), intervals=True)
    curves = _curves_of(case, watching(options, asked.goals))
    kept = tuple(_kept(goal, prediction, curves) for goal in asked.goals)
    return Examination(
        asked,
        prediction,
        kept,
        curves.simulated.amount if curves else None,
        knee(curves.rough) if curves else None,
        tuple(_lost(case, asked, options, kept)),
        beside(case.scenario),
    )


def _examined_over(span: Span, case: Case, asked: Asked, options: RunOptions) -> Examination:
    """The examination over time; headroom and knee are those of a long run, and left out."""
    over = predict_over_time(case, span, options)
    kept = []
    for goal in asked.goals:
        estimate, interval = goal.answer(over.answers), over.intervals.get(goal.measure)
        band = interval.scaled(goal.scale(over.answers[goal.measure])) if interval else None
        sure = estimate.known and (band is None or band.known)
        kept.append(Kept(goal, estimate, probability(goal, estimate, band) if sure else math.nan, None, band))
    lost = tuple(_lost(case, asked, options, kept))
    return Examination(asked, over.at_end, tuple(kept), None, None, lost, (), over.unsettled)


def beside(scenario: Scenario) -> tuple[str, ...]:
    """The groups of ``scenario`` that are not watched and have answers of their own."""
    return tuple(
        group
        for group in scenario.model.groups
        if group != scenario.watch and f"{group}_throughput".replace(" ", "_") in scenario.measures
    )


@dataclass(frozen=True)
class _Curves:
    """Load curves of one design, by several engines.

    Attributes:
        simulated: with the options asked for.
        exact: by the analytic engine, if it is exact; else None.
        rough: for the knee: by the analytic engine, if it can solve the model, or else simulated.
    """

    simulated: LoadCurve
    exact: LoadCurve | None
    rough: LoadCurve

    @classmethod
    def of(cls, scenario: Scenario, options: RunOptions) -> _Curves:
        """The curves of ``scenario``.

        Raises:
            InputError: its load cannot be scaled.
        """
        capped = options if scenario.model.finite else replace(options, max_steps=min(STEPS, options.max_steps))
        simulated, how = LoadCurve.of(scenario, capped), accuracy(scenario)
        if not how:
            return cls(simulated, None, LoadCurve.of(scenario, replace(capped, answers=("throughput", "mean"))))
        computed = LoadCurve.of(scenario, replace(options, engine=ANALYTIC))
        exact = how == "exact" and not scenario.model.finite
        return cls(simulated, computed if exact else None, computed)

    def headroom(self, goal: Goal, value: float) -> Headroom:
        """The headroom of ``goal``: computed if that is exact, as simulations have noise."""
        curve = self.exact if self.exact and goal.measure in COMPUTED else self.simulated
        return headroom(curve, goal, value)


def _curves_of(case: Case, options: RunOptions) -> _Curves | None:
    try:
        return _Curves.of(case.scenario, options)
    except InputError:
        return None


def _kept(goal: Goal, prediction: Prediction, curves: _Curves | None) -> Kept:
    if told := told_instead(prediction.case, prediction.answers).get(goal.measure):
        estimate = goal.answer({goal.measure: told.answer})
        return Kept(goal, estimate, probability(goal, estimate, told.band), None, told.band, told.by)
    estimate = goal.answer(predicted_answers(prediction))
    interval = prediction.intervals.get(goal.measure)
    band = interval.scaled(goal.scale(prediction.answers[goal.measure])) if interval else None
    open_ = any(draws_of(prediction.case.system.parameters))
    sure = band.known or not estimate.known if band else not open_
    room = curves.headroom(goal, estimate.value) if curves and not math.isnan(estimate.value) else None
    return Kept(goal, estimate, probability(goal, estimate, band) if sure else math.nan, room, band)


def _lost(case: Case, asked: Asked, options: RunOptions, whole: Sequence[Kept]) -> Iterator[LostPart]:
    """The outcome of every goal under every failure; ``whole`` has the outcomes before it."""
    for failure in case.system.failures:
        yield from _under(failure, case, asked, options, whole)


def _under(
    failure: Failure, case: Case, asked: Asked, options: RunOptions, whole: Sequence[Kept]
) -> Iterator[LostPart]:
    part = failure.part
    try:
        failed = Case.of(case.system, failure.under(case.settings, case.system.settings))
        answers, whys = _answers(failed, asked, options)
        for before in whole:
            goal, estimate = before.goal, before.goal.answer(answers)
            known, why = not math.isnan(estimate.value), whys[before.goal.measure].why
            told = "" if known else f"{goal.measure} is {why or 'not known'}"
            kept = goal.keeps(estimate.value) if known else None
            yield LostPart(part, goal, estimate.value, kept, told, _likely(before, estimate))
    except StacksimError as error:
        outcome = False if isinstance(error, NoSteadyStateError) else None
        yield from (LostPart(part, goal, math.nan, outcome, str(error)) for goal in asked.goals)


def _answers(case: Case, asked: Asked, options: RunOptions) -> tuple[Mapping[str, Answer], Mapping[str, Answer]]:
    """Answers of ``case``, and those of the model alone, which say why a value is missing."""
    if asked.over:
        over = predict_over_time(case, asked.over, options, intervals=False)
        return over.answers, over.answers
    prediction = predict_case(case, watching(options, asked.goals))
    return predicted_answers(prediction), prediction.answers


def _likely(before: Kept, estimate: Estimate) -> float:
    """Probability of a goal with ``estimate`` after a failure: the model is taken to miss as before it."""
    times = estimate.value / before.estimate.value if before.estimate.value > 0.0 else math.nan
    if math.isnan(before.probability) or not times > 0.0:
        return math.nan
    return probability(before.goal, estimate, before.band.scaled(times) if before.band else None)
