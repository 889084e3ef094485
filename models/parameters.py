"""Parameters as most systems state them: where a fit begins, and what nobody has measured."""

from __future__ import annotations

from typing import Any

from sim.system import parameter

PHYSICAL = 10
"""How far beyond the range of a guess, by a factor, a value would still be physically possible."""


def prior(value: float, unit: str, why: str, factor: float = 4.0) -> Any:
    """Where a fit begins, and how far it may go: a ``factor`` up or down."""
    return parameter(value, unit, value / factor, value * factor, "fitted", why)


def guess(value: float, unit: str, likely: tuple[float, float], why: str) -> Any:
    """A time, a rate or a size that is assumed, and between which ends it lies in nine of ten cases."""
    low, high = likely
    return parameter(value, unit, low / PHYSICAL, high * PHYSICAL, "assumed", why, likely=likely)
