"""Difference of two answers, and the probability that the first is better."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sim.decision.spread import Spread
from sim.engine.statistics.answers import ANSWERS
from sim.engine.statistics.estimates import Estimate, Series, mean, ratio
from sim.engine.statistics.student_t import quantile, within
from sim.system.parameters import CONFIDENCE as LIKELY
from sim.system.parameters import DEVIATIONS

CONFIDENCE = 0.95
"""Confidence of intervals from pairs of runs."""

MORE_IS_BETTER = {**{name: name == "throughput" for name in ANSWERS}, "elapsed": False}
"""True for answers of which more is better, False where less is; others are not listed."""


@dataclass(frozen=True)
class Band:
    """Where B - A and B / A lie at ``confidence``, given the uncertainty of simulation and parameters."""

    difference: tuple[float, float]
    ratio: tuple[float, float]
    known: bool
    confidence: float = LIKELY


@dataclass(frozen=True)
class Difference:
    """One answer of A and of B, in ``unit``.

    Attributes:
        difference: B - A.
        ratio: B / A; nan if one of them is not above zero.
        better: probability that A is better, by the noise of simulation alone; None if it is not stated what is
            better, or if both are the same.
        likely_better: probability that A is better, with uncertain parameters; None if all are certain.
        band: None if all parameters are certain.
        structures: True if the band includes structures of the system that differ.
    """

    name: str
    unit: str
    a: Estimate
    b: Estimate
    difference: Estimate
    ratio: Estimate
    better: float | None
    likely_better: float | None = None
    band: Band | None = None
    structures: bool = False

    @property
    def same(self) -> bool:
        """True if both are exactly equal in every pair of runs, and in every structure."""
        return not self.structures and self.difference.low == self.difference.value == self.difference.high == 0.0

    @property
    def seen(self) -> bool:
        """True if the interval excludes a difference of zero."""
        return self.difference.low > 0.0 or self.difference.high < 0.0


@dataclass(frozen=True)
class Paired:
    """One answer in each pair of runs.

    Attributes:
        a, b: shape (pairs,).
        coarseness: of either, its largest error that no number of runs reduces.
        known: of either, True if it is known.
    """

    name: str
    unit: str
    a: Series
    b: Series
    coarseness: tuple[float, float] = (0.0, 0.0)
    known: tuple[bool, bool] = (True, True)

    def difference(self, spread: Spread | None = None) -> Difference:
        """The difference by all pairs, with the ``spread`` by parameters if given."""
        a, b = (mean(values, CONFIDENCE) for values in (self.a, self.b))
        between = _widened(mean(self.b - self.a, CONFIDENCE), self.coarseness[0] + self.coarseness[1])
        same = bool(np.array_equal(self.a, self.b))
        plain = Difference(
            self.name,
            self.unit,
            _widened(a, self.coarseness[0]).marked(known=self.known[0]),
            _widened(b, self.coarseness[1]).marked(known=self.known[1]),
            (Estimate(0.0, 0.0, 0.0, CONFIDENCE) if same else between).marked(known=all(self.known)),
            self._ratio(a, b, same=same),
            None if same else self._better(self.b - self.a, (0.0, 0.0), sum(self.coarseness)),
        )
        if spread is None:
            return plain
        return replace(plain, likely_better=self._likely_better(spread), band=self._band(plain, spread))

    def _ratio(self, a: Estimate, b: Estimate, *, same: bool) -> Estimate:
        if not (a.value > 0.0 and b.value > 0.0):
            return Estimate(math.nan, math.nan, math.nan, CONFIDENCE, known=False)
        if same:
            return Estimate(1.0, 1.0, 1.0, CONFIDENCE, all(self.known))
        coarseness = self.coarseness[1] / b.value + self.coarseness[0] / a.value
        estimate = ratio(self.b, self.a, CONFIDENCE)
        return _widened(estimate, coarseness * estimate.value).marked(known=all(self.known))

    def _better(self, gaps: Series, deviations: tuple[float, float], coarse: float) -> float | None:
        """The probability that A is better.

        The mean of ``gaps`` has standard ``deviations`` below and above, and an error of up to ``coarse``,
        taken as uniform.
        """
        if self.name not in MORE_IS_BETTER:
            return None
        value = float(np.mean(gaps))
        noise = float(np.std(gaps, ddof=1)) / math.sqrt(len(gaps))
        error = math.hypot(noise, deviations[value < 0.0], coarse / math.sqrt(3.0))
        more = _above_zero(value, error, len(gaps) - 1)
        return 1.0 - more if MORE_IS_BETTER[self.name] else more

    def _likely_better(self, spread: Spread) -> float | None:
        """Probability that A is better, with the parameters' spread of the ratio, which moves less than B - A."""
        if np.array_equal(self.a, self.b):
            return None
        times = self.b.mean() / self.a.mean() if self.a.mean() > 0.0 else 0.0
        if not times > 0.0:
            return self._better(self.b - self.a, spread.difference, sum(self.coarseness))
        coarse = self.coarseness[0] / self.a.mean() + self.coarseness[1] / self.b.mean()
        return self._better(np.log(times) + (self.b - times * self.a) / self.b.mean(), spread.log_ratio, coarse)

    def _band(self, plain: Difference, spread: Spread) -> Band:
        between, times = plain.difference, plain.ratio
        below, above = (self._half(between, deviation) for deviation in spread.difference)
        less, more = (math.exp(self._half(times, each * times.value) / times.value) for each in spread.log_ratio)
        return Band(
            (between.value - below, between.value + above),
            (times.value / less, times.value * more),
            spread.known and between.known,
        )

    def _half(self, estimate: Estimate, deviation: float) -> float:
        """Half the band around ``estimate``: its own interval combined with the ``deviation`` by parameters."""
        freedom = len(self.a) - 1
        narrower = quantile(0.5 + LIKELY / 2, freedom) / quantile(0.5 + CONFIDENCE / 2, freedom)
        return math.hypot((estimate.high - estimate.low) / 2.0 * narrower, DEVIATIONS * deviation)


def _widened(estimate: Estimate, by: float) -> Estimate:
    return replace(estimate, low=estimate.low - by, high=estimate.high + by)


def _above_zero(value: float, error: float, freedom: int) -> float:
    """Probability that the mean estimated as ``value`` with a standard ``error`` is above zero."""
    if not error > 0.0:
        return math.nan if math.isnan(value) else 0.5 + 0.5 * float(np.sign(value))
    return 0.5 + math.copysign(within(abs(value) / error, freedom) / 2.0, value)
