"""Quantiles of Student's t distribution: SciPy has them too, but takes longer to load than a run to simulate."""

from __future__ import annotations

import math
from functools import lru_cache

_SETTLED = 1e-14
"""A step by less than this share is rounding."""


@lru_cache(maxsize=256)
def quantile(probability: float, freedom: int) -> float:
    """The t below which ``probability`` (above one half) of the distribution lies, by Newton's method.

    Above the median the distribution function is concave, so that no step from there passes the solution.
    """
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    found, step = 0.0, math.inf
    while step > _SETTLED * found:
        density = scale * (1.0 + found * found / freedom) ** (-(freedom + 1) / 2)
        step = (probability - 0.5 - within(found, freedom) / 2) / density
        found += step
    return found


def within(limit: float, freedom: int) -> float:
    """How much of the distribution lies between ``-limit`` and ``limit``.

    A finite sum for whole degrees of freedom (Abramowitz and Stegun, "Handbook of mathematical functions", 1964,
    26.7.3 and 26.7.4).
    """
    angle = math.atan(limit / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for each in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (each - 1) / each
        total += term
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total
