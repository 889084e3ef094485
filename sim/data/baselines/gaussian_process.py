"""A Gaussian process over the logarithms of settings and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import Bounds, minimize

from sim.data.baselines.distances import Distances
from sim.data.shape import Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_MEAN_VARIANCE = 100.0
"""Prior variance of the constant mean, in units of the variance of the figures: uninformative."""

_LENGTHS, _SIGNALS, _NOISES = (0.05, 50.0), (0.05, 50.0), (1e-3, 1.0)
_STARTS = tuple(product((0.3, 1.0, 3.0), (0.03, 0.3)))


@dataclass(frozen=True)
class _Kernel:
    """Covariances by squared ``distances``, shape (settings, left, right), and logarithms of the unknowns.

    The unknowns are a length for each setting, the deviation of the signal and that of the noise.
    """

    distances: Series
    unknowns: Series

    @property
    def signal(self) -> Series:
        """Covariances of the smooth part, shape (left, right)."""
        nearness = np.einsum("s,slr->lr", np.exp(-2.0 * self.unknowns[:-2]), self.distances)
        total: Series = np.exp(2.0 * self.unknowns[-2] - nearness / 2.0)
        return total

    @property
    def noise(self) -> float:
        """Variance of the noise."""
        return math.exp(2.0 * self.unknowns[-1])


@dataclass(frozen=True)
class Surface:
    """A fitted process.

    Attributes:
        noise: standard deviation of the logarithms about the surface: 0.05 means that figures scatter by 5 %.
    """

    distances: Distances
    settings: Sequence[Values]
    unknowns: Series
    weights: Series
    mean: float
    scale: float
    noise: float

    def __call__(self, settings: Values) -> float:
        """The figure expected at complete settings."""
        kernel = _Kernel(self.distances.squares([settings], self.settings), self.unknowns)
        expected = (kernel.signal[0] + _MEAN_VARIANCE) @ self.weights
        return math.exp(self.mean + self.scale * float(expected))


@dataclass(frozen=True)
class GaussianProcess:
    """Regression with a constant mean, squared exponential covariance with a length for each setting, and noise.

    Rasmussen and Williams, "Gaussian Processes for Machine Learning", MIT Press 2006: equations 2.23 (prediction),
    5.1 (covariance), 5.8 and 5.9 (marginal likelihood, which chooses lengths, signal and noise). A setting that
    never varied in the data is not seen, and far from the data the prediction returns to the mean.
    """

    shape: Shape
    name = "Gaussian process"

    def fit(self, settings: Sequence[Values], values: Series) -> Surface:
        """Fit the process; the estimated noise is on the returned surface."""
        return self._fit(settings, values)

    def left_out(self, settings: Sequence[Values], values: Series, surface: Surface) -> Series:
        """Leave-one-out predictions, shape (figures,).

        Args:
            surface: fit to all figures; each search for unknowns starts from it.
        """
        every = range(len(values))
        others = [[other for other in every if other != each] for each in every]
        through = (
            self._fit([settings[other] for other in some], values[some], (surface.unknowns,)) for some in others
        )
        return np.array([others(settings[each]) for each, others in enumerate(through)])

    def _fit(self, settings: Sequence[Values], values: Series, starts: Sequence[Series] = ()) -> Surface:
        logs = log_figures(settings, values)
        mean, scale = float(logs.mean()), float(logs.std()) or 1.0
        targets = (logs - mean) / scale
        distances = Distances.within(self.shape, settings)
        squares = distances.squares(settings, settings)
        unknowns = _likeliest(squares, targets, starts or _starts(len(squares)))
        weights = cho_solve(cho_factor(_covariance(_Kernel(squares, unknowns)), lower=True), targets)
        noise = scale * math.exp(unknowns[-1])
        return Surface(distances, tuple(settings), unknowns, weights, mean, scale, noise)


def _covariance(kernel: _Kernel) -> Series:
    total: Series = kernel.signal + _MEAN_VARIANCE
    total[np.diag_indices_from(total)] += kernel.noise
    return total


def _starts(lengths: int) -> list[Series]:
    """Starting points of the search for the unknowns."""
    return [np.log([length] * lengths + [1.0, noise]) for length, noise in _STARTS]


def _likeliest(squares: Series, targets: Series, starts: Sequence[Series]) -> Series:
    """Unknowns that maximise the marginal likelihood."""
    bounds = Bounds(*np.log([_LENGTHS] * len(squares) + [_SIGNALS, _NOISES]).T)

    def search(start: Series) -> tuple[float, Series]:
        optimum = minimize(_unlikelihood, start, (squares, targets), method="L-BFGS-B", jac=True, bounds=bounds)
        return float(optimum.fun), optimum.x

    return min(map(search, starts), key=lambda candidate: candidate[0])[1]


def _unlikelihood(unknowns: Series, squares: Series, targets: Series) -> tuple[float, Series]:
    """Negative log marginal likelihood, up to a constant, and its gradient, shape (unknowns,)."""
    kernel = _Kernel(squares, unknowns)
    signal = kernel.signal
    factor = cho_factor(_covariance(kernel), lower=True)
    weights = cho_solve(factor, targets)
    value = float(targets @ weights) / 2.0 + float(np.log(np.diag(factor[0])).sum())
    inverse = cho_solve(factor, np.eye(len(targets)))
    excess = (inverse - np.outer(weights, weights)) / 2.0
    by_length = np.einsum("slr,lr->s", squares, excess * signal) * np.exp(-2.0 * unknowns[:-2])
    by_signal = 2.0 * float((excess * signal).sum())
    by_noise = 2.0 * kernel.noise * float(np.trace(excess))
    return value, np.append(by_length, (by_signal, by_noise))
