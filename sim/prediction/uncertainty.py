"""Prediction intervals: what a fit leaves open about the parameters, carried into the answers of a prediction."""

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
"""Share of the length of the predicted run: with common random numbers, half of it shows the difference."""

CONFIDENCE = 0.90
_DEVIATIONS = 1.6449
"""Standard deviations of a normal distribution on each side of ``CONFIDENCE``."""


@dataclass(frozen=True)
class PredictionInterval:
    """Where a measurement would lie, at ``confidence``, as far as the published figures show.

    Attributes:
        parameters: deviation of the logarithm that comes from what the data leave open about the parameters.
        scatter: deviation of the logarithm by which published figures miss the fit.
        known: whether the simulated value in the middle is known well enough.
    """

    low: float
    high: float
    confidence: float
    parameters: float
    scatter: float
    known: bool = True


def comparable(options: RunOptions) -> bool:
    """Whether the engine runs models for a fixed length, and fast enough: not the analytic one, nor SimPy."""
    return options.engine not in ("reference", ANALYTIC)


def prediction_intervals(
    case: Case, result: Result, progress: Progress | None = None
) -> dict[str, PredictionInterval]:
    """An interval around each answer to ``case`` in ``result``, by measure; none if nothing was fitted."""
    parameters = case.system.parameters
    if not parameters.covariance:
        return {}
    length = RunLength.of(result, LENGTH)
    points, answers = ({}, *_draws(parameters)), []
    for values in points:
        answers.append(_answers(case.changed(values), length, result.seed))
        if progress:
            progress(len(answers) / len(points))
    centre, *drawn = answers
    intervals = {}
    for name, answer in case.scenario.answers(result).items():
        logs = [math.log(draw[name] / centre[name]) for draw in drawn if draw[name] > 0 and centre[name] > 0]
        deviation = math.sqrt(sum(log * log for log in logs) / max(1, len(logs)))
        half = _DEVIATIONS * math.hypot(deviation, parameters.scatter)
        value = answer.estimate.value
        intervals[name] = PredictionInterval(
            value * math.exp(-half),
            value * math.exp(half),
            CONFIDENCE,
            deviation,
            parameters.scatter,
            answer.estimate.known,
        )
    return intervals


def _answers(scenario: Scenario, length: RunLength | None, seed: int) -> dict[str, float]:
    """The value of each answer, from a run of fixed length."""
    answers = scenario.answers(run_for(scenario.model, scenario.watch, length, seed))
    return {name: answer.estimate.value for name, answer in answers.items()}


def _draws(parameters: Parameters) -> Iterator[dict[str, float]]:
    """Values of the fitted parameters, within their bounds; the same at every call."""
    free = parameters.free()
    root = np.linalg.cholesky(np.array(parameters.covariance))
    standard = np.random.Generator(np.random.PCG64(0)).standard_normal((DRAWS // 2, len(free)))
    for draw in (*standard, *-standard):
        moved = [entry.value * math.exp(step) for entry, step in zip(free, root @ draw, strict=True)]
        yield {
            entry.name: min(max(value, entry.low), entry.high) for entry, value in zip(free, moved, strict=True)
        }
