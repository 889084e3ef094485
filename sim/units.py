"""Quantities as people write them ("32 KiB", "2 Gb/s"), to plain floats in SI units, and back."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from sim.errors import InputError

KIB = 1024
MB = 1e6
"""A megabyte as ``dd`` and vendors' papers count it, in bytes."""

_EXAMPLES = {
    "byte": "32KiB, 1 MiB, 4096",
    "second": "7.3 us, 0.33 ms, 2 s",
    "byte / second": "3.2 GB/s, 2 Gb/s",
}


@cache
def _registry() -> Any:
    import pint  # lazily: half a second that a run without written units need not pay

    return pint.UnitRegistry(case_sensitive=True)


def quantity(what: str, text: str, unit: str) -> float:
    """Read ``text`` as a quantity in ``unit`` (byte, second, byte / second); a bare number is in ``unit``.

    Raises:
        InputError: not a number with a unit of that kind; the message gives examples.
    """
    try:
        parsed = _registry().parse_expression(_spelled_out(text))
        value = float(parsed if isinstance(parsed, int | float) else parsed.to(unit).magnitude)
    except Exception as error:  # pint raises a dozen kinds, some of them internal ones of its tokenizer
        raise InputError(_refusal(what, text, unit)) from error
    if not math.isfinite(value):
        raise InputError(_refusal(what, text, unit))
    return value


def _spelled_out(text: str) -> str:
    # In pint, as in physics, a lone B is a byte only by this name, and "KB" is not an SI prefix.
    return text.strip().replace("KB", "kB")


def _refusal(what: str, text: str, unit: str) -> str:
    return f"{what} is '{text}'; allowed: a number with a unit of {unit}, such as {_EXAMPLES[unit]}"


def size_text(size_bytes: int) -> str:
    """Write a size in the largest binary unit that divides it: 131072 is ``128KiB``."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size_bytes and size_bytes % KIB**power == 0:
            return f"{size_bytes // KIB**power}{unit}"
    return f"{size_bytes}B"
