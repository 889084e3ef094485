"""A fit whose answer has a closed form."""

from __future__ import annotations

import math

import numpy as np

import toy
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.system import Parameter


class Linear:
    """A problem whose logarithms are linear in the parameters: least squares have a closed form.

    The free parameters are called p1, p2, …, with priors from exp(-4) to exp(4): deviations of 2.
    """

    def __init__(self, slopes, measured, scatter=0.04, weights=None, clients=None):
        self.slopes, self.published = np.array(slopes, dtype=float), np.exp(measured)
        count, free = self.slopes.shape
        self.figures = toy.figures()[:count] if count <= 12 else [*toy.figures(), *toy.figures()][:count]
        self.free = [
            Parameter(f"p{number + 1}", 1.0, "s", math.exp(-4), math.exp(4), "fitted", "made up")
            for number in range(free)
        ]
        self.runs, self.system = list(range(count)), toy.TOY
        self.settings = [{"clients": each, "items": 1, "second": 0} for each in clients or [1] * count]
        self.scatter = np.full(count, scatter)
        self.precision = 0.0  # nothing is simulated
        self.weights = np.full(count, 1.0 / scatter) if weights is None else np.array(weights, dtype=float)
        self.centre, self.low, self.high = np.zeros(free), np.full(free, -4.0), np.full(free, 4.0)
        self.prior_weights = np.full(free, 0.5)
        self.piloted, self.simulated, self.map, self.first_lengths = [], 0, map, "rough"

    pull, residuals, at_bound, values, value = (
        Problem.pull,
        Problem.residuals,
        Problem.at_bound,
        Problem.values,
        Problem.value,
    )

    def alone(self):
        return self

    def lengths(self, point):
        self.piloted.append(point)
        return "long enough"

    def predict(self, points, figures=None, _lengths=None):
        chosen = list(range(len(self.published))) if figures is None else list(figures)
        self.simulated += len(points) * len(chosen)
        return np.array([np.exp(self.slopes[chosen] @ point) for point in points])

    def compute(self, points, figures):
        chosen = list(figures)
        return np.array([np.exp(self.slopes[chosen] @ point) for point in points])

    def closed_form(self, seen):
        """Ridge regression towards the centres of the priors."""
        weighted = self.slopes[seen] * self.weights[seen, None]
        information = weighted.T @ weighted + np.diag(self.prior_weights**2)
        return np.linalg.solve(information, weighted.T @ (np.log(self.published[seen]) * self.weights[seen]))

    def solution(self, point, seen=None, cost=0.0):
        seen = list(range(len(self.published))) if seen is None else seen
        point = np.array(point, dtype=float)
        predicted = self.predict([point], seen)[0]
        return Solution(
            point, cost, tuple(seen), predicted, self.slopes[seen] * self.weights[seen, None], "long enough"
        )
