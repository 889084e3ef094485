"""Disks behind one queue, with copies of each byte on several of them.

With a disk lost, the others take its reads, and its writes go to the other copies alone.
A rebuild reads block by block from any disk, whose arm has to move for it, and writes them in sequence to a spare
disk, which takes its share of all writes, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.disk import Disk
from sim import Choose, Fork, Path, Station, Use


@dataclass(frozen=True)
class MirroredDisks:
    """All disks of an array.

    Attributes:
        disks: the remaining disks.
        copies: copies of all data, each on a different disk.
        lost: share of a copy that is on a lost disk.
        spare: the disk that replaces it, if any.
    """

    disks: Disk
    copies: int
    lost: float = 0.0
    spare: Disk | None = None

    def read(self, size_bytes: int) -> Path:
        """Read from any disk."""
        return (self.disks.anywhere(size_bytes),)

    def written(self, size_bytes: int, *, behind: bool) -> Path:
        """Write all copies at once; those on a lost disk go to its spare, or nowhere."""
        position_s = self.disks.sorted_s if behind else None
        copy = (self.disks.anywhere(size_bytes, position_s),)
        written = Fork(*[copy] * self.copies)
        if not self.lost:
            return (written,)
        spare = [(self.spare.anywhere(size_bytes, position_s),)] if self.spare else []
        once = self.copies * self.lost
        return (Choose((once, Fork(*[copy] * (self.copies - 1), *spare)), (1.0 - once, written)),)

    def rebuilt(self, size_bytes: int) -> tuple[Path, Path]:
        """Paths of a block's read for the spare disk, and of its write."""
        assert self.spare  # noqa: S101  (a rebuild needs one)
        spare: Station = self.spare.station
        return self.read(size_bytes), (Use(spare, size_bytes / self.spare.bytes_per_s),)
