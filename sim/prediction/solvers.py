"""What solves a scenario: an event engine, or the analytic one, which is quick and approximate."""

from __future__ import annotations

from sim.model.symmetry import Symmetry, symmetry
from sim.result import Result
from sim.simulation.options import ANALYTIC, Progress, RunOptions
from sim.simulation.simulate import run
from sim.system.case import Case
from sim.system.scenario import Scenario


def solution(scenario: Scenario, options: RunOptions, progress: Progress | None = None) -> Result:
    """The result of ``scenario``.

    Raises:
        ModelError: the analytic engine cannot solve it.
    """
    if options.engine == ANALYTIC:
        return _analysed(scenario, symmetry(scenario.model), options.seed)
    return run(scenario.model, options, watch=scenario.watch, parts=scenario.in_parts, progress=progress)


def solved_case(case: Case, options: RunOptions, progress: Progress | None = None) -> tuple[Scenario, Result]:
    """The result of ``case``, and the scenario that says how to read it: folded for the analytic engine."""
    if options.engine == ANALYTIC:
        scenario, folded = case.folded
        return scenario, _analysed(scenario, folded, options.seed)
    return case.scenario, solution(case.scenario, options, progress)


def _analysed(scenario: Scenario, folded: Symmetry, seed: int) -> Result:
    from sim.analytic.solve import solved  # lazily: simulations do without

    return solved(folded).result(scenario.watch, seed)
