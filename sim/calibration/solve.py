"""Least squares with the simulation in the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import least_squares

from sim.calibration.problem import Lengths, Problem
from sim.calibration.slopes import slopes
from sim.errors import InputError
from sim.statistics.estimates import Series
from sim.units import figure_text

MAX_STEPS = 20
"""With the runs of each of the two lengths."""

ROUGH, ENOUGH = 0.05, 1e-4
"""Share of the cost that the next step has to promise: with the first runs, and with those that decide."""

NOISE = 0.01
"""Share by which a step may raise the cost, for the chance of a run is as large."""

RADIUS = 1.0
"""The longest step, in deviations of the priors, until one fails."""


@dataclass(frozen=True)
class Solution:
    """Where a fit ended.

    Attributes:
        point: logarithms of the free parameters, shape (free,).
        cost: half the sum of robust squares, priors included.
        predicted: at ``point``, of each figure of the problem that was seen, shape (seen,).
        jacobian: of the residuals of the seen figures, shape (seen, free), at ``point``.
        lengths: of the runs that this was found with.
    """

    point: Series
    cost: float
    seen: tuple[int, ...]
    predicted: Series
    jacobian: Series
    lengths: Lengths


def solve(problem: Problem, seen: Sequence[int], start: Series) -> Solution:
    """Fit the figures ``seen``, from ``start``.

    Residuals of figures count by soft L1, so that one that nothing explains does not drag all others along; the
    pull of the priors counts the same way. Where rough runs gain no more, the time that each model has to run is
    estimated again, and the fit goes on with runs that are long enough.

    Raises:
        InputError: a figure whose simulated value, where the fit begins, is not finite and above 0.
    """
    seen = tuple(seen)
    rough = _descend(
        _At.of(problem, np.clip(start, problem.low, problem.high), seen, problem.first_lengths), ROUGH
    )
    end = _descend(_At.of(problem, rough.point, seen, problem.lengths(rough.point)), ENOUGH)
    return Solution(end.point, end.cost, seen, end.predicted, end.jacobian, end.lengths)


def starts(problem: Problem, count: int) -> list[Series]:
    """The centre of the priors, then points drawn from them (within the bounds), always the same."""
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.standard_normal((count - 1, len(problem.free))) / problem.prior_weights
    return [problem.centre, *(np.clip(problem.centre + each, problem.low, problem.high) for each in drawn)]


@dataclass(frozen=True)
class _At:
    """What is known at one point; attributes as those of a `Solution`."""

    problem: Problem
    point: Series
    seen: tuple[int, ...]
    lengths: Lengths
    predicted: Series

    @classmethod
    def of(cls, problem: Problem, point: Series, seen: tuple[int, ...], lengths: Lengths) -> _At:
        """Simulate at ``point``."""
        predicted = problem.predict([point], seen, lengths)[0]
        _check(problem, predicted, seen)
        return cls(problem, point, seen, lengths, predicted)

    def moved(self, point: Series) -> _At:
        """The same at another point."""
        return self.of(self.problem, point, self.seen, self.lengths)

    @cached_property
    def residuals(self) -> Series:
        """Of the figures seen and of the priors, shape (seen + free,)."""
        data = self.problem.residuals(self.predicted, self.seen)
        return np.concatenate([data, self.problem.pull(self.point)])

    @cached_property
    def cost(self) -> float:
        return float((np.sqrt(1.0 + self.residuals**2) - 1.0).sum())

    @cached_property
    def jacobian(self) -> Series:
        return slopes(self.problem, self.point, self.predicted, self.seen, self.lengths)

    def best(self, radius: float) -> tuple[Series, float]:
        """The best point within ``radius``, in deviations of each prior, were residuals linear; and its cost."""
        problem, jacobian = self.problem, np.vstack([self.jacobian, np.diag(self.problem.prior_weights)])
        reach = radius / problem.prior_weights

        def residuals(step: Series) -> Series:
            return np.asarray(self.residuals + jacobian @ step)

        def slopes_there(_step: Series) -> Series:
            return jacobian

        optimum = least_squares(
            residuals,
            np.zeros(len(self.point)),
            jac=slopes_there,
            bounds=(np.maximum(problem.low - self.point, -reach), np.minimum(problem.high - self.point, reach)),
            method="dogbox",  # begins at a bound as well as elsewhere
            loss="soft_l1",
            x_scale=1.0 / problem.prior_weights,
        )
        return np.clip(self.point + optimum.x, problem.low, problem.high), float(optimum.cost)


def _descend(at: _At, enough: float) -> _At:
    """Step after step, each the best that the slopes promise (Gauss and Newton), until they promise too little.

    Of a step that fails half is tried, and the next ones may be twice as long as the last.
    """
    radius = RADIUS
    for _ in range(MAX_STEPS):
        point, promised = at.best(radius)
        if at.cost - promised < enough * at.cost:
            break
        after = at.moved(point)
        if after.cost <= at.cost * (1.0 + NOISE):
            at, radius = after, min(2.0 * radius, RADIUS)
        else:
            radius = float(np.abs((point - at.point) * at.problem.prior_weights).max()) / 2.0
    return at


def _check(problem: Problem, predicted: Series, seen: Sequence[int]) -> None:
    """Refuse a figure whose simulated value is not above 0, for its residual would not be finite."""
    for index, answer in zip(seen, predicted.tolist(), strict=True):
        if not (np.isfinite(answer) and answer > 0.0):
            figure = problem.figures[index]
            raise InputError(
                f"{figure.cell} is {figure_text(figure.value, figure.unit)}, where "
                f"{figure_text(answer, figure.unit)} is simulated; "
                "allowed: figures that the system can have; take it out, or mend its settings"
            )
