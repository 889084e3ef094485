"""Text of hardware limits."""

from __future__ import annotations

from collections.abc import Mapping

from sim.data.hardware.record import Limit
from sim.engine.units.text import number_text, time_text

_RATES = {"MiB/s": float(1 << 20), "MB/s": 1e6}
_SIZES = {"TiB": float(1 << 40), "GiB": float(1 << 30), "TB": 1e12, "GB": 1e9}
"""Units: the first of which a value is a whole multiple is used, else the last."""


_MANY = 100_000.0


def value_text(limit: Limit) -> str:
    """Value with its unit, and commas between thousands; binary units for whole multiples of them."""
    match limit.unit:
        case "bytes/s":
            return _in(_RATES, limit.value)
        case "bytes":
            return _in(_SIZES, limit.value)
        case "1/s":
            return f"{_number(limit.value)} /s"
        case "s":
            return time_text(limit.value)
        case _:
            return _number(limit.value)


def short_text(limit: Limit) -> str:
    """Value for a narrow column: a rate without its unit, large ones in thousands, such as 825k."""
    if limit.unit != "1/s":
        return value_text(limit)
    return f"{number_text(round(limit.value / 1e3), 12)}k" if limit.value >= _MANY else _number(limit.value)


def _in(units: Mapping[str, float], value: float) -> str:
    whole = (unit for unit, scale in units.items() if value % scale == 0)
    unit = next(whole, [*units][-1])
    return f"{_number(value / units[unit])} {unit}"


def _number(value: float) -> str:
    """Number with up to two decimals, as limits are published.

    >>> _number(1062.5), _number(80000.0)
    ('1062.5', '80,000')
    """
    return number_text(round(value, 2), 12)


def period_text(limit: Limit) -> str:
    """Period in which a limit holds; empty if always.

    >>> period_text(Limit("iops", 1.0, "1/s", None, "published", "x", "2019", None))
    'since 2019'
    """
    since = f"since {limit.since}" if limit.since else ""
    until = f"before {limit.until}" if limit.until else ""
    return ", ".join(filter(None, (since, until)))
