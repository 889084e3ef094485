"""Dates of the catalogue: a year, a month or a day, and their overlap with periods."""

from __future__ import annotations

import re
from calendar import monthrange
from contextlib import suppress
from datetime import date

from sim.engine.errors import InputError, shown

_WRITTEN = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


def days_of(text: str) -> tuple[date, date]:
    """First and last day of a year, a month or a day.

    >>> days_of("2025-02")
    (datetime.date(2025, 2, 1), datetime.date(2025, 2, 28))

    Raises:
        InputError: ``text`` is none of these.
    """
    match = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if match:
        year, month, day = (int(part) if part else 0 for part in match.groups())
        last = month or 12
        with suppress(ValueError):  # such as the 30th of February
            return date(year, month or 1, day or 1), date(year, last, day or monthrange(year, last)[1])
    raise InputError(
        f"date is '{shown(text)}'; allowed: a year, a month or a day, such as 2025, 2025-09 or 2025-09-26"
    )


def overlaps(when: str, since: str | None, until: str | None) -> bool:
    """True if a day of ``when`` lies in the period from ``since`` to before ``until``; None means open."""
    first, last = days_of(when)
    return (since is None or days_of(since)[0] <= last) and (until is None or first < days_of(until)[0])
