"""Flushes of a device, which make the data in its cache durable.

flush ──> (in line) ──> [first stage] ── rest;   volatile cache: and until it is empty
write ──> volatile cache: wait for the flushes under way

A flush has two stages: one can pass the first while another is in the second, so n simultaneous flushes take
flush_s + (n - 1) serial_s. A drive that loses its cache with the power writes it out meanwhile (a Crucial
T500 flushes 2 MiB in 450 µs, and 16 KiB in 447), and holds back the writes that come, until all flushes under way
have ended. A drive with power-loss protection answers a flush at once and delays nothing.

A drive may merge waiting flushes, as the block layer above it does (``flush_queue``).
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
from sim.engine.model.distributions import Distribution

_ANY_NUMBER = 1 << 20


@dataclass(frozen=True)
class Flushes:
    """Flushes of one device; its places are named after ``name``.

    Attributes:
        flush_s, serial_s: time of a single flush, and of its first stage.
        at_once: flushes in the first stage at a time.
        merged: share of flushes that join one that already waits for its first stage.
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
        """Steps of a ``flush`` during which arriving writes wait."""
        return (Put(self._under_way), *flush, *self._ended())

    def _ended(self) -> Path:
        """End of a flush; the last one releases waiting writes."""
        freed = IfAny(self._held, (Gather(self._held), Wake(self._held)))
        return (Take(self._under_way), IfAny(self._under_way, (), freed))

    def admitted(self) -> Path:
        """A write waits for the flushes under way, if any."""
        held = (
            Await(self._held),
            Put(self._under_way),
            *self._ended(),
        )  # which takes no time, and blocks nothing
        return (IfAny(self._under_way, held),)

    @property
    def _under_way(self) -> Buffer:
        """Number of flushes under way."""
        return Buffer(f"{self.name} flushes under way", _ANY_NUMBER)

    @property
    def _held(self) -> Gate:
        """Gate of waiting writes."""
        return Gate(f"{self.name} writes held", role="internal")

    def _time(self, time_s: float) -> float | Distribution:
        return varied(time_s, self.variation, self.source)

    def _first(self, time: float | Distribution) -> Path:
        """The first stage, for several flushes at a time; a share of those that find another waiting join it."""
        stage = Use(Station(f"{self.name} flush", self.at_once), time)
        if not self.merged:
            return (stage,)
        alone = Lock(f"{self.name} flushing", role="internal")
        joined = Gate(f"{self.name} flushes joined", role="internal")
        next_turn = Buffer(f"{self.name} flushes waiting", _ANY_NUMBER)
        turn = IfAny(joined, (Gather(joined), stage, Wake(joined)), stage)
        own = (Put(next_turn), Hold(alone.exclusive, Take(next_turn), turn))
        return (IfAny(next_turn, Choose((self.merged, Await(joined)), (1.0 - self.merged, own)), own),)
