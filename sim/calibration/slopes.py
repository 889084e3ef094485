"""Slopes of a fit: derivatives of figures and residuals by the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.calibration.problem import Lengths, Problem
from sim.engine.statistics.estimates import Series

STEP = 0.05
"""Step of finite differences of logarithms: large against the noise of a run, small against a factor of two."""

AGREES = 0.1
"""Largest difference of logarithms between computed and simulated value at which computed slopes are used."""


@dataclass(frozen=True)
class Tangent:
    """Linearisation of figures about a point, all as logarithms.

    Attributes:
        computed: values of the analytic engine, shape (figures,); nan where slopes are simulated.
        slopes: derivatives by the parameters, shape (figures, free).
    """

    computed: Series
    slopes: Series

    @classmethod
    def at(
        cls,
        problem: Problem,
        point: Series,
        predicted: Series,
        seen: Sequence[int],
        lengths: Lengths | None = None,
    ) -> Tangent:
        """Finite differences of the figures ``seen`` at ``point``.

        The analytic engine gives the slope of each figure for which it agrees with the simulated value
        ``predicted``, without noise and at a tenth of the cost; the other figures are simulated.
        """
        steps = np.where(point + STEP <= problem.high, STEP, -STEP)
        points = [point, *(point + step for step in np.diag(steps))]
        answers = problem.compute(points, seen)
        agrees = _agrees(answers, predicted)
        if astray := np.flatnonzero(~agrees).tolist():
            answers[:, astray] = problem.predict(points, [seen[each] for each in astray], lengths)
        logs = np.log(answers)
        return cls(np.where(agrees, logs[0], np.nan), ((logs[1:] - logs[0]) / steps[:, None]).T)

    def only(self, rows: Sequence[int]) -> Tangent:
        """Copy with only some of its figures."""
        return Tangent(self.computed[list(rows)], self.slopes[list(rows)])

    def replaced(self, rows: Sequence[int], other: Tangent) -> Tangent:
        """Copy with ``rows`` replaced by ``other``, which has only the figures of these rows."""
        computed, slopes = self.computed.copy(), self.slopes.copy()
        computed[list(rows)], slopes[list(rows)] = other.computed, other.slopes
        return Tangent(computed, slopes)


def slopes(
    problem: Problem, point: Series, predicted: Series, seen: Sequence[int], lengths: Lengths | None = None
) -> Series:
    """Jacobian of the residuals of the figures ``seen`` at ``point``, shape (seen, free)."""
    tangent = Tangent.at(problem, point, predicted, seen, lengths)
    return np.asarray(tangent.slopes * problem.weights[list(seen), None])


def _agrees(answers: Series, predicted: Series) -> NDArray[np.bool_]:
    """True where all answers about a figure are known and the first is near ``predicted``, shape (figures,)."""
    known = (np.isfinite(answers) & (answers > 0.0)).all(axis=0)
    off = np.log(np.where(known, answers[0], np.inf) / predicted)
    return np.asarray(known & (np.abs(off) <= AGREES))
