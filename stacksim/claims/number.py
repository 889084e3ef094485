"""Parser of quantities as people write them, "~450 MB/s" or "1..2 GB/s", with rounding of digits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType

from sim.engine.errors import InputError
from sim.engine.units import UNITS, factor, per_second
from sim.engine.units.reading import amount
from stacksim.claims.claim import Number

ABOUT = 0.1
"""Relative tolerance of "about", if its digits do not leave more open."""

WIDEST = Decimal("0.05")
"""Largest relative rounding error of a number: 2.5 GB/s is not written as 3 GB/s (assumed)."""

SMALLEST, LARGEST = 1e-15, 1e24
"""Range of any number, in SI: values beyond are slips."""


@dataclass(frozen=True)
class Kind:
    """A kind of number in a claim.

    Attributes:
        unit: as `Number` has it; "%" of a change, "ratio" of a ratio.
        allowed: what may be written, in words.
        exact: True if whole numbers of it are settings or counts, and so are not rounded.
    """

    unit: str
    allowed: str
    exact: bool = False


_RATE = Kind("bytes/s", "a number with a unit of bytes a second, such as 450 MB/s, 2 Gb/s or 1..2 GiB/s")
_PER_SECOND = Kind("/s", "a number a second, such as 3000, 780k or 1.2M IOPS")
_TIME = Kind("s", "a number with a unit of time, such as 200 us, 3 ms or 12 min")
_BYTES = Kind("bytes", "a number with a unit of bytes, such as 128KiB, 8 GB or 1 TiB")
_COUNT = Kind("", "a number, such as 12", exact=True)

LEAST_MTU, MOST_MTU = 576, 65535
"""Limits of IPv4: the datagram size that every host accepts, and the longest packet."""

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "throughput": _RATE,
        "throughput_each": _RATE,
        "iops": _PER_SECOND,
        "iops_each": _PER_SECOND,
        "latency": _TIME,
        "elapsed": _TIME,
        "bytes": _BYTES,
        "block": replace(_BYTES, exact=True),
        "requests_in_flight": _COUNT,
        "memory": _BYTES,
        "array_memory": _BYTES,
        "duration": replace(_TIME, exact=True),
        "cores": _COUNT,
        "devices": _COUNT,
        "links": _COUNT,
        "nodes": _COUNT,
        "clients": _COUNT,
        "mtu": Kind("", f"whole bytes from {LEAST_MTU} to {MOST_MTU}, such as 1500 or 9000", exact=True),
    }
)
"""Kinds of the numbers that a claim may have, by name; ``_each`` is per device, node, link or client."""

RATIO = Kind("ratio", "a number, such as 3.9, or a range, such as 0.9..1.1")
CHANGE = Kind("%", "a number of per cent above -100, such as -28 % or +95 %")

_SIGN = re.compile(r"(>=|≥|at least|<=|≤|at most|~|≈|about|around|)\s*(.*)", re.DOTALL)
RANGE = re.compile(r"\s*(?:\.\.|…|\bto\b)\s*")
"""Separator between both ends of a range."""

_BARE_SIZE = re.compile(r"([kKMGT])i?")
_KILOBYTES = re.compile(r"[kK]B(?![a-z])")
_BITS_A_SECOND = re.compile(r"(?<=[bBt])ps")
_LONGEST = 60
"""Largest number of characters of a number."""


@dataclass(frozen=True)
class _End:
    """A number in SI without sign or range: its value, the range by rounding, and the part possibly truncated."""

    low: float
    value: float
    high: float
    cut: float


def number_of(raw: object, kind: Kind, of: str = "") -> Number:
    """Parse ``raw``, text or a bare number, as a number of ``kind``; a change of -28 % becomes the ratio 0.72.

    Raises:
        InputError: it is no number, has a wrong unit or none, or is out of range; says what is
            allowed, but not where.
    """
    text = raw.strip() if isinstance(raw, str) else repr(raw)
    ends = None if isinstance(raw, bool) or len(text) > _LONGEST else _between(text, kind)
    if ends is None or not _usable(*ends[:2]):
        raise InputError(f"allowed: {kind.allowed}")
    low, high, cut = ends
    return Number(low, high, "" if kind in {RATIO, CHANGE} else kind.unit, text, of, cut)


def _usable(low: float, high: float) -> bool:
    """True if both ends, or the only one, are within the range of numbers."""
    given = [each for each in (low, high) if 0.0 != each != math.inf]
    return bool(given) and low <= high and all(SMALLEST <= each <= LARGEST for each in given)


def _between(text: str, kind: Kind) -> tuple[float, float, float] | None:
    """The least and the largest value of ``text``, and the part possibly truncated; None if it is no number."""
    match = _SIGN.fullmatch(text)
    if not match:
        return None
    parts = [amount(part, signed=True, grouped=True) for part in RANGE.split(match[2])]
    unit = parts[-1].unit if parts[-1] else ""
    ends = [_end(part.digits, (part.unit.strip() or unit).strip(), kind) if part else None for part in parts]
    match match[1], ends:
        case "", [_End() as only]:
            return only.low, only.high, only.cut
        case "", [_End() as first, _End() as last]:
            return first.value, last.value, 0.0
        case ((">=" | "≥" | "at least"), [_End() as only]):
            return only.value, math.inf, 0.0
        case (("<=" | "≤" | "at most"), [_End() as only]):
            return 0.0, only.value, 0.0
        case (("~" | "≈" | "about" | "around"), [_End() as only]):
            return min(only.low, only.value * (1.0 - ABOUT)), max(only.high, only.value * (1.0 + ABOUT)), 0.0
    return None


def _end(digits: str, unit: str, kind: Kind) -> _End | None:
    """One number with its ``unit`` and rounding; None if the unit is of another kind."""
    scales = _scales(unit, kind)
    if scales is None:
        return None
    said = Decimal(digits)
    half = Decimal(0) if kind.exact and said == said.to_integral_value() else _half_of_last_digit(said, digits)
    if kind is CHANGE:
        said, half = 1 + said / 100, half / 100
    whole = max(said, Decimal(1)) if kind is CHANGE else said  # a decrease is rounded as a share of the old value
    widest = abs(whole) * WIDEST
    cut = Decimal(0) if kind is CHANGE else min(2 * half, widest) - min(half, widest)
    half = min(half, widest)
    low, high = scales
    value = float(said) * (low + high) / 2.0
    return _End(float(said - half) * low, value, float(said + half) * high, float(cut) * high)


def _half_of_last_digit(said: Decimal, digits: str) -> Decimal:
    """Half a unit of the last significant digit: of 450 and of 45e1 it is the 5, of 2.10 and of 4.50e2 the 0.

    The caller reduces it to ``WIDEST`` where it is larger, as of 3 or of 20,000.
    """
    counted = said if "." in digits else said.normalize()
    return Decimal(5).scaleb(int(counted.as_tuple().exponent) - 1)


def _scales(unit: str, kind: Kind) -> tuple[float, float] | None:
    """Least and largest value of one ``unit`` in SI: kB is used for 1000 bytes and for 1024."""
    match kind.unit:
        case "":
            scale = 1.0 if not unit else None
        case "ratio":
            scale = 1.0 if unit in {"", "x", "×", "times"} else None
        case "%":
            scale = 1.0 if unit == "%" else None
        case "/s":
            scale = per_second(unit)
        case _:
            return _scales_of_unit(unit, kind.unit)
    return None if scale is None else (scale, scale)


def _scales_of_unit(unit: str, into: str) -> tuple[float, float] | None:
    if into == "bytes" and (bare := _BARE_SIZE.fullmatch(unit)):  # as dd and fio read it
        unit = f"{bare[1].upper()}iB"
    name, unit = UNITS[into].name, _BITS_A_SECOND.sub("/s", unit)
    scale = factor(unit, name) if unit else None
    if scale is None:
        return None
    return (scale, scale * 1.024) if _KILOBYTES.match(unit) else (scale, scale)
