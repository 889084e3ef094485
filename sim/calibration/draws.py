"""Posterior draws of parameters: drawn from the covariance of a fit, shortened where they are too unlikely.

A covariance assumes that predictions are linear in the logarithms of parameters. A parameter with little effect,
such as a small time beside a large one, has the deviation of its prior; two deviations up it would dominate the
prediction, and all fitted figures would be missed. So a draw is shortened until the squares of the fit, priors
included, rise no more than the covariance implies for its full step.
"""

from __future__ import annotations

import numpy as np

from sim.calibration.confidence import Certainty, inflation
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.engine.statistics.estimates import Series
from sim.prediction.uncertainty import mirrored_points

HALVINGS = 5
"""Number of bisections of a draw's step."""

ROUNDING = 1e-6
"""Tolerance of squares over the covariance's value, as a share."""


def draws(problem: Problem, solution: Solution, certainty: Certainty) -> Series:
    """Values of the free parameters, shape (draws, free), within their bounds."""
    normal = np.array(list(mirrored_points(len(solution.point))))
    steps = normal @ np.linalg.cholesky(certainty.covariance).T
    allowed = np.sum(normal**2, axis=1) * (1.0 + ROUNDING)

    def likely(shares: Series) -> Series:
        """True where the squares are within bounds after these shares of the steps, shape (draws,)."""
        risen: Series = _risen(problem, solution, steps * shares[:, np.newaxis]) <= allowed
        return risen

    beyond = np.ones(len(steps))
    inside = np.where(likely(beyond), 1.0, 0.0)
    for _ in range(HALVINGS if not inside.all() else 0):
        middle = np.maximum(inside, (inside + beyond) / 2.0)
        within = likely(middle)
        inside, beyond = np.where(within, middle, inside), np.where(within, beyond, middle)
    ends = solution.point + steps * inside[:, np.newaxis]
    return np.array([list(problem.values(each).values()) for each in ends])


def _risen(problem: Problem, solution: Solution, steps: Series) -> Series:
    """Rise of the squares of figures and priors after ``steps`` from the solution, shape (draws,).

    Figures that the analytic engine cannot compute move linearly, as the covariance assumes for all.
    """
    in_proportion = steps @ solution.jacobian.T
    points = [solution.point, *(solution.point + steps)]
    computed = problem.compute(points, solution.seen)
    logs = np.log(np.where(computed > 0.0, computed, np.nan))
    moved = (logs[1:] - logs[0]) * problem.weights[list(solution.seen)]
    moved = np.where(np.isfinite(moved), moved, in_proportion) / inflation(problem, solution)
    return np.asarray(np.sum(moved**2, axis=1) + np.sum((steps * problem.prior_weights) ** 2, axis=1))
