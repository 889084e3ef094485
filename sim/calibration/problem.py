"""The problem of a fit: the free parameters of a system, as logarithms, and the figures that they have to meet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import islice, repeat

import numpy as np

from sim.calibration.evaluate import Task, pilot, run
from sim.data.dataset import SCATTER, Measurement
from sim.errors import InputError
from sim.prediction.report import case_of
from sim.statistics.estimates import Series
from sim.system.parameters import Parameter
from sim.system.system import System

PRECISION = 1 / 16
"""Precision of an evaluation, as a share of the scatter: each of its n runs may err by root n times as much."""

STEP = 0.05
"""Step of finite differences, of a logarithm: large against the noise of a run, small against a factor of two."""

PRIOR_DEVIATIONS = 4.0
"""Standard deviations of a prior between the bounds of its parameter: two on each side of the centre."""


AT_BOUND = 0.01
"""Of a logarithm: a parameter within one per cent of a bound counts as at the bound."""


class Problem:
    """Free parameters and figures. Points are logarithms of the free parameters, shape (free,).

    Args:
        figures: each must be one of the answers of ``system``.
        workers: processes that run simulations; this process if None.
        scatter: relative scatter of the figures of each dataset, by name; ``SCATTER`` for others.

    Attributes:
        runs: which run each figure is an answer of, numbered from 0 in the order of the figures.
    """

    def __init__(
        self,
        system: System,
        figures: Sequence[Measurement],
        workers: Executor | None = None,
        scatter: Mapping[str, float] | None = None,
    ) -> None:
        self.system, self.figures = system, tuple(figures)
        self.free: tuple[Parameter, ...] = system.parameters.free()
        if not self.free:
            raise InputError(
                f"system '{system.name}' has no parameter to fit: none has the basis 'fitted'; give that "
                "basis, and bounds, to those that a fit may change"
            )
        if not self.figures:
            raise InputError(f"no figure to fit system '{system.name}' to; give at least one")
        self.map = workers.map if workers else map
        self.settings = [case_of(system, figure).settings for figure in self.figures]
        self.published = np.array([figure.value for figure in self.figures])
        self.scatter = np.array([(scatter or {}).get(each.dataset, SCATTER) for each in self.figures])
        pairs = zip(self.figures, self.scatter.tolist(), strict=True)
        self.weights = 1.0 / np.array([_deviation(figure, share) for figure, share in pairs])
        self.centre = np.log([each.centre for each in self.free])
        self.low = np.log([each.low for each in self.free])
        self.high = np.log([each.high for each in self.free])
        self.prior_weights = PRIOR_DEVIATIONS / (self.high - self.low)
        self._tasks = self._distinct()
        self.precision = PRECISION * float(self.scatter.min()) * math.sqrt(len(self._tasks))
        self.simulated = 0
        self.pilot(self.centre)

    def pilot(self, point: Series) -> None:
        """Estimate again, at ``point``, how long each model has to run: longer where a buffer fills."""
        jobs = [replace(task, values=self.values(point)) for task in self._tasks]
        lengths = self.map(pilot, jobs, repeat(self.precision))
        self._tasks = [replace(task, length=length) for task, length in zip(self._tasks, lengths, strict=True)]

    def values(self, point: Series) -> dict[str, float]:
        """The parameters at ``point``, clipped to their bounds."""
        return {
            each.name: self.value(index, logarithm)
            for index, (each, logarithm) in enumerate(zip(self.free, point.tolist(), strict=True))
        }

    def value(self, index: int, logarithm: float) -> float:
        """One parameter, clipped to its bounds."""
        return min(max(math.exp(logarithm), self.free[index].low), self.free[index].high)

    def predict(self, points: Sequence[Series], figures: Sequence[int] | None = None) -> Series:
        """The simulated value of each figure at each of ``points``, shape (points, figures)."""
        chosen = range(len(self.figures)) if figures is None else figures
        needed = {self.runs[index] for index in chosen}
        order = [number for number in range(len(self._tasks)) if number in needed]
        jobs = [replace(self._tasks[number], values=self.values(point)) for point in points for number in order]
        self.simulated += len(jobs)
        answers = iter(self.map(run, jobs))
        rows = []
        for _ in points:
            answers_of = dict(zip(order, islice(answers, len(order)), strict=True))
            rows.append([answers_of[self.runs[index]][self._answer_of[index]] for index in chosen])
        return np.array(rows)

    def residuals(self, predicted: Series, figures: Sequence[int] | None = None) -> Series:
        """Logarithms of predicted / published in deviations of each figure, in the shape of ``predicted``."""
        chosen = list(range(len(self.figures))) if figures is None else list(figures)
        scaled: Series = np.log(predicted / self.published[chosen]) * self.weights[chosen]
        return scaled

    def pull(self, point: Series) -> Series:
        """Distances of ``point`` from the centres of the priors, in deviations."""
        pulled: Series = (point - self.centre) * self.prior_weights
        return pulled

    def at_bound(self, point: Series) -> list[bool]:
        """Whether each parameter is at one of its bounds."""
        return [bool(each < AT_BOUND) for each in np.minimum(point - self.low, self.high - point)]

    def _distinct(self) -> list[Task]:
        """One task for all figures that are answers of one run."""
        measures_of: dict[tuple[tuple[str, object], ...], list[str]] = {}
        settings = [tuple(each.items()) for each in self.settings]
        for each, figure in zip(settings, self.figures, strict=True):
            measures = measures_of.setdefault(each, [])
            if figure.measure not in measures:
                measures.append(figure.measure)
        number = {each: index for index, each in enumerate(measures_of)}
        self.runs = [number[each] for each in settings]
        self._answer_of = [
            measures_of[each].index(figure.measure) for each, figure in zip(settings, self.figures, strict=True)
        ]
        return [Task(self.system, each, {}, tuple(measures)) for each, measures in measures_of.items()]


def _deviation(figure: Measurement, scatter: float) -> float:
    """Relative standard deviation of a figure: its scatter, and rounding, uniform within the half-width."""
    return math.hypot(scatter, figure.half_width / figure.value / math.sqrt(3.0))
