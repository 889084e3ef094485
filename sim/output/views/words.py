"""Formatting of numbers, names and intervals in tables and lines."""

from __future__ import annotations

import math

from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import ends_text, interval_texts, number_text, time_unit
from sim.prediction.uncertainty import PredictionInterval

UNKNOWN = "?"
"""Mark after a value that is not known well enough."""

WHY_UNKNOWN = f"{UNKNOWN} not known well enough: a warning says why"
"""Note below a table with such a mark."""

UNSURE = ", not known well enough"
"""Text after such a value, if there is room."""

_DIGITS = 12
"""Largest number of digits shown: arithmetic hardly leaves more right."""


def digits_for(value: float, gap: float, least: int) -> int:
    """Digits of ``value`` that show two of the ``gap`` to another value; at ``least`` that many.

    >>> digits_for(1234.56, 0.35, 4)
    6
    """
    if not (value and gap and math.isfinite(value) and math.isfinite(gap)):
        return least
    needed = math.floor(math.log10(abs(value))) - math.floor(math.log10(abs(gap))) + 2
    return min(max(least, needed), _DIGITS)


def words(name: str) -> str:
    """Text name of an answer."""
    return name.replace("_", " ")


def mark(estimate: Estimate) -> str:
    """Mark after the value of ``estimate`` in a table."""
    return "" if estimate.known or math.isnan(estimate.value) else UNKNOWN


def interval(estimate: Estimate, unit: str) -> str:
    """The value with its interval, and a note if it is not known well enough."""
    unsure = "" if estimate.known else UNSURE
    if math.isnan(estimate.low) or estimate.exact:
        return f"{number_text(estimate.value)} {unit}{unsure}"
    low, high, value = interval_texts(estimate.low, estimate.high, estimate.value)
    between = f"{low} … {high}" if math.isfinite(estimate.high) else f"at least {low}"
    return f"{value} ({between} at {estimate.confidence:.0%}) {unit}{unsure}"


def ends_of(band: PredictionInterval, scale: float = 1.0) -> str:
    """The two ends of ``band``, in units of ``scale``."""
    return ends_text(band.low, band.high, scale)


def time_interval(estimate: Estimate) -> str:
    """A time with its interval, in a convenient unit."""
    unit, scale = time_unit(estimate.value)
    return f"{interval(estimate.scaled(1.0 / scale), unit)}"
