"""How far a measurement may lie from what a model says, and how unlikely one as far out as a claimed number is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sim.decision.claims.claim import Number
from sim.decision.probability import NORMAL, noise_of, spread_of
from sim.prediction.misses import WEIGHT
from sim.prediction.uncertainty import PredictionInterval
from sim.statistics.estimates import Estimate
from sim.system.derivation import REPEATS
from sim.system.parameters import DEVIATIONS


@dataclass(frozen=True)
class Likely:
    """Where a measurement lies: a normal distribution of its logarithm on each side of ``value``.

    Attributes:
        below, above: standard deviations of the logarithm.
        misses: how far figures were missed that the model had not seen, as logarithms without their sign: where
            their tails are longer than normal ones, these count.
    """

    value: float
    below: float
    above: float
    misses: tuple[float, ...] = ()

    @classmethod
    def of(cls, estimate: Estimate, band: PredictionInterval, misses: tuple[float, ...]) -> Likely:
        """What simulation leaves open, where a measurement lies by ``band``, and that no run is like the next."""
        below, above = (
            math.hypot(noise_of(estimate, above=up), spread_of(band, estimate.value, above=up), REPEATS)
            for up in (False, True)
        )
        return cls(estimate.value, below, above, misses)

    @property
    def low(self) -> float:
        """The lower end of the prediction interval."""
        return self.value * math.exp(-DEVIATIONS * self.below)

    @property
    def high(self) -> float:
        """The upper end of the prediction interval."""
        return self.value * math.exp(DEVIATIONS * self.above)

    def at(self, value: float) -> Likely:
        """The same about another value."""
        return replace(self, value=value)

    def duration(self, amount: float) -> Likely:
        """How long ``amount`` takes at this rate."""
        return Likely(amount / self.value, self.above, self.below, self.misses)

    def over(self, other: Likely) -> Likely:
        """The ratio to another that has nothing in common with it."""
        below, above = math.hypot(self.below, other.above), math.hypot(self.above, other.below)
        return Likely(self.value / other.value, below, above)

    def probability(self, number: Number) -> float:
        """Two-sided: of a measurement at least as far off as ``number``; 1 within its rounding."""
        distance = miss(number, self.value)
        deviation = self.below if self.value > number.high else self.above
        return max(2.0 * NORMAL.cdf(-distance / deviation), self._as_far(distance)) if distance else 1.0

    def _as_far(self, distance: float) -> float:
        """The share of figures not seen that were missed by so much, of which neither run would give the same."""
        repeats = math.sqrt(2.0) * REPEATS
        as_far = math.fsum(NORMAL.cdf((missed - distance) / repeats) for missed in self.misses)
        return as_far / (WEIGHT + len(self.misses))


def miss(number: Number, value: float) -> float:
    """How far ``value`` is from ``number``: the logarithm of the one over the other; 0 within its rounding."""
    if not value > 0.0:
        return math.inf
    if value < number.low:
        return math.log(number.low / value)
    return math.log(value / number.high) if value > number.high else 0.0
