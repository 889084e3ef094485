"""Quantiles of Student's t distribution. SciPy has them, too, but loading it takes longer than a simulation."""

from __future__ import annotations

import math
from functools import lru_cache

_SETTLED = 1e-14
"""Relative step of Newton's method below which it is rounding."""


@lru_cache(maxsize=256)
def quantile(probability: float, freedom: int) -> float:
    """Quantile of ``probability`` (above one half) for ``freedom`` degrees of freedom, by Newton's method.

    Above the median the distribution function is concave, so that no step overshoots the solution.
    """
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    limit, step = 0.0, math.inf
    while step > _SETTLED * limit:
        density = scale * (1.0 + limit * limit / freedom) ** (-(freedom + 1) / 2)
        step = (probability - 0.5 - within(limit, freedom) / 2) / density
        limit += step
    return limit


def within(limit: float, freedom: int) -> float:
    """Probability between ``-limit`` and ``limit``, for ``freedom`` degrees of freedom.

    A finite sum for whole degrees of freedom (Abramowitz and Stegun, "Handbook of mathematical functions", 1964,
    26.7.3 and 26.7.4).
    """
    angle = math.atan(limit / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for number in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (number - 1) / number
        total += term
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total
