"""The Universal Scalability Law, a curve for each size and kind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from sim.data.shape import Kind, Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_PULL = 0.01
"""Penalty of full contention, as a share of a figure: decides only what the figures leave open."""

_STARTS = ((0.01, 0.001), (0.1, 0.01), (0.5, 0.1))


@dataclass(frozen=True)
class Scaling:
    """λN / (1 + σ(N-1) + κN(N-1)) for N streams.

    Attributes:
        log_rate: logarithm of λ, the throughput of one stream.
        contention: σ, 0..1.
        coherence: κ, at least 0.
    """

    log_rate: float
    contention: float
    coherence: float

    def log_throughput(self, streams: Series) -> Series:
        """Logarithm of the throughput, of the shape of ``streams``."""
        slowing = (streams - 1.0) * (self.contention + self.coherence * streams)
        total: Series = self.log_rate + np.log(streams) - np.log1p(slowing)
        return total


@dataclass(frozen=True)
class UniversalScalability:
    """Throughput against the number of streams, with two parameters for contention and coherence.

    Gunther, "A simple capacity model of massively parallel transaction systems", CMG Conference 1993; "Guerrilla
    Capacity Planning", Springer 2007, chapter 4. Few figures leave σ and κ open; a weak pull to 0 (linear scaling)
    then decides. Between sizes the prediction is a straight line in logarithms, beyond them that of the nearest
    size; a kind without figures gets the geometric mean of those that have some.
    """

    shape: Shape
    name = "universal scalability law"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Fit three parameters for each size of each kind."""
        logs = log_figures(settings, values)
        streams, log_sizes = np.exp(self.shape.log_counts(settings)[0]), self.shape.log(self.shape.size, settings)
        kinds = [self.shape.kind(conditions) for conditions in settings]
        curves: dict[Kind, dict[float, Scaling]] = {}
        for kind, log_size in sorted(set(zip(kinds, log_sizes, strict=True)), key=lambda curve: curve[1]):
            figures = [at for at, other in enumerate(kinds) if other == kind and log_sizes[at] == log_size]
            curves.setdefault(kind, {})[log_size] = _fitted(streams[figures], logs[figures])
        return self._predictor(curves)

    def _predictor(self, curves: Mapping[Kind, Mapping[float, Scaling]]) -> Predictor:
        def predict(conditions: Values) -> float:
            streams = np.exp(self.shape.log_counts([conditions])[0])
            (log_size,) = self.shape.log(self.shape.size, [conditions])
            kind = self.shape.kind(conditions)
            used = [curves[kind]] if kind in curves else curves.values()
            return math.exp(sum(_between(sizes, log_size, streams) for sizes in used) / len(used))

        return predict


def _between(sizes: Mapping[float, Scaling], log_size: float, streams: Series) -> float:
    heights = [curve.log_throughput(streams)[0] for curve in sizes.values()]
    return float(np.interp(log_size, list(sizes), heights))


def _fitted(streams: Series, logs: Series) -> Scaling:
    most = float(streams.max())

    def curve(unknowns: Series) -> Scaling:
        # κ by the most streams is of the size of σ, which keeps the search well scaled.
        return Scaling(unknowns[0], unknowns[1], unknowns[2] / most)

    def residuals(unknowns: Series) -> Series:
        return np.append(curve(unknowns).log_throughput(streams) - logs, _PULL * unknowns[1:])

    rate = float((logs - np.log(streams)).max())
    bounds = ([-np.inf, 0.0, 0.0], [np.inf, 1.0, np.inf])
    solutions = [
        least_squares(residuals, (rate, *start), bounds=bounds, xtol=1e-12, ftol=1e-12) for start in _STARTS
    ]
    return curve(min(solutions, key=lambda solution: float(solution.cost)).x)
