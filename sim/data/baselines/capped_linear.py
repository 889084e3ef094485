"""Throughput proportional to the number of streams, up to the largest figure: Little's law with a cap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.shape import Kind, Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values


@dataclass(frozen=True)
class CappedLinear:
    """min(streams × throughput of one, the largest figure), by size and kind.

    Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961), 383-387: streams / latency,
    while latency stays that of a single stream. Between sizes it is a straight line in logarithms, beyond them
    that of the nearest size; a kind without figures gets the geometric mean of those that have some.
    """

    shape: Shape
    name = "capped linear"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Fit two parameters for each size of each kind."""
        logs, streams = log_figures(settings, values), self.shape.log_counts(settings)[0]
        sizes = self.shape.log(self.shape.size, settings)
        kinds = [self.shape.kind(conditions) for conditions in settings]
        curves: dict[Kind, dict[float, tuple[float, float]]] = {}
        for kind, size in sorted(set(zip(kinds, sizes, strict=True)), key=lambda curve: curve[1]):
            alike = [at for at, other in enumerate(kinds) if other == kind and sizes[at] == size]
            fewest = min(alike, key=streams.__getitem__)
            curves.setdefault(kind, {})[size] = (logs[fewest] - streams[fewest], logs[alike].max())

        def predict(conditions: Values) -> float:
            (size,), ((count,), *_) = (
                self.shape.log(self.shape.size, [conditions]),
                self.shape.log_counts([conditions]),
            )
            kind = self.shape.kind(conditions)
            used = [curves[kind]] if kind in curves else list(curves.values())
            return math.exp(float(np.mean([_at(each, size, count) for each in used])))

        return predict


def _at(curves: Mapping[float, tuple[float, float]], size: float, count: float) -> float:
    heights = [min(alone + count, cap) for alone, cap in curves.values()]
    return float(np.interp(size, list(curves), heights))
