"""The smooth minimum of a few limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from sim.data.shape import Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_PULL = 0.01
"""Penalty of a parameter that is a factor of e from its default, as a share of a figure."""

_UNLIMITED = 10.0
"""A limit this many times the highest figure is no limit."""

_SHARPNESS = 4.0
_ROUNDING = 1e-9
_STARTS = tuple((slack, sharpness) for slack in (1.0, 2.0) for sharpness in (2.0, 8.0))


@dataclass(frozen=True)
class _Data:
    """Figures as the curve reads them: ``kinds`` (indices), shape (figures,), and logarithms."""

    kinds: NDArray[np.intp]
    log_sizes: Series
    log_counts: Series

    @property
    def apart(self) -> NDArray[np.bool_]:
        """Levels that the figures of each kind can tell apart, shape (kinds, levels).

        A level whose members are a fixed multiple of an earlier level's is indistinguishable from it.
        """
        apart = np.zeros((int(self.kinds.max()) + 1, len(self.log_counts)), dtype=np.bool_)
        for kind, levels in enumerate(apart):
            counts = self.log_counts[:, self.kinds == kind]
            for level, ours in enumerate(counts):
                levels[level] = all(np.ptp(ours - before) > _ROUNDING for before in counts[:level][levels[:level]])
        return apart


@dataclass(frozen=True)
class _Curve:
    """Logarithms of the unknown ``times``, shape (kinds, 2 × levels + 1), and the ``sharpness`` of the blend.

    Times: per request at each level, per byte at each level, and per byte added to a stream's request.
    n members without contention pass as much as n^``exponent`` times one.
    """

    apart: NDArray[np.bool_]
    times: Series
    sharpness: float
    exponent: float = 1.0

    @classmethod
    def of(cls, apart: NDArray[np.bool_], unknowns: Series) -> _Curve:
        """Build from one series: times, then logarithms of the sharpness and, if there is one, of the exponent."""
        times = len(apart) * (2 * apart.shape[1] + 1)
        return cls(apart, unknowns[:times].reshape(len(apart), -1), *np.exp(unknowns[times:]).tolist())

    def log_throughput(self, data: _Data) -> Series:
        """Logarithm of the throughput, shape (figures,)."""
        levels, log_counts = len(data.log_counts), self.exponent * data.log_counts
        times = self.times[data.kinds]
        requests = times[:, :levels] - data.log_sizes[:, None]
        requests[:, 0] = np.logaddexp(requests[:, 0], times[:, -1])
        slowness = np.hstack([requests, times[:, levels:-1]]) - np.tile(log_counts, (2, 1)).T
        slowness[~np.tile(self.apart[data.kinds], 2)] = -np.inf
        total: Series = -np.logaddexp.reduce(self.sharpness * slowness, axis=1) / self.sharpness
        return total


@dataclass(frozen=True)
class SmoothMinimum:
    """(Σ limit^-p)^(-1/p): each level limits the requests and the bytes that its members pass in a second.

    The requests of a stream come one after another, so that a time per byte adds to their fixed time. The limits
    for n members: n × size / (fixed + per byte × size) for streams, n × size / fixed for the other levels, n / per
    byte for all.
    For p = 1 all times add up, for p = ∞ the lowest limit counts alone; the blend of asymptotes is that of
    Churchill and Usagi, "A general expression for the correlation of rates of transfer and other phenomena", AIChE
    Journal 18 (1972), 1121-1128. Each kind has times of its own; p is common.

    A weak pull takes undetermined values to their defaults: no limit of its own for a time, and p = 4. A
    level that the figures cannot tell from one before it (the whole from a node, where one node was measured) has
    no limit. A kind without figures gets the geometric mean of those that have some.
    """

    shape: Shape
    name = "smooth minimum"
    exponents = 0

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Least squares on logarithms: two times a level and one more for each kind, and p."""
        logs = log_figures(settings, values)
        kinds = [self.shape.kind(conditions) for conditions in settings]
        number_of = {kind: index for index, kind in enumerate(dict.fromkeys(kinds))}
        curve = _fitted(self._data(settings, [number_of[kind] for kind in kinds]), logs, self.exponents)

        def predict(conditions: Values) -> float:
            kind = self.shape.kind(conditions)
            numbers = [number_of[kind]] if kind in number_of else list(number_of.values())
            return math.exp(curve.log_throughput(self._data([conditions] * len(numbers), numbers)).mean())

        return predict

    def _data(self, settings: Sequence[Values], kinds: Sequence[int]) -> _Data:
        log_sizes = self.shape.log(self.shape.size, settings)
        return _Data(np.array(kinds, dtype=np.intp), log_sizes, self.shape.log_counts(settings))


@dataclass(frozen=True)
class ScaledMinimum(SmoothMinimum):
    """A smooth minimum whose level of n members has n^γ times the limit of one; one γ for all levels.

    Diminishing returns of streams then extrapolate to nodes, where only one node was measured. A weak pull takes
    γ to 1.
    """

    name = "smooth minimum, scaled"
    exponents = 1


def _fitted(data: _Data, logs: Series, exponents: int) -> _Curve:
    apart, longest = data.apart, _longest(data, logs).ravel()
    open_exponents = [0.0] * exponents
    default = np.array([*(longest - math.log(_UNLIMITED)), math.log(_SHARPNESS), *open_exponents])

    def residuals(unknowns: Series) -> Series:
        wrong = _Curve.of(apart, unknowns).log_throughput(data) - logs
        return np.append(wrong, _PULL * (unknowns - default))

    starts = [
        np.array([*(longest - math.log(slack)), math.log(sharpness), *open_exponents])
        for slack, sharpness in _STARTS
    ]
    solutions = [least_squares(residuals, start, method="lm") for start in starts]
    return _Curve.of(apart, min(solutions, key=lambda solution: float(solution.cost)).x)


def _longest(data: _Data, logs: Series) -> Series:
    """Logarithms of the longest times that rule out no figure by themselves, shaped as ``_Curve.times``."""
    of_byte = data.log_counts - logs
    times = np.vstack([of_byte + data.log_sizes, of_byte, of_byte[:1]])
    return np.array([times[:, data.kinds == kind].min(axis=1) for kind in range(int(data.kinds.max()) + 1)])
