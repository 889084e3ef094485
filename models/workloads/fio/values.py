"""Texts of a job file as fio reads them: 4k is 4096 bytes, 30 is half a minute, `4k,8k` is for reads and writes.

fio accepts many typing errors: it reads 4.5k as 4, and ` 4k` after a blank as 4, too. Such texts are
refused here. All functions raise UnreadableError for unreadable text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import gcd, isclose
from typing import TypeVar

from sim.engine.units.reading import FIO_SIZES, count, number

Value = TypeVar("Value")

Sizes = tuple[tuple[int, float], ...]
"""(bytes, share of the I/Os), the shares adding up to 1."""

_BINARY = re.compile(r"([0-9]+) ?([kmgtp])ib?", re.ASCII | re.IGNORECASE)
_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "sec": 1.0, "ms": 1e-3, "msec": 1e-3}
_SECONDS |= {"us": 1e-6, "usec": 1e-6}

ZIPF_DEFAULT = 1.1
"""fio's default exponent of zipf."""

MAX = 1 << 62
"""Largest accepted number."""


MAX_PERCENT = 999
"""Largest accepted percentage of a file."""


class UnreadableError(ValueError):
    """An unreadable text; the message, which may be empty, is a hint followed by a blank."""


def integer(text: str) -> int:
    """A whole number; k, m, g, t and p are powers of 1024, for which fio has the option kb_base."""
    value = count(text, FIO_SIZES)
    if value is None or value > MAX:
        binary = _BINARY.fullmatch(text)
        raise UnreadableError(
            f"fio reads KiB as 1000 bytes; write {binary[1]}{binary[2].lower()}; " if binary else ""
        )
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    """Read a whole number from ``low`` to ``high``."""

    def read(text: str) -> int:
        if not low <= (value := integer(text)) <= high:
            raise UnreadableError
        return value

    return read


def size_or_percent(text: str) -> int | None:
    """Bytes; None for a percentage of a file of unknown size."""
    percent = count(text, {"%": 1})
    return integer(text) if percent is None or percent > MAX_PERCENT else None


def seconds(unit: str, *, decimals: bool = False) -> Callable[[str], float]:
    """Reader of a time; a bare number is in ``unit``. Times with ``decimals`` have no effect here."""

    def read(text: str) -> float:
        time = number(text.lower(), {**_SECONDS, "": _SECONDS[unit]}, exponent=False)
        if time is None or ("." in text and not decimals):
            raise UnreadableError
        return time

    return read


def flag(text: str) -> bool:
    """0 or 1; a name alone was replaced by 1 before."""
    if text not in ("0", "1"):
        raise UnreadableError
    return text == "1"


def one_of(meanings: dict[str, Value]) -> Callable[[str], Value]:
    """Reader of one of a few words, with its meaning."""

    def read(text: str) -> Value:
        if text not in meanings:
            raise UnreadableError
        return meanings[text]

    return read


def for_both(read: Callable[[str], Value]) -> Callable[[str], tuple[Value, Value]]:
    """Reader of one value for reads and writes, or one for each; a third is for trims."""

    def both(text: str) -> tuple[Value, Value]:
        values = [read(part) for part in text.split(",")]
        if len(values) > 3:  # noqa: PLR2004  (reads, writes, trims)
            raise UnreadableError
        return values[0], values[min(1, len(values) - 1)]

    return both


def split(text: str) -> Sizes:
    """Sizes with percentages, as 4k/60:64k/40; sizes without one share the rest evenly."""
    entries = [_entry(part) for part in text.split(":")]
    given = sum(percent for _, percent in entries if percent is not None)
    blank = sum(percent is None for _, percent in entries)
    if given > 100 or (given < 100 and not blank):  # noqa: PLR2004  (percent)
        raise UnreadableError(f"its percentages add up to {given}; ")
    rest = (100 - given) / blank if blank else 0.0
    shares = ((size, (rest if percent is None else percent) / 100) for size, percent in entries)
    return tuple((size, share) for size, share in shares if share)


def _entry(text: str) -> tuple[int, int | None]:
    size, _, percent = text.partition("/")
    return whole(1, 1 << 40)(size), whole(0, 100)(percent) if percent else None


def distribution(text: str) -> float:
    """The exponent of Zipf's law; 0 is uniform."""
    name, colon, theta = text.partition(":")
    if text == "random":
        return 0.0
    value = number(theta, exponent=False) if colon else ZIPF_DEFAULT
    if name != "zipf" or not value or isclose(value, 1.0):
        raise UnreadableError
    return value


def word(text: str) -> str:
    """Any text but an empty one."""
    if not text:
        raise UnreadableError
    return text


def power_of_two_in(numbers: Iterable[int]) -> int:
    """The largest power of two that divides all ``numbers``, not all of which are 0."""
    divisor = gcd(*numbers)
    return divisor & -divisor
