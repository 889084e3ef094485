"""How much throughput changes with each parameter: elasticities, on common random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sim.errors import StacksimError
from sim.prediction.parallel import side_by_side
from sim.result import Result
from sim.simulation.fixed_length import RunLength, run_for
from sim.simulation.options import Progress
from sim.statistics.estimates import Estimate, mean
from sim.system.case import Case
from sim.system.parameters import Parameter
from sim.system.scenario import Scenario

STEP = 1.1
"""Each parameter is multiplied by this, or divided by it where it cannot grow; a count changes by one at least."""

SEEDS = 4
"""Pairs of runs, each pair with its own random numbers: enough for a confidence interval."""

CONFIDENCE = 0.95

MIN = 0.01
"""A parameter is called inert if its elasticity is below this."""


@dataclass(frozen=True)
class Sensitivity:
    """By how many per cent throughput grows if the parameter grows by one."""

    parameter: str
    elasticity: Estimate

    @property
    def inert(self) -> bool:
        """Whether no effect can be seen: zero lies within the interval, or next to the value."""
        elasticity = self.elasticity
        return elasticity.low <= 0.0 <= elasticity.high or abs(elasticity.value) < MIN


def sensitivities(case: Case, result: Result, progress: Progress | None = None) -> tuple[Sensitivity, ...]:
    """One for each parameter that can be moved, the strongest first.

    Each run is as long as that of ``result``, up to a few million steps.
    """
    length, scenario = RunLength.of_difference(result), case.scenario
    seeds = range(result.seed, result.seed + SEEDS)
    centre = _Centre(scenario, length, side_by_side([partial(_ran, scenario, length, seed) for seed in seeds]))
    entries = case.system.parameters.entries
    found = side_by_side([partial(_sensitivity, case, entry, centre) for entry in entries], progress)
    return tuple(sorted(filter(None, found), key=lambda each: -abs(each.elasticity.value)))


@dataclass(frozen=True)
class _Centre:
    """What is not moved: its ``runs``, one for each seed."""

    scenario: Scenario
    length: RunLength | None
    runs: Sequence[Result]

    @cached_property
    def throughputs(self) -> NDArray[np.float64]:
        """Of each run, shape (seeds,)."""
        return _throughputs(self.scenario, self.runs)

    def moved(self, scenario: Scenario) -> NDArray[np.float64]:
        """Throughput of ``scenario`` with the random numbers of each run, shape (seeds,).

        Most parameters do nothing under given settings, those of reads to one who writes. Where the model is the
        same, so are its runs. Where it is another one that completes the same requests after the same sum of
        latencies, to the nanosecond, nothing happened that the parameter could have changed: then the other seeds
        are not run.
        """
        if scenario.model == self.scenario.model:
            return _throughputs(scenario, self.runs)
        first, *others = self.runs
        run = _ran(scenario, self.length, first.seed)
        if _same(run, first):
            return _throughputs(scenario, self.runs)
        return _throughputs(scenario, [run, *(_ran(scenario, self.length, other.seed) for other in others)])


def _same(one: Result, other: Result) -> bool:
    """Whether two runs did the same to the watched requests: how many, how quickly, and how long each."""
    mine, its = (
        (group.completed, group.throughput.value, group.latency.mean.value)
        for group in (each.groups[each.watched] for each in (one, other))
    )
    return mine == its


def _sensitivity(case: Case, entry: Parameter, centre: _Centre, _look: Progress) -> Sensitivity | None:
    """That to ``entry``; None if it cannot be moved."""
    for value in _moved(entry):
        try:
            moved = centre.moved(case.changed({entry.name: value}))
        except StacksimError:
            continue  # the layers do not fit together with such a value; perhaps with one on the other side
        logs = np.log(moved / centre.throughputs) / math.log(value / entry.value)
        return Sensitivity(entry.name, mean(logs, CONFIDENCE))
    return None


def _moved(entry: Parameter) -> list[float]:
    """Values of a parameter to try: above, then below."""
    up, down = entry.value * STEP, entry.value / STEP
    if float(entry.value).is_integer():
        up, down = math.ceil(up), math.floor(down)
    return [value for value in (up, down) if entry.low <= value <= entry.high and value > 0]


def _ran(scenario: Scenario, length: RunLength | None, seed: int, _look: Progress | None = None) -> Result:
    return run_for(scenario.model, scenario.watch, length, seed, settle=True, intervals=False)


def _throughputs(scenario: Scenario, runs: Sequence[Result]) -> NDArray[np.float64]:
    """What each of ``runs`` says of ``scenario``, shape (runs,)."""
    return np.array([scenario.model_answers(run)["throughput"].estimate.value for run in runs])
