"""A storage cell whose large writes go past its cache, each to one disk.

write ──> [one of the disks: seek, rotation, bytes / bandwidth] ──> done
read  ──> read ahead: the data are in the cell's memory; a disk fetches as much again behind

An arm that was at data of the other kind, read in one place and written in another, has to move there first.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from sim import Choose, Empirical, Fork, Path, Station, Step, Use

_ANGLES = 64
"""Places of a disk at which a write finds its head: so many that their number does not show."""


@dataclass(frozen=True)
class ThroughCell:
    """One cell whose large writes go through to a disk; extents are dealt out evenly, so the disks share a queue.

    Attributes:
        disks: one server a disk.
        bytes_per_s: of one disk.
        revolution_s: a write waits for the sector to come round: uniform, from nothing to one revolution.
        seek_s: from where data are read to where they are written, or back.
        writes: share of all I/Os of the cell that are writes: how likely an arm is to be where they go.
    """

    disks: Station
    bytes_per_s: float
    revolution_s: float
    seek_s: float
    writes: float

    def path(self, io: IO) -> Path:
        """A write waits for its disk; a scan is read ahead and does not."""
        there = self.writes if io.op == "write" else 1.0 - self.writes
        steps = ((there, self._at_a_disk(io, 0.0)), (1.0 - there, self._at_a_disk(io, self.seek_s)))
        likely = [(share, step) for share, step in steps if share > 0.0]
        step = Choose(*likely) if len(likely) > 1 else likely[0][1]
        return (step,) if io.op == "write" else (Fork(step, wait=False),)

    def _at_a_disk(self, io: IO, seek_s: float) -> Step:
        busy_s = seek_s + io.size_bytes / self.bytes_per_s
        if io.op == "read":
            return Use(self.disks, busy_s)
        rotations_s = ((angle + 0.5) / _ANGLES * self.revolution_s for angle in range(_ANGLES))
        return Use(self.disks, Empirical([busy_s + rotation_s for rotation_s in rotations_s]))
