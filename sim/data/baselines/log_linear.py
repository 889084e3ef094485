"""Straight lines in logarithms between figures that differ in one setting alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.baselines.nearest_neighbour import NearestNeighbour
from sim.data.shape import Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_ROUNDING = 1e-9


@dataclass(frozen=True)
class LogLinear:
    """Line through the two nearest figures that differ from the settings in one number alone.

    Beyond the figures the last two are used. Several such lines give a geometric mean, none the nearest figure.
    """

    shape: Shape
    name = "log-linear interpolation"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Prepare the interpolation; it has no parameters."""
        logs = log_figures(settings, values)
        places = np.array([self.shape.log(name, settings) for name in self.shape.numbers])
        kinds = [self.shape.kind(conditions) for conditions in settings]
        nearest = NearestNeighbour(self.shape).fit(settings, values)

        def lines(conditions: Values) -> Iterator[float]:
            here = np.array([self.shape.log(name, [conditions])[0] for name in self.shape.numbers])
            same = np.abs(places - here[:, None]) < _ROUNDING
            of_kind = np.array([kind == self.shape.kind(conditions) for kind in kinds])
            for axis in range(len(here)):
                along = of_kind & np.delete(same, axis, axis=0).all(axis=0)
                if len(set(places[axis][along].tolist())) > 1:
                    yield _on_line(here[axis], places[axis][along], logs[along])

        def predict(conditions: Values) -> float:
            found = list(lines(conditions))
            return math.exp(sum(found) / len(found)) if found else nearest(conditions)

        return predict


def _on_line(here: float, places: Series, logs: Series) -> float:
    points = np.unique(places)
    means = np.array([logs[places == point].mean() for point in points])
    after = min(max(int(np.searchsorted(points, here)), 1), len(points) - 1)
    slope = (means[after] - means[after - 1]) / (points[after] - points[after - 1])
    return float(means[after - 1] + slope * (here - points[after - 1]))
