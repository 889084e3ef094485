"""What several structures leave open about one answer: a mixture of distributions, one for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from sim.system.parameters import DEVIATIONS

REACH = 5.0
"""Deviations beyond which nothing of a structure lies."""

HALVINGS = 50
"""Of the range in which an end of a mixture is looked for."""


@dataclass(frozen=True)
class Side:
    """What one structure leaves open about the logarithm of an answer: normal, wider on one side of its middle."""

    middle: float
    below: float
    above: float

    @classmethod
    def of(cls, value: float, low: float, high: float) -> Side:
        """An answer of ``value`` (above 0) that lies between ``low`` and ``high`` in nine of ten cases."""
        low = min(value, max(low, value * math.exp(-DEVIATIONS * REACH)))
        return cls(
            math.log(value), math.log(value / low) / DEVIATIONS, math.log(max(high, value) / value) / DEVIATIONS
        )

    def scaled(self, factor: float) -> Side:
        """The same of the answer times ``factor``."""
        return Side(self.middle + math.log(factor), self.below, self.above)

    def share_below(self, log: float) -> float:
        """How much of it lies below ``log``; of a point there, half."""
        wide = self.below if log < self.middle else self.above
        if wide > 0.0:
            return NormalDist().cdf((log - self.middle) / wide)
        return 0.5 if log == self.middle else float(log > self.middle)


@dataclass(frozen=True)
class Mixture:
    """The sides of all structures, each with how likely it is; these add up to 1."""

    sides: tuple[tuple[float, Side], ...]

    def scaled(self, factor: float) -> Mixture:
        """The same of the answer times ``factor``."""
        return Mixture(tuple((weight, side.scaled(factor)) for weight, side in self.sides))

    def share_below(self, value: float) -> float:
        """The probability that a measurement is below ``value`` (above 0)."""
        return sum(weight * side.share_below(math.log(value)) for weight, side in self.sides)

    def ends(self, confidence: float) -> tuple[float, float]:
        """Between which values a measurement lies at ``confidence``, as likely below as above."""
        return self._below(0.5 - 0.5 * confidence), self._below(0.5 + 0.5 * confidence)

    @property
    def middle(self) -> float:
        """What a measurement is as likely above as below."""
        return self._below(0.5)

    def _below(self, share: float) -> float:
        """The value below which ``share`` lies, by bisection."""
        low = min(side.middle - REACH * side.below for _, side in self.sides)
        high = max(side.middle + REACH * side.above for _, side in self.sides)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.share_below(math.exp(middle)) < share else (low, middle)
        return math.exp(0.5 * (low + high))

    @property
    def spread(self) -> float:
        """Deviation of the logarithms of what the structures expect."""
        mean = sum(weight * side.middle for weight, side in self.sides)
        return math.sqrt(sum(weight * (side.middle - mean) ** 2 for weight, side in self.sides))
