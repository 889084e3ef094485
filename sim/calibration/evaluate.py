"""The simulations of a fit: each model for the same time with the same random numbers in every evaluation.

So noise never changes, and the cost is a smooth function of the parameters. Pilot runs at the first guess set the
time. Tasks are plain values, so that other processes can run them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

from sim.engine.analytic.solve import solved
from sim.engine.errors import StacksimError
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.fixed_length import RunLength, run_for
from sim.engine.simulation.options import COARSEST, FINEST
from sim.engine.simulation.simulate import simulate
from sim.engine.statistics.answers import THROUGHPUT, in_order, tolerances
from sim.system.case import Case
from sim.system.parameters import Parameters
from sim.system.scenario import LATENCIES, Scenario
from sim.system.system import System

SEED = 1


@dataclass(frozen=True)
class Task:
    """One run: a system, its settings, changed parameters, and the measures to return.

    ``length`` is None for a job that ends by itself, or before pilot runs.
    """

    system: System
    settings: tuple[tuple[str, Any], ...]
    values: Mapping[str, float]
    measures: tuple[str, ...]
    length: RunLength | None = None
    seed: int = SEED

    def scenario(self) -> Scenario:
        """The scenario to simulate."""
        return Case(self.system, dict(self.settings)).changed(self.values)


def pilot(task: Task, precision: float) -> RunLength | None:
    """Length of a run of ``task`` for ``precision``; None for a job that ends by itself.

    Compared latencies must reach ``precision``, too; throughput stands for all other measures.
    """
    scenario = task.scenario()
    if scenario.model.finite:
        return None
    watched = in_order([each if each in LATENCIES else THROUGHPUT[0] for each in task.measures])
    lengths = [_length(scenario, each, precision, task.seed) for each in watched]
    return max((each for each in lengths if each), key=lambda each: each.measured_ns, default=None)


def _length(scenario: Scenario, answer: str, precision: float, seed: int) -> RunLength | None:
    """Length of a run that estimates ``answer`` to ``precision`` without control variates.

    Runs of fixed length have no control variates, so one as long as the pilot shows its precision without them.
    The interval of a run narrows with the square root of its length.
    """
    usual = tolerances(FINEST)[answer] / FINEST
    asked = min(max(precision / usual, FINEST), COARSEST)
    result = simulate(scenario.model, seed=seed, precision=asked, watch=scenario.watch, answers=(answer,))
    length = RunLength.of(result)
    if answer not in result.groups[result.watched].narrowed:
        return length
    without = (
        run_for(scenario.model, scenario.watch, length, seed).groups[result.watched].answers[answer].precision
    )
    return RunLength.of(result, max(1.0, without / precision) ** 2)


def run(task: Task, points: Sequence[Mapping[str, float]]) -> list[tuple[float, ...]]:
    """Simulated value of each measure of ``task``, at each of ``points`` (values of parameters)."""

    def simulated(values: Mapping[str, float]) -> tuple[Scenario, Callable[[], Result]]:
        scenario = replace(task, values=values).scenario()
        return scenario, partial(run_for, scenario.model, scenario.watch, task.length, task.seed)

    return list(_answers(task, map(simulated, points)))


def computed(tasks: Sequence[Task], points: Sequence[Mapping[str, float]]) -> list[list[tuple[float, ...]] | None]:
    """Analytic value of each measure, by task and point; NaN for unknown measures.

    A task is None if the analytic engine cannot solve it at one of the ``points``. All tasks are solved at one
    point before the next, so that a system builds the common parts of its models once per point.
    """
    parameters = [tasks[0].system.parameters.changed(values) for values in points]

    def solution(task: Task, changed: Parameters[Any]) -> tuple[Scenario, Callable[[], Result]]:
        scenario, folded = replace(task.system, parameters=changed).folded(dict(task.settings))
        return scenario, lambda: solved(folded).result(scenario.watch, task.seed)

    solvable = [_solvable(_answers(task, map(partial(solution, task), parameters))) for task in tasks]
    by_task = zip(*zip_longest(*solvable), strict=True)
    found = [None if None in answers else list(answers) for answers in by_task]
    return found or [None] * len(tasks)


def _solvable(answers: Iterator[tuple[float, ...]]) -> Iterator[tuple[float, ...]]:
    """Yield ``answers`` up to the first unsolvable point."""
    with suppress(StacksimError):
        yield from answers


def _answers(task: Task, asked: Iterable[tuple[Scenario, Callable[[], Result]]]) -> Iterator[tuple[float, ...]]:
    """Yield the measures of ``task`` by each scenario; equal models share one result."""
    first: tuple[Model, Result] | None = None
    for scenario, solve in asked:
        result = first[1] if first and scenario.model == first[0] else solve()
        first = first or (scenario.model, result)
        answers = scenario.model_answers(result)
        yield tuple(answers[measure].estimate.value for measure in task.measures)
