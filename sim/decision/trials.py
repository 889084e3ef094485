"""Trials of designs against their goals, under each load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from sim.decision.goals import Goal
from sim.decision.loads import Load
from sim.engine.errors import InputError, NoSteadyStateError, StacksimError
from sim.engine.model.workloads import Open
from sim.engine.result import Result
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.answers import QUANTILES, THROUGHPUT
from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import duration_text, figure_text
from sim.prediction.over_time import Span, predict_over_time
from sim.prediction.prediction import Prediction
from sim.prediction.solvers import solved_case
from sim.system.case import Case
from sim.system.scenario import Answer, Scenario
from sim.system.system import System

if TYPE_CHECKING:
    from sim.prediction.told_percentiles import Told

Status = Literal["kept", "missed", "open", "unstable", "refused", "failed", "unknown"]
"""All goals kept; one missed; undecided by this engine; no steady state; no such model; a run that broke
off; an answer not known well enough."""

How = Callable[["Case", "Asked", RunOptions], "Trial"]
"""Function that tries one case."""


@dataclass(frozen=True)
class Asked:
    """A load, and the goals under it; with ``over``, goals over that time."""

    load: Load
    goals: tuple[Goal, ...]
    over: Span | None = None

    @property
    def percentiles(self) -> bool:
        """True if all goals are about percentiles, which the analytic engine does not compute."""
        return all(goal.measure in QUANTILES for goal in self.goals)


@dataclass(frozen=True)
class Trial:
    """Outcome for one design.

    Attributes:
        reason: why the status is not ``kept``; empty if it is.
        engine: the engine that decided; empty if none ran.
        estimates: estimate of each goal's answer, for each load that was tried.
    """

    status: Status
    reason: str = ""
    engine: str = ""
    estimates: tuple[tuple[Estimate, ...], ...] = ()

    @property
    def first(self) -> float:
        """The answer of the first goal; nan if there is none."""
        return self.estimates[0][0].value if self.estimates else math.nan


@dataclass(frozen=True)
class Trials:
    """Tries designs of ``system`` with the settings ``fixed``, under each load of ``asked``."""

    system: System
    fixed: Mapping[str, Any]
    asked: tuple[Asked, ...]
    options: RunOptions

    def case(self, design: Mapping[str, Any], load: Load) -> Case:
        """The case of ``design`` under ``load``."""
        return Case.of(self.system, {**self.fixed, **load.settings, **design})

    def tried(self, design: Mapping[str, Any], how: How) -> Trial:
        """One trial over all loads, up to the first under which the goals are not kept."""
        trials: list[Trial] = []
        for asked in self.asked:
            trials.append(_guarded(how, self.case(design, asked.load), asked, self.options))
            if trials[-1].status not in ("kept", "open"):
                break
        worst = next((each for each in reversed(trials) if each.status != "kept"), trials[-1])
        name = self.asked[trials.index(worst)].load.name
        reason = f"under {name}: {worst.reason}" if name and worst.reason else worst.reason
        return replace(worst, reason=reason, estimates=tuple(each for one in trials for each in one.estimates))


def answers_of(scenario: Scenario, result: Result) -> dict[str, Answer]:
    """Answers of ``result``; for endless arrivals, throughput is the offered rate, unless the run contradicts it.

    In a steady state no arrival is lost, so that a run that counts 2,998 of 3,000 a second does so by chance:
    one run in twenty is outside its interval, hardly any outside twice that.
    """
    answers = scenario.answers(result)
    loads = [each for each in scenario.model.workloads if each.group == scenario.watch]
    rates = [each.arrivals.rate for each in loads if isinstance(each, Open) and each.count is None]
    if result.engine == ANALYTIC or len(rates) < len(loads) or None in rates:
        return answers
    offered, estimate = scenario.amount * sum(rate or 0.0 for rate in rates), answers["throughput"].estimate
    if abs(offered - estimate.value) <= 2.0 * max(estimate.value - estimate.low, estimate.high - estimate.value):
        answers["throughput"] = Answer(replace(estimate, value=offered, low=offered, high=offered), scenario.unit)
    return answers


def told_instead(case: Case, answers: Mapping[str, Answer]) -> dict[str, Told]:
    """Answers from measured jobs for percentiles that the model of ``case`` does not have, by measure."""
    lacking = {name for name in QUANTILES if name in answers and answers[name].why}
    if not lacking or not case.system.parameters.compared:
        return {}
    from sim.prediction.told_percentiles import told_percentiles  # lazily: curves load scipy

    return {each.measure: each for each in told_percentiles(case) if each.measure in lacking}


def answers_to(case: Case, scenario: Scenario, result: Result) -> Mapping[str, Answer]:
    """Answers of ``result``, and those of measured jobs where the model has none."""
    answers = answers_of(scenario, result)
    told = {name: each.answer for name, each in told_instead(case, answers).items()}
    if all(each.predicted is not None for each in case.system.parameters.compared):
        return {**answers, **told}
    lacking = {name: answers[name] for name in QUANTILES if name in answers and answers[name].why}
    why = "told by no measured jobs around these settings, and {}"
    untold = {name: replace(each, why=why.format(each.why)) for name, each in lacking.items()}
    return {**answers, **untold, **told}


def predicted_answers(prediction: Prediction) -> Mapping[str, Answer]:
    """Answers of ``prediction``, and those of measured jobs where the model has none."""
    if prediction.result.engine == ANALYTIC:
        return prediction.answers
    return answers_to(prediction.case, prediction.case.scenario, prediction.result)


def qualified(prediction: Prediction, measures: Iterable[str]) -> Iterator[str]:
    """A warning if some of ``measures`` are percentiles, but no source says how times vary."""
    of_model = set(measures) - told_instead(prediction.case, prediction.answers).keys()
    if prediction.variation and prediction.variation.words and not QUANTILES.keys().isdisjoint(of_model):
        yield f"percentiles {prediction.variation.words}"


def watching(options: RunOptions, goals: Sequence[Goal]) -> RunOptions:
    """A copy of ``options`` for a run until the answers of ``goals`` are known."""
    named = {*THROUGHPUT, *(goal.measure for goal in goals)}
    return replace(options, answers=tuple(named))


def held_against(answers: Mapping[str, Answer], goals: Sequence[Goal], engine: str) -> Trial:
    """Trial of ``answers`` against ``goals``; ``unknown`` if an interval is too wide to decide."""
    estimates = tuple(goal.answer(answers) for goal in goals)
    verdicts = [_verdict(goal, estimate) for goal, estimate in zip(goals, estimates, strict=True)]
    for status in ("missed", "unknown"):
        if status in verdicts:
            at = verdicts.index(status)
            return Trial(status, reason(goals[at], estimates[at], engine, answers), engine, (estimates,))
    return Trial("kept", "", engine, (estimates,))


def _verdict(goal: Goal, estimate: Estimate) -> Status:
    kept = goal.keeps(estimate.value)
    ends = [end for end in (estimate.low, estimate.high) if not math.isnan(end)]
    decided = estimate.known or (ends and all(goal.keeps(end) == kept for end in ends))
    if math.isnan(estimate.value) or not decided:
        return "unknown"
    return "kept" if kept else "missed"


def reason(goal: Goal, estimate: Estimate, engine: str, answers: Mapping[str, Answer]) -> str:
    """Why a goal is not kept, as text."""
    if math.isnan(estimate.value):
        why = answers[goal.measure].why
        return f"{goal.measure} is {why}" if why else f"{goal.measure} is not known ({engine})"
    unsure = "" if estimate.known else ", not known well enough"
    by = answers[goal.measure].by or engine
    return f"{goal.measure} is {figure_text(estimate.value, goal.unit)}{unsure} ({by})"


def _guarded(how: How, case: Case, asked: Asked, options: RunOptions) -> Trial:
    """Trial by ``how``, with errors as a status; the model is freed afterwards."""
    try:
        return how(case, asked, options)
    except NoSteadyStateError as error:
        return Trial("unstable", str(error))
    except InputError as error:
        return Trial("refused", str(error))
    except StacksimError as error:
        return Trial("failed", str(error))
    finally:
        case.forget()


def confirmed(case: Case, asked: Asked, options: RunOptions) -> Trial:
    """Trial by the engine of ``options``, at their precision."""
    if asked.over:
        over = predict_over_time(case, asked.over, options, intervals=False)
        return held_against(over.answers, asked.goals, f"over {duration_text(over.record.seconds)}")
    scenario, result = solved_case(case, watching(options, asked.goals))
    return held_against(answers_to(case, scenario, result), asked.goals, result.engine)
