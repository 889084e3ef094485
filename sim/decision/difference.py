"""How far two answers differ, and how likely it is which of them is better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.statistics.answers import ANSWERS
from sim.statistics.estimates import Estimate, Series, mean, point, ratio
from sim.statistics.student_t import within
from sim.system.parameters import CONFIDENCE as LIKELY
from sim.system.parameters import DEVIATIONS

CONFIDENCE = 0.95

MORE_IS_BETTER = {**{name: name == "throughput" for name in ANSWERS}, "elapsed": False}
"""Of other answers nobody says whether more or less is better."""


@dataclass(frozen=True)
class Band:
    """Where a difference and a ratio lie at ``confidence``, as far as simulation and parameters leave them open."""

    difference: tuple[float, float]
    ratio: tuple[float, float]
    confidence: float
    known: bool


@dataclass(frozen=True)
class Difference:
    """One answer of A and of B, in ``unit``: estimates of each, of B - A and of B / A.

    Attributes:
        ratio: nan where an answer is not above zero.
        better: the probability that A is better, as far as the simulation is known; None if nobody says what is
            better, or if the two are the same.
        likely_better: the same, as far as parameters are known, too; None if all are certain.
        band: where the difference lies when parameters are as open as they are; None if all are certain.
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

    @property
    def same(self) -> bool:
        """Whether the two are exactly the same in each pair of runs."""
        return self.difference.low == self.difference.value == self.difference.high == 0.0

    @property
    def seen(self) -> bool:
        """Whether the interval of the difference leaves no room for none."""
        return self.difference.low > 0.0 or self.difference.high < 0.0


@dataclass(frozen=True)
class Paired:
    """One answer in each pair of runs.

    Attributes:
        a, b: shape (pairs,).
        coarseness: by how much the difference may be off, since percentiles are read off histograms.
        known: whether both answers are known.
    """

    name: str
    unit: str
    a: Series
    b: Series
    coarseness: float
    known: bool

    def difference(self, draws: Sequence[Deviation] = ()) -> Difference:
        """What the pairs say, and ``draws`` of the parameters."""


