"""A single disk, whose arm is where its last I/O ended.

[arm]  held for: reposition (if the bytes before were elsewhere), then bytes / bandwidth

Two files that are read and written in turn make the arm move each time; how often they take turns is the doing of
the layers above.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from sim import Cache, Delay, Hold, Lookup, Path, Pool, Replayed


@dataclass(frozen=True)
class Disk:
    """One disk: one arm, first come, first served.

    Attributes:
        place: remembers the extent where the arm is, and no other.
        reposition_s: seek and rotation, when the arm was elsewhere.
        bytes_per_s: of a transfer once the arm is there.
    """

    arm: Pool
    place: Cache
    reposition_s: float
    bytes_per_s: float

    @classmethod
    def of(cls, name: str, *, reposition_s: float, bytes_per_s: float) -> Disk:
        """The disk ``name``."""
        return cls(Pool(f"{name} arm"), Cache(f"{name} place", capacity=1), reposition_s, bytes_per_s)

    def extent(self, number: int) -> Extent:
        """A contiguous piece of the disk: one file, read or written in sequence."""
        return Extent(self, number)


@dataclass(frozen=True)
class Extent:
    """One file on ``disk``; ``number`` tells it from the others."""

    disk: Disk
    number: int

    def path(self, io: IO) -> Path:
        """Move the arm if it is elsewhere, then transfer."""
        disk = self.disk
        return (
            Hold(
                disk.arm,
                Lookup(disk.place, Replayed([self.number]), miss=Delay(disk.reposition_s)),
                Delay(io.size_bytes / disk.bytes_per_s),
            ),
        )
