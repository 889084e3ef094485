"""What can be said of a design in milliseconds: by the analytic engine, and where it cannot tell, by a short run.

A goal is called missed only where the answer is outside of what such an engine may be off by; else it is open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from sim.analytic.jobs import NEAR
from sim.decision.goals import Goal
from sim.decision.trials import Asked, Trial, answers_to, reason, watching
from sim.errors import ModelError, NoSteadyStateError, StacksimError, TooLongError
from sim.prediction.solvers import solved_case
from sim.simulation.options import ANALYTIC, RunOptions
from sim.statistics.estimates import Estimate
from sim.system.case import Case
from sim.system.scenario import Answer

SHORT = "short simulation"
"""The engine of a short run, in words."""

STEPS, PRECISION = 100_000, 0.2
"""A short run ends when throughput is known to a tenth, or after so many steps: some hundredths of a second."""

SURE = 2.0
"""How many times as wide as stated an interval is taken: one in ten of the analytic engine's does not hold, one in
twenty of a run's, and there may be a thousand candidates."""

COMPUTED = ("throughput", "mean", "elapsed")
"""The answers whose accuracy the analytic engine states."""


def told(trial: Trial) -> bool:
    """Whether something is known of every goal."""
    found = [estimate for of_load in trial.estimates for estimate in of_load]
    return trial.status != "open" or bool(found and not any(math.isnan(estimate.high) for estimate in found))


def screened(case: Case, asked: Asked, options: RunOptions) -> Trial:
    """What the analytic engine says, and where it cannot tell of all goals, a short run of the same model."""
    if options.engine == ANALYTIC:
        return computed(case, asked, options)
    trial = Trial("open") if asked.percentiles else computed(case, asked, options)
    return trial if told(trial) else briefly(case, asked, options)


def computed(case: Case, asked: Asked, options: RunOptions) -> Trial:
    """What the analytic engine says; nothing, where it cannot solve such a model.

    Where it finds no steady state, its approximations may have ended before the model does: that is left to a run.
    """
    try:
        case.folded  # noqa: B018  (built once, and kept)
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
    """The share by which even an exact answer may differ from a run: its precision; for jobs, start and end."""
    tolerance = options.tolerances.get(goal.measure, options.precision)
    return max(tolerance, NEAR) if finite else tolerance


def _stated(goal: Goal, answers: Mapping[str, Answer], least: float) -> Estimate:
    """The answer of the analytic engine, in twice the interval that it states; in none where it states none."""
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
    """What a short run says; nothing, where it ends before the first request, as while a large cache fills."""
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
    """The same in an interval that no chance of a short run exceeds."""
    low, high = (_further(estimate.value, end) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def _further(value: float, end: float) -> float:
    """The end of an interval around ``value`` that is so many times as wide."""
    return value + SURE * (end - value)


def _outside(estimates: Mapping[Goal, Estimate], answers: Mapping[str, Answer], engine: str) -> Trial:
    """Missed where the whole interval misses a goal."""
    found = (tuple(estimates.values()),)
    for goal, estimate in estimates.items():
        best = estimate.high if goal.at_least else estimate.low
        if not math.isnan(best) and not goal.keeps(best):
            return Trial("missed", reason(goal, estimate.marked(known=True), engine, answers), engine, found)
    return Trial("open", "", engine, found)
