"""Values of a text: a list, or a range like ``1..14``, ``2..14/2`` or ``1..1024x2``."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from sim.engine.errors import InputError, shown
from sim.engine.units.reading import whole
from sim.system.quantities import Quantity
from sim.system.settings import Choice, Count, File, Flag, Number, Setting, Size

MOST = 100_000
"""Largest number of values of a range, and of candidates of a search: each takes milliseconds at best."""

RANGE = ".."

_WRITTEN = re.compile(r"(?P<low>.+?)\.\.(?P<high>[^.].*?)(?:/(?P<step>[-+.\d].*|)|x(?P<factor>.*))?")
_DASHED = re.compile(r"(\d+[a-zA-Z]*)-(\d+[a-zA-Z]*)")
_TIMES = re.compile(r"(.+\.\..+)[*×](\d+)")

DIGITS = 12
"""Significant digits of a value of a range of decimal numbers: 0.3, and not 0.30000000000000004."""


def values_of(setting: Setting, text: str) -> tuple[Any, ...]:
    """The values in ``text``: a range in ascending order, a list in its own.

    Raises:
        InputError: a value is not allowed or given twice, or the range is malformed.
    """
    if RANGE in text and not isinstance(setting, File | Choice):
        return _range(setting, text)
    values = [_value(setting, each) for each in text.split(",")]
    if len(set(values)) < len(values):
        raise InputError(f"a value of {setting.name} is given twice in '{shown(text)}'; give each once")
    return tuple(values)


def _value(setting: Setting, text: str) -> Any:
    dashed = _DASHED.fullmatch(text.strip())
    if dashed and isinstance(setting, Count | Size | Number | Quantity):
        raise setting.refuse(text, f"did you mean {dashed[1]}{RANGE}{dashed[2]}? ")
    return setting.parse(text)


def _range(setting: Setting, text: str) -> tuple[Any, ...]:
    """Values from end to end: whole numbers by 1 and sizes doubled, unless a step or a factor is given."""
    if isinstance(setting, Flag) or not isinstance(setting, Count | Size | Number | Quantity):
        raise InputError(f"{setting.name} is '{shown(text)}'; it has no ranges; list the values")
    if times := _TIMES.fullmatch(text):
        meant = f"{times[1]}x{times[2]}"
        raise setting.refuse(text, f"did you mean {shown(meant)}? a shell takes * for itself; ")
    match = _WRITTEN.fullmatch(text)
    if not match or RANGE in match["high"]:
        raise InputError(
            f"{setting.name} is '{shown(text)}'; allowed: a range such as 1..8, 2..14/2 or 1..64x2, or a list"
        )
    low, high = setting.parse(match["low"]), setting.parse(match["high"])
    if low > high or math.isinf(high):
        what = "an upper end" if math.isinf(high) else "the smaller end first"
        raise InputError(f"{setting.name} is '{shown(text)}'; allowed: {what}")
    if match["factor"] is not None or (isinstance(setting, Size) and match["step"] is None):
        return _multiplied(setting, text, low, high, "2" if match["factor"] is None else match["factor"])
    return _stepped(setting, text, low, high, _step(setting, text, match["step"]))


def _multiplied(setting: Setting, text: str, low: Any, high: Any, written: str) -> tuple[Any, ...]:
    factor = whole(written) or 0
    if factor < 2 or low <= 0:  # noqa: PLR2004  (else it never ends)
        raise InputError(
            f"{setting.name} is '{shown(text)}'; allowed: as a factor a whole number from 2 on, such as x2, and a "
            "range from above 0"
        )
    values = [low]
    while values[-1] * factor <= high:
        values.append(values[-1] * factor)
    return tuple(values)


def _step(setting: Setting, text: str, step: str | None) -> Any:
    """The step between two values; by default 1 for whole numbers."""
    if step is None:
        if isinstance(setting, Count):
            return 1
        raise InputError(
            f"{setting.name} is '{shown(text)}'; without a step, a range is of whole numbers or sizes; "
            f"add one, such as {shown(text)}/{shown(text.partition(RANGE)[0])}, or list the values"
        )
    # Every setting with ranges has the field ``low``.
    steps = replace(setting, low=1 if isinstance(setting, Count | Size) else 0)  # type: ignore[call-arg]
    try:
        amount = steps.parse(step)
    except InputError:
        amount = 0
    if not amount:
        above = "" if isinstance(setting, Count | Size) else "above 0: "
        raise InputError(f"{setting.name} is '{shown(text)}'; allowed: as a step {above}{steps.allowed}")
    return amount


def _stepped(setting: Setting, text: str, low: Any, high: Any, step: Any) -> tuple[Any, ...]:
    count = int((high - low) / step + 1e-9) + 1 if high - low < step * MOST else MOST + 1
    if count > MOST:
        raise InputError(f"{setting.name} is '{shown(text)}'; allowed: at most {MOST} values")
    values = [low + number * step for number in range(count)]
    return tuple(values if isinstance(low, int) else [float(f"{each:.{DIGITS}g}") for each in values])
