"""Uncertainty of fitted parameters: scatter, covariance, profile intervals, parameters left at their priors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.special import ndtri, stdtrit

from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.engine.statistics.estimates import Series

CHI_SQUARED_95 = 3.841
"""95th percentile with one degree of freedom: twice the rise of the cost at the ends of a 95 % interval."""

AT_PRIOR = 0.8
"""Posterior over prior deviation from which on a parameter counts as left at its prior."""


ASSUMED_FIGURES = 2.0
"""Weight, in figures, of the scatter that a dataset states: 4 % then means 2.3 to 18 % at 90 %."""

IN_BAND = 0.95
"""Probability below the upper end of a 90 % band."""


@dataclass(frozen=True)
class Certainty:
    """Confidence of a fit, from the Jacobian at its solution.

    Attributes:
        covariance: covariance of the logarithms, shape (free, free); priors included.
        scatter: deviation of log(measured / predicted), widened by its own uncertainty.
        shrunk: deviation of each parameter as a share of its prior's, shape (free,); 1 without any data.
        singular_values, directions: SVD of the weighted Jacobian, largest first; one direction a row.
        correlation: correlation of the parameters, shape (free, free).
    """

    covariance: Series
    scatter: float
    shrunk: Series
    singular_values: Series
    directions: Series
    correlation: Series

    @property
    def at_prior(self) -> list[bool]:
        """True for each parameter that the data hardly narrowed."""
        return [bool(each >= AT_PRIOR) for each in self.shrunk]


def certainty(problem: Problem, solution: Solution) -> Certainty:
    """Linearise ``problem`` at ``solution``."""
    jacobian, spread = solution.jacobian, inflation(problem, solution)
    information = jacobian.T @ jacobian / spread**2 + np.diag(problem.prior_weights**2)
    covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
    deviations = np.sqrt(np.diag(covariance))
    _, values, directions = np.linalg.svd(jacobian / problem.prior_weights, full_matrices=False)
    return Certainty(
        covariance=covariance,
        scatter=scatter(problem, solution),
        shrunk=deviations * problem.prior_weights,
        singular_values=values,
        directions=directions,
        correlation=covariance / np.outer(deviations, deviations),
    )


def inflation(problem: Problem, solution: Solution) -> float:
    """Factor by which residuals exceed their weights; at least 1, so that luck makes no fit more certain."""
    residuals = problem.residuals(solution.predicted, solution.seen)
    freedom = max(1.0, len(residuals) - _determined(problem, solution))
    return max(1.0, math.sqrt(float(residuals @ residuals) / freedom))


def scatter(problem: Problem, solution: Solution) -> float:
    """Scatter of figures about the fit: half of a 90 % band of logarithms, in deviations of a normal distribution.

    The scatter that the dataset states counts like ``ASSUMED_FIGURES`` figures; as many residuals as the fit left
    free are added. Student's distribution accounts for how badly few residuals determine the deviation: equation
    1 of docs/dev/fitting.md (Gelman et al., "Bayesian data analysis", 3rd edition, 2013, sections 2.6 and 3.2).
    """
    logs = np.log(solution.predicted / problem.published[list(solution.seen)])
    freedom = ASSUMED_FIGURES + max(0.0, len(logs) - _determined(problem, solution))
    assumed = ASSUMED_FIGURES * float(np.mean(problem.scatter**2))
    deviation = math.sqrt((assumed + float(logs @ logs)) / freedom)
    return deviation * float(stdtrit(freedom, IN_BAND) / ndtri(IN_BAND))


def _determined(problem: Problem, solution: Solution) -> float:
    """Effective number of parameters that data rather than priors determine: trace of the hat matrix."""
    information = solution.jacobian.T @ solution.jacobian
    return float(np.trace(np.linalg.solve(information + np.diag(problem.prior_weights**2), information)))


def profile(problem: Problem, solution: Solution, parameter: int) -> tuple[float, float]:
    """95 % interval of one parameter (its logarithm) by profile likelihood.

    The others are refitted at each value of the parameter, on the linearised residuals with the soft L1 loss.
    """
    spread = inflation(problem, solution) ** 2
    allowed = solution.cost + CHI_SQUARED_95 / 2.0 * spread
    best = solution.point[parameter]
    return (
        _edge(problem, solution, parameter, best, problem.low[parameter], allowed),
        _edge(problem, solution, parameter, best, problem.high[parameter], allowed),
    )


def _edge(
    problem: Problem, solution: Solution, parameter: int, inside: float, outside: float, allowed: float
) -> float:
    """Value between ``inside`` and ``outside`` at which the profile of the cost reaches ``allowed``."""
    if _profile_cost(problem, solution, parameter, outside) <= allowed:
        return outside
    for _ in range(30):
        middle = (inside + outside) / 2.0
        if _profile_cost(problem, solution, parameter, middle) <= allowed:
            inside = middle
        else:
            outside = middle
    return inside


def _constant(slopes: Series) -> Callable[[Series], Series]:
    return lambda _moved: slopes


def _profile_cost(problem: Problem, solution: Solution, parameter: int, value: float) -> float:
    data = problem.residuals(solution.predicted, solution.seen)
    others = [index for index in range(len(solution.point)) if index != parameter]

    def residuals(moved: Series) -> Series:
        step = np.insert(moved, parameter, value - solution.point[parameter])
        return np.concatenate([data + solution.jacobian @ step, problem.pull(solution.point + step)])

    slopes = np.vstack([solution.jacobian, np.diag(problem.prior_weights)])[:, others]
    fit = least_squares(residuals, np.zeros(len(others)), jac=_constant(slopes), loss="soft_l1")
    return float(fit.cost)
