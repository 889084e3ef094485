"""Elasticities of throughput with respect to each parameter, by common random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sim.engine.errors import StacksimError
from sim.engine.result import Result
from sim.engine.simulation.fixed_length import RunLength, run_for
from sim.engine.simulation.options import Progress
from sim.engine.statistics.estimates import Estimate, mean
from sim.prediction.parallel import side_by_side
from sim.system.case import Case
from sim.system.parameters import Parameter
from sim.system.scenario import Scenario

STEP = 1.1
"""Factor of each parameter, or its divisor if it cannot grow; a count changes by one at least."""

SEEDS = 4
"""Pairs of runs, each with its own random numbers: enough for a confidence interval."""

CONFIDENCE = 0.95

MIN = 0.01
"""A parameter is inert if its elasticity is below this."""


@dataclass(frozen=True)
class Sensitivity:
    """Growth of throughput in per cent if the parameter grows by one per cent."""

    parameter: str
    elasticity: Estimate

    @property
    def inert(self) -> bool:
        """True if there is no visible effect: zero lies within the interval, or next to the value."""
        elasticity = self.elasticity
        return elasticity.low <= 0.0 <= elasticity.high or abs(elasticity.value) < MIN


def sensitivities(case: Case, result: Result, progress: Progress | None = None) -> tuple[Sensitivity, ...]:
    """Sensitivities to all parameters that can be changed, the strongest first.

    Each run is as long as that of ``result``, up to a few million steps.
    """
    length, scenario = RunLength.of_difference(result), case.scenario
    seeds = range(result.seed, result.seed + SEEDS)
    centre = _Centre(scenario, length, side_by_side([partial(_ran, scenario, length, seed) for seed in seeds]))
    entries = case.system.parameters.entries
    results = side_by_side([partial(_sensitivity, case, entry, centre) for entry in entries], progress)
    return tuple(sorted(filter(None, results), key=lambda each: -abs(each.elasticity.value)))


@dataclass(frozen=True)
class _Centre:
    """The unchanged scenario and its ``runs``, one for each seed."""

    scenario: Scenario
    length: RunLength | None
    runs: Sequence[Result]

    @cached_property
    def throughputs(self) -> NDArray[np.float64]:
        """Throughput of each run, shape (seeds,)."""
        return _throughputs(self.scenario, self.runs)

    def moved(self, scenario: Scenario) -> NDArray[np.float64]:
        """Throughput of ``scenario`` with the random numbers of each run, shape (seeds,).

        Most parameters have no effect under given settings, as those of reads on a writer. If the model is the
        same, so are its runs. If another model completes as many requests after the same sum of
        latencies, to the nanosecond, the parameter has no effect in the run: then the other seeds
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
    """True if two runs agree on the watched requests: their number, throughput and mean latency."""
    mine, theirs = (
        (group.completed, group.throughput.value, group.latency.mean.value)
        for group in (each.groups[each.watched] for each in (one, other))
    )
    return mine == theirs


def _sensitivity(case: Case, entry: Parameter, centre: _Centre, _look: Progress) -> Sensitivity | None:
    """The sensitivity to ``entry``; None if it cannot be changed."""
    for value in _moved(entry):
        try:
            moved = centre.moved(case.changed({entry.name: value}))
        except StacksimError:
            continue  # no model with such a value; perhaps with one on the other side
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
    """Throughput of ``scenario`` in each of ``runs``, shape (runs,)."""
    return np.array([scenario.model_answers(run)["throughput"].estimate.value for run in runs])
