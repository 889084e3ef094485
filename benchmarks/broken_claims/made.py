"""A claim whose truth is known, and how a vendor writes its numbers."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

TRUE = "true"
"""In place of the way in which a claim is broken."""

Kind = Literal["hardware", "model"]

MB, GB = 1e6, 1e9

LEAST, MOST = 1.5, 10.0
"""Between these is the factor by which a broken claim is off."""

SAME = {
    "merged-requests": ("merged-requests", "block-size"),
    "fewer-parts": ("fewer-parts", "more-parts"),
}
"""Causes that go by two names: merged requests have a larger block than is said; parts are counted otherwise."""


@dataclass(frozen=True)
class Made:
    """A claim, and what is known of it.

    Attributes:
        kind: whether it is about hardware alone, or about a model.
        way: how it is broken, or "true".
        cause: what was measured instead, a word of the list of causes; empty of a true one.
        factor: by how much its number differs from the true one.
        table: as it stands in a claim file.
    """

    kind: Kind
    way: str
    cause: str
    factor: float
    table: Mapping[str, Any]

    @property
    def causes(self) -> tuple[str, ...]:
        """The words under which its cause may be found."""
        return SAME.get(self.cause, (self.cause,))


def told(kind: Kind, table: Mapping[str, Any]) -> Made:
    """A true claim."""
    return Made(kind, TRUE, "", 1.0, table)


def broken(made: Made, way: str, cause: str, factor: float, **changes: Any) -> Made | None:
    """``made`` with ``changes``; None if it would not be off by 1.5 to 10 times."""
    table = {name: value for name, value in {**made.table, **changes}.items() if value is not None}
    return Made(made.kind, way, cause, factor, table) if LEAST <= factor <= MOST else None


def factor_of(draws: random.Random, least: float = LEAST, most: float = MOST) -> float:
    """A factor by which a claim is off, as probably between 1.5 and 3 as between 3 and 6."""
    return math.exp(draws.uniform(math.log(least), math.log(most)))


def digits(value: float, count: int) -> str:
    """``value`` with so many significant digits, written out, or more if the last is a 0, which says nothing."""
    places = count - 1 - math.floor(math.log10(value))
    text = f"{round(value, places):.{max(places, 0)}f}"
    return text if "." in text or not text.endswith("0") else f"{value:.1f}"


def rate(value: float, count: int = 3) -> str:
    """Bytes a second as vendors write them, with 2 or 3 digits."""
    return f"{digits(value / GB, count)} GB/s" if value >= GB else f"{digits(value / MB, count)} MB/s"


def often(value: float, count: int = 3) -> str:
    """I/Os a second."""
    if value >= MB:
        return f"{digits(value / MB, count)}M"
    return f"{digits(value / 1e3, count)}k" if value >= 10.0 * 1e3 else digits(value, count)


def size(value: float) -> str:
    """Bytes moved or kept."""
    return f"{digits(value / GB, 3)} GB"


def time(value: float, count: int = 3) -> str:
    """Seconds, in the unit that people use."""
    for unit, seconds in (("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        if value < 1000.0 * seconds:
            return f"{digits(value / seconds, count)} {unit}"
    return f"{digits(value / 60.0, count)} min"


def file_of(claims: Iterable[Made]) -> str:
    """A claim file with ``claims``, in their order."""
    return "\n".join(_entry(each.table) for each in claims)


def _entry(table: Mapping[str, Any]) -> str:
    lines = [f"{name} = {_value(value)}" for name, value in table.items() if value is not None]
    return "\n".join(["[[claim]]", *lines, ""])


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(each)}" for name, each in value.items()) + " }"
    return json.dumps(value)  # of texts, numbers, booleans and lists of them, JSON is TOML
