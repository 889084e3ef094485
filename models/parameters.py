"""Parameters of most systems: priors of fits, and assumptions without measurement."""

from __future__ import annotations

from typing import Any

from sim.system import parameter

PHYSICAL = 10
"""Factor from the range of a guess to the physical bounds."""


def prior(value: float, unit: str, why: str, factor: float = 4.0) -> Any:
    """A parameter to fit, with its prior ``value``, bounded a ``factor`` up and down."""
    return parameter(value, unit, value / factor, value * factor, "fitted", why)


def guess(value: float, unit: str, likely: tuple[float, float], why: str) -> Any:
    """An assumed time, rate or size, with its 90 % range ``likely``."""
    low, high = likely
    return parameter(value, unit, low / PHYSICAL, high * PHYSICAL, "assumed", why, likely=likely)
