"""Stops of a slider: texts as users write them, in rising order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from sim.engine.units import size_text, unit_of
from sim.system.parameters import Parameter
from sim.system.quantities import Quantity
from sim.system.settings import Choice, Count, Flag, Number, Setting, Size

FEW = 32
"""Largest count of whole numbers that are all stops; of more, powers of two are."""

SMALL = 64
"""Largest default of a count whose stops are powers of two."""

_OCTAVES = range(-4, 5)
_DECADES = {"second": (1e-5, 1e-1), "byte / second": (1e6, 1e10), "1 / second": (1e2, 1e6)}
"""Range of stops for a default of none or infinity."""


def stops_of(setting: Setting, more: Iterable[Any] = ()) -> tuple[str, ...]:
    """Stops of the slider of ``setting``, including its default and ``more`` values; empty without a slider."""
    if isinstance(setting, Choice):
        return setting.options
    if isinstance(setting, Flag):
        return "no", "yes"
    if not isinstance(setting, Count | Size | Number | Quantity):
        return ()
    low, high, values = setting.low, setting.high, _values(setting)
    kept = {value for value in values if low <= value <= high} | {setting.parse(setting.default), *more}
    return tuple(dict.fromkeys(setting.show(value) for value in sorted(kept)))


@singledispatch
def _values(_setting: Setting) -> list[Any]:
    return []


@_values.register
def _of_count(setting: Count) -> list[int]:
    if setting.high - setting.low <= FEW:
        return list(range(setting.low, setting.high + 1))
    if setting.default > SMALL:
        return [round(value) for value in _octaves(setting.default)]
    return [setting.low, *(1 << power for power in range(max(SMALL, 8 * setting.default).bit_length()))]


@_values.register
def _of_size(setting: Size) -> list[int]:
    return [int(value) for value in _octaves(setting.default, range(-6, 7))]


@_values.register
def _of_number(setting: Number) -> list[float]:
    if setting.high - setting.low <= 1.0:
        return [_rounded(setting.low + part * (setting.high - setting.low) / 20) for part in range(21)]
    return [setting.low, *map(_rounded, _octaves(setting.default or 1.0))]


@_values.register
def _of_quantity(setting: Quantity) -> list[float]:
    if 0.0 < setting.default < math.inf:
        return [_rounded(value) for value in _octaves(setting.default)]
    low, high = _DECADES[setting.unit]
    return [_rounded(low * 10 ** (step / 2)) for step in range(round(2 * math.log10(high / low)) + 1)]


def _octaves(middle: float, powers: Iterable[int] = _OCTAVES) -> list[float]:
    return [middle * 2.0**power for power in powers]


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def stops_of_parameter(entry: Parameter) -> tuple[str, ...]:
    """Stops of a parameter's slider, within its bounds; those of a count are whole."""
    whole = float(entry.value).is_integer() and unit_of(entry.unit) is None
    others = [
        value for value in _octaves(entry.value) if entry.low <= value <= entry.high and value != entry.value
    ]
    if whole:
        others = [float(max(1, round(value))) for value in others]
    elif entry.unit != "bytes":
        others = [_rounded(value) for value in others]
    return tuple(dict.fromkeys(parameter_text(entry, value) for value in sorted({*others, float(entry.value)})))


_PREFIXES = {
    "s": (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)),
    "bytes/s": (("GB/s", 1e9), ("MB/s", 1e6), ("B/s", 1.0)),
}


def parameter_text(entry: Parameter, value: float) -> str:
    """A value of ``entry`` as users write it, to six digits."""
    if entry.unit == "bytes" and float(value).is_integer():
        return size_text(int(value))
    for sign, scale in _PREFIXES.get(entry.unit, ()):
        if value >= scale:
            return f"{value / scale:.6g}{sign}"
    unit = unit_of(entry.unit)
    return f"{value:.6g}{unit.sign if unit else ''}"
