"""Checks shared by the frozen values: each raises one line that names the value and what is allowed."""

from __future__ import annotations

import math
from numbers import Integral, Real

from sim.errors import ModelError

LONGEST_S = 4.0e9
"""The longest single time accepted (127 years): sums of them stay inside 63-bit nanoseconds."""


def name(what: str, value: object) -> None:
    """Refuse a name that is not a non-empty line of text."""
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise ModelError(f"{what}: the name {value!r} is not usable; give it a non-empty name on one line")


def whole(what: str, value: object, least: int) -> int:
    """Return ``value`` as an int of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ModelError(f"{what} is {value!r}; allowed: a whole number of at least {least}")
    return int(value)


def seconds(what: str, value: object) -> float:
    """Return ``value`` as finite, non-negative seconds."""
    return number(what, value, low=0.0, high=LONGEST_S, unit=" seconds")


def countable_seconds(what: str, value: object) -> float:
    """Return ``value`` as seconds of at least one nanosecond, below which the clock would not move."""
    return number(what, value, low=1e-9, high=LONGEST_S, unit=" seconds")


def number(what: str, value: object, *, low: float, high: float = math.inf, unit: str = "") -> float:
    """Return ``value`` as a finite float between ``low`` and ``high``, ends included."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ModelError(f"{what} is {value!r}; allowed: a finite number{unit}")
    if not low <= float(value) <= high:
        reach = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise ModelError(f"{what} is {value!r}; allowed: {reach}{unit}")
    return float(value)
