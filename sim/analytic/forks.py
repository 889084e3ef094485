"""Joining the branches of a fork: the mean and variance of the greatest of several times."""

from __future__ import annotations

import math
from functools import cache, reduce

Moments = tuple[float, float]
"""Mean (s) and variance (s²) of a time."""

_EXPONENTIAL_EXCESS = math.sqrt(math.pi) / 2
"""Exact over normal: of two alike exponential times the greater has mean 1.5 m, and Clark's formula says
m (1 + 1/√π); the excess over the mean is smaller by √π/2."""


def greatest(times: list[tuple[int, Moments]]) -> Moments:
    """Moments of the greatest of independent times, each so many times, taken in two by two.

    Source: Clark, "The greatest of a finite set of random variables", Operations Research 9 (1961), for
    normal variables, its excess scaled to be exact for two alike exponential ones. That branches which
    queue at the same moments depend on each other is left out, as in the upper bound of Nelson and Tantawi,
    "Approximate analysis of fork/join synchronization in parallel queues", IEEE Trans. Computers 37 (1988).
    """
    return reduce(_greater, sorted(_alike(count, moments) for count, moments in times))


def _alike(count: int, moments: Moments) -> Moments:
    """The greatest of ``count`` times with the same moments."""
    mean_s, variance = moments
    excess, rest = _standard(count)
    return mean_s + excess * math.sqrt(variance), rest * variance


@cache
def _standard(count: int) -> Moments:
    """The greatest of ``count`` times of mean 0 and variance 1."""
    return reduce(_greater, [(0.0, 1.0)] * count)


def _greater(first: Moments, second: Moments) -> Moments:
    (mean_a, variance_a), (mean_b, variance_b) = first, second
    spread = math.sqrt(variance_a + variance_b)
    if spread <= 1e-12 * max(mean_a, mean_b, 1e-30):
        return max(first, second)
    gap = (mean_a - mean_b) / spread
    density = math.exp(-gap * gap / 2) / math.sqrt(2 * math.pi)
    below = math.erfc(-gap / math.sqrt(2)) / 2
    excess = spread * (gap * below + density)  # of the mean of the greater over the mean of the second
    square = (
        (mean_a**2 + variance_a) * below
        + (mean_b**2 + variance_b) * (1 - below)
        + (mean_a + mean_b) * spread * density
    )
    variance = max(square - (mean_b + excess) ** 2, 0.0)
    base = max(mean_a, mean_b)
    return base + (mean_b + excess - base) * _EXPONENTIAL_EXCESS, variance
