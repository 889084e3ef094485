"""How much throughput changes with each parameter: elasticities, on common random numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.errors import StacksimError
from sim.result import Result
from sim.simulation.fixed_length import Span, stretch
from sim.statistics.estimates import Estimate, mean
from sim.system.parameters import Parameter
from sim.system.settings import Values
from sim.system.system import System

STEP = 1.1
"""Each parameter is multiplied by this, or divided where it cannot grow; a count grows by one at least."""

SEEDS = 4
"""Pairs of runs, each pair with its own random numbers: enough for an interval."""

CONFIDENCE = 0.95

LEAST = 0.01
"""A parameter of which one per cent changes throughput by less than a hundredth of that is called inert."""


@dataclass(frozen=True)
class Sensitivity:
    """By how many per cent throughput grows if the parameter grows by one."""

    parameter: str
    elasticity: Estimate

    @property
    def inert(self) -> bool:
        """Whether nothing is to be seen: zero lies within the interval, or next to the value."""
        found = self.elasticity
        return found.low <= 0.0 <= found.high or abs(found.value) < LEAST


def sensitivities(system: System, settings: Values, found: Result) -> tuple[Sensitivity, ...]:
    """Of every parameter that can be moved, the strongest first; each pair of runs takes as long as ``found``."""
    span = Span.of(found)
    seeds = range(found.seed, found.seed + SEEDS)
    centre = [_throughput(system, settings, {}, span, seed) for seed in seeds]
    made = []
    for entry in system.parameters.entries:
        for value in _moved(entry):
            try:
                moved = [_throughput(system, settings, {entry.name: value}, span, seed) for seed in seeds]
            except StacksimError:
                continue  # the layers do not fit together with such a value; perhaps with one on the other side
            logs = np.log(np.array(moved) / np.array(centre)) / math.log(value / entry.value)
            made.append(Sensitivity(entry.name, mean(logs, CONFIDENCE)))
            break
    return tuple(sorted(made, key=lambda each: -abs(each.elasticity.value)))


def _moved(entry: Parameter) -> list[float]:
    """Values to try: above, then below."""
    up, down = entry.value * STEP, entry.value / STEP
    if float(entry.value).is_integer():
        up, down = math.ceil(up), math.floor(down)
    return [value for value in (up, down) if entry.low <= value <= entry.high and value > 0]


def _throughput(system: System, settings: Values, values: dict[str, float], span: Span | None, seed: int) -> float:
    scenario = system.build(settings, system.parameters.changed(values))
    return scenario.answers(stretch(scenario.model, scenario.watch, span, seed))["throughput"].estimate.value
