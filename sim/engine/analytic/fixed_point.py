"""Fixed points: accelerated iterations (Anderson mixing), and damped ones where those do not converge.

Anderson, "Iterative procedures for nonlinear integral equations", Journal of the ACM 12 (1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

DEPTH = 3
"""Number of iterations kept."""

STEP_LIMIT = 4.0
"""Largest length of an accelerated step, in lengths of the plain one."""

ACCELERATED_ROUNDS = 200
"""Largest number of accelerated iterations; if they have not converged, damped ones follow."""

DAMPED_ROUNDS = 3000
DAMPING = (0.5, 0.1, 0.02)
"""Share of each residual that is added, each for a third of the damped iterations."""


def fixed_point(
    evaluate: Callable[[Vector], Vector], start: Vector, weights: Callable[[], Vector], precise: float
) -> Vector | None:
    """Solve x = ``evaluate(x)`` from ``start``, all of shape (n,) with entries of at least 0; None if not found.

    Args:
        weights: weight of each entry's residual, shape (n,), at the point last evaluated.
        precise: largest weighted residual of the solution.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a diverging iteration is left to the damped ones
        solution = _accelerated(evaluate, start, weights, precise)
    if solution is not None:
        return solution
    point = start
    for number in range(DAMPED_ROUNDS):
        image = evaluate(point)
        residual = image - point
        if (np.abs(residual) * weights()).max(initial=0.0) <= precise:
            return image
        point = point + DAMPING[number * len(DAMPING) // DAMPED_ROUNDS] * residual
    return None


def _accelerated(
    evaluate: Callable[[Vector], Vector], start: Vector, weights: Callable[[], Vector], precise: float
) -> Vector | None:
    memory = _Memory(len(start))
    point = start
    for number in range(ACCELERATED_ROUNDS):
        image = evaluate(point)
        residual, weight = image - point, weights()
        sizes = np.abs(residual) * weight
        if number and sizes.max(initial=0.0) <= precise:
            return image
        far = float(sizes.sum())
        if not math.isfinite(far):
            return None
        point = memory.next(image, residual, weight, STEP_LIMIT * far)
    return None


class _Memory:
    """Changes of the last few images and residuals from iteration to iteration, each of ``size`` entries."""

    def __init__(self, size: int) -> None:
        self._count = 0
        self._last: tuple[Vector, Vector] | None = None
        self._image_changes, self._residual_changes = np.zeros((DEPTH, size)), np.zeros((DEPTH, size))

    def next(self, image: Vector, residual: Vector, weights: Vector, longest: float) -> Vector:
        """The mixture of the last images that would minimise the weighted residual if ``evaluate`` were linear."""
        if self._last is not None:
            row = self._count % DEPTH
            np.subtract(image, self._last[0], out=self._image_changes[row])
            np.subtract(residual, self._last[1], out=self._residual_changes[row])
            self._count += 1
        self._last = (image, residual)
        if self._count < 2:  # noqa: PLR2004  (one change is too few)
            return image
        remembered = min(self._count, DEPTH)
        residuals = self._residual_changes[:remembered] * weights
        squares = residuals @ residuals.T
        squares.flat[:: remembered + 1] *= 1.0 + 1e-10
        try:
            correction = (
                np.linalg.solve(squares, residuals @ (residual * weights)) @ self._image_changes[:remembered]
            )
        except np.linalg.LinAlgError:
            return image
        far = float(np.abs(correction) @ weights)
        if far > longest:
            correction *= longest / far
        return np.maximum(image - correction, 0.0) if math.isfinite(far) else image
