"""The interpolation that predicts figures best when each is left out in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.baselines import interpolations
from sim.data.baselines.gaussian_process import GaussianProcess
from sim.data.shape import Baseline, Predictor, Shape
from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

FEWEST = 4
"""Smallest number of figures for leaving one out in turn."""


@dataclass(frozen=True)
class Best:
    """A curve through figures.

    Attributes:
        curve: its kind.
        missed: log(prediction / figure) of a curve through the others, shape (figures,).
        says: the curve through all figures.
    """

    curve: Baseline
    missed: Series
    says: Predictor

    @property
    def name(self) -> str:
        """Name of the curve in reports."""
        return self.curve.name

    @property
    def deviation(self) -> float:
        """Root mean square of ``missed``."""
        return float(np.sqrt(np.mean(self.missed**2)))


def best(shape: Shape, settings: Sequence[Values], values: Series) -> Best | None:
    """Return the curve with the least leave-one-out error through ``values`` (shape (figures,)); None if too few.

    The error is a mean square, so that a curve that is right for most figures and wild for a few loses.
    """
    if len(values) < FEWEST:
        return None
    missed = ((each, _missed(each, settings, values)) for each in interpolations(shape))
    curves = [Best(each, off, each.fit(settings, values)) for each, off in missed if off is not None]
    smooth = GaussianProcess(shape)
    surface = smooth.fit(settings, values)
    curves.append(Best(smooth, np.log(smooth.left_out(settings, values, surface) / values), surface))
    return min(curves, key=lambda each: each.deviation)


def _missed(curve: Baseline, settings: Sequence[Values], values: Series) -> Series | None:
    """Leave-one-out errors as logarithms, shape (figures,); None if the curve cannot be fitted."""
    logs: list[float] = []
    for index, value in enumerate(values.tolist()):
        others = [each for each in range(len(values)) if each != index]
        try:
            says = curve.fit([settings[each] for each in others], values[others])
            logs.append(math.log(says(settings[index]) / value))
        except InputError:
            return None
    return np.array(logs)
