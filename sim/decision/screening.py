"""Quick trials of a design, in milliseconds: by the analytic engine, or else by a short run.

A goal counts as missed only if the answer is outside the engine's error; else it stays open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from sim.decision.goals import Goal
from sim.decision.trials import Asked, Trial, answers_to, reason, watching
from sim.engine.analytic.jobs import NEAR
from sim.engine.errors import ModelError, NoSteadyStateError, StacksimError, TooLongError
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.prediction.solvers import solved_case
from sim.system.case import Case
from sim.system.scenario import Answer

SHORT = "short simulation"
"""Name of the short run as an engine."""

STEPS, PRECISION = 100_000, 0.2
"""Limits of a short run, some hundredths of a second: steps, and precision of throughput."""

SURE = 2.0
"""Factor by which intervals are widened: one in ten of the analytic engine's does not hold, one in
twenty of a run's, and there may be a thousand candidates."""

COMPUTED = ("throughput", "mean", "elapsed")
"""Answers whose accuracy the analytic engine states."""


def told(trial: Trial) -> bool:
    """True if the outcome of every goal is known."""
    found = [estimate for of_load in trial.estimates for estimate in of_load]
    return trial.status != "open" or bool(found and not any(math.isnan(estimate.high) for estimate in found))


def screened(case: Case, asked: Asked, options: RunOptions) -> Trial:
    """Trial by the analytic engine, and if it does not answer all goals, by a short run."""
    if asked.over:
        return Trial("open")  # no quick way tells what comes after a long time
    if options.engine == ANALYTIC:
        return computed(case, asked, options)
    trial = Trial("open") if asked.percentiles else computed(case, asked, options)
    return trial if told(trial) else briefly(case, asked, options)


def computed(case: Case, asked: Asked, options: RunOptions) -> Trial:
    """Trial by the analytic engine; ``open`` if it cannot solve such a model.

    If it finds no steady state, its approximations may fail where the model does not: that is left to a run.
    """
    try:
        case.folded  # noqa: B018  (built once, and cached)
    except StacksimError:
        case.scenario  # noqa: B018  (what cannot be built at all is refused here)
        return Trial("open")
    try:
        scenario, result = solved_case(case, replace(options, engine=ANALYTIC))
    except (ModelError, NoSteadyStateError):
        return Trial("open")
    answers, finite = scenario.answers(result), scenario.model.finite
    estimates = {goal: _stated(goal, answers, _least(goal, options, finite=finite)) for goal in asked.goals}
    return _outside(estimates, answers, ANALYTIC)


def _least(goal: Goal, options: RunOptions, *, finite: bool) -> float:
    """Least relative difference of an exact answer from a run: its precision; for jobs, start and end."""
    tolerance = options.tolerances.get(goal.measure, options.precision)
    return max(tolerance, NEAR) if finite else tolerance


def _stated(goal: Goal, answers: Mapping[str, Answer], least: float) -> Estimate:
    """The analytic engine's answer, in twice its stated interval; without interval if none is stated."""
    estimate = goal.answer(answers)
    if math.isnan(estimate.high) and goal.measure not in COMPUTED:
        return estimate
    low, high = estimate.value / (1.0 + least), estimate.value * (1.0 + least)
    ends = [_further(estimate.value, end) for end in (estimate.low, estimate.high) if not math.isnan(end)]
    return (
        replace(estimate, low=min(low, *ends), high=max(high, *ends))
        if ends
        else replace(estimate, low=low, high=high)
    )


def briefly(case: Case, asked: Asked, options: RunOptions) -> Trial:
    """Trial by a short run; ``open`` if it ends before the first request, as while a large cache fills."""
    steps = options.max_steps if case.scenario.model.finite else min(STEPS, options.max_steps)
    short = replace(options, precision=max(PRECISION, options.precision), max_steps=steps)
    try:
        scenario, result = solved_case(case, watching(short, asked.goals))
    except TooLongError:
        return Trial("open")
    answers = answers_to(case, scenario, result)
    estimates = {goal: _widened(goal.answer(answers)) for goal in asked.goals}
    if lacking := [goal for goal in asked.goals if answers[goal.measure].why]:
        of = estimates[lacking[0]]
        return Trial("unknown", reason(lacking[0], of, SHORT, answers), SHORT, (tuple(estimates.values()),))
    return _outside(estimates, answers, SHORT)


def _widened(estimate: Estimate) -> Estimate:
    """A copy of ``estimate`` with an interval that chance in a short run does not exceed."""
    low, high = (_further(estimate.value, end) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def _further(value: float, end: float) -> float:
    """The end of an interval around ``value``, ``SURE`` times as far away as ``end``."""
    return value + SURE * (end - value)


def _outside(estimates: Mapping[Goal, Estimate], answers: Mapping[str, Answer], engine: str) -> Trial:
    """A trial that is ``missed`` if a whole interval misses its goal."""
    found = (tuple(estimates.values()),)
    for goal, estimate in estimates.items():
        best = estimate.high if goal.at_least else estimate.low
        if not math.isnan(best) and not goal.keeps(best):
            return Trial("missed", reason(goal, estimate.marked(known=True), engine, answers), engine, found)
    return Trial("open", "", engine, found)
