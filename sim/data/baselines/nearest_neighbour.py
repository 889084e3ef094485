"""The published figure of the nearest settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sim.data.baselines.distances import Distances
from sim.data.shape import Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_TIE = 1e-9


@dataclass(frozen=True)
class NearestNeighbour:
    """The figure of the nearest settings, unscaled; the geometric mean of equally near ones.

    Cover and Hart, "Nearest neighbor pattern classification", IEEE Transactions on Information Theory 13 (1967),
    21-27, with the Euclidean distance over all settings on equal scales.
    """

    shape: Shape
    name = "nearest neighbour"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Set the scales of distances; there are no other parameters."""
        logs = log_figures(settings, values)
        distances = Distances.within(self.shape, settings)

        def predict(conditions: Values) -> float:
            squares = distances.squares([conditions], settings).sum(axis=0)[0]
            return math.exp(logs[squares <= squares.min() + _TIE].mean())

        return predict
