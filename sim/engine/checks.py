"""Checks of values, shared by frozen records: each raises one line with the value and what is allowed."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

from sim.engine.errors import InputError, ModelError, nearest, shown

LONGEST_S = 4.0e9
"""The longest single time accepted (127 years): sums of them stay inside 63-bit nanoseconds."""


MAX = 1 << 62
"""The largest count accepted: two of them still fit into 64 bits."""

LARGEST = sys.float_info.max
"""The largest number that is finite."""

LONGEST_NAME = 200
"""Characters of a name: messages and tables repeat it."""

_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line separators, and surrogates, which cannot be written."""


def quoted(value: object) -> str:
    """``value`` as repeated in a message, of any type and length."""
    try:
        return shown(repr(value))
    except (RecursionError, ValueError):  # steps nested by the thousand; numbers of more than 4,300 digits
        return f"a {type(value).__name__} too long to show"


def name(what: str, value: object) -> None:
    """Refuse a name that is not a non-empty line of text."""
    if not isinstance(value, str) or not value.strip() or _UNREADABLE.search(value) or len(value) > LONGEST_NAME:
        raise ModelError(f"{what}: the name {quoted(value)} is not usable; give it a non-empty name on one line")


def known(what: str, value: object, allowed: Collection[str]) -> str:
    """Return ``value`` if it is one of the names ``allowed``; else raise an error with the nearest one."""
    if isinstance(value, str) and value in allowed:
        return value
    written = f"'{shown(value)}'" if isinstance(value, str) else quoted(value)
    raise InputError(f"no {what} {written}; {nearest(written, allowed)}")


def listed(what: str, values: object) -> tuple[Any, ...]:
    """Return ``values``, a list, a tuple or an array, as a tuple."""
    if isinstance(values, Collection) and not isinstance(values, str | bytes | set | frozenset | dict):
        try:
            return tuple(values)
        except TypeError:  # a zero-dimensional array
            pass
    raise ModelError(f"{what} are {quoted(values)}; allowed: a list")


def flag(what: str, value: object) -> bool:
    """Return ``value`` if it is True or False."""
    if value is True or value is False:
        return bool(value)
    raise ModelError(f"{what} is {quoted(value)}; allowed: True or False")


def whole(what: str, value: object, least: int, most: int = MAX) -> int:
    """Return ``value`` as an int of at least ``least``, and at most ``most``."""
    if type(value) is int and least <= value <= most:  # quick: checks of abstract classes take ten times as long
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ModelError(f"{what} is {quoted(value)}; allowed: a whole number of at least {least}")
    found = int(value)
    if found > most:
        raise ModelError(f"{what} is {quoted(value)}; allowed: a whole number from {least} to {most}")
    return found


def seconds(what: str, value: object) -> float:
    """Return ``value`` as finite, non-negative seconds."""
    return number(what, value, low=0.0, high=LONGEST_S, unit=" seconds")


def countable_seconds(what: str, value: object) -> float:
    """Return ``value`` as seconds of at least one nanosecond, below which the clock would not move."""
    return number(what, value, low=1e-9, high=LONGEST_S, unit=" seconds")


def number(what: str, value: object, *, low: float, high: float = math.inf, unit: str = "") -> float:
    """Return ``value`` as a finite float between ``low`` and ``high``, ends included."""
    if type(value) is float and max(low, -LARGEST) <= value <= min(high, LARGEST):
        return value + 0.0
    try:
        found = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:  # whole numbers and fractions have no limit
        found = math.inf
    if not math.isfinite(found):
        raise ModelError(f"{what} is {quoted(value)}; allowed: a finite number{unit}")
    if not low <= found <= high:
        reach = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise ModelError(f"{what} is {quoted(value)}; allowed: {reach}{unit}")
    return found + 0.0  # no -0, which equals 0 and is written otherwise
