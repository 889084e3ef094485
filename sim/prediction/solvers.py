"""What predicts: the event engines, and the analytic one, which is quick and approximate."""

from __future__ import annotations

from collections.abc import Iterable

from sim.engines.registry import ENGINES
from sim.errors import InputError, nearest, shown
from sim.model.symmetry import Symmetry, symmetry
from sim.result import Result
from sim.simulation.options import Progress
from sim.simulation.simulate import MOST_STEPS, simulate
from sim.statistics.answers import ANSWERS
from sim.system.system import Scenario

ANALYTIC = "analytic"

SOLVERS = (*ENGINES, ANALYTIC)


def check_solver(name: str) -> None:
    """Refuse an unknown solver with the nearest name."""
    if name not in SOLVERS:
        raise InputError(f"no engine '{shown(name)}'; {nearest(name, SOLVERS)}")


def solution(
    scenario: Scenario,
    *,
    solver: str,
    seed: int,
    precision: float = 0.01,
    answers: Iterable[str] = ANSWERS,
    most_steps: int = MOST_STEPS,
    progress: Progress | None = None,
) -> Result:
    """What ``scenario`` does, by the engine ``solver``; see ``sim.simulate`` for the rest.

    Raises:
        ModelError: the analytic engine cannot solve it.
    """
    if solver == ANALYTIC:
        return analysed(scenario, symmetry(scenario.model), seed)
    return simulate(
        scenario.model,
        seed=seed,
        precision=precision,
        answers=answers,
        engine=solver,
        watch=scenario.watch,
        most_steps=most_steps,
        parts=bool(scenario.measures),
        progress=progress,
    )


def analysed(scenario: Scenario, folded: Symmetry, seed: int) -> Result:
    """What ``scenario`` does by the analytic engine, given what is alike in it."""
    from sim.analytic.solve import solved  # lazily: simulations do without

    return solved(folded).result(scenario.watch, seed)
