"""Least squares with the simulation in the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import least_squares

from sim.calibration.problem import STEP, Problem
from sim.errors import InputError
from sim.statistics.estimates import Series
from sim.units import figure_text

FIRST_STEPS, MAX_STEPS = 5, 10
"""Of one descent: by plain squares, and by soft L1."""

MAX_DESCENTS = 4
"""By soft L1, each with fresh differences."""

GOOD_ENOUGH = 2e-3
"""A step, or a descent, that lowers the cost by a smaller share is the last: less than the chance of a run."""

CLOSE_ENOUGH = 1e-4
"""A step that is a smaller share of the way from zero is the last; logarithms of seconds are about -10."""


_Loss = Literal["linear", "soft_l1"]


@dataclass(frozen=True)
class Solution:
    """Where a fit ended.

    Attributes:
        point: logarithms of the free parameters, shape (free,).
        cost: half the sum of robust squares, priors included.
        predicted: at ``point``, of each figure of the problem that was seen, shape (seen,).
        jacobian: of the residuals of the seen figures, shape (seen, free), where the last descent began.
    """

    point: Series
    cost: float
    seen: tuple[int, ...]
    predicted: Series
    jacobian: Series


def solve(problem: Problem, seen: Sequence[int], start: Series, *, jacobian: Series | None = None) -> Solution:
    """Fit the figures ``seen``, from ``start``.

    Residuals of figures count by soft L1, so that one that nothing explains does not drag all others along; the
    pull of the priors counts the same way. Far away that would creep, so the first steps are by plain squares.
    Where these end, the time that each model has to run is estimated again. Each descent takes differences once,
    and descents follow one another until one gains nothing. A ``jacobian`` (of the seen figures) from a near
    solution spares the differences; then one descent is enough.

    Raises:
        InputError: a figure whose simulated value, where the fit begins, is not finite and above 0.
    """
    if jacobian is not None:
        return _descend(_Objective(problem, list(seen), jacobian), start, "soft_l1", MAX_STEPS)
    start = _descend(_Objective(problem, list(seen)), start, "linear", FIRST_STEPS).point
    problem.pilot(start)
    solution = _descend(_Objective(problem, list(seen)), start, "soft_l1", MAX_STEPS)
    for _ in range(MAX_DESCENTS - 1):
        before = solution
        solution = _descend(_Objective(problem, list(seen)), before.point, "soft_l1", MAX_STEPS)
        if solution.cost > before.cost * (1.0 - GOOD_ENOUGH):
            break
    return solution


def _descend(objective: _Objective, start: Series, loss: _Loss, max_steps: int) -> Solution:
    problem = objective.problem
    start = np.clip(start, problem.low + 1e-9, problem.high - 1e-9)
    _check_start(problem, objective.predicted(start), objective.seen)
    optimum = least_squares(
        objective.residuals,
        start,
        jac=objective.jacobian,
        bounds=(problem.low, problem.high),
        loss=loss,
        ftol=GOOD_ENOUGH,
        xtol=CLOSE_ENOUGH,
        x_scale=1.0 / problem.prior_weights,
        max_nfev=max_steps,
    )
    point: Series = optimum.x
    return Solution(
        point, float(optimum.cost), tuple(objective.seen), objective.predicted(point), objective.differences
    )


def _check_start(problem: Problem, predicted: Series, seen: Sequence[int]) -> None:
    """Refuse a figure whose simulated value is not above 0, for its residual would not be finite."""
    for index, answer in zip(seen, predicted.tolist(), strict=True):
        if not (np.isfinite(answer) and answer > 0.0):
            figure = problem.figures[index]
            raise InputError(
                f"{figure.cell} is {figure_text(figure.value, figure.unit)}, where "
                f"{figure_text(answer, figure.unit)} is simulated; "
                "allowed: figures that the system can have; take it out, or mend its settings"
            )


class _Objective:
    """Residuals and Jacobian of one descent; no point is simulated twice.

    The Jacobian is made of differences at the first point and updated at every step (Broyden, "A class of methods
    for solving nonlinear simultaneous equations", Mathematics of Computation 19 (1965), 577-593).
    """

    differences: Series

    def __init__(self, problem: Problem, seen: list[int], jacobian: Series | None = None) -> None:
        self.problem, self.seen = problem, seen
        self._predicted: dict[bytes, Series] = {}
        self._first_slopes = jacobian
        self._last_point: Series | None = None

    def predicted(self, point: Series) -> Series:
        if point.tobytes() not in self._predicted:
            self._predicted[point.tobytes()] = self.problem.predict([point], self.seen)[0]
        return self._predicted[point.tobytes()]

    def residuals(self, point: Series) -> Series:
        return np.concatenate([self._data(point), self.problem.pull(point)])

    def jacobian(self, point: Series) -> Series:
        if self._last_point is None:
            self.differences = self._slopes_at_start(point)
            self._slopes = self.differences
        elif (point != self._last_point).any():
            self._slopes = self._updated(self._last_point, point)
        self._last_point = point.copy()
        return np.vstack([self._slopes, np.diag(self.problem.prior_weights)])

    def _slopes_at_start(self, point: Series) -> Series:
        if self._first_slopes is not None:
            return self._first_slopes
        return differences(self.problem, point, self.predicted(point), self.seen)

    def _data(self, point: Series) -> Series:
        return self.problem.residuals(self.predicted(point), self.seen)

    def _updated(self, before: Series, point: Series) -> Series:
        """Broyden's rank-one update of the Jacobian; steps are in deviations of the priors."""
        step = (point - before) * self.problem.prior_weights
        missed = self._data(point) - self._data(before) - self._slopes @ (point - before)
        updated: Series = self._slopes + np.outer(missed, step * self.problem.prior_weights) / (step @ step)
        return updated


def differences(problem: Problem, point: Series, predicted: Series, seen: Sequence[int]) -> Series:
    """Jacobian of the residuals of the figures ``seen`` by finite differences, shape (seen, free)."""
    steps = np.where(point + STEP <= problem.high, STEP, -STEP)
    moved = problem.predict([point + step for step in np.diag(steps)], seen)
    slopes = problem.residuals(moved, seen) - problem.residuals(predicted, seen)
    return np.asarray((slopes / steps[:, None]).T)


def starts(problem: Problem, count: int) -> list[Series]:
    """The centre of the priors, then points drawn from them (within the bounds), always the same."""
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.standard_normal((count - 1, len(problem.free))) / problem.prior_weights
    return [problem.centre, *(np.clip(problem.centre + each, problem.low, problem.high) for each in drawn)]
