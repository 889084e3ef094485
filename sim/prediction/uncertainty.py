"""What is not known of the parameters, carried into a prediction: a second band beside that of the simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim.result import Result
from sim.simulation.fixed_length import RunLength, run_for
from sim.simulation.options import ANALYTIC, Progress, RunOptions
from sim.system.case import Case
from sim.system.parameters import Parameters
from sim.system.scenario import Scenario

DRAWS = 16
"""Points drawn from what a fit left possible: eight and their mirror images."""

LENGTH = 0.5
"""Of the run that they are compared with: with the same random numbers, half of it tells the difference."""

CONFIDENCE = 0.90
_DEVIATIONS = 1.6449
"""Of a normal distribution on each side of ``CONFIDENCE``."""


@dataclass(frozen=True)
class PredictionInterval:
    """Where a measurement would lie, at ``confidence``, as far as the published figures can tell.

    Attributes:
        parameters: deviation of the logarithm that comes from what the data leave open about the parameters.
        scatter: deviation of the logarithm by which published figures miss the fit.
        known: whether the simulated value that the band is around is known well enough.
    """

    low: float
    high: float
    confidence: float
    parameters: float
    scatter: float
    known: bool = True


def comparable(options: RunOptions) -> bool:
    """Whether runs of equal length can be compared, and many of them: not analysed, nor in SimPy."""
    return options.engine not in ("reference", ANALYTIC)


def prediction_intervals(
    case: Case, found: Result, progress: Progress | None = None
) -> dict[str, PredictionInterval]:
    """An interval for each answer to ``case``, around those of ``found``; none if nothing was fitted."""
    parameters = case.system.parameters
    if not parameters.covariance:
        return {}
    length = RunLength.of(found, LENGTH)
    points, answered = ({}, *_draws(parameters)), []
    for values in points:
        answered.append(_answers(case.changed(values), length, found.seed))
        if progress:
            progress(len(answered) / len(points))
    centre, *drawn = answered
    answers = case.scenario.answers(found)
    made = {}
    for name, answer in answers.items():
        logs = [math.log(each[name] / centre[name]) for each in drawn if each[name] > 0 and centre[name] > 0]
        deviation = math.sqrt(sum(each * each for each in logs) / max(1, len(logs)))
        half = _DEVIATIONS * math.hypot(deviation, parameters.scatter)
        value = answer.estimate.value
        made[name] = PredictionInterval(
            value * math.exp(-half),
            value * math.exp(half),
            CONFIDENCE,
            deviation,
            parameters.scatter,
            answer.estimate.known,
        )
    return made


def _answers(scenario: Scenario, length: RunLength | None, seed: int) -> dict[str, float]:
    answers = scenario.answers(run_for(scenario.model, scenario.watch, length, seed))
    return {name: each.estimate.value for name, each in answers.items()}


def _draws(parameters: Parameters) -> Iterator[dict[str, float]]:
    """Values of the fitted parameters, within their bounds; always the same."""
    free = parameters.free()
    root = np.linalg.cholesky(np.array(parameters.covariance))
    standard = np.random.Generator(np.random.PCG64(0)).standard_normal((DRAWS // 2, len(free)))
    for each in (*standard, *-standard):
        moved = [entry.value * math.exp(step) for entry, step in zip(free, root @ each, strict=True)]
        yield {
            entry.name: min(max(value, entry.low), entry.high) for entry, value in zip(free, moved, strict=True)
        }
