"""Records of the hardware catalogue: frozen, in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sim.data.hardware.dates import overlaps

Op = Literal["read", "write", "both"]
"""Operations of a limit: reads, writes, or both together where the two have limits of their own, too."""

Basis = Literal["standard", "published", "derived", "recalled"]
"""Origin: a standard, the maker's page, arithmetic on such figures, or common knowledge without a page."""

LEAST = ("latency",)
"""Limits that are lower bounds; all others are upper bounds."""


@dataclass(frozen=True)
class Limit:
    """One bound that hardware sets.

    Attributes:
        what: the bounded quantity, such as bandwidth: bytes a second of payload in one direction.
        value: in ``unit``: bytes/s, 1/s, s, bytes, or 1 for a count.
        op: operations that are bounded; None: all together.
        since: the first day on which it holds, as a year, a month or a day; None: from the beginning.
        until: the first day on which it holds no more; None: it holds today.
    """

    what: str
    value: float
    unit: str
    op: Op | None
    basis: Basis
    source: str
    since: str | None = None
    until: str | None = None
    note: str = ""

    def holds(self, when: str | None) -> bool:
        """True if it holds on some day of ``when`` (a year, a month or a day; None: today)."""
        return self.until is None if when is None else overlaps(when, self.since, self.until)


@dataclass(frozen=True)
class Frame:
    """Frames in which a link sends data.

    Attributes:
        payload: bytes of the largest usual frame: its MTU.
        around: bytes on the line for each frame besides its payload: header, checks, gap to the next.
        headers: bytes of the payload that are headers of the carried protocol: TCP over IPv4.
    """

    payload: int
    around: int
    headers: int = 0

    def data(self, mtu: int | None = None) -> tuple[int, int]:
        """Bytes of data in a frame of ``mtu`` (default: the largest), and bytes on the line for it."""
        payload = mtu or self.payload
        return payload - self.headers, payload + self.around


@dataclass(frozen=True)
class Line:
    """Physical line of a link: lanes, bit rate and line code.

    Attributes:
        bits_per_s: bit rate of each lane on the line.
        code: bits of data and bits sent for them, such as (8, 10).
        lanes: number of parallel lanes.
        frame: frames in which data are sent; None if unknown.
        bytes_per_s: payload in one direction.
    """

    bits_per_s: float
    code: tuple[int, int]
    lanes: int
    frame: Frame | None
    bytes_per_s: float


@dataclass(frozen=True)
class Hardware:
    """A link, a bus, a card, a device, memory, a cloud's volume or instance.

    Attributes:
        name: its name in files and on the command line.
        kind: category in the catalogue, such as link.
        since: date of its introduction: a year, a month or a day.
        source: source of its figures, unless a limit names another.
        line: physical line of a link; None for other kinds.
    """

    name: str
    title: str
    kind: str
    since: str
    source: str
    limits: tuple[Limit, ...]
    aliases: tuple[str, ...] = ()
    line: Line | None = None

    def limits_at(self, when: str | None = None) -> tuple[Limit, ...]:
        """Limits that held on some day of ``when`` (a year, a month or a day; None: today).

        A limit that changed within ``when`` appears with its old and its new value.

        Raises:
            InputError: ``when`` is no date.
        """
        return tuple(limit for limit in self.limits if limit.holds(when))

    def limit(self, what: str, op: Op | None = None, when: str | None = None) -> Limit | None:
        """Tightest bound of ``what`` for ``op``; for any operation if ``op`` is None.

        Where a limit changed within ``when``, the looser one counts: it may be the one that held.

        Raises:
            InputError: ``when`` is no date.
        """
        looser, tighter = (min, max) if what in LEAST else (max, min)
        limits = [limit for limit in self.limits_at(when) if limit.what == what]
        either = ("read", "write")  # without an op only the looser of these two bounds is certain
        groups: list[tuple[str | None, ...]] = [(None,), ("both",), either if op is None else (op,)]
        by_group = ([each for each in limits if each.op in group] for group in groups)
        bounds = [looser(each, key=_value) for each in by_group if each]
        return tighter(bounds, key=_value, default=None)


def _value(limit: Limit) -> float:
    return limit.value
