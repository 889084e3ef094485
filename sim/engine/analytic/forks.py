"""Join of the branches of a fork: mean and variance of the greatest of several times.

Times are taken as Weibull with their mean and variance, which is exact for exponential ones: a Weibull time of
shape 1/p is the power p of an exponential one. The greatest of n identical times of mean m and standard deviation
σ has the mean M(n) and the variance σ² (E₂ - E₁²) / (μ₂ - μ₁²):

    M(n) = m + σ (E₁ - μ₁) / √(μ₂ - μ₁²),
        Eᵢ = ∫ t^(ip) n (1 - e^(-t))^(n-1) e^(-t) dt,    μᵢ = Γ(1 + ip)        (18)
    M = max(m_a, m_b) + (m_b + θ (g Φ(g) + φ(g)) - max(m_a, m_b)) √π e₂,
        θ² = σ_a² + σ_b²,    g = (m_a - m_b) / θ        (19)

(19) joins two different times as Clark, "The greatest of a finite set of random variables", Operations Research 9
(1961), does with normal ones, with density φ and distribution Φ. The excess is scaled by that of two identical
Weibull times, e₂ = (M(2) - m) / σ with σ / m = θ / √(m_a² + m_b²), over that of two identical normal ones, 1 / √π.

Identical branches are one visit with that parallelism. The dependence of branches that queue at the same places is
neglected, as in the upper bound of Nelson and Tantawi, "Approximate analysis of fork/join synchronization in
parallel queues", IEEE Trans. Computers 37 (1988).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cache, reduce

import numpy as np

from sim.engine.analytic.moments import Moments

_POWERS = (*np.geomspace(0.01, 1.0, 40), *np.geomspace(1.0, 8.0, 24)[1:])
"""1 / shape of the Weibull times: coefficients of variation from 0.013 to several hundred."""


def greatest(times: list[tuple[int, Moments]]) -> Moments:
    """Moments of the greatest of independent times; each is given with the number of identical ones."""
    return reduce(_greater, sorted(_identical(count, moments) for count, moments in times))


def _identical(count: int, moments: Moments) -> Moments:
    """The greatest of ``count`` times with the same moments."""
    mean_s, variance = moments
    if count == 1 or not (mean_s > 0.0 and variance > 0.0):
        return moments
    excess, scale = _standard(count, math.sqrt(variance) / mean_s)
    return mean_s + excess * math.sqrt(variance), scale * variance


def of_many(count: float, mean_s: float, variation: float) -> float:
    """Mean of the greatest of ``count`` identical times; ``count`` is at least 1 and need not be whole."""
    below = math.floor(count)
    cv = math.sqrt(variation)
    low, high = (_standard(whole, cv)[0] for whole in (below, below + 1))
    return mean_s * (1.0 + cv * (low + (count - below) * (high - low)))


def _standard(count: int, cv: float) -> Moments:
    """The greatest of ``count`` times: its excess over the mean in standard deviations, and share of variance."""
    cvs, excesses, scales = _table(count)
    row = min(max(bisect_right(cvs, cv), 1), len(cvs) - 1)
    share = min(max((cv - cvs[row - 1]) / (cvs[row] - cvs[row - 1]), 0.0), 1.0)
    return tuple(each[row - 1] + share * (each[row] - each[row - 1]) for each in (excesses, scales))  # type: ignore[return-value]


@cache
def _table(count: int) -> tuple[list[float], list[float], list[float]]:
    """Coefficients of variation, and the results of `_standard` for them: equation 18."""
    # A Weibull time is a power of an exponential one, so the greatest is that power of the greatest exponential
    # one.
    log_t = np.linspace(-40.0, 5.5, 1000)
    t = np.exp(log_t)
    density = count * (-np.expm1(-t)) ** (count - 1) * np.exp(-t) * t
    rows = []
    for power in _POWERS:
        mean, square = math.gamma(1.0 + power), math.gamma(1.0 + 2.0 * power)
        deviation = math.sqrt(square - mean * mean)
        top, top_square = (float(np.trapezoid(t**order * density, log_t)) for order in (power, 2.0 * power))
        rows.append((deviation / mean, (top - mean) / deviation, (top_square - top * top) / deviation**2))
    cvs, excesses, scales = zip(*rows, strict=True)
    return list(cvs), list(excesses), list(scales)


def _greater(first: Moments, second: Moments) -> Moments:
    """Moments of the greater of two times: equation 19."""
    (mean_a, variance_a), (mean_b, variance_b) = first, second
    both = variance_a + variance_b
    deviation = math.sqrt(both)
    if deviation <= 1e-12 * max(mean_a, mean_b, 1e-30):
        return max(first, second)
    gap = (mean_a - mean_b) / deviation
    density = math.exp(-gap * gap / 2) / math.sqrt(2 * math.pi)
    below = math.erfc(-gap / math.sqrt(2)) / 2
    excess = deviation * (gap * below + density)  # mean of the greater time minus mean of the second
    square = (
        (mean_a**2 + variance_a) * below
        + (mean_b**2 + variance_b) * (1 - below)
        + (mean_a + mean_b) * deviation * density
    )
    variance = max(square - (mean_b + excess) ** 2, 0.0)
    base = max(mean_a, mean_b)
    normal = 1.0 / math.sqrt(math.pi)  # excess of two identical normal times, in standard deviations
    scale = _standard(2, math.sqrt(both / (mean_a**2 + mean_b**2)))[0] / normal
    return base + (mean_b + excess - base) * scale, variance
