"""The simulations of a fit: each model for the same time with the same random numbers in every evaluation.

So noise never changes, and the cost is a smooth function of the parameters. Pilot runs at the first guess find the
time. Tasks are plain values, so that other processes can run them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.simulation.fixed_length import RunLength, run_for
from sim.simulation.options import COARSEST, FINEST
from sim.simulation.simulate import simulate
from sim.statistics.answers import THROUGHPUT, check_answers, tolerances
from sim.system.case import Case
from sim.system.scenario import LATENCIES, Scenario
from sim.system.system import System

SEED = 1


@dataclass(frozen=True)
class Task:
    """One run: a system, a value for each of its settings, the parameters to change, and the measures to return.

    ``length`` is None for a job that ends by itself, or before it is known.
    """

    system: System
    settings: tuple[tuple[str, Any], ...]
    values: Mapping[str, float]
    measures: tuple[str, ...]
    length: RunLength | None = None

    def scenario(self) -> Scenario:
        """The scenario to simulate."""
        return Case(self.system, dict(self.settings)).changed(self.values)


def pilot(task: Task, precision: float) -> RunLength | None:
    """The time that the model of ``task`` has to run for ``precision``; None for a job that ends by itself.

    The latencies that are compared have to be known as well as throughput, which decides for all other measures.
    """
    scenario = task.scenario()
    if scenario.model.finite:
        return None
    watched = check_answers([each if each in LATENCIES else THROUGHPUT[0] for each in task.measures])
    lengths = [_length(scenario, each, precision) for each in watched]
    return max((each for each in lengths if each), key=lambda each: each.measured_ns, default=None)


def _length(scenario: Scenario, answer: str, precision: float) -> RunLength | None:
    """How long an endless load has to run until ``answer`` is known to ``precision``."""
    usual = tolerances(FINEST)[answer] / FINEST
    asked = min(max(precision / usual, FINEST), COARSEST)
    result = simulate(scenario.model, seed=SEED, precision=asked, watch=scenario.watch, answers=(answer,))
    return RunLength.of(result)


def run(task: Task) -> tuple[float, ...]:
    """The simulated value of each measure of ``task``."""
    scenario = task.scenario()
    answers = scenario.answers(run_for(scenario.model, scenario.watch, task.length, SEED))
    return tuple(answers[measure].estimate.value for measure in task.measures)
