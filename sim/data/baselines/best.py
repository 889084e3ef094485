"""The curve that tells figures best from each other, each left out in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.baselines import baselines
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
        missed: median error of each figure as a curve through the others says it, a share.
        says: the curve through all of them.
    """

    curve: Baseline
    missed: float
    says: Predictor


def best(shape: Shape, settings: Sequence[Values], values: Series) -> Best | None:
    """The best curve through ``values``, shape (figures,), at complete ``settings``; None of too few."""
    if len(values) < FEWEST:
        return None
    missed = {each: _missed(each, settings, values) for each in baselines(shape)}
    chosen = min(missed, key=lambda each: missed[each])
    if not math.isfinite(missed[chosen]):
        return None
    return Best(chosen, missed[chosen], chosen.fit(settings, values))


def _missed(curve: Baseline, settings: Sequence[Values], values: Series) -> float:
    """Median error of each figure as a curve through the others says it; infinite where there is none."""
    errors: list[float] = []
    for index, value in enumerate(values.tolist()):
        others = [each for each in range(len(values)) if each != index]
        try:
            says = curve.fit([settings[each] for each in others], values[others])
            errors.append(abs(says(settings[index]) / value - 1.0))
        except InputError:
            return math.inf
    return float(np.median(errors))
