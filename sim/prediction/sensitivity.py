"""How much throughput changes with each parameter: elasticities, on common random numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sim.errors import StacksimError
from sim.result import Result
from sim.simulation.fixed_length import RunLength, run_for
from sim.statistics.estimates import Estimate, mean
from sim.system.case import Case
from sim.system.parameters import Parameter

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


def sensitivities(case: Case, result: Result) -> tuple[Sensitivity, ...]:
    """One for each parameter that can be moved, the strongest first; each run is as long as that of ``result``."""
    length = RunLength.of(result)
    seeds = range(result.seed, result.seed + SEEDS)
    centre = _throughputs(case, {}, length, seeds)
    strengths = []
    for entry in case.system.parameters.entries:
        for value in _moved(entry):
            try:
                moved = _throughputs(case, {entry.name: value}, length, seeds)
            except StacksimError:
                continue  # the layers do not fit together with such a value; perhaps with one on the other side
            logs = np.log(np.array(moved) / np.array(centre)) / math.log(value / entry.value)
            strengths.append(Sensitivity(entry.name, mean(logs, CONFIDENCE)))
            break
    return tuple(sorted(strengths, key=lambda each: -abs(each.elasticity.value)))


def _moved(entry: Parameter) -> list[float]:
    """Values of a parameter to try: above, then below."""
    up, down = entry.value * STEP, entry.value / STEP
    if float(entry.value).is_integer():
        up, down = math.ceil(up), math.floor(down)
    return [value for value in (up, down) if entry.low <= value <= entry.high and value > 0]


def _throughputs(
    case: Case, values: Mapping[str, float], length: RunLength | None, seeds: Iterable[int]
) -> list[float]:
    """Throughput with other ``values`` of parameters, one run for each seed."""
    scenario = case.changed(values)
    runs = (run_for(scenario.model, scenario.watch, length, seed) for seed in seeds)
    return [scenario.answers(result)["throughput"].estimate.value for result in runs]
