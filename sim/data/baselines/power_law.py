"""A power law: straight lines in logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.shape import Kind, Predictor, Shape, log_figures
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

_PULL = 0.01
"""Penalty of an exponent that is 1 away from its default, as a share of a figure."""


@dataclass(frozen=True)
class PowerLaw:
    """A factor × each numeric setting raised to an exponent of its own, separately for each kind.

    Least squares on logarithms. An exponent that the figures leave open goes to its default by a weak pull: 1 for
    settings that count, as twice as many do twice as much, and 0 for the size. A kind without figures gets the
    geometric mean of those that have some.
    """

    shape: Shape
    name = "power law"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Fit, for each kind, a factor and an exponent of each numeric setting."""
        logs, terms = log_figures(settings, values), self._terms(settings)
        kinds = [self.shape.kind(conditions) for conditions in settings]
        fitted = {
            kind: self._fitted(terms[[each == kind for each in kinds]], logs[[each == kind for each in kinds]])
            for kind in dict.fromkeys(kinds)
        }

        def predict(conditions: Values) -> float:
            kind = self.shape.kind(conditions)
            used = [fitted[kind]] if kind in fitted else list(fitted.values())
            return math.exp(float(np.mean([self._terms([conditions])[0] @ each for each in used])))

        return predict

    def _terms(self, settings: Sequence[Values]) -> Series:
        """Logarithms of all numeric settings, and 1, shape (figures, terms)."""
        numbers = [self.shape.log(name, settings) for name in self.shape.numbers]
        return np.array([*numbers, np.ones(len(settings))]).T

    def _fitted(self, terms: Series, logs: Series) -> Series:
        default = np.array([float(name != self.shape.size) for name in self.shape.numbers])
        pull = _PULL * np.eye(len(default), terms.shape[1])
        rows = np.vstack([terms, pull])
        solution: Series = np.linalg.lstsq(rows, np.concatenate([logs, _PULL * default]), rcond=None)[0]
        return solution


@dataclass(frozen=True)
class CappedPowerLaw:
    """The power law, capped at the largest figure of the kind; uncapped for a kind without figures."""

    shape: Shape
    name = "power law with a cap"

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Fit the power law and one cap for each kind."""
        law, caps = PowerLaw(self.shape).fit(settings, values), dict[Kind, float]()
        for conditions, value in zip(settings, values.tolist(), strict=True):
            kind = self.shape.kind(conditions)
            caps[kind] = max(value, caps.get(kind, 0.0))
        return lambda conditions: min(law(conditions), caps.get(self.shape.kind(conditions), math.inf))
