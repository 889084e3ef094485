"""The simulations of a fit: each model for the same time with the same random numbers in every evaluation.

So chance never changes, and what is minimised is a smooth function of the parameters. How long is found once, by a
pilot run at the first guess. Tasks are plain values, so that another process can take them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sim.simulation.fixed_length import RunLength, run_for
from sim.simulation.simulate import simulate
from sim.statistics.answers import THROUGHPUT
from sim.system.case import Case
from sim.system.installed import find
from sim.system.scenario import Scenario
from sim.system.system import System

SEED = 1


@dataclass(frozen=True)
class Task:
    """One run: a system, a value for each of its settings and for the parameters to change, and what is asked.

    ``length`` is None for a job that ends by itself, or before it is known.
    """

    system: str
    settings: tuple[tuple[str, Any], ...]
    values: Mapping[str, float]
    measures: tuple[str, ...]
    length: RunLength | None = None

    def scenario(self) -> Scenario:
        """What is to be simulated."""
        return Case(_system(self.system), dict(self.settings)).changed(self.values)


@cache
def _system(name: str) -> System:
    """Entry points are files to be read: once for each process, not for each of thousands of runs."""
    return find(name)


def pilot(task: Task, precision: float) -> RunLength | None:
    """How long the model of ``task`` has to run for ``precision``; None for a job that ends by itself."""
    scenario = task.scenario()
    if scenario.model.finite:
        return None
    found = simulate(scenario.model, seed=SEED, precision=precision, watch=scenario.watch, answers=THROUGHPUT)
    return RunLength.of(found)


def run(task: Task) -> tuple[float, ...]:
    """What the system says for each measure of ``task``."""
    scenario = task.scenario()
    answers = scenario.answers(run_for(scenario.model, scenario.watch, task.length, SEED))
    return tuple(answers[measure].estimate.value for measure in task.measures)
