"""Finds a fixed point: plain rounds, hastened by what the last few say about where they lead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

DEPTH = 5
"""Rounds that are remembered."""

HASTY_ROUNDS = 200
"""Hastened rounds; what has not settled then may go round in circles, and is damped instead."""

PATIENT_ROUNDS = 3000
DAMPING = (0.5, 0.1, 0.02)
"""Which part of a change is made, in a third of the patient rounds each."""


def fixed_point(
    follow: Callable[[Vector], Vector], start: Vector, settled: Callable[[Vector, Vector], bool]
) -> Vector | None:
    """Seek x = ``follow(x)`` from ``start``, all of shape (n,) with entries of at least 0; None if not found.

    Anderson, "Iterative procedures for nonlinear integral equations", Journal of the ACM 12 (1965).

    Args:
        settled: whether a point and what follows from it are near enough.
    """
    hasty = _hastened(follow, start, settled)
    if hasty is not None:
        return hasty
    point = start
    for number in range(PATIENT_ROUNDS):
        following = follow(point)
        if settled(point, following):
            return following
        point = point + DAMPING[number * len(DAMPING) // PATIENT_ROUNDS] * (following - point)
    return None


def _hastened(
    follow: Callable[[Vector], Vector], start: Vector, settled: Callable[[Vector, Vector], bool]
) -> Vector | None:
    points: list[Vector] = []
    followers: list[Vector] = []
    point = start
    for number in range(HASTY_ROUNDS):
        following = follow(point)
        if number and settled(point, following):
            return following
        points, followers = [*points[-DEPTH:], point], [*followers[-DEPTH:], following]
        point = np.maximum(_combined(points, followers), 0.0) if number > 1 else following
        if not np.isfinite(point).all():
            return None
    return None


def _combined(points: list[Vector], followers: list[Vector]) -> Vector:
    """The mixture of the last followers whose change, were all linear, would be the least."""
    ends = np.array(followers)
    changes = ends - np.array(points)
    steps = changes[1:] - changes[:-1]
    with np.errstate(over="ignore"):  # what runs away is left to the plain rounds
        squares = steps @ steps.T
    squares.flat[:: len(squares) + 1] *= 1.0 + 1e-10
    if not np.isfinite(squares).all():
        return followers[-1]
    try:
        weights = np.linalg.solve(squares, steps @ changes[-1])
    except np.linalg.LinAlgError:
        return followers[-1]
    return np.asarray(ends[-1] - weights @ (ends[1:] - ends[:-1]))
