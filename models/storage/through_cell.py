"""A storage cell whose large writes go past its cache, each to one disk.

write ──> [one of the disks: rotation, bytes / bandwidth] ──> done
read  ──> read ahead: the data are in the cell's memory; a disk fetches as much again behind
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from sim import Empirical, Fork, Path, Station, Use

_ANGLES = 64
"""Places of a disk at which a write finds its head: so many that their number does not show."""


@dataclass(frozen=True)
class ThroughCell:
    """One cell whose large writes go through to a disk; extents are dealt out evenly, so the disks share a queue.

    Attributes:
        disks: one server a disk.
        bytes_per_s: of one disk.
        revolution_s: a write waits for the sector to come round: uniform, from nothing to one revolution.
    """

    disks: Station
    bytes_per_s: float
    revolution_s: float

    def path(self, io: IO) -> Path:
        """A write waits for its disk; a scan is read ahead and does not."""
        transfer_s = io.size_bytes / self.bytes_per_s
        if io.op == "read":
            return (Fork(Use(self.disks, transfer_s), wait=False),)
        rotations_s = ((angle + 0.5) / _ANGLES * self.revolution_s for angle in range(_ANGLES))
        return (Use(self.disks, Empirical([transfer_s + rotation_s for rotation_s in rotations_s])),)
