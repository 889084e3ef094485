"""What the catalogue says of one kind of hardware: frozen records in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sim.data.hardware.dates import overlaps

Op = Literal["read", "write", "both"]
"""Of reads alone, of writes alone, of both together where the two are known apart as well."""

Basis = Literal["standard", "published", "derived", "recalled"]
"""A standard fixes it; its maker publishes it; arithmetic on such figures; known, though no page was found."""

LEAST = ("latency",)
"""Limits that nothing falls below; all others are not exceeded."""


@dataclass(frozen=True)
class Limit:
    """One bound that hardware sets.

    Attributes:
        what: what is bounded, such as bandwidth: bytes a second of payload in one direction.
        value: in ``unit``: bytes/s, 1/s, s, bytes, or 1 for a count.
        op: of which operations; None: of all together.
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
        """Whether it holds on some day of ``when``, a year, a month or a day; None: today."""
        return self.until is None if when is None else overlaps(when, self.since, self.until)


@dataclass(frozen=True)
class Frame:
    """In what a link sends its data.

    Attributes:
        payload: bytes of the largest frame that is usual: its MTU.
        around: bytes on the line for each, besides its payload: header, checks, the gap to the next.
        headers: bytes of the payload that are headers of what is carried: TCP over IPv4.
    """

    payload: int
    around: int
    headers: int = 0

    def data(self, mtu: int | None = None) -> tuple[int, int]:
        """Bytes of data, and bytes on the line for them; in frames of ``mtu``, or in the largest."""
        payload = mtu or self.payload
        return payload - self.headers, payload + self.around


@dataclass(frozen=True)
class Line:
    """How a link sends: so many lanes, and the bits of data among those on the line.

    Attributes:
        bits_per_s: on the line, of each lane.
        code: bits of data and bits sent for them, such as (8, 10).
        lanes: side by side.
        frame: in what the data are sent; None where nobody says.
    """

    bits_per_s: float
    code: tuple[int, int]
    lanes: int = 1
    frame: Frame | None = None

    @property
    def bytes_per_s(self) -> float:
        """The payload in one direction."""
        data, sent = self.code
        return self.bits_per_s * self.lanes * data / sent / 8


@dataclass(frozen=True)
class Hardware:
    """A link, a bus, a card, a device, memory, a cloud's volume or instance.

    Attributes:
        name: as files and the command call it.
        kind: a word of the catalogue, such as link.
        since: when it came: a year, a month or a day.
        source: where its figures stand, unless a limit says another.
        line: how a link sends; None for all else.
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
        """The limits that held on some day of ``when``, a year, a month or a day; without it, those of today.

        Where a limit changed within ``when``, it is there as it was and as it became.

        Raises:
            InputError: ``when`` is no date.
        """
        return tuple(limit for limit in self.limits if limit.holds(when))

    def limit(self, what: str, op: Op | None = None, when: str | None = None) -> Limit | None:
        """The tightest bound of ``what`` for ``op``, or for whatever operations if none is named.

        Where a limit changed within ``when``, the looser one counts: it may be the one that held.

        Raises:
            InputError: ``when`` is no date.
        """
        looser, tighter = (min, max) if what in LEAST else (max, min)
        known = [limit for limit in self.limits_at(when) if limit.what == what]
        either = ("read", "write")  # of which the looser bound is all that holds, where none is named
        groups: list[tuple[str | None, ...]] = [(None,), ("both",), either if op is None else (op,)]
        by_group = ([each for each in known if each.op in group] for group in groups)
        bounds = [looser(each, key=_value) for each in by_group if each]
        return tighter(bounds, key=_value, default=None)


def _value(limit: Limit) -> float:
    return limit.value
