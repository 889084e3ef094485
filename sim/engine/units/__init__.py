"""Quantities as users write them ("32 KiB", "2 Gb/s"), to plain floats in SI units, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from sim.engine.errors import InputError, shown
from sim.engine.units.reading import amount

KIB = 1024
MB = 1e6
"""A megabyte as ``dd`` and vendors' papers count it, in bytes."""

_EXAMPLES = {
    "byte": "32KiB, 1 MiB, 4096",
    "second": "7.3 us, 0.33 ms, 2 s",
    "byte / second": "3.2 GB/s, 2 Gb/s",
}


@dataclass(frozen=True)
class Unit:
    """A unit of parameters: its ``name`` for `quantity`, the ``sign`` after a number, and an ``example``."""

    name: str
    sign: str
    example: str

    def read(self, what: str, text: str) -> float:
        """Read ``text`` as a quantity in this unit: see ``bytes_of`` and ``quantity``."""
        return bytes_of(what, text) if self.name == "byte" else quantity(what, text, self.name)


UNITS = {
    "bytes": Unit("byte", "B", "8KiB"),
    "s": Unit("second", "s", "25us"),
    "bytes/s": Unit("byte / second", "B/s", "2GB/s"),
}
"""Units of parameters whose values may be written with a prefix, by their name in tables."""

_SINGULAR = {"byte": "bytes", "byte/s": "bytes/s"}


def unit_of(written: str) -> Unit | None:
    """The one of ``UNITS`` called ``written``, also in the singular; None for other counts."""
    return UNITS.get(_SINGULAR.get(written, written))


_SIZES = {
    "byte": 1.0,
    **{prefix + "B": 1000.0**power for power, prefix in enumerate(("", "k", "M", "G", "T"))},
    **{prefix + "iB": 1024.0**power for power, prefix in enumerate(("K", "M", "G", "T"), 1)},
}

EVERYDAY = {
    "byte": _SIZES,
    "second": {
        "second": 1.0,
        "s": 1.0,
        "ms": 1e-3,
        "us": 1e-6,
        "µs": 1e-6,
        "ns": 1e-9,
        "min": 60.0,
        "h": 3600.0,
        "d": 86400.0,
    },
    "byte / second": {
        "byte / second": 1.0,
        "bytes/s": 1.0,
        **{f"{size}/s": scale for size, scale in _SIZES.items()},
        "Mb/s": 1e6 / 8.0,
        "Gb/s": 1e9 / 8.0,
    },
}
"""Commonest units of each kind, with their size in the first unit of the kind. Pint has these, too, but is slow to
load."""

_KIND = {written: kind for kind, units in EVERYDAY.items() for written in units}

_IOS = (
    "iops",
    "io",
    "ios",
    "i/o",
    "i/os",
    "read",
    "reads",
    "write",
    "writes",
    "req",
    "reqs",
    "request",
    "requests",
)
_COUNTED = (*_IOS, "", "tps", "qps", "rps", "op", "ops", "tx", "transactions", "commits", "queries", "statements")
"""Counted units, before which a letter is a prefix: kIO/s are thousands, but messages/s are not millions."""

_PER_SECOND = re.compile(
    r"(?P<prefix>[kMG]?) ?(?P<what>[a-z][a-z/]*?|1?)(?: ?/ ?(?P<per>s|min|h))", re.ASCII | re.IGNORECASE
)
_RATE_WORDS = re.compile(r"(?P<prefix>[kMG]?) ?(?P<what>iops|tps|qps|rps|ops|)(?P<per>)", re.ASCII | re.IGNORECASE)
_THOUSANDS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}

_UNIT = re.compile(r"[a-zµμ]+( */ *[a-z]+)?", re.ASCII | re.IGNORECASE)
_BITS_OR_BYTES = re.compile(r"\b([kKMGTPE]?i?)([bB])\b")
_PREFIXED = re.compile(r" *(?P<prefix>[kmgtp]?)(?P<rest>i?|i?b|bits?)", re.ASCII | re.IGNORECASE)
_PLAIN_SIZE = re.compile(r"|B|[MGTP]B|[KMGTP]iB")

SIZES = (
    "sizes: 64k = 64K = 64KiB = 65536 bytes, 1M = 1MiB = 1048576 bytes, 1MB = 1000000 bytes; "
    "a number alone is bytes"
)
"""Sizes that ``bytes_of`` reads, as help text."""


@cache
def _registry() -> Any:
    import pint  # lazily: half a second that a run without written units need not pay

    return pint.UnitRegistry(case_sensitive=True)


def quantity(what: str, text: str, unit: str) -> float:
    """Read ``text`` as a quantity in ``unit`` (byte, second, byte / second); a bare number is in ``unit``.

    Raises:
        InputError: not a number with a unit of that kind, or a time without its unit; the message gives examples.
    """
    if unit == "second" and (hint := time_hint(text)):
        raise InputError(f"{what} is '{shown(text)}'; {hint}allowed: a time, such as {_EXAMPLES[unit]}")
    written = amount(text.strip(), signed=True)
    scale = factor(written.unit.lstrip(" ") or unit, unit) if written else None
    value = written.times(scale) if written and scale else math.inf
    if not math.isfinite(value):
        raise InputError(_refusal(what, text, unit))
    return value


def bytes_of(what: str, text: str) -> float:
    """Read ``text`` as a size: 64k is 65536 bytes, as in dd and fio, and so is 64KiB; 1MB is a million, as in dd.

    Raises:
        InputError: not a size, or one that dd and fio read differently, such as 8kB; or bits, such as 8Kb.
    """
    digits, prefix, rest = _size(text)
    if prefix and rest in ("", "i"):
        return quantity(what, f"{digits}{prefix.upper()}iB", "byte")
    if not _PLAIN_SIZE.fullmatch(prefix + rest):
        raise InputError(
            f"{what} is '{shown(text)}'; {size_hint(text)}allowed: a size, such as {_EXAMPLES['byte']}"
        )
    return quantity(what, text, "byte")


def size_hint(given: object) -> str:
    """Hint at the probable meaning of a size that ``bytes_of`` refuses, with a blank after it; else empty."""
    digits, prefix, rest = _size(given) if isinstance(given, str) else ("", "", "")
    if _PLAIN_SIZE.fullmatch(prefix + rest):
        return ""
    meant = f"'{shown(digits)}{prefix.upper()}{'i' * bool(prefix)}B'"
    if (prefix.upper(), rest) == ("K", "B"):
        return f"dd reads a kB as 1000 bytes, fio as 1024: write {meant}, or the number of bytes; "
    return f"{'b is for bits; ' if rest[-1:] != 'B' else ''}did you mean {meant}? "


def _size(text: str) -> tuple[str, str, str]:
    """The digits of a size, the letter of its prefix, and the rest of its unit; all empty if it is no size."""
    written = amount(text.strip(), signed=True)
    match = _PREFIXED.fullmatch(written.unit) if written else None
    return (written.digits, match["prefix"], match["rest"]) if written and match else ("", "", "")


def time_hint(given: object) -> str:
    """Hint to give a time its unit, with a blank after it; empty for 0, and for text that is no number.

    A time without unit need not be in seconds: 450 for a drive are microseconds.
    """
    written = amount(given.strip(), signed=True) if isinstance(given, str) else None
    if not written or written.unit or not written.value:
        return ""
    return f"write its unit, such as {written.digits}us; "


def factor(unit: str, into: str) -> float | None:
    """Size of ``unit`` in ``into``: 1.048576 for MiB/s into MB/s; None if they are of different kinds."""
    if unit == into:
        return 1.0
    return _scale(unit, into) if _UNIT.fullmatch(unit) else None  # pint would evaluate it as an expression


def per_second(unit: str) -> float | None:
    """Number of anything a second in one ``unit``; None if it counts nothing, such as MB/s.

    >>> per_second("kIO/s"), per_second("messages/s"), per_second("phases/h"), per_second("MB/s")
    (1000.0, 1.0, 0.0002777777777777778, None)
    """
    counted = _counted(unit)
    return counted[0] if counted else None


def ios_per_second(unit: str) -> float | None:
    """Number of I/Os a second in one ``unit``; None if it counts something else, such as transactions."""
    counted = _counted(unit)
    return counted[0] if counted and counted[1] in _IOS else None


def _counted(unit: str) -> tuple[float, str] | None:
    """Number a second in one ``unit``, and the counted thing."""
    match = _RATE_WORDS.fullmatch(unit) or _PER_SECOND.fullmatch(unit)
    if match is None:
        return None
    prefix, what, seconds = match["prefix"], match["what"].lower(), _SECONDS[match["per"].lower()]
    if what in _COUNTED:
        return _THOUSANDS[prefix.upper()] / seconds, what
    return None if factor(unit.replace(" ", ""), "byte / second") else (1.0 / seconds, f"{prefix}{what}".lower())


@cache
def _scale(written: str, unit: str) -> float | None:
    """Size of ``written`` in ``unit``; None if they are of different kinds."""
    if written == unit:
        return 1.0
    if not (written in _KIND and unit in _KIND):
        return _scale_of_pint(written, unit)
    units = EVERYDAY[_KIND[written]]
    if unit not in units:
        return None
    source, target = (Decimal(str(units[each])) for each in (written, unit))
    return float(source / target)  # floats would make 1000.0000000000001 us of 1 ms


def _scale_of_pint(written: str, unit: str) -> float | None:
    registry = _registry()
    try:
        source, target = (
            registry.Quantity(1.0, _BITS_OR_BYTES.sub(_spelled_out, each)) for each in (written, unit)
        )
    except Exception:  # noqa: BLE001  (pint raises a dozen kinds, some of them internal ones of its tokenizer)
        return None
    # Not by dimension: in pint a bit has none, so that percent and hertz would pass as bytes and rates.
    same_kind = source.to_root_units().units == target.to_root_units().units
    return float(source.to(target.units).magnitude) if same_kind else None


def _spelled_out(match: re.Match[str]) -> str:
    prefix, letter = match.groups()  # pint's b is a barn and its Gb a gilbert; K is not an SI prefix
    return ("k" if prefix == "K" else prefix) + ("byte" if letter == "B" else "bit")


def _refusal(what: str, text: str, unit: str) -> str:
    return f"{what} is '{shown(text)}'; allowed: a number with a unit of {unit}, such as {_EXAMPLES[unit]}"


_BINARY = (("TiB", 1024**4), ("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024))
_DECIMAL = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6))
"""Units of sizes and rates, the largest first. No kB, which dd and fio read differently."""


def size_text(size_bytes: int) -> str:
    """Write a size in the largest unit that divides it, binary or decimal, whichever comes out shorter.

    >>> size_text(131072), size_text(2 * 10**9)
    ('128KiB', '2GB')
    """
    return min((_whole(size_bytes, units) for units in (_BINARY, _DECIMAL)), key=len)


def _whole(size_bytes: int, units: Sequence[tuple[str, int]]) -> str:
    """``size_bytes`` in the largest of ``units`` that divides it; in bytes if none does."""
    dividing = ((unit, scale) for unit, scale in units if size_bytes and size_bytes % scale == 0)
    unit, scale = next(dividing, ("B", 1))
    return f"{size_bytes // scale}{unit}"


def rate_text(bytes_per_s: float) -> str:
    """Write a rate of whole bytes like ``size_text``, but allow fractions of a decimal unit.

    >>> rate_text(2.1e9), rate_text(131072000.0)
    ('2.1GB/s', '125MiB/s')
    """
    decimal = (f"{bytes_per_s / scale:.12g}{unit}" for unit, scale in reversed(_DECIMAL))
    return f"{min(size_text(int(bytes_per_s)), *decimal, key=len)}/s"
