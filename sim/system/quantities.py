"""Settings that are quantities with a unit: a time, a rate, or a table of times by size and operation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from sim.engine.errors import InputError, nearest, shown
from sim.engine.units import UNITS, bytes_of, quantity, rate_text, size_text, time_hint
from sim.engine.units.reading import THOUSANDS, number
from sim.system.records import field_with
from sim.system.settings import Setting

Unit = Literal["second", "byte / second", "1 / second"]

_WRITTEN = {"second": "25us or 1.5ms", "byte / second": "2.1GB/s or 500MiB/s", "1 / second": "3000 or 780k"}

_TIMES = ((0, "s"), (3, "ms"), (6, "us"), (9, "ns"))
"""Powers of ten and units of time, from the longest."""

UNLIMITED = "unlimited"
"""The word for an infinite rate."""


def measured(name: str, text: str) -> tuple[str, float]:
    """The unit, one of `UNITS`, and the value of a quantity such as 4KiB, 25us or 2.1GB/s.

    Raises:
        InputError: ``text`` is none of these.
    """
    for written, unit in UNITS.items():
        try:
            return written, unit.read(name, text)
        except InputError:
            continue
    raise InputError(
        f"{name} is '{shown(text)}'; allowed: a number, or a size, time or rate such as 4KiB, 25us or 2.1GB/s"
    )


@dataclass(frozen=True)
class Quantity(Setting):
    """A number with a ``unit`` from ``low`` to ``high``, in SI units; an infinite rate is written `unlimited`.

    Attributes:
        elsewhere: the word for None, a value stated in another part of the system; empty if not allowed.
    """

    unit: Unit = "second"
    low: float = 0.0
    high: float = math.inf
    elsewhere: str = ""

    @property
    def allowed(self) -> str:
        low, high = (f"{end:g}" if end in (0.0, math.inf) else self.show(end) for end in (self.low, self.high))
        bounds = f" from {low}" + (f" to {high}" if math.isfinite(self.high) else "")
        unlimited = f", or {UNLIMITED}" if self.high == math.inf and self.unit != "second" else ""
        what = {"second": "a time", "byte / second": "bytes/s", "1 / second": "a number a second"}[self.unit]
        elsewhere = f", or {self.elsewhere}" if self.elsewhere else ""
        return f"{what}{bounds}, such as {_WRITTEN[self.unit]}{unlimited}{elsewhere}"

    def parse(self, raw: object) -> Any:
        if self.elsewhere and raw in (None, self.elsewhere):
            return None
        value = self._read(raw) if isinstance(raw, str) else raw
        if isinstance(value, bool) or not isinstance(value, Real) or not self.low <= float(value) <= self.high:
            raise self.refuse(raw)
        if math.isinf(float(value)) and self.unit == "second":
            raise self.refuse(raw)
        return float(value) + 0.0  # no -0

    def _read(self, text: str) -> float | None:
        if text == UNLIMITED:
            return math.inf
        if self.unit == "1 / second":
            return number(text.strip(), THOUSANDS)
        try:
            return quantity(self.name, text, self.unit)
        except InputError:
            raise self.refuse(text, time_hint(text) if self.unit == "second" else "") from None

    def show(self, value: Any) -> str:
        if value is None:
            return self.elsewhere
        if math.isinf(value):
            return UNLIMITED
        exact = f"{float(value)!r}{'s' * (self.unit == 'second')}"
        return next((text for text in self._written(value) if self.parse(text) == value), exact)

    def _written(self, value: float) -> Iterator[str]:
        """Yield texts for ``value``; rounded, so that reading one may give another value."""
        if self.unit == "byte / second" and value == int(value):
            yield rate_text(value)
        elif self.unit == "second":
            yield from (
                f"{value * 10**power:g}{unit}" for power, unit in _TIMES if not value or value * 10**power >= 1.0
            )
        else:
            yield f"{value:.12g}"


@dataclass(frozen=True)
class BySize:
    """A time for each of some sizes of an I/O.

    Between two sizes it is linear, as a fixed part plus a transfer; below the smallest it is that of the smallest;
    above the largest it grows as between the last two.

    Attributes:
        points: (bytes, seconds), by rising size; at least one.
    """

    points: tuple[tuple[int, float], ...]

    def at(self, size_bytes: int) -> float:
        """Seconds of an I/O of ``size_bytes``."""
        (low, low_s), (high, high_s) = self._around(size_bytes)
        if size_bytes <= low or low == high:
            return low_s
        return low_s + (high_s - low_s) * (size_bytes - low) / (high - low)

    def _around(self, size_bytes: int) -> tuple[tuple[int, float], tuple[int, float]]:
        """The two points of the line segment for ``size_bytes``."""
        last = max(len(self.points) - 1, 0)
        above = next((index for index, (size, _) in enumerate(self.points) if size >= size_bytes), last)
        above = min(max(above, 1), last)
        return self.points[max(above - 1, 0)], self.points[above]


@dataclass(frozen=True)
class TimeTable:
    """Times of reads and of writes by their size."""

    read: BySize
    write: BySize

    def at(self, op: str, size_bytes: int) -> float:
        """Seconds of an I/O; every op that is not a read takes the time of a write."""
        return (self.read if op == "read" else self.write).at(size_bytes)


def linear(fixed_s: float, byte_s: float = 0.0) -> TimeTable:
    """A fixed time plus a time for each byte, for reads and writes."""
    by_size = BySize(((0, fixed_s), (1, fixed_s + byte_s)) if byte_s else ((0, fixed_s),))
    return TimeTable(by_size, by_size)


@dataclass(frozen=True)
class Table(Setting):
    """Times by size and operation: one time; a time for each size; or either for ``read`` and ``write``."""

    @property
    def allowed(self) -> str:
        return (
            "a time such as 80us; times by size, such as { 4KiB = '68us', 64KiB = '153us' }; "
            "or such for read and write each"
        )

    def parse(self, raw: object) -> TimeTable:
        if isinstance(raw, TimeTable):
            return raw
        if isinstance(raw, Mapping) and {"read", "write"} & set(raw):
            for other in map(str, set(raw) - {"read", "write"}):
                raise InputError(f"{self.name} has '{shown(other)}'; {nearest(other, ('read', 'write'))}")
            both = {op: self._by_size(times) for op, times in raw.items()}
            return TimeTable(both.get("read") or both["write"], both.get("write") or both["read"])
        by_size = self._by_size(raw)
        return TimeTable(by_size, by_size)

    def show(self, value: Any) -> str:
        table = self.parse(value)
        read, write = (self._shown(each) for each in (table.read, table.write))
        return read if read == write else f"read {read}, write {write}"

    def _shown(self, times: BySize) -> str:
        one = len(times.points) == 1
        shown = Quantity(self.name, 0.0, "", "second").show
        return ", ".join(f"{'' if one else f'{size_text(size)} '}{shown(time)}" for size, time in times.points)

    def _by_size(self, raw: object) -> BySize:
        if not isinstance(raw, Mapping):
            return BySize(((1, self._time(self.name, raw)),))
        if not raw:
            raise self.refuse(raw)
        points = []
        for size, time in raw.items():
            try:
                points.append((int(bytes_of(self.name, str(size))), self._time(f"{self.name} of {size}", time)))
            except InputError as error:
                hint = f"; {nearest(str(size), ('read', 'write'))}" if str(size).isalpha() else ""
                raise InputError(f"{error}{hint}") from None
        if len({size for size, _ in points}) < len(points):
            raise InputError(f"{self.name} has one size twice, in '{shown(raw)}'; give each once")
        return BySize(tuple(sorted(points)))

    def _time(self, name: str, raw: object) -> float:
        return float(Quantity(name, 0.0, "").parse(raw))


def duration(
    default: float | None, about: str, *, low: float = 0.0, high: float = math.inf, elsewhere: str = ""
) -> Any:
    """A field that is a time in seconds, written like 25us; None is written as ``elsewhere``."""
    return field_with(default, Quantity("", default, about, "second", low, high, elsewhere))


def bandwidth(
    default: float | None, about: str, *, low: float = 1.0, high: float = math.inf, elsewhere: str = ""
) -> Any:
    """A field that is a rate in bytes a second, written like 2.1GB/s; infinity is `unlimited`."""
    return field_with(default, Quantity("", default, about, "byte / second", low, high, elsewhere))


def rate(default: float, about: str, *, low: float = 1e-3, high: float = math.inf) -> Any:
    """A field that is a number a second, written like 780k; infinity is `unlimited`."""
    return field_with(default, Quantity("", default, about, "1 / second", low, high))


def table(default: object, about: str) -> Any:
    """A field that is a table of times; ``default`` in written form, such as ``{"4KiB": "68us"}``."""
    return field_with(Table("", None, about).parse(default), Table("", default, about))
