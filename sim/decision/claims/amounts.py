"""Numbers of a claim in words, short enough to be checked by hand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from sim.decision.claims.claim import Number
from sim.errors import printable
from sim.units.text import figure_text, number_text

_WHOLE = re.compile(r"\d[\d,]* ?[kKMG]?", re.ASCII)
"""A count a second, without digits behind a point, which say how it was rounded."""

_HIT = 0.0005
"""Share below which an explanation meets the number."""

_LEAST = 0.001
"""Probability below which its digits say nothing."""


def amount(value: float, unit: str) -> str:
    """``value`` with its ``unit``, in the prefix that people would choose.

    >>> amount(425e6, "bytes/s"), amount(30000, "/s"), amount(0.0002, "s"), amount(16000, "")
    ('425 MB/s', '30,000/s', '200 µs', '16,000')
    """
    return f"{number_text(value)}{unit}" if unit == "/s" else figure_text(value, unit)


def times(factor: float) -> str:
    """How many times as much.

    >>> times(450 / 425)
    '1.06 times'
    """
    return f"{factor:.3g} times"


def said(number: Number) -> str:
    """A number as it was written; one that is counted a second with that behind it, and in full if it is whole."""
    if number.unit == "/s" and _WHOLE.fullmatch(number.said):
        return f"{number_text(number.value, 12)}/s"
    bare = number.unit == "/s" and not re.search(r"/ ?s|iops|tps", number.said, re.IGNORECASE)
    return printable(number.said) + ("/s" if bare else "")


def miss(error: float) -> str:
    """By how much an explanation misses the number that it explains.

    >>> miss(0.0), miss(-0.05), miss(3.0)
    ('as claimed', '-5.0%', '4 times as much')
    """
    if abs(error) < _HIT:
        return "as claimed"
    return f"{error:+.1%}" if error < 1.0 else f"{times(1.0 + error)} as much"


def probability(likelihood: float) -> str:
    """How likely a measurement is at least as far off.

    >>> probability(0.034), probability(1e-9)
    ('p = 0.034', 'p < 0.001')
    """
    return f"p < {_LEAST:g}" if likelihood < _LEAST else f"p = {likelihood:.2g}"


def counted(verdicts: Iterable[str]) -> str:
    """How many claims there are of each verdict.

    >>> counted(["plausible", "impossible", "plausible"])
    '3 claims: 2 plausible, 1 impossible'
    """
    counts = Counter(verdicts)
    number = counts.total()
    return f"{number} claim{'s' * (number != 1)}: {', '.join(f'{count} {word}' for word, count in counts.items())}"
