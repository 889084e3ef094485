"""Numbers of a claim in words, short enough to be checked by hand."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from sim.engine.errors import printable
from sim.engine.units import UNITS, factor
from sim.engine.units.text import figure_text, number_text
from stacksim.claims.claim import Number
from stacksim.claims.number import RANGE
from stacksim.claims.verdict import Explanation

_WRITTEN = re.compile(r"[\d.] ?(?P<unit>[kKMGT]?(?P<binary>i?)(?P<what>[bB])(?:/ ?s|ps|))$", re.ASCII)
_PS = re.compile(r"ps$")
_DECIMAL_BYTES = False, False

_TWICE = 2.0
"""Factors from this on, or below its inverse, are not written in per cent."""

_WHOLE = re.compile(r"\d[\d,]* ?[kKMG]?", re.ASCII)
"""A count per second without digits behind a decimal point, which would say how it was rounded."""

_HIT = 0.0005
"""Relative error below which an explanation counts as meeting the number."""

_LEAST = 0.001
"""Probability below which its digits say nothing."""


def amount(value: float, unit: str) -> str:
    """``value`` with its ``unit`` and a customary prefix.

    >>> amount(425e6, "bytes/s"), amount(30000, "/s"), amount(0.0002, "s"), amount(16000, "")
    ('425 MB/s', '30,000/s', '200 µs', '16,000')
    """
    return f"{number_text(value)}{unit}" if unit == "/s" else figure_text(value, unit)


def amount_beside(value: float, unit: str, number: Number) -> str:
    """``value`` as text, in powers of 1024 or in bits if ``number`` is written so."""
    match = _WRITTEN.search(number.said) if unit == number.unit else None
    if not match or _base(number) == _DECIMAL_BYTES:
        return amount(value, unit)
    scale = factor(_PS.sub("/s", match["unit"]), UNITS[unit].name)
    return f"{number_text(value / scale)} {match['unit']}" if scale else amount(value, unit)


def said_beside(number: Number, other: Number | None = None) -> str:
    """``number`` as it was written; a rate in powers of 1024, or in bits, also in the base of ``other``."""
    base = _DECIMAL_BYTES if other is None else _base(other)
    if number.unit != "bytes/s" or _base(number) == base:
        return said(number)
    beside = amount_beside(number.value, number.unit, other) if other else amount(number.value, number.unit)
    return f"{said(number)} ({beside})"


def read_as(number: Number) -> str:
    """The range of ``number`` by its digits, or by "about", as text; empty if its own text states a range.

    >>> from stacksim.claims.number import KINDS, number_of
    >>> read_as(number_of("5 GB/s", KINDS["throughput"])), read_as(number_of("5.0 GB/s", KINDS["throughput"]))
    (', read as 4.75 GB/s to 5.25 GB/s', ', read as 4.95 GB/s to 5.05 GB/s')
    """
    if not number.low < number.high < math.inf or number.low <= 0.0 or RANGE.search(number.said):
        return ""
    low, high = (amount_beside(end, number.unit, number) for end in (number.low, number.high))
    return f", read as {low} to {high}"


def _base(number: Number) -> tuple[bool, bool]:
    """Two flags of how ``number`` is written: in powers of 1024, and in bits."""
    match = _WRITTEN.search(number.said)
    return (bool(match["binary"]), match["what"] == "b") if match else _DECIMAL_BYTES


def times(factor: float) -> str:
    """A factor as text.

    >>> times(450 / 425)
    '1.06 times'
    """
    return f"{factor:.3g} times"


def apart(factor: float) -> str:
    """The ratio of two numbers as text: in per cent if between a half and twice.

    >>> apart(2 / 3), apart(1.16), apart(4.0), apart(0.2)
    ('33% less', '16% more', '4 times', '1/5 of it')
    """
    if factor >= _TWICE:
        return times(factor)
    if factor <= 1.0 / _TWICE:
        return f"1/{1.0 / factor:.3g} of it"
    return f"{100.0 * abs(factor - 1.0):.2g}% {'more' if factor > 1.0 else 'less'}"


def said(number: Number) -> str:
    """``number`` as it was written; a rate without a unit gets "/s", and is written out if it is whole."""
    if number.unit == "/s" and _WHOLE.fullmatch(number.said):
        return f"{number_text(number.value, 12)}/s"
    bare = number.unit == "/s" and not re.search(r"/ ?s|iops|tps", number.said, re.IGNORECASE)
    return printable(number.said) + ("/s" if bare else "")


def miss(error: float) -> str:
    """Relative error of an explanation as text.

    >>> miss(0.0), miss(-0.05), miss(3.0)
    ('as claimed', '-5.0%', '4 times as much')
    """
    if abs(error) < _HIT:
        return "as claimed"
    return f"{error:+.1%}" if error < 1.0 else f"{times(1.0 + error)} as much"


def explained(explanation: Explanation) -> str:
    """An explanation as text: what may have been measured, the number it predicts, and its error.

    A count or a ratio that is met is not repeated, since the words contain it.
    """
    missed = miss(explanation.error)
    if not explanation.unit and abs(explanation.error) < _HIT:
        return explanation.what
    return f"{explanation.what}: {amount(explanation.predicted, explanation.unit)}, {missed}"


def probability(likelihood: float) -> str:
    """Probability of a measurement at least as far off, as text.

    >>> probability(0.034), probability(1e-9)
    ('p = 0.034', 'p < 0.001')
    """
    return f"p < {_LEAST:g}" if likelihood < _LEAST else f"p = {likelihood:.2g}"


def counted(verdicts: Iterable[str]) -> str:
    """Number of claims by verdict, as text.

    >>> counted(["plausible", "impossible", "plausible"])
    '3 claims: 2 plausible, 1 impossible'
    """
    counts = Counter(verdicts)
    number = counts.total()
    return f"{number} claim{'s' * (number != 1)}: {', '.join(f'{count} {word}' for word, count in counts.items())}"
