"""A design held against its goals, under each load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from sim.decision.goals import Goal
from sim.decision.loads import Load
from sim.errors import InputError, NoSteadyStateError, StacksimError
from sim.model.workloads import Open
from sim.prediction.prediction import Prediction
from sim.prediction.solvers import solved_case
from sim.result import Result
from sim.simulation.options import ANALYTIC, RunOptions
from sim.statistics.answers import QUANTILES, THROUGHPUT
from sim.statistics.estimates import Estimate
from sim.system.case import Case
from sim.system.scenario import Answer, Scenario
from sim.system.system import System
from sim.units.text import figure_text

if TYPE_CHECKING:
    from sim.prediction.told_percentiles import Told

Status = Literal["kept", "missed", "open", "unstable", "refused", "failed", "unknown"]
"""All goals are kept; one is missed; the engine at hand cannot tell; no steady state; no such model; a run broke
off; an answer is not known well enough."""

How = Callable[["Case", "Asked", RunOptions], "Trial"]
"""Tries one case."""


@dataclass(frozen=True)
class Asked:
    """A load, and the goals under it."""

    load: Load
    goals: tuple[Goal, ...]

    @property
    def percentiles(self) -> bool:
        """Whether all goals are about percentiles, of which the analytic engine knows nothing."""
        return all(goal.measure in QUANTILES for goal in self.goals)


@dataclass(frozen=True)
class Trial:
    """What is known of one design.

    Attributes:
        reason: why its status is not ``kept``; empty if it is.
        engine: which engine says so; empty where none ran.
        estimates: of the answer of each goal, by load; as many loads as were tried.
    """

    status: Status
    reason: str = ""
    engine: str = ""
    estimates: tuple[tuple[Estimate, ...], ...] = ()

    @property
    def first(self) -> float:
        """The answer that the first goal is about; nan where there is none."""
        return self.estimates[0][0].value if self.estimates else math.nan


@dataclass(frozen=True)
class Trials:
    """Tries designs of ``system``, with the settings ``fixed`` beside them, under each load of ``asked``."""

    system: System
    fixed: Mapping[str, Any]
    asked: tuple[Asked, ...]
    options: RunOptions

    def case(self, design: Mapping[str, Any], load: Load) -> Case:
        """The system under ``design`` and ``load``."""
        return Case.of(self.system, {**self.fixed, **load.settings, **design})

    def tried(self, design: Mapping[str, Any], how: How) -> Trial:
        """One trial of all loads; none is looked at behind one under which the goals are not kept."""
        found: list[Trial] = []
        for asked in self.asked:
            found.append(_guarded(how, self.case(design, asked.load), asked, self.options))
            if found[-1].status not in ("kept", "open"):
                break
        worst = next((each for each in reversed(found) if each.status != "kept"), found[-1])
        name = self.asked[found.index(worst)].load.name
        reason = f"under {name}: {worst.reason}" if name and worst.reason else worst.reason
        return replace(worst, reason=reason, estimates=tuple(each for one in found for each in one.estimates))


def answers_of(scenario: Scenario, result: Result) -> dict[str, Answer]:
    """What ``result`` says; of arrivals without end, throughput as it is offered, unless the run says otherwise.

    In a steady state nobody is lost, so that a run that counts 2,998 of 3,000 a second has seen so many by chance:
    one run in twenty counts more or less than its interval says, hardly any than twice that.
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
    """What measured jobs tell of ``case`` in place of percentiles that its model does not have, by measure."""
    lacking = {name for name in QUANTILES if name in answers and answers[name].why}
    if not lacking or not case.system.parameters.compared:
        return {}
    from sim.prediction.told_percentiles import told_percentiles  # lazily: curves load scipy

    return {each.measure: each for each in told_percentiles(case) if each.measure in lacking}


def answers_to(case: Case, scenario: Scenario, result: Result) -> Mapping[str, Answer]:
    """What ``result`` says of ``case``, and measured jobs where it says nothing."""
    answers = answers_of(scenario, result)
    return {**answers, **{name: each.answer for name, each in told_instead(case, answers).items()}}


def predicted_answers(prediction: Prediction) -> Mapping[str, Answer]:
    """The same of a prediction, of which the model is still at hand."""
    if prediction.result.engine == ANALYTIC:
        return prediction.answers
    return answers_to(prediction.case, prediction.case.scenario, prediction.result)


def qualified(prediction: Prediction, measures: Iterable[str]) -> Iterator[str]:
    """What percentiles lack, if some of ``measures`` are percentiles: that no source says how times vary."""
    of_model = set(measures) - told_instead(prediction.case, prediction.answers).keys()
    if prediction.variation and prediction.variation.words and not QUANTILES.keys().isdisjoint(of_model):
        yield f"percentiles {prediction.variation.words}"


def watching(options: RunOptions, goals: Sequence[Goal]) -> RunOptions:
    """The same options, for a run that goes on until the answers of ``goals`` are known."""
    named = {*THROUGHPUT, *(goal.measure for goal in goals)}
    return replace(options, answers=tuple(named))


def held_against(answers: Mapping[str, Answer], goals: Sequence[Goal], engine: str) -> Trial:
    """Whether ``answers`` keep ``goals``; where an interval is too wide to tell, that is not known."""
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
    told = estimate.known or (ends and all(goal.keeps(end) == kept for end in ends))
    if math.isnan(estimate.value) or not told:
        return "unknown"
    return "kept" if kept else "missed"


def reason(goal: Goal, estimate: Estimate, engine: str, answers: Mapping[str, Answer]) -> str:
    """Why a goal is not kept, in words."""
    if math.isnan(estimate.value):
        why = answers[goal.measure].why
        return f"{goal.measure} is {why}" if why else f"{goal.measure} is not known ({engine})"
    unsure = "" if estimate.known else ", not known well enough"
    by = answers[goal.measure].by or engine
    return f"{goal.measure} is {figure_text(estimate.value, goal.unit)}{unsure} ({by})"


def _guarded(how: How, case: Case, asked: Asked, options: RunOptions) -> Trial:
    """What ``how`` says, or what its error says of the design; the model is let go of."""
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
    """What the engine of ``options`` says, at their precision."""
    scenario, result = solved_case(case, watching(options, asked.goals))
    return held_against(answers_to(case, scenario, result), asked.goals, result.engine)
