"""What a run says about the long run: warm-up removal, batch means, and whether the batches are independent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sim.student import quantile

Series = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval; ``low`` and ``high`` are nan where no interval is known."""

    value: float
    low: float
    high: float
    confidence: float

    @property
    def precision(self) -> float:
        """Half the width of the interval as a share of the value; infinite where unknown."""
        half = (self.high - self.low) / 2
        return half / abs(self.value) if self.value and math.isfinite(half) else math.inf

    def scaled(self, factor: float) -> Estimate:
        """The same in another unit."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor, self.confidence)


def point(value: float) -> Estimate:
    """A value whose interval is not known."""
    return Estimate(value, math.nan, math.nan, math.nan)


def mser5(series: Series) -> int | None:
    """How many observations of ``series`` to remove as warm-up; None where even half would not be enough.

    Means of five observations; of all truncations up to half of them, the one with the least standard
    error of the rest (White, Cobb and Spratt, "A comparison of five steady-state truncation
    heuristics for simulation", Winter Simulation Conference 2000).
    """
    groups = len(series) // 5
    means = series[: groups * 5].reshape(groups, 5).mean(axis=1)
    kept = np.arange(groups, 0, -1)
    tail_sum = np.cumsum(means[::-1])[::-1]
    tail_square = np.cumsum((means * means)[::-1])[::-1]
    half = groups // 2 + 1
    spread = np.maximum(tail_square - tail_sum * tail_sum / kept, 0.0)[:half]
    best = int(np.argmin(spread / (kept[:half] * kept[:half])))
    return None if best == half - 1 else best * 5


def independent(batches: Series, significance: float = 0.1) -> bool:
    """Whether batch means pass von Neumann's test against positive correlation of neighbours.

    The ratio of successive differences is near normal for independent batches (Fishman, "Grouping
    observations in digital simulation", Management Science 24 (1978), 510-521).
    """
    count = len(batches)
    deviation = batches - batches.mean()
    squares = float(deviation @ deviation)
    if squares <= (1e-12 * abs(batches.mean())) ** 2 * count:
        return True  # constant but for rounding: nothing to be correlated
    differences = np.diff(batches)
    correlation = 1.0 - float(differences @ differences) / (2.0 * squares)
    limit = NormalDist().inv_cdf(1.0 - significance) * math.sqrt((count - 2) / (count * count - 1))
    return correlation <= limit


def ratio(numerators: Series, denominators: Series, confidence: float) -> Estimate:
    """Estimate the ratio of two means from independent batches (Student's t on the linearised ratio).

    Args:
        numerators: one sum a batch, shape (batches,); a single batch gives no interval.
        denominators: the other sum a batch, shape (batches,).
        confidence: of the interval, 0.95 for 95 %.
    """
    total = float(denominators.sum())
    if total <= 0.0:
        return Estimate(math.nan, math.nan, math.nan, confidence)
    value = float(numerators.sum()) / total
    count = len(numerators)
    if count == 1:
        return Estimate(value, math.nan, math.nan, confidence)
    errors = numerators - value * denominators
    deviation = math.sqrt(float(errors @ errors) / (count - 1) / count) / (total / count)
    half = quantile(0.5 + confidence / 2, count - 1) * deviation
    return Estimate(value, value - half, value + half, confidence)


def correlated_ratio(numerators: Series, denominators: Series, confidence: float) -> Estimate:
    """As ``ratio``, from batches that may still depend on their neighbours, as mean latencies do.

    The interval is widened by the correlation of neighbours (Tafazzoli and Wilson, "Skart: a skewness- and
    autoregression-adjusted batch-means procedure for simulation analysis", IIE Transactions 43 (2011), 110-128).
    """
    found = ratio(numerators, denominators, confidence)
    errors = numerators - found.value * denominators
    squares = float(errors @ errors)
    if not squares > 0.0:
        return found
    # Independent batches show a correlation of -1 / batches on average.
    correlation = float(errors[1:] @ errors[:-1]) / squares + 1.0 / len(errors)
    correlation = min(max(correlation, 0.0), 0.9)
    half = (found.high - found.value) * math.sqrt((1.0 + correlation) / (1.0 - correlation))
    return Estimate(found.value, found.value - half, found.value + half, confidence)


def mean(values: Series, confidence: float) -> Estimate:
    """Estimate the mean from independent values, shape (values,), at least two."""
    return ratio(values, np.ones_like(values), confidence)
