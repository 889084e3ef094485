"""Times of steps: a number of seconds, a distribution of seconds, or a time that depends on the batch.

A distribution is a *standard* variate times a scale. Standard variates are drawn in blocks by NumPy and
scaled in the engine, so that both event engines see the same numbers; each draw is rounded once to
integer nanoseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.engine import checks
from sim.engine.errors import ModelError

NANOSECONDS_PER_SECOND = 1_000_000_000

LONGEST_NS = checks.LONGEST_S * NANOSECONDS_PER_SECOND
"""Largest draw in nanoseconds, longer than any run; larger ones are cut."""


def nanoseconds(time_s: float) -> int:
    """Round seconds to the nearest integer nanosecond, halves up (the clock's resolution)."""
    return math.floor(time_s * NANOSECONDS_PER_SECOND + 0.5)


def _source() -> str:
    return field(default="", compare=False, repr=False, kw_only=True)


class Distribution:
    """A non-negative random time with a ``mean`` in seconds.

    Attributes:
        source: origin of the distribution; empty if it is assumed. It determines the status of percentiles.
    """

    mean: float
    source: str = ""

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}, mean {self.mean:.4g} s"

    @property
    def scale_s(self) -> float:
        """Seconds per unit of the standard variate."""
        return self.mean

    @property
    def standard(self) -> str:
        """Name of the standard variate; two distributions of one name share a stream."""
        raise NotImplementedError

    def draw(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Return ``count`` standard variates, shape (count,), without unit."""
        raise NotImplementedError


@dataclass(frozen=True)
class Constant(Distribution):
    """Always ``mean`` seconds. A plain number of seconds in a step means this."""

    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.seconds("a constant time", self.mean))


@dataclass(frozen=True)
class Exponential(Distribution):
    """Exponential with ``mean`` seconds."""

    mean: float
    source: str = _source()

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.countable_seconds("the mean of an exponential time", self.mean))

    @property
    def standard(self) -> str:
        return "exponential"

    def draw(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        return generator.standard_exponential(count)


def _cv(what: str, value: object) -> float:
    return checks.number(f"the coefficient of variation of {what}", value, low=0.01, high=100.0)


@dataclass(frozen=True)
class Gamma(Distribution):
    """Gamma with ``mean`` seconds and coefficient of variation ``cv`` (standard deviation / mean)."""

    mean: float
    cv: float
    source: str = _source()

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.countable_seconds("the mean of a gamma time", self.mean))
        object.__setattr__(self, "cv", _cv("a gamma time", self.cv))

    @property
    def shape(self) -> float:
        """Shape parameter 1 / cv²."""
        return 1.0 / (self.cv * self.cv)

    @property
    def scale_s(self) -> float:
        return self.mean / self.shape

    @property
    def standard(self) -> str:
        return f"gamma {self.shape!r}"

    def draw(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        return generator.standard_gamma(self.shape, count)


def Erlang(mean: float, stages: int, *, source: str = "") -> Gamma:  # noqa: N802  (a distribution by its field's name)
    """Sum of ``stages`` exponential stages, ``mean`` seconds in all: gamma with cv 1/√stages."""
    return Gamma(mean, 1.0 / math.sqrt(checks.whole("the number of Erlang stages", stages, 1)), source=source)


@dataclass(frozen=True)
class Lognormal(Distribution):
    """Lognormal with ``mean`` seconds and coefficient of variation ``cv``."""

    mean: float
    cv: float
    source: str = _source()

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.countable_seconds("the mean of a lognormal time", self.mean))
        object.__setattr__(self, "cv", _cv("a lognormal time", self.cv))

    @property
    def standard(self) -> str:
        return f"lognormal {self.cv!r}"

    def draw(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        variance = math.log1p(self.cv * self.cv)
        return np.exp(generator.standard_normal(count) * math.sqrt(variance) - variance / 2)


@dataclass(frozen=True)
class Empirical(Distribution):
    """One of the observed ``values`` (seconds), each equally likely; its ``source`` is ``observed``."""

    values: tuple[float, ...]
    source = "observed"

    def __init__(self, values: Sequence[float]) -> None:
        observed = tuple(
            checks.seconds("a value of an empirical time", value)
            for value in checks.listed("the values of an empirical time", values)
        )
        if not observed:
            raise ModelError("an empirical time has no values; give it at least one observation in seconds")
        object.__setattr__(self, "values", observed)

    @cached_property
    def mean(self) -> float:  # type: ignore[override]  # read-only here, which is enough
        """Mean of the values, seconds."""
        return math.fsum(self.values) / len(self.values)

    @property
    def scale_s(self) -> float:
        return 1.0

    @property
    def standard(self) -> str:
        return f"empirical {self.values!r}"

    def draw(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        return np.asarray(self.values)[generator.integers(len(self.values), size=count)]


@dataclass(frozen=True)
class PerItem:
    """A time that depends on the batch gathered last: ``fixed``, and ``each`` seconds for every item of it."""

    fixed: Distribution
    each: float

    def __init__(self, fixed: float | Distribution, each: float) -> None:
        object.__setattr__(self, "fixed", distribution("the fixed part of a time per item", fixed))
        object.__setattr__(self, "each", checks.seconds("the time for each item", each))

    @property
    def mean(self) -> float:
        """Mean seconds for a batch of one, the least time."""
        return self.fixed.mean + self.each


Time = Distribution | PerItem


def variance(distribution: Distribution) -> float:
    """The variance of ``distribution``, s².

    Raises:
        ModelError: a distribution of an unknown kind.
    """
    match distribution:
        case Constant():
            return 0.0
        case Exponential():
            return distribution.mean**2
        case Gamma() | Lognormal():
            return (distribution.cv * distribution.mean) ** 2
        case Empirical():
            return math.fsum((value - distribution.mean) ** 2 for value in distribution.values) / len(
                distribution.values
            )
    raise ModelError(f"the variance of a {distribution} is not known; take one of sim's distributions")


def distribution(what: str, value: object) -> Distribution:
    """Return ``value`` as a distribution; a number of seconds becomes a constant."""
    if isinstance(value, Distribution):
        return value
    return Constant(checks.seconds(what, value))


def time(what: str, value: object) -> Time:
    """Return ``value`` as a time of a step."""
    return value if isinstance(value, PerItem) else distribution(what, value)
