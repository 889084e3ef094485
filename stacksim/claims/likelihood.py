"""Distribution of measurements around a model's value, and the probability of one as far out as a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sim.decision.probability import NORMAL, noise_of, spread_of
from sim.engine.statistics.estimates import Estimate
from sim.prediction.misses import WEIGHT
from sim.prediction.uncertainty import PredictionInterval
from sim.system.derivation import REPEATS
from sim.system.parameters import DEVIATIONS
from stacksim.claims.claim import Number


@dataclass(frozen=True)
class Likely:
    """Distribution of measurements: the logarithm is normal on each side of ``value``.

    Attributes:
        below, above: standard deviations of the logarithm.
        misses: errors for figures that the model had not seen, as absolute logarithms: where
            their tails are longer than the normal ones, they count.
    """

    value: float
    below: float
    above: float
    misses: tuple[float, ...] = ()

    @classmethod
    def of(cls, estimate: Estimate, band: PredictionInterval, misses: tuple[float, ...]) -> Likely:
        """Combine the simulation's interval, the prediction interval ``band`` and run-to-run variation."""
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
        """A copy around another ``value``."""
        return replace(self, value=value)

    def duration(self, amount: float) -> Likely:
        """The time that ``amount`` takes at this rate."""
        return Likely(amount / self.value, self.above, self.below, self.misses)

    def over(self, other: Likely) -> Likely:
        """The ratio to ``other``, which is independent of this one."""
        below, above = math.hypot(self.below, other.above), math.hypot(self.above, other.below)
        return Likely(self.value / other.value, below, above)

    def probability(self, number: Number) -> float:
        """Two-sided probability of a measurement at least as far off as ``number``; 1 within its rounding."""
        distance = miss(number, self.value)
        deviation = self.below if self.value > number.high else self.above
        return max(2.0 * NORMAL.cdf(-distance / deviation), self._as_far(distance)) if distance else 1.0

    def _as_far(self, distance: float) -> float:
        """Share of held-out figures missed by ``distance`` or more, blurred by run-to-run variation of both."""
        repeats = math.sqrt(2.0) * REPEATS
        as_far = math.fsum(NORMAL.cdf((missed - distance) / repeats) for missed in self.misses)
        return as_far / (WEIGHT + len(self.misses))


def miss(number: Number, value: float) -> float:
    """Distance of ``value`` from ``number`` as an absolute logarithm; 0 within the rounding of ``number``."""
    if not value > 0.0:
        return math.inf
    if value < number.low:
        return math.log(number.low / value)
    return math.log(value / number.high) if value > number.high else 0.0
