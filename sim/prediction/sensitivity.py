"""How much throughput changes with each parameter: elasticities, on common random numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

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


def sensitivities(case: Case, result: Result) -> tuple[Sensitivity, ...]:
    """One for each parameter that can be moved, the strongest first; each run is as long as that of ``result``."""
    length, seeds = RunLength.of(result), range(result.seed, result.seed + SEEDS)
    centre = side_by_side([partial(_throughputs, case.changed({}), length, [seed]) for seed in seeds])
    middle = np.concatenate(centre)
    entries = case.system.parameters.entries
    found = side_by_side([partial(_sensitivity, case, entry, middle, length, seeds) for entry in entries])
    return tuple(sorted(filter(None, found), key=lambda each: -abs(each.elasticity.value)))


def _sensitivity(
    case: Case,
    entry: Parameter,
    centre: NDArray[np.float64],
    length: RunLength | None,
    seeds: Iterable[int],
    _look: Progress,
) -> Sensitivity | None:
    """That to ``entry``, beside throughputs in the ``centre``, shape (seeds,); None if it cannot be moved."""
    for value in _moved(entry):
        try:
            moved = _throughputs(case.changed({entry.name: value}), length, seeds)
        except StacksimError:
            continue  # the layers do not fit together with such a value; perhaps with one on the other side
        logs = np.log(moved / centre) / math.log(value / entry.value)
        return Sensitivity(entry.name, mean(logs, CONFIDENCE))
    return None


def _moved(entry: Parameter) -> list[float]:
    """Values of a parameter to try: above, then below."""
    up, down = entry.value * STEP, entry.value / STEP
    if float(entry.value).is_integer():
        up, down = math.ceil(up), math.floor(down)
    return [value for value in (up, down) if entry.low <= value <= entry.high and value > 0]


def _throughputs(
    scenario: Scenario, length: RunLength | None, seeds: Iterable[int], _look: Progress | None = None
) -> NDArray[np.float64]:
    """Throughput of one run for each seed, shape (seeds,)."""
    runs = (run_for(scenario.model, scenario.watch, length, seed) for seed in seeds)
    return np.array([scenario.answers(result)["throughput"].estimate.value for result in runs])
