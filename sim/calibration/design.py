"""Design of experiments: the measurements that would narrow predictions most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product, repeat
from typing import Any

import numpy as np

from sim.calibration.evaluate import Task, pilot, run
from sim.calibration.problem import Problem
from sim.calibration.slopes import STEP
from sim.engine.model.model import Model
from sim.engine.statistics.answers import ANSWERS, THROUGHPUT
from sim.engine.statistics.estimates import Series
from sim.system.case import Case
from sim.system.settings import complete
from sim.system.system import System

MAX_CANDIDATES = 24
"""Largest number of candidate conditions, evenly spaced among combinations of measured values."""

ADVISED = 3


@dataclass(frozen=True)
class Advice:
    """One measurement to make: an answer, under settings as users write them.

    ``before`` and ``after`` are mean deviations of the logarithm of a prediction over all candidates.
    """

    measure: str
    shown: tuple[tuple[str, str], ...]
    before: float
    after: float


def advise(problem: Problem, point: Series, covariance: Series, scatter: float) -> list[Advice]:
    """Choose greedily the measurements that lower the mean variance of all predictions most, each once.

    A measurement with deviation ``scatter`` narrows a prediction by their common variance (Fedorov,
    "Theory of Optimal Experiments", 1972: average variance as the criterion).
    """
    candidates, measure = _apart(problem.system, _candidates(problem)), _measure(problem)
    slopes = _slopes(problem, point, candidates, measure)
    advice, left = [], list(range(len(candidates)))
    for _ in range(min(ADVISED, len(candidates))):
        before = _mean_deviation(slopes, covariance)
        updates = {index: _updated(covariance, slopes[index], scatter) for index in left}
        best = min(left, key=lambda index: _mean_deviation(slopes, updates[index]))
        left.remove(best)
        covariance = updates[best]
        after = _mean_deviation(slopes, covariance)
        advice.append(Advice(measure, _shown(problem, candidates[best]), before, after))
    return advice


def _measure(problem: Problem) -> str:
    """The answer to measure: the commonest among the figures that every system has; else throughput."""
    usual = Counter(figure.measure for figure in problem.figures if figure.measure in ANSWERS)
    return usual.most_common(1)[0][0] if usual else THROUGHPUT[0]


def _candidates(problem: Problem) -> list[dict[str, Any]]:
    """Combinations of measured values of each setting; only unmeasured ones if there are any."""
    names = list(problem.settings[0])
    values = [list(dict.fromkeys(each[name] for each in problem.settings)) for name in names]
    crossed = [dict(zip(names, each, strict=True)) for each in product(*values)]
    crossed = [each for each in crossed if each not in problem.settings] or crossed
    every = -(-len(crossed) // MAX_CANDIDATES)
    return crossed[::every]


def _apart(system: System, candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Remove ``candidates`` whose model equals that of an earlier one, such as durable reads."""
    distinct: list[tuple[Model, dict[str, Any]]] = []
    for each in candidates:
        model = Case(system, complete(system.settings, each)).scenario.model
        if all(model != other for other, _ in distinct):
            distinct.append((model, each))
    return [each for _, each in distinct]


def _slopes(problem: Problem, point: Series, candidates: Sequence[dict[str, Any]], measure: str) -> Series:
    """Derivatives of log ``measure`` by the logarithms of parameters, shape (candidates, free)."""
    centre = problem.values(point)
    tasks = [
        Task(problem.system, tuple(each.items()), centre, (measure,), seed=problem.seed) for each in candidates
    ]
    lengths = list(problem.map(pilot, tasks, repeat(problem.precision)))
    moved = [centre, *(problem.values(point + step) for step in STEP * np.eye(len(point)))]
    jobs = [replace(task, length=length) for task, length in zip(tasks, lengths, strict=True)]
    logs = np.log(list(problem.map(run, jobs, repeat(moved)))).reshape(len(candidates), len(moved))
    return np.asarray((logs[:, 1:] - logs[:, :1]) / STEP)


def _updated(covariance: Series, slope: Series, scatter: float) -> Series:
    """The covariance after one measurement (Sherman and Morrison)."""
    common = covariance @ slope
    updated: Series = covariance - np.outer(common, common) / (scatter**2 + float(slope @ common))
    return updated


def _mean_deviation(slopes: Series, covariance: Series) -> float:
    return float(np.sqrt(np.einsum("ij,jk,ik->i", slopes, covariance, slopes)).mean())


def _shown(problem: Problem, settings: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    completed = complete(problem.system.settings, settings)
    return tuple((each.name, each.show(completed[each.name])) for each in problem.system.settings)
