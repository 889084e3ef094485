"""The problem of a fit: the free parameters of a system, as logarithms, and the figures to match."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import repeat

import numpy as np

from sim.calibration.evaluate import SEED, Task, computed, pilot, run
from sim.data.dataset import SCATTER, Measurement
from sim.engine.errors import InputError
from sim.engine.simulation.fixed_length import RunLength
from sim.engine.statistics.estimates import Series
from sim.prediction.processes import in_order
from sim.prediction.report import case_of
from sim.system.parameters import Parameter
from sim.system.system import System

PRECISION = 1 / 16
"""Precision of an evaluation, as a share of the scatter: each of its n runs may err by √n times as much."""

ROUGHLY = 2.0
"""Factor to the precision for the first steps of a fit, which need not reach its end."""

PRIOR_DEVIATIONS = 4.0
"""Standard deviations of a prior between the bounds of its parameter: two on each side of the centre."""


AT_BOUND = 0.01
"""Distance of logarithms: a parameter within one per cent of a bound counts as at the bound."""

Lengths = tuple[RunLength | None, ...]
"""Length of each run, by its number."""


class Problem:
    """Free parameters and figures. Points are logarithms of the free parameters, shape (free,).

    Args:
        figures: each must be one of the answers of ``system``.
        workers: pool of processes that run simulations; this process if None.
        scatter: relative scatter of the figures of each dataset, by name; ``SCATTER`` for others.
        seed: seed of all its runs.

    A fit changes nothing of a problem but ``simulated``, so that the order of fits does not matter.

    Attributes:
        simulated: number of simulation runs so far, without pilot runs.
        runs: number of each figure's run, from 0 in the order of the figures.
    """

    def __init__(
        self,
        system: System,
        figures: Sequence[Measurement],
        workers: Executor | None = None,
        scatter: Mapping[str, float] | None = None,
        seed: int = SEED,
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
        self.map = partial(in_order, workers) if workers else map
        self.processes = os.cpu_count() or 1 if workers else 1
        self.settings = [case_of(system, figure).settings for figure in self.figures]
        self.published = np.array([figure.value for figure in self.figures])
        self.scatter = np.array([(scatter or {}).get(each.dataset, SCATTER) for each in self.figures])
        pairs = zip(self.figures, self.scatter.tolist(), strict=True)
        self.weights = 1.0 / np.array([_deviation(figure, share) for figure, share in pairs])
        self.centre = np.log([each.centre for each in self.free])
        self.low = np.log([each.low for each in self.free])
        self.high = np.log([each.high for each in self.free])
        self.prior_weights = PRIOR_DEVIATIONS / (self.high - self.low)
        self.seed = seed
        self._tasks = self._distinct()
        self.precision = PRECISION * float(self.scatter.min()) * math.sqrt(len(self._tasks))
        self.simulated = 0

    @cached_property
    def first_lengths(self) -> Lengths:
        """Rough run length of each model, at the centres of the priors, for the first steps of a fit."""
        return self.lengths(self.centre, ROUGHLY * self.precision)

    def lengths(self, point: Series, precision: float | None = None) -> Lengths:
        """Run length of each model at ``point``, from pilot runs: longer where a buffer fills."""
        jobs = [replace(task, values=self.values(point), seed=self.seed) for task in self._tasks]
        return tuple(self.map(pilot, jobs, repeat(precision or self.precision)))

    def alone(self) -> Problem:
        """Copy for a single process, which can be sent to another; its ``first_lengths`` go with it."""
        alone = copy(self)
        alone.map, alone.processes, alone.simulated = map, 1, 0
        alone.first_lengths = self.first_lengths
        return alone

    def seeded(self, seed: int) -> Problem:
        """Copy with another seed."""
        seeded = copy(self)
        seeded.__dict__.pop("first_lengths", None)
        seeded.seed, seeded.simulated = seed, 0
        return seeded

    def values(self, point: Series) -> dict[str, float]:
        """The parameters at ``point``, clipped to their bounds."""
        return {
            each.name: self.value(index, logarithm)
            for index, (each, logarithm) in enumerate(zip(self.free, point.tolist(), strict=True))
        }

    def value(self, index: int, logarithm: float) -> float:
        """One parameter, clipped to its bounds."""
        return min(max(math.exp(logarithm), self.free[index].low), self.free[index].high)

    def predict(
        self, points: Sequence[Series], figures: Sequence[int] | None = None, lengths: Lengths | None = None
    ) -> Series:
        """The simulated value of each figure at each of ``points``, shape (points, figures).

        Args:
            lengths: lengths of the runs; by default ``first_lengths``.
        """
        chosen = range(len(self.figures)) if figures is None else figures
        jobs = self._jobs(chosen, self.first_lengths if lengths is None else lengths)
        self.simulated += len(jobs) * len(points)
        answers = self.map(run, jobs.values(), repeat([self.values(point) for point in points]))
        return self._by_figure(chosen, dict(zip(jobs, answers, strict=True)), len(points))

    def compute(self, points: Sequence[Series], figures: Sequence[int]) -> Series:
        """Answers of the analytic engine in place of ``predict``, shape (points, figures); NaN if unknown."""
        jobs = self._jobs(figures, (None,) * len(self._tasks))
        numbers, values = list(jobs), [self.values(point) for point in points]
        shares = [numbers[first :: self.processes] for first in range(min(self.processes, len(numbers)))]
        tasks = [[jobs[number] for number in share] for share in shares]
        answers = {
            number: known or [(math.nan,) * len(jobs[number].measures)] * len(points)
            for share, found in zip(shares, self.map(computed, tasks, repeat(values)), strict=True)
            for number, known in zip(share, found, strict=True)
        }
        return self._by_figure(figures, answers, len(points))

    def _jobs(self, figures: Iterable[int], lengths: Lengths) -> dict[int, Task]:
        """Runs that ``figures`` need, by number."""
        return {
            number: replace(self._tasks[number], length=lengths[number], seed=self.seed)
            for number in sorted({self.runs[index] for index in figures})
        }

    def _by_figure(
        self, figures: Iterable[int], answers: Mapping[int, Sequence[Sequence[float]]], points: int
    ) -> Series:
        """Rearrange answers by run, point and measure into shape (points, figures)."""
        places = [(self.runs[index], self._answer_of[index]) for index in figures]
        return np.array([[answers[number][point][at] for number, at in places] for point in range(points)])

    def residuals(self, predicted: Series, figures: Sequence[int] | None = None) -> Series:
        """log(predicted / published) in deviations of each figure, in the shape of ``predicted``."""
        chosen = list(range(len(self.figures))) if figures is None else list(figures)
        scaled: Series = np.log(predicted / self.published[chosen]) * self.weights[chosen]
        return scaled

    def pull(self, point: Series) -> Series:
        """Distances of ``point`` from the centres of the priors, in deviations."""
        pulled: Series = (point - self.centre) * self.prior_weights
        return pulled

    def at_bound(self, point: Series) -> list[bool]:
        """True for each parameter at one of its bounds."""
        return [bool(each < AT_BOUND) for each in np.minimum(point - self.low, self.high - point)]

    def _distinct(self) -> list[Task]:
        """One task for all figures of one run."""
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
