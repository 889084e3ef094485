"""Another machine's figure, scaled by the ratio of the two machines' anchors."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from sim.data.baselines.distances import Distances
from sim.data.shape import Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_TIE = 1e-9


@dataclass(frozen=True)
class RatioOfAnchors:
    """Figures of other machines in the nearest cell, scaled by the nearest anchor; their geometric mean.

    An anchor is a figure of the predicted machine near which other machines have a figure, too.

    Attributes:
        machine: the setting that names a figure's machine.
    """

    shape: Shape
    machine: str
    name = "ratio of anchors"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Set the scales of distances; there are no other parameters."""
        logs = log_figures(settings, values)
        shape = replace(self.shape, kinds=tuple(each for each in self.shape.kinds if each != self.machine))
        distances = Distances.within(shape, settings)
        indices: dict[Hashable, list[int]] = {}
        for index, each in enumerate(settings):
            indices.setdefault(each[self.machine], []).append(index)

        def nearest(conditions: Values, among: list[int]) -> list[int]:
            squares = distances.squares([conditions], [settings[each] for each in among]).sum(axis=0)[0]
            return [each for each, square in zip(among, squares, strict=True) if square <= squares.min() + _TIE]

        def mean(among: list[int]) -> float:
            return float(logs[among].mean())

        def predict(conditions: Values) -> float:
            own = indices.get(conditions[self.machine], [])
            anchors = nearest(conditions, own) if own else []
            logarithms = []
            for machine, among in indices.items():
                if machine != conditions[self.machine]:
                    ratio = mean(anchors) - mean(nearest(settings[anchors[0]], among)) if anchors else 0.0
                    logarithms.append(mean(nearest(conditions, among)) + ratio)
            return math.exp(sum(logarithms) / len(logarithms) if logarithms else mean(anchors))

        return predict
