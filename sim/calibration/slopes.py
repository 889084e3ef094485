"""Slopes of a fit: how residuals change with the parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.calibration.problem import Lengths, Problem
from sim.statistics.estimates import Series

STEP = 0.05
"""Step of finite differences, of a logarithm: large against the noise of a run, small against a factor of two."""

AGREES = 0.1
"""Of a logarithm: what the analytic engine computes this near to what was simulated has slopes as good."""


def slopes(
    problem: Problem, point: Series, predicted: Series, seen: Sequence[int], lengths: Lengths | None = None
) -> Series:
    """Jacobian of the residuals of the figures ``seen`` by finite differences at ``point``, shape (seen, free).

    Differences are those of the analytic engine, which have no noise and cost a tenth, where it knows a figure and
    agrees with ``predicted``, what was simulated of it. Elsewhere they are simulated.
    """
    steps = np.where(point + STEP <= problem.high, STEP, -STEP)
    points = [point, *(point + step for step in np.diag(steps))]
    answers = problem.compute(points, seen)
    astray = np.flatnonzero(~_agrees(answers, predicted)).tolist()
    if astray:
        answers[:, astray] = problem.predict(points, [seen[each] for each in astray], lengths)
    residuals = problem.residuals(answers, seen)
    return np.asarray(((residuals[1:] - residuals[0]) / steps[:, None]).T)


def _agrees(answers: Series, predicted: Series) -> NDArray[np.bool_]:
    """Whether all answers about a figure are known and the first is near to ``predicted``, shape (figures,)."""
    known = (np.isfinite(answers) & (answers > 0.0)).all(axis=0)
    off = np.log(np.where(known, answers[0], np.inf) / predicted)
    return np.asarray(known & (np.abs(off) <= AGREES))
