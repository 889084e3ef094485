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
        station: as many servers as writes at once.
        write_s, write_cv: mean time of a write without its bytes, and its coefficient of variation.
        bytes_per_s: what the bytes of a batch take besides.
        idle_s: mean time until a device with nothing in flight begins, exponential: it sleeps, or its host does.
    """

    station: Station
    write_s: float
    write_cv: float
    bytes_per_s: float
    idle_s: float

    def path(self, io: IO) -> Path:
        """One write."""
        in_flight = Buffer(f"{self.station.name}: in flight", self.station.servers)
        write_s = PerItem(Gamma(self.write_s, self.write_cv, source="fitted"), io.size_bytes / self.bytes_per_s)
        asleep = Delay(Exponential(self.idle_s))
        return (IfAny(in_flight, (), asleep), Put(in_flight), Use(self.station, write_s), Take(in_flight))


@dataclass(frozen=True)
class LogicalVolume:
    """A layer that maps blocks to other blocks (LVM).

    Attributes:
        writers: as many writes as there are at once.
        layer_s: mean time until it passes a write on if none is in flight, exponential; any other it passes on at
            once.
    """

    writers: int
    layer_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """Map, then go on below."""
        in_flight = Buffer("logical volume: in flight", self.writers)
        asleep = Delay(Exponential(self.layer_s))
        return (IfAny(in_flight, (), asleep), Put(in_flight), *self.below.path(io), Take(in_flight))
