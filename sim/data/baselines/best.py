"""The interpolation that tells figures best from each other, each left out in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.baselines import interpolations
from sim.data.baselines.gaussian_process import GaussianProcess
from sim.data.shape import Baseline, Predictor, Shape
from sim.errors import InputError
from sim.statistics.estimates import Series
from sim.system.settings import Values

FEWEST = 4
"""Figures from which one can be left out and something be said of it by the others."""


@dataclass(frozen=True)
class Best:
    """A curve through figures.

    Attributes:
        curve: its kind.
        missed: of each figure, the logarithm of what a curve through the others says over it, shape (figures,).
        says: the curve through all of them.
    """

    curve: Baseline
    missed: Series
    says: Predictor

    @property
    def name(self) -> str:
        """As a report writes it."""
        return self.curve.name

    @property
    def deviation(self) -> float:
        """Root mean square of what it ``missed``."""
        return float(np.sqrt(np.mean(self.missed**2)))


def best(shape: Shape, settings: Sequence[Values], values: Series) -> Best | None:
    """The best curve through ``values``, shape (figures,), at complete ``settings``; None of too few.

    It is the one that misses least in the mean square: lines that are right for most figures and wild beyond them
    are no good.
    """
    if len(values) < FEWEST:
        return None
    missed = ((each, _missed(each, settings, values)) for each in interpolations(shape))
    found = [Best(each, off, each.fit(settings, values)) for each, off in missed if off is not None]
    smooth = GaussianProcess(shape)
    surface = smooth.fit(settings, values)
    found.append(Best(smooth, np.log(smooth.left_out(settings, values, surface) / values), surface))
    return min(found, key=lambda each: each.deviation)


def _missed(curve: Baseline, settings: Sequence[Values], values: Series) -> Series | None:
    """By how far each figure is missed by a curve through the others; None where there is no such curve."""
    logs: list[float] = []
    for index, value in enumerate(values.tolist()):
        others = [each for each in range(len(values)) if each != index]
        try:
            says = curve.fit([settings[each] for each in others], values[others])
            logs.append(math.log(says(settings[index]) / value))
        except InputError:
            return None
    return np.array(logs)
