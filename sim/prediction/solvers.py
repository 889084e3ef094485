"""Solvers of a scenario: an event engine, or the analytic one, which is quick and approximate."""

from __future__ import annotations

from sim.engine.errors import NoSteadyStateError, TooLongError
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.result import Result
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions
from sim.engine.simulation.simulate import run
from sim.engine.statistics.answers import check_answers
from sim.system.case import Case
from sim.system.scenario import Scenario


def solution(scenario: Scenario, options: RunOptions, progress: Progress | None = None) -> Result:
    """The result of ``scenario``.

    Raises:
        ModelError: the analytic engine cannot solve it.
        InputError: it lacks an answer to be watched.
    """
    check_answers(options.answers, scenario.units)
    if options.engine == ANALYTIC:
        return _analysed(scenario, symmetry(scenario.model), options.seed)
    return run(
        scenario.model,
        options,
        watch=scenario.watch,
        parts=scenario.in_parts,
        progress=progress,
        percentiles=lambda result: scenario.modelled(result, result.watched),
        own=scenario.own_estimates,
    )


def solved_case(case: Case, options: RunOptions, progress: Progress | None = None) -> tuple[Scenario, Result]:
    """The scenario of ``case``, folded for the analytic engine, and its result.

    Raises:
        TooLongError: no answer within the steps allowed; names settings that may be too large.
        NoSteadyStateError: no steady state; for a job that does not end, names settings as well.
        InputError: the case lacks an answer to be watched.
    """
    if options.engine == ANALYTIC:
        scenario, folded = case.folded
        check_answers(options.answers, scenario.units)
        return scenario, _analysed(scenario, folded, options.seed)
    scenario = case.scenario
    try:
        return scenario, solution(scenario, options, progress)
    except (NoSteadyStateError, TooLongError) as error:
        if not case.sizes or not (scenario.model.finite or isinstance(error, TooLongError)):
            raise
        raise type(error)(f"{error}; look at {', '.join(case.sizes)}") from error


def _analysed(scenario: Scenario, folded: Symmetry, seed: int) -> Result:
    from sim.engine.analytic.solve import refuse_standstill, solved  # lazily: simulations do without

    refuse_standstill(scenario.model)
    return solved(folded).result(scenario.watch, seed)
