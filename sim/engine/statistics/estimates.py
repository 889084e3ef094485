"""Estimates with confidence intervals; the warm-up of a series; the mean of independent values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim.engine.statistics.student_t import quantile
from sim.engine.units.text import interval_texts, number_text

Series = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval.

    Attributes:
        low: nan without an interval.
        high: nan without an interval; infinite if nothing bounds the value from above.
        known: True if the interval is as narrow as was asked for, and nothing still changes the value.
    """

    value: float
    low: float
    high: float
    confidence: float
    known: bool = True

    @property
    def exact(self) -> bool:
        """True if the value is certain, and so its own interval."""
        return self.confidence == 1.0 and self.low == self.high

    @property
    def precision(self) -> float:
        """The longer side of the interval as a share of the value; infinite if unknown."""
        half = max(self.high - self.value, self.value - self.low)
        return half / abs(self.value) if self.value and math.isfinite(half) else math.inf

    def __str__(self) -> str:
        """The value with its interval, as text.

        >>> str(Estimate(4030.4, 3852.0, 4209.0, 0.95))
        '4030 (3852 … 4209 at 95%)'
        """
        unsure = "" if self.known else ", not known well enough"
        if math.isnan(self.low) or self.exact:
            return f"{number_text(self.value)}{unsure}"
        low, high, value = interval_texts(self.low, self.high, self.value)
        return f"{value} ({low} … {high} at {self.confidence:.0%}){unsure}"

    def scaled(self, factor: float) -> Estimate:
        """A copy in another unit, with all values times ``factor``."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor, self.confidence, self.known)

    def not_below_zero(self) -> Estimate:
        """A copy for a quantity that cannot be negative: an interval from few runs may reach below zero."""
        return replace(self, low=0.0) if self.low < 0.0 else self

    def duration(self, amount: float) -> Estimate:
        """The time that ``amount`` takes at this rate; nan, and not known, if the rate is zero.

        >>> Estimate(2.0, 1.0, 4.0, 0.95).duration(8.0)
        Estimate(value=4.0, low=2.0, high=8.0, confidence=0.95, known=True)
        """
        if not self.value > 0.0:
            return Estimate(math.nan, math.nan, math.nan, self.confidence, known=False)
        high = math.inf if self.low <= 0.0 else amount / self.low
        return Estimate(amount / self.value, amount / self.high, high, self.confidence, self.known)

    def marked(self, *, known: bool) -> Estimate:
        """A copy marked as known or not."""
        return Estimate(self.value, self.low, self.high, self.confidence, bool(known))


def certain(value: float) -> Estimate:
    """An exact value, which is its own interval."""
    return Estimate(value, value, value, 1.0)


def point(value: float) -> Estimate:
    """A value without an interval."""
    return Estimate(value, math.nan, math.nan, math.nan)


def mser5(several: Sequence[Series]) -> int | None:
    """Number of observations to remove as warm-up until each of ``several`` series of equal length has settled.

    None if even half would not be enough for one of them.

    MSER-5: of means of five, among all truncations up to half of them, the one with the least standard
    error of the rest (White, Cobb and Spratt, "A comparison of five steady-state truncation
    heuristics for simulation", Winter Simulation Conference 2000).
    """
    groups = len(several[0]) // 5
    series = np.stack([each[: groups * 5] for each in several])
    means = series.reshape(len(several), groups, 5).mean(axis=2)
    kept = np.arange(groups, 0, -1)
    tail_sum = np.cumsum(means[:, ::-1], axis=1)[:, ::-1]
    tail_square = np.cumsum((means * means)[:, ::-1], axis=1)[:, ::-1]
    half = groups // 2 + 1
    spread = np.maximum(tail_square - tail_sum * tail_sum / kept, 0.0)[:, :half]
    best = int(np.argmin(spread / (kept[:half] * kept[:half]), axis=1).max())
    return None if best == half - 1 else best * 5


def ratio(numerators: Series, denominators: Series, confidence: float) -> Estimate:
    """Estimate the ratio of two means from independent batches (Student's t on the linearised ratio).

    Args:
        numerators: one sum for each batch, shape (batches,); a single batch gives no interval.
        denominators: the other sum for each batch, shape (batches,).
        confidence: level of the interval, 0.95 for 95 %.
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


def mean(values: Series, confidence: float) -> Estimate:
    """Estimate the mean of independent ``values``, shape (values,); at least two are needed for an interval."""
    return ratio(values, np.ones_like(values), confidence)


def percentile_95(ordered: Sequence[float]) -> float:
    """The 95th percentile of numbers (at least one) from the lowest to the highest: the least that 95 % reach."""
    return ordered[math.ceil(0.95 * len(ordered)) - 1]
