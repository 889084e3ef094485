"""Numbers and quantities for users: every number that is shown is formatted here.

Four significant digits, commas from 10,000 on, prefixes before bytes and times, and an exponent only for very
large and very small numbers. Text that is parsed again, such as values of settings, is written by `units`.
"""

from __future__ import annotations

import math

DIGITS = 4
"""Default number of significant digits."""

_OF_WIDTH = 3
"""Significant digits of an interval's width in its ends."""

_OF_END = 2
"""Smallest number of digits of an end, however wide the interval is."""

_SEPARATED = 1e4
_WRITTEN_OUT = (1e-6, 1e9)
"""Range of numbers without an exponent, the second excluded."""

_TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
LONG_TIMES = (("d", 86400.0), ("h", 3600.0), ("min", 60.0))
"""Units of long times, the longest first, and their size in seconds."""

_BINARY = (("TiB", 2.0**40), ("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10))
_DECIMAL = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


def number_text(value: float, digits: int = DIGITS) -> str:
    """``value`` with ``digits`` significant digits; a dash for NaN.

    >>> number_text(44612.0), number_text(0.72), number_text(8137.4), number_text(0.0000321), number_text(2e12)
    ('44,610', '0.72', '8137', '0.0000321', '2e+12')
    """
    if math.isnan(value):
        return "–"
    rounded = float(f"{value:.{digits}g}")
    if not _written_out(rounded):
        return f"{value:.{digits}g}"
    text = _fixed(rounded, digits - 1 - _exponent(rounded))
    return text.rstrip("0").rstrip(".") if "." in text else text


def interval_texts(low: float, high: float, *within: float, digits: int = DIGITS) -> list[str]:
    """Ends of an interval and values ``within`` it, with the digits that its width justifies.

    Three digits of the width are shown, but no more than ``digits`` of the larger end, and at least two of each.

    >>> interval_texts(703.71, 892.8, 795.4), interval_texts(14690.0, 84660.0), interval_texts(0.0512, 121.3)
    (['704', '893', '795'], ['14,700', '84,700'], ['0.051', '121'])
    """
    width, largest = high - low, max(abs(low), abs(high))
    if not (math.isfinite(width) and _written_out(largest)):
        return [number_text(each, digits) for each in (low, high, *within)]
    places = digits - 1 - _exponent(largest)
    if width > 0.0:
        places = min(places, _OF_WIDTH - 1 - _exponent(width))
    texts = [_fixed(each, max(places, _OF_END - 1 - _exponent(each))) for each in (low, high, *within)]
    while (behind := [each for each in texts if "." in each]) and all(each[-1] in "0." for each in behind):
        texts = [each[:-1] if "." in each else each for each in texts]
    return texts


def ends_text(low: float, high: float, scale: float = 1.0, digits: int = DIGITS) -> str:
    """An interval, in units of ``scale``.

    >>> ends_text(0.0007037, 0.0008928, 1e-6)
    '704 … 893'
    """
    return " … ".join(interval_texts(low / scale, high / scale, digits=digits))


def _written_out(value: float) -> bool:
    return not value or _WRITTEN_OUT[0] <= abs(value) < _WRITTEN_OUT[1]


def _exponent(value: float) -> int:
    """Power of ten of the first digit."""
    return math.floor(math.log10(abs(value))) if value else 0


def _fixed(value: float, places: int) -> str:
    """``value`` rounded to ``places`` decimals, or before the point if negative."""
    if not math.isfinite(value):
        return number_text(value)
    rounded = round(value, places) + 0.0  # no -0
    if not rounded:
        return "0"
    separator = "," if abs(rounded) >= _SEPARATED else ""
    return f"{rounded:{separator}.{max(places, 0)}f}"


def time_text(seconds: float) -> str:
    """A time in a convenient unit; a dash for NaN.

    >>> time_text(0.0032)
    '3.2 ms'
    """
    if math.isnan(seconds):
        return "–"
    unit, scale = time_unit(seconds)
    return f"{number_text(seconds / scale)} {unit}"


def duration_text(seconds: float, digits: int = 3) -> str:
    """A time, in minutes, hours or days from two of them on; a dash for NaN.

    >>> duration_text(0.0032), duration_text(90.0), duration_text(2198.8), duration_text(7200.0)
    ('3.2 ms', '90 s', '36.6 min', '2 h')
    """
    if math.isnan(seconds):
        return "–"
    unit, scale = next((each for each in LONG_TIMES if seconds >= 2.0 * each[1]), time_unit(seconds))
    return f"{number_text(seconds / scale, digits)} {unit}"


def time_unit(seconds: float) -> tuple[str, float]:
    """A convenient unit for a time, and its size in seconds."""
    return next((each for each in _TIMES if not seconds or abs(seconds) >= each[1]), _TIMES[-1])


def prefixed(value: float, unit: str) -> tuple[str, float]:
    """A convenient unit for ``value`` in ``unit``, and its size in ``unit``.

    Times and bytes have prefixes; sizes a binary one if four digits show them exactly.

    >>> prefixed(131072.0, "bytes"), prefixed(1.31e5, "bytes"), prefixed(9e-10, "s/byte"), prefixed(5e6, "MB/s")
    (('KiB', 1024.0), ('kB', 1000.0), ('ns/byte', 1e-09), ('MB/s', 1.0))
    """
    first, slash, rest = unit.partition("/")
    if first == "s":
        name, scale = time_unit(value)
    elif unit == "bytes":
        name, scale = _of_bytes(value)
    elif unit == "bytes/s":
        name, scale = _decimal(value)
    else:
        return unit, 1.0
    return f"{name}{slash}{rest}", scale


def _of_bytes(size: float) -> tuple[str, float]:
    name, scale = next((each for each in _BINARY if size >= each[1]), ("B", 1.0))
    if float(f"{size / scale:.{DIGITS}g}") * scale == size:
        return name, scale
    return _decimal(size)


def _decimal(size: float) -> tuple[str, float]:
    return next((each for each in _DECIMAL if size >= each[1]), ("B", 1.0))


def figure_text(value: float, unit: str, digits: int = DIGITS) -> str:
    """A figure with a convenient unit.

    >>> figure_text(0.0032, "s"), figure_text(41.154, "MB/s"), figure_text(2.1e9, "bytes/s")
    ('3.2 ms', '41.15 MB/s', '2.1 GB/s')
    """
    if math.isnan(value):
        return number_text(value)
    name, scale = prefixed(value, unit)
    return f"{number_text(value / scale, digits)} {name}".rstrip()


def range_text(low: float, high: float, unit: str, digits: int = DIGITS) -> str:
    """An interval in a convenient unit of its upper end.

    >>> range_text(0.0032, 0.0041, "s"), range_text(703.7, 892.8, "MB/s"), range_text(1.2, 3.4, "")
    ('3.2 … 4.1 ms', '704 … 893 MB/s', '1.2 … 3.4')
    """
    name, scale = prefixed(high, unit)
    return f"{ends_text(low, high, scale, digits)} {name}".rstrip()
