"""Flushes of a device: what is in its cache becomes durable.

flush ──> (in line) ──> [first stage] ── rest;   volatile cache: and until it is empty
write ──> volatile cache: wait for the flushes under way

A flush has two stages: one passes the first while another is in the second, so n flushes that come at once take
flush_s + (n - 1) serial_s. A drive that loses its cache with the power writes it out meanwhile (a Crucial
T500 flushes 2 MiB in 450 µs, and 16 KiB in 447), and holds back the writes that come, until all flushes under way
have ended. A drive with power-loss protection answers a flush at once and holds up nobody.

A drive may make one of several flushes that wait, as the block layer above it does (``flush_queue``).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.paths import varied
from sim import (
    Await,
    Buffer,
    Choose,
    Delay,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Path,
    Put,
    Station,
    Step,
    Take,
    Use,
    Wake,
)
from sim.model.distributions import Distribution

_ANY_NUMBER = 1 << 20


@dataclass(frozen=True)
class Flushes:
    """What one device does with flushes; its places are named after ``name``.

    Attributes:
        flush_s, serial_s: of one with no other in flight, and of its first stage.
        at_once: flushes in the first stage at a time.
        merged: share of the flushes that share the turn of one that waits for its first stage already.
        variation: coefficient of variation of either stage, which ``source`` states.
    """

    name: str
    flush_s: float
    serial_s: float
    at_once: int
    merged: float
    variation: float
    source: str

    def stages(self, slow: float) -> Path:
        """Both stages."""
        if not self.flush_s:
            return ()
        rest_s = slow * (self.flush_s - self.serial_s)
        rest = (Delay(self._time(rest_s)),) if rest_s > 0.0 else ()
        return (*self._first(self._time(slow * self.serial_s)), *rest)

    def holding_writes(self, *flush: Step) -> Path:
        """The steps of a ``flush``, for which writes that come meanwhile wait."""
        return (Put(self._under_way), *flush, *self._ended())

    def _ended(self) -> Path:
        """A flush has ended; the last one frees the writes that wait."""
        freed = IfAny(self._held, (Gather(self._held), Wake(self._held)))
        return (Take(self._under_way), IfAny(self._under_way, (), freed))

    def admitted(self) -> Path:
        """A write waits for the flushes under way; nobody may ever flush."""
        held = (
            Await(self._held),
            Put(self._under_way),
            *self._ended(),
        )  # which takes no time, and holds nobody up
        return (IfAny(self._under_way, held),)

    @property
    def _under_way(self) -> Buffer:
        """How many flushes are."""
        return Buffer(f"{self.name} flushes under way", _ANY_NUMBER)

    @property
    def _held(self) -> Gate:
        """Where writes wait meanwhile."""
        return Gate(f"{self.name} writes held")

    def _time(self, time_s: float) -> float | Distribution:
        return varied(time_s, self.variation, self.source)

    def _first(self, time: float | Distribution) -> Path:
        """As many at a time as may; a share of the flushes that find another waiting share its turn."""
        stage = Use(Station(f"{self.name} flush", self.at_once), time)
        if not self.merged:
            return (stage,)
        alone, joined = Lock(f"{self.name} flushing"), Gate(f"{self.name} flushes joined")
        next_turn = Buffer(f"{self.name} flushes waiting", _ANY_NUMBER)
        turn = IfAny(joined, (Gather(joined), stage, Wake(joined)), stage)
        own = (Put(next_turn), Hold(alone.exclusive, Take(next_turn), turn))
        return (IfAny(next_turn, Choose((self.merged, Await(joined)), (1.0 - self.merged, own)), own),)
