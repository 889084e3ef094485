"""The device under a redo log, and a logical volume between the two.

LVM     write ──> asleep, with nothing in flight: wait until it passes the write on ──> below
device  write ──> asleep, with nothing in flight: wait until it begins ──> [device: write + bytes / bandwidth]
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Buffer, Delay, Exponential, Gamma, IfAny, Path, PerItem, Put, Station, Take, Use


@dataclass(frozen=True)
class LogDevice:
    """The device under the log. The bytes of an I/O are those of one commit; a write carries all of its batch.

    Attributes:
        station: station with a server for each simultaneous write.
        write_s, write_cv: mean time of a write without its bytes, and its coefficient of variation.
        bytes_per_s: rate of the bytes of a batch.
        idle_s: mean exponential time until an idle device begins: it, or its host, sleeps.
    """

    station: Station
    write_s: float
    write_cv: float
    bytes_per_s: float
    idle_s: float

    def path(self, io: IO) -> Path:
        """Steps of one write."""
        in_flight = Buffer(f"{self.station.name}: in flight", self.station.servers)
        write_s = PerItem(Gamma(self.write_s, self.write_cv, source="fitted"), io.size_bytes / self.bytes_per_s)
        asleep = Delay(Exponential(self.idle_s))
        return (IfAny(in_flight, (), asleep), Put(in_flight), Use(self.station, write_s), Take(in_flight))


@dataclass(frozen=True)
class LogicalVolume:
    """A layer that maps blocks to other blocks (LVM).

    Attributes:
        writers: largest number of simultaneous writes.
        layer_s: mean exponential time until it passes on a write if none is in flight; others pass at once.
    """

    writers: int
    layer_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """Map, then go on below."""
        in_flight = Buffer("logical volume: in flight", self.writers)
        asleep = Delay(Exponential(self.layer_s))
        return (IfAny(in_flight, (), asleep), Put(in_flight), *self.below.path(io), Take(in_flight))
