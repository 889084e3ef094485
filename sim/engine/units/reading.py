"""Numbers in text, read in one way for settings, job files, reports of tools and claims.

A number has ASCII digits, at most 19 of them before its point, as a 64-bit counter has, and a float holds it: nan,
inf, hexadecimal digits, underscores and digits of other scripts are refused. Units differ from tool to tool: a
dialect is a table of all that may follow a number, with its factor.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

_FRACTION, _EXPONENT = r"(?:\.[0-9]{0,330})?", r"(?:[eE][+-]?[0-9]{1,3})?"
NUMBER = rf"(?:[0-9]{{1,19}}{_FRACTION}|\.[0-9]{{1,330}}){_EXPONENT}"
"""Pattern of a number without sign and commas, for lines that have more than that."""

_GROUPED = rf"[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,6}}{_FRACTION}{_EXPONENT}"
_AMOUNT = re.compile(rf"(?P<number>[+-]?(?:{_GROUPED}|{NUMBER}))(?P<unit>[^0-9].*)?")
_MOST_DIGITS = 18
"""Of a whole number: below 2**63, also of either sign."""

_ALONE = {"": 1}
THOUSANDS = {"": 1.0, "k": 1e3, "M": 1e6}
"""Dialect of counts in settings and goals: 780k."""

SHARES = {"": 1.0, "%": 0.01}
"""Dialect of shares: 3% or 0.03."""

FIO_SIZES = {
    prefix + byte: 1024 ** " kmgtp".index(prefix.lower() or " ")
    for prefix in ("", *"kmgtpKMGTP")
    for byte in ("", "b", "B")
}
"""Dialect of sizes and counts in fio, with its default kb_base=1024: 4k, 4K and 4kb are 4096."""

ORACLE_COUNTS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
"""Dialect of large counts in reports of Oracle."""


@dataclass(frozen=True)
class Amount:
    """A number as it is written, without commas, and what follows it, blanks included."""

    digits: str
    unit: str

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self.digits)

    @property
    def half_a_digit(self) -> float:
        """Half of the last written digit: 0.5 for 35, 0.005 for 0.91."""
        return float(Decimal(5).scaleb(int(Decimal(self.digits).as_tuple().exponent) - 1))

    def times(self, scale: float) -> float:
        """The number × ``scale``, both as written: floats would make 0.067GB no whole number of bytes."""
        return float(Decimal(self.digits) * Decimal(str(scale)))


def amount(text: str, *, signed: bool = False, grouped: bool = False, exponent: bool = True) -> Amount | None:
    """Read a number and what follows it; None for anything else.

    Args:
        signed: it may have a sign.
        grouped: it may have commas between thousands.
        exponent: it may have an exponent, such as 1e-3.

    >>> amount("4.5 KiB"), amount("1,024", grouped=True), amount("0x10"), amount("nan")
    (Amount(digits='4.5', unit=' KiB'), Amount(digits='1024', unit=''), Amount(digits='0', unit='x10'), None)
    """
    match = _AMOUNT.fullmatch(text)
    if not match:
        return None
    digits, unit = match["number"], match["unit"] or ""
    sign, comma, power = digits[0] in "+-", "," in digits, "e" in digits.lower()
    if (sign and not signed) or (comma and not grouped) or (power and not exponent):
        return None
    read = Amount(digits.replace(",", ""), unit)
    return read if math.isfinite(read.value) else None


def number(
    text: str, dialect: Mapping[str, float] = _ALONE, *, signed: bool = False, exponent: bool = True
) -> float | None:
    """Read a number, with a unit of ``dialect``; None for anything else.

    >>> number("1.5"), number("780k", THOUSANDS), number("3%", SHARES), number("5 %", SHARES)
    (1.5, 780000.0, 0.03, None)
    """
    read = amount(text, signed=signed, exponent=exponent)
    value = read.times(dialect[read.unit]) if read and read.unit in dialect else math.inf
    return value if math.isfinite(value) else None


def count(text: str, dialect: Mapping[str, int] = _ALONE) -> int | None:
    """Read a whole number from 0, of at most 18 digits, with a unit of ``dialect``; None for anything else.

    >>> count("64k", FIO_SIZES), count("6.4k", FIO_SIZES), count("-1")
    (65536, None, None)
    """
    read = amount(text)
    if not read or not read.digits.isdecimal() or len(read.digits) > _MOST_DIGITS or read.unit not in dialect:
        return None
    return int(read.digits) * dialect[read.unit]


def whole(text: str) -> int | None:
    """Read a whole number, which may have a minus and blanks around it; None for anything else."""
    bare = text.strip()
    value = count(bare.removeprefix("-"))
    return -value if value and bare.startswith("-") else value
