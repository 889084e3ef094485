"""Finds a fixed point: plain rounds, hastened by what the last few say about where they lead."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

DEPTH = 3
"""Rounds that are remembered."""

FARTHEST = 4.0
"""A hastened step is at most so many times as far as a plain one."""

HASTY_ROUNDS = 200
"""Hastened rounds; what has not settled then may go round in circles, and is damped instead."""

PATIENT_ROUNDS = 3000
DAMPING = (0.5, 0.1, 0.02)
"""Which part of a change is made, in a third of the patient rounds each."""


def fixed_point(
    follow: Callable[[Vector], Vector], start: Vector, weights: Callable[[], Vector], precise: float
) -> Vector | None:
    """Seek x = ``follow(x)`` from ``start``, all of shape (n,) with entries of at least 0; None if not found.

    Anderson, "Iterative procedures for nonlinear integral equations", Journal of the ACM 12 (1965).

    Args:
        weights: what a change of one of each entry counts, shape (n,), at the point last followed.
        precise: no entry of what is found changes by more than this, weighed.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what runs away is left to the plain rounds
        hasty = _hastened(follow, start, weights, precise)
    if hasty is not None:
        return hasty
    point = start
    for number in range(PATIENT_ROUNDS):
        following = follow(point)
        change = following - point
        if (np.abs(change) * weights()).max(initial=0.0) <= precise:
            return following
        point = point + DAMPING[number * len(DAMPING) // PATIENT_ROUNDS] * change
    return None


def _hastened(
    follow: Callable[[Vector], Vector], start: Vector, weights: Callable[[], Vector], precise: float
) -> Vector | None:
    memory = _Memory(len(start))
    point = start
    for number in range(HASTY_ROUNDS):
        following = follow(point)
        change, weighed = following - point, weights()
        changes = np.abs(change) * weighed
        if number and changes.max(initial=0.0) <= precise:
            return following
        far = float(changes.sum())
        if not math.isfinite(far):
            return None
        point = memory.next(following, change, weighed, FARTHEST * far)
    return None


class _Memory:
    """How the last few points, of ``size`` numbers each, and what follows from them, changed round by round."""

    def __init__(self, size: int) -> None:
        self._rounds = 0
        self._last: tuple[Vector, Vector] | None = None
        self._ends, self._steps = np.zeros((DEPTH, size)), np.zeros((DEPTH, size))

    def next(self, following: Vector, change: Vector, weights: Vector, farthest: float) -> Vector:
        """The mixture of the last followers whose weighed change, were all linear, would be the least."""
        if self._last is not None:
            row = self._rounds % DEPTH
            np.subtract(following, self._last[0], out=self._ends[row])
            np.subtract(change, self._last[1], out=self._steps[row])
            self._rounds += 1
        self._last = (following, change)
        if self._rounds < 2:  # noqa: PLR2004  (the first change says little)
            return following
        known = min(self._rounds, DEPTH)
        steps = self._steps[:known] * weights
        squares = steps @ steps.T
        squares.flat[:: known + 1] *= 1.0 + 1e-10
        try:
            away = np.linalg.solve(squares, steps @ (change * weights)) @ self._ends[:known]
        except np.linalg.LinAlgError:
            return following
        far = float(np.abs(away) @ weights)
        if far > farthest:
            away *= farthest / far
        return np.maximum(following - away, 0.0) if math.isfinite(far) else following
