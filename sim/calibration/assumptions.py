"""The assumed parameter that would explain the figure with the largest error of a fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.calibration.problem import Lengths, Problem
from sim.calibration.slopes import Tangent
from sim.calibration.solve import Solution
from sim.data.dataset import Measurement
from sim.engine.statistics.estimates import Series
from sim.system.parameters import Parameter

LEAST = 1 / 3
"""Smallest share of the error that counts as an explanation."""

TRIED = 3
"""Number of parameters whose linear effect is checked by simulation."""


@dataclass(frozen=True)
class Assumption:
    """Effect of another value of an assumed parameter on the figure with the largest error.

    Attributes:
        value: the other value, within the range of ``parameter``.
        error, left: predicted / measured - 1 with the assumed value, and with the other value.
    """

    figure: Measurement
    parameter: Parameter
    value: float
    error: float
    left: float


def assumption(problem: Problem, solution: Solution) -> Assumption | None:
    """The assumed parameter that explains most of the worst error of ``solution``; of several, the least moved.

    None if none explains ``LEAST`` of it, or the error is within the scatter of figures.
    """
    missed = np.log(solution.predicted / problem.published)
    worst = int(np.argmax(np.abs(missed)))
    miss = float(missed[worst])
    about = _about(problem, solution, worst)
    if about is None or abs(miss) <= 1.0 / problem.weights[worst]:
        return None
    lengths = (solution.lengths[problem.runs[worst]],)
    for index, step in list(_steps(about, solution.predicted[[worst]], miss, lengths))[:TRIED]:
        point = about.centre + step * np.eye(len(about.free))[index]
        (predicted,) = about.predict([point], lengths=lengths)[0]
        left = math.log(predicted / problem.published[worst])
        if abs(left) <= (1.0 - LEAST) * abs(miss):
            value, entry = about.value(index, float(point[index])), about.free[index]
            return Assumption(problem.figures[worst], entry, value, math.expm1(miss), math.expm1(left))
    return None


def _about(problem: Problem, solution: Solution, worst: int) -> Problem | None:
    """The problem of that figure alone, with only its assumed parameters free, each within its range.

    None if nothing is assumed. Counts stay fixed, as they do not move by small steps.
    """
    parameters, found = problem.system.parameters, problem.values(solution.point)
    entries = [
        replace(entry, value=found[entry.name], basis="set", likely=None) if entry.name in found else _freed(entry)
        for entry in parameters.entries
    ]
    if not any(entry.basis == "fitted" for entry in entries):
        return None
    system = replace(problem.system, parameters=replace(parameters, entries=tuple(entries), covariance=()))
    return Problem(system, [problem.figures[worst]], seed=problem.seed)


def _freed(entry: Parameter) -> Parameter:
    low, high = entry.likely or (entry.low, entry.high)
    if entry.basis != "assumed" or not 0.0 < low < high or entry.counted((low, high)):
        return entry
    return replace(entry, basis="fitted", low=low, high=high, likely=None)


def _steps(about: Problem, predicted: Series, miss: float, lengths: Lengths) -> Iterator[tuple[int, float]]:
    """Yield parameters with the steps of their logarithms, those that explain most first."""
    slopes = Tangent.at(about, about.centre, predicted, [0], lengths).slopes[0]
    wanted = np.divide(-miss, slopes, out=np.zeros_like(slopes), where=slopes != 0.0)
    steps = np.clip(wanted, about.low - about.centre, about.high - about.centre)
    left = np.abs(miss + slopes * steps) / abs(miss)
    for index in np.lexsort((np.abs(steps), np.round(left, 2))).tolist():
        if left[index] <= 1.0 - LEAST:
            yield index, float(steps[index])
