"""Baselines: their protocol, and the roles of a system's settings in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

import numpy as np

from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values

Predictor = Callable[[Values], float]
"""Function from complete settings to a figure, in the unit of the fitted figures."""

Kind = tuple[Hashable, ...]
"""The values of the settings that are categories."""


class Baseline(Protocol):
    """A curve fitted to published figures without a mechanism."""

    @property
    def name(self) -> str:
        """Name in reports."""

    def fit(self, settings: Sequence[Values], values: Series) -> Predictor:
        """Return the fitted curve.

        Args:
            settings: complete settings, one a figure.
            values: the published figures, shape (figures,), all above 0.

        Raises:
            InputError: no figure, a figure that is not above 0, or a setting unfit for its role.
        """


@dataclass(frozen=True)
class Shape:
    """Roles of settings in baselines; settings without a role are ignored.

    Attributes:
        size: the setting with the bytes of one request.
        levels: for each level of sharing, the settings whose product counts its members; the first counts the
            streams, an empty one is the whole, such as ``(("nodes", "users"), ("nodes",), ())``.
        kinds: the settings that are categories, such as ``("op",)``.
    """

    size: str
    levels: tuple[tuple[str, ...], ...]
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.levels:
            raise InputError("levels is empty; allowed: at least one level, whose settings count the streams")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The settings that are numbers, each once."""
        return tuple(dict.fromkeys((self.size, *(name for level in self.levels for name in level))))

    def kind(self, conditions: Values) -> Kind:
        """The category of one figure."""
        return tuple(_value(conditions, name) for name in self.kinds)

    def log(self, name: str, settings: Sequence[Values]) -> Series:
        """Logarithms of the setting ``name``, shape (figures,)."""
        return np.array([math.log(_positive(name, _value(conditions, name))) for conditions in settings])

    def log_counts(self, settings: Sequence[Values]) -> Series:
        """Logarithms of the number of members of each level, shape (levels, figures)."""
        counts = np.zeros((len(self.levels), len(settings)))
        for level, names in enumerate(self.levels):
            for name in names:
                counts[level] += self.log(name, settings)
        return counts


def log_figures(settings: Sequence[Values], values: Series) -> Series:
    """Check published figures, one for each of ``settings``, and return their logarithms, shape (figures,)."""
    if len(settings) == 0:
        raise InputError("there is no published figure to fit a baseline to; give at least one")
    if len(values) != len(settings):
        raise InputError(f"{len(values)} published figures for {len(settings)} settings; give one for each")
    return np.array([math.log(_positive(f"published figure {at}", value)) for at, value in enumerate(values, 1)])


def _value(conditions: Values, name: str) -> Any:
    if name not in conditions:
        raise InputError(f"the settings {', '.join(conditions)} lack '{name}'; give a value for it")
    return conditions[name]


def _positive(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < math.inf:
        raise InputError(f"{what} is {value}; allowed: a finite number above 0")
    return float(value)
