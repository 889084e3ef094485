"""Steps of a fit between two simulations, by the analytic engine corrected with simulated residuals.

Space mapping: a cheap model, corrected where the expensive one was run, is minimised in its place (Bandler et al.,
"Space mapping: the state of the art", IEEE Transactions on Microwave Theory and Techniques 52, 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import least_squares

from sim.calibration.problem import Lengths, Problem
from sim.calibration.slopes import AGREES, Tangent
from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Series
from sim.engine.units.text import figure_text

MAX_STEPS = 25
"""Largest number of steps of one walk."""

FRESH = 0.05
"""Distance, in prior deviations, from the point of slopes within which they are still used."""

STALE = 0.02
"""Error of a logarithm after a step above which a figure's slopes are computed anew at its end."""


@dataclass(frozen=True)
class Place:
    """Values and slopes of the figures ``seen`` at one point.

    Attributes:
        point: logarithms of the free parameters, shape (free,).
        lengths: lengths of the runs.
        logs: log values, simulated here or extrapolated from the last simulation, shape (seen,).
        tangent: their slopes.
        found: point of the last finite differences, shape (free,); slopes elsewhere are Broyden updates.
    """

    problem: Problem
    point: Series
    seen: tuple[int, ...]
    lengths: Lengths
    logs: Series
    tangent: Tangent
    found: Series

    @classmethod
    def at(cls, problem: Problem, point: Series, seen: tuple[int, ...], lengths: Lengths) -> Place:
        """Simulate at ``point``, and compute the slopes there.

        Raises:
            InputError: the simulated value of a figure is not finite and above 0.
        """
        predicted = _simulated(problem, point, seen, lengths)
        tangent = Tangent.at(problem, point, predicted, seen, lengths)
        return cls(problem, point, seen, lengths, np.log(predicted), tangent, point)

    def of(self, problem: Problem) -> Place:
        """Copy for another ``problem``, such as one for a single process."""
        return replace(self, problem=problem)

    def only(self, seen: tuple[int, ...]) -> Place:
        """Copy with only the figures ``seen``."""
        rows = [self.seen.index(each) for each in seen]
        return replace(self, seen=seen, logs=self.logs[rows], tangent=self.tangent.only(rows))

    @cached_property
    def residuals(self) -> Series:
        """Residuals of figures and of priors, shape (seen + free,)."""
        data = self.problem.residuals(np.exp(self.logs), self.seen)
        return np.concatenate([data, self.problem.pull(self.point)])

    @cached_property
    def cost(self) -> float:
        """Half the sum of robust squares."""
        return float((np.sqrt(1.0 + self.residuals**2) - 1.0).sum())

    @property
    def jacobian(self) -> Series:
        """Jacobian of the residuals of the figures, shape (seen, free)."""
        return np.asarray(self.tangent.slopes * self.problem.weights[list(self.seen), None])

    def distance(self, other: Place) -> float:
        """Largest distance to ``other`` along a parameter, in deviations of its prior."""
        return float(np.abs((other.point - self.point) * self.problem.prior_weights).max())

    def around(self, radius: float, low: Series, high: Series) -> tuple[Series, Series]:
        """Bounds within ``radius`` deviations of each prior, not beyond ``low`` and ``high``."""
        span = radius / self.problem.prior_weights
        return np.maximum(low, self.point - span), np.minimum(high, self.point + span)

    @property
    def stale(self) -> bool:
        """True if slopes were computed far from here."""
        return bool((np.abs((self.point - self.found) * self.problem.prior_weights) > FRESH).any())

    def near(self, other: Place, limit: float) -> bool:
        """True if the analytic engine computes all figures, and nearly equally at both places."""
        off = np.abs(self.tangent.computed - other.tangent.computed)
        return bool((off <= limit).all())

    def best(self, low: Series, high: Series) -> tuple[Series, float]:
        """The best point between ``low`` and ``high`` for linear residuals; and its cost."""
        problem, jacobian = self.problem, np.vstack([self.jacobian, np.diag(self.problem.prior_weights)])

        def residuals(step: Series) -> Series:
            return np.asarray(self.residuals + jacobian @ step)

        def slopes_there(_step: Series) -> Series:
            return jacobian

        optimum = least_squares(
            residuals,
            np.zeros(len(self.point)),
            jac=slopes_there,
            bounds=(low - self.point, high - self.point),
            method="dogbox",  # a start at a bound is allowed
            loss="soft_l1",
            x_scale=1.0 / problem.prior_weights,
        )
        return np.clip(self.point + optimum.x, problem.low, problem.high), float(optimum.cost)

    def carried(self, point: Series) -> Place:
        """Extrapolate to ``point`` without simulation: by the analytic engine, or by slopes if it has none."""
        step = point - self.point
        by_slopes = self.logs + self.tangent.slopes @ step
        computed = np.full(len(self.seen), np.nan)
        if rows := np.flatnonzero(np.isfinite(self.tangent.computed)).tolist():
            answers = self.problem.compute([point], [self.seen[each] for each in rows])[0]
            computed[rows] = np.log(np.where(answers > 0.0, answers, np.nan))
        known = np.isfinite(computed)
        logs = np.where(known, self.logs + computed - self.tangent.computed, by_slopes)
        slopes = self._bent(step, logs - by_slopes)
        return replace(self, point=point, logs=logs, tangent=Tangent(computed, slopes))

    def _bent(self, step: Series, missed: Series) -> Series:
        """Slopes corrected for the error ``missed`` (Broyden's update, within each figure's own parameters)."""
        scaled = np.where(self.tangent.slopes != 0.0, step * self.problem.prior_weights, 0.0)
        squares = np.maximum((scaled**2).sum(axis=1), np.finfo(float).tiny)
        bent = self.tangent.slopes + (missed / squares)[:, None] * scaled * self.problem.prior_weights
        return np.asarray(bent)

    def renewed(self, before: Place) -> Place:
        """Copy with new slopes of the figures that slopes of ``before`` missed, or that are no longer computed."""
        by_slopes = before.logs + before.tangent.slopes @ (self.point - before.point)
        lost = np.isfinite(before.tangent.computed) & ~np.isfinite(self.tangent.computed)
        return self.anew(np.flatnonzero(lost | (np.abs(self.logs - by_slopes) > STALE)).tolist())

    def simulated(self) -> Place:
        """Copy with simulated values, and new slopes where these differ from the extrapolation."""
        predicted = np.log(_simulated(self.problem, self.point, self.seen, self.lengths))
        off = np.where(np.isfinite(self.tangent.computed), self.tangent.computed - predicted, 0.0)
        by_slopes = ~np.isfinite(self.tangent.computed) & (np.abs(self.logs - predicted) > STALE)
        return replace(self, logs=predicted).anew(np.flatnonzero(by_slopes | (np.abs(off) > AGREES)).tolist())

    def fresh(self) -> Place:
        """Copy with new slopes of all computed figures."""
        rows = np.flatnonzero(np.isfinite(self.tangent.computed)).tolist()
        return replace(self.anew(rows), found=self.point)

    def anew(self, rows: Sequence[int]) -> Place:
        """Copy with new slopes of the figures in ``rows``."""
        if not rows:
            return self
        seen = [self.seen[each] for each in rows]
        tangent = Tangent.at(self.problem, self.point, np.exp(self.logs[rows]), seen, self.lengths)
        return replace(self, tangent=self.tangent.replaced(rows, tangent))


def walk(begun: Place, reach: float, enough: float, *, fresh: bool) -> Place:
    """The best place within ``reach`` deviations of each prior, found without simulation.

    Each step is the best by the slopes, until they promise less than a share ``enough`` of the cost; with
    ``fresh``, that is checked with new slopes at the end. A step that fails is halved. If no figure is computed,
    there is a single step by the slopes.
    """
    problem = begun.problem
    low, high = begun.around(reach, problem.low, problem.high)
    here, radius = begun, reach
    for _ in range(MAX_STEPS):
        point, promised = here.best(*here.around(radius, low, high))
        there = here.carried(point) if here.cost - promised >= enough * here.cost else here
        if there.cost < here.cost:
            here, radius = there.renewed(here), min(2.0 * radius, reach)
        elif fresh and here.stale:
            here = here.fresh()
        elif there is here:
            break
        else:
            radius = here.distance(there) / 2.0
        if not np.isfinite(here.tangent.computed).any():
            break
    return here


def _simulated(problem: Problem, point: Series, seen: Sequence[int], lengths: Lengths) -> Series:
    """Simulated value of each figure; InputError if one is not above 0: its residual would not be finite."""
    predicted: Series = problem.predict([point], seen, lengths)[0]
    for index, answer in zip(seen, predicted.tolist(), strict=True):
        if not (np.isfinite(answer) and answer > 0.0):
            figure = problem.figures[index]
            simulated = "nothing" if np.isnan(answer) else figure_text(answer, figure.unit)
            raise InputError(
                f"{figure.cell} is {figure_text(figure.value, figure.unit)}, where {simulated} is simulated; "
                "allowed: figures that the system can have; take it out, or fix its settings"
            )
    return predicted
