"""Distribution of an answer over several structures: a mixture, weighted by their probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from sim.system.parameters import DEVIATIONS

REACH = 5.0
"""Standard deviations beyond which a structure's distribution is cut off."""

HALVINGS = 50
"""Bisections in the search for an end of a mixture."""


@dataclass(frozen=True)
class Side:
    """Distribution of an answer's logarithm under one structure: normal, with a width for each side."""

    middle: float
    below: float
    above: float

    @classmethod
    def of(cls, value: float, low: float, high: float) -> Side:
        """An answer of ``value`` (above 0) with the 90 % range from ``low`` to ``high``."""
        low = min(value, max(low, value * math.exp(-DEVIATIONS * REACH)))
        return cls(
            math.log(value), math.log(value / low) / DEVIATIONS, math.log(max(high, value) / value) / DEVIATIONS
        )

    def scaled(self, factor: float) -> Side:
        """Distribution of the answer times ``factor``."""
        return Side(self.middle + math.log(factor), self.below, self.above)

    def share_below(self, log: float) -> float:
        """Probability below ``log``; for a point exactly there, 0.5."""
        wide = self.below if log < self.middle else self.above
        if wide > 0.0:
            return NormalDist().cdf((log - self.middle) / wide)
        return 0.5 if log == self.middle else float(log > self.middle)


@dataclass(frozen=True)
class Mixture:
    """Sides of all structures, each with its weight; weights add up to 1."""

    sides: tuple[tuple[float, Side], ...]

    def scaled(self, factor: float) -> Mixture:
        """Distribution of the answer times ``factor``."""
        return Mixture(tuple((weight, side.scaled(factor)) for weight, side in self.sides))

    def share_below(self, value: float) -> float:
        """The probability that a measurement is below ``value`` (above 0)."""
        return sum(weight * side.share_below(math.log(value)) for weight, side in self.sides)

    def ends(self, confidence: float) -> tuple[float, float]:
        """The central range of measurements at ``confidence``."""
        return self._below(0.5 - 0.5 * confidence), self._below(0.5 + 0.5 * confidence)

    @property
    def middle(self) -> float:
        """Median of measurements."""
        return self._below(0.5)

    def _below(self, share: float) -> float:
        """The quantile ``share``, by bisection."""
        low = min(side.middle - REACH * side.below for _, side in self.sides)
        high = max(side.middle + REACH * side.above for _, side in self.sides)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.share_below(math.exp(middle)) < share else (low, middle)
        return math.exp(0.5 * (low + high))

    @property
    def spread(self) -> float:
        """Standard deviation of the logarithms of the structures' answers."""
        mean = sum(weight * side.middle for weight, side in self.sides)
        return math.sqrt(sum(weight * (side.middle - mean) ** 2 for weight, side in self.sides))
