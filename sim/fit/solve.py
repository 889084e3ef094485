"""Least squares with the simulation in the loop, and what its Jacobian says about the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import OptimizeResult, least_squares

from sim.estimates import Series
from sim.fit.problem import STEP, Problem

FIRST_STEPS, MOST_STEPS = 5, 10
"""Of one fit: by plain squares, then by soft L1."""

GOOD_ENOUGH = 2e-3
"""A step that lowers the cost by a smaller share is the last: less than the chance of a run."""

CLOSE_ENOUGH = 1e-4
"""A step that is a smaller share of the way from zero is the last; logarithms of seconds are about -10."""


@dataclass(frozen=True)
class Solution:
    """Where a fit ended.

    Attributes:
        point: logarithms of the free parameters, shape (free,).
        cost: half the sum of robust squares, priors included.
        predicted: at ``point``, of each figure of the problem that was seen, shape (seen,).
        jacobian: of the residuals of the seen figures, shape (seen, free).
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
    Where these end, it is found out anew how long models have to run. With a ``jacobian`` (of the seen figures),
    which only a start that is near can have, it is kept for all steps.
    """
    if jacobian is None:
        start = _descend(_Walk(problem, list(seen), None), start, "linear", FIRST_STEPS).x
        problem.pilot(start)
    walk = _Walk(problem, list(seen), jacobian)
    found = _descend(walk, start, "soft_l1", MOST_STEPS)
    point: Series = found.x
    slopes = walk.jacobian(point)[: len(seen)]
    return Solution(point, float(found.cost), tuple(seen), walk.predicted(point), slopes)


def _descend(walk: _Walk, start: Series, loss: Literal["linear", "soft_l1"], most_steps: int) -> OptimizeResult:
    problem = walk.problem
    return least_squares(
        walk.residuals,
        np.clip(start, problem.low + 1e-9, problem.high - 1e-9),
        jac=walk.jacobian,
        bounds=(problem.low, problem.high),
        loss=loss,
        ftol=GOOD_ENOUGH,
        xtol=CLOSE_ENOUGH,
        x_scale=1.0 / problem.prior_weights,
        max_nfev=most_steps,
    )


class _Walk:
    """Residuals and differences along the way of one fit; what was simulated last is not simulated again."""

    def __init__(self, problem: Problem, seen: list[int], jacobian: Series | None) -> None:
        self.problem, self.seen, self.fixed = problem, seen, jacobian
        self.known: dict[bytes, Series] = {}
        self.slopes: dict[bytes, Series] = {}

    def predicted(self, point: Series) -> Series:
        if point.tobytes() not in self.known:
            self.known[point.tobytes()] = self.problem.predict([point], self.seen)[0]
        return self.known[point.tobytes()]

    def residuals(self, point: Series) -> Series:
        data = self.problem.residuals(self.predicted(point), self.seen)
        return np.concatenate([data, self.problem.pull(point)])

    def jacobian(self, point: Series) -> Series:
        if self.fixed is not None:
            return np.vstack([self.fixed, np.diag(self.problem.prior_weights)])
        key = point.tobytes()
        if key not in self.slopes:
            self.slopes[key] = differences(self.problem, point, self.predicted(point), self.seen)
        return np.vstack([self.slopes[key], np.diag(self.problem.prior_weights)])


def differences(problem: Problem, point: Series, predicted: Series, seen: Sequence[int]) -> Series:
    """How the residuals of the figures ``seen`` change with each logarithm, shape (seen, free)."""
    steps = np.where(point + STEP <= problem.high, STEP, -STEP)
    moved = problem.predict([point + step for step in np.diag(steps)], seen)
    slopes = problem.residuals(moved, seen) - problem.residuals(predicted, seen)
    return np.asarray((slopes / steps[:, None]).T)


def starts(problem: Problem, count: int) -> list[Series]:
    """The centre of the priors, then points drawn from them (within the bounds), always the same."""
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.standard_normal((count - 1, len(problem.free))) / problem.prior_weights
    return [problem.centre, *(np.clip(problem.centre + each, problem.low, problem.high) for each in drawn)]
