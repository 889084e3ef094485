"""Test for a missing mechanism: errors of a fit that follow a setting, however small they are.

Random errors do not depend on the setting. For each answer and each setting that was varied, an F-test asks
whether a curve over the setting (a line and a parabola in its logarithm, or a level for each choice) explains more
of the errors than chance would. The space of the fitted parameters is projected out of errors and curve alike, so
the noise of the figures need not be known: it is estimated from the rest.

    F = ((‖r‖² - ‖r'‖²) / q) / (‖r'‖² / (n - k - q))

with n errors r, k directions determined by the fit, q shapes of the curve, and the residuals r' after the curve.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtrc

from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.engine.statistics.estimates import Series

UNLIKELY = 0.01
"""Probability of a false alarm, over all tests of a fit together."""

DETERMINED = 1.0
"""Least singular value, in prior deviations, of a direction that the data determine, not the priors."""

ROUNDING = 1e-9
"""Share of a curve or of errors below which the rest after projection counts as rounding."""


@dataclass(frozen=True)
class Pattern:
    """Errors of ``measure`` that follow ``setting``.

    Attributes:
        probability: p-value of this test alone, before correction for the number of tests.
        errors: mean of predicted / measured - 1 at each value of the setting, as users write it.
    """

    measure: str
    setting: str
    probability: float
    errors: dict[str, float]


def patterns(problem: Problem, solution: Solution) -> list[Pattern]:
    """Settings that errors follow, the clearest first; a false alarm in one of a hundred fits.

    Errors below the precision of simulated values do not count.
    """
    tested = list(_tested(problem, solution))
    found = [
        each
        for each in tested
        if each.probability * len(tested) < UNLIKELY and max(map(abs, each.errors.values())) > problem.precision
    ]
    return sorted(found, key=lambda each: each.probability)


def chance(errors: Series, jacobian: Series, curve: Series) -> float:
    """The probability that chance alone gives a ``curve`` as clear as the one through ``errors``.

    Args:
        errors: errors of the figures, in deviations, shape (figures,).
        jacobian: their slopes in deviations of the priors, shape (figures, free).
        curve: shapes of which it is a linear combination, shape (figures, shapes).

    Returns:
        1 if too few figures are left.
    """
    directions, sizes, _ = np.linalg.svd(jacobian, full_matrices=False)
    fitted = directions[:, sizes >= DETERMINED]
    left, shapes = errors - fitted @ (fitted.T @ errors), curve - fitted @ (fitted.T @ curve)
    basis, sizes, _ = np.linalg.svd(shapes, full_matrices=False)
    basis = basis[:, sizes > ROUNDING * np.linalg.norm(curve)]
    shapes_left = basis.shape[1]
    freedom = len(errors) - fitted.shape[1] - shapes_left
    along = basis.T @ left
    rest = left - basis @ along
    if not shapes_left or freedom < 1 or np.linalg.norm(left) <= ROUNDING * np.linalg.norm(errors):
        return 1.0
    explained, unexplained = float(along @ along) / shapes_left, float(rest @ rest) / freedom
    return float(fdtrc(shapes_left, freedom, explained / unexplained)) if unexplained else 0.0


def _tested(problem: Problem, solution: Solution) -> Iterator[Pattern]:
    """Yield the test of each answer over each setting that was varied for it."""
    errors = problem.residuals(solution.predicted, solution.seen)
    jacobian = solution.jacobian / problem.prior_weights
    shares = solution.predicted / problem.published[list(solution.seen)] - 1.0
    measures = np.array([problem.figures[index].measure for index in solution.seen])
    for measure in dict.fromkeys(measures.tolist()):
        rows = np.flatnonzero(measures == measure)
        once = _averages([problem.runs[solution.seen[row]] for row in rows])
        for setting in problem.system.settings:
            values = [problem.settings[solution.seen[row]][setting.name] for row in rows]
            shapes = curve(values)
            if shapes is None:
                continue
            weighted = shapes * problem.weights[list(solution.seen)][rows, None]
            probability = chance(once @ errors[rows], once @ jacobian[rows], once @ weighted)
            shown = [setting.show(each) for each in values]
            yield Pattern(measure, setting.name, probability, _means(shown, shares[rows]))


def curve(values: Sequence[Any]) -> Series | None:
    """The shapes of a curve over the ``values`` of a setting, shape (figures, shapes); None for one value.

    A line and a parabola of the logarithm for three or more numbers; else a level for each value but one.
    """
    distinct = sorted(set(values))
    if len(distinct) <= 1:
        return None
    if len(distinct) > 2 and all(isinstance(each, int | float) and each > 0 for each in distinct):  # noqa: PLR2004
        logs = np.log(np.array(values, dtype=np.float64))
        logs -= logs.mean()
        return np.stack([logs, logs**2], axis=1)
    return np.array([[float(each == level) for level in distinct[1:]] for each in values])


def _averages(runs: Sequence[int]) -> Series:
    """Matrix that averages the figures of each run, shape (runs, figures): repeats share their error."""
    distinct = np.array(sorted(set(runs)))
    of_run = (distinct[:, None] == np.array(runs)).astype(np.float64)
    averages: Series = of_run / of_run.sum(axis=1, keepdims=True)
    return averages


def _means(shown: Sequence[str], errors: Series) -> dict[str, float]:
    """Mean error at each value, in the order of first appearance."""
    of_value = {value: [index for index, each in enumerate(shown) if each == value] for value in shown}
    return {value: float(errors[rows].mean()) for value, rows in of_value.items()}
