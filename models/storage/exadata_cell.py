"""Storage cells: disks behind a write-back cache; every write goes to two cells.

    write ──> any two neighbouring cells at once:  put into [cache] ──> done;  later [disks] ──> take out
    read  ──> pieces from neighbouring cells at once:  [disks] ──> the rest of its time

The disks of a cell are striped and stream side by side, so they are one server of their added bandwidth. A piece
lies on few of them, so that one stream gets less from a cell than all of them can give: the rest of its time
keeps no server busy.

With a cell lost, the pieces that it had are read from their mirror copies, which lie on all other cells (ASM gives
each disk partners in several other failure groups, and each cell is such a group). A write of which one copy would
go to that cell is written once, until ASM drops it and makes new copies (disk_repair_time, hours).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.paths import any_of, mirrored
from sim import Buffer, Choose, Delay, Fork, Path, Put, Station, Take, Use
from sim.units import KIB

CELL_BYTES_PER_S = {"v1": 1.0e9, "v2": 1.5e9, "x2-2": 1.8e9}
"""Bandwidth of the 12 disks of one cell, by generation (data sheets of Exadata V1, V2 and X2-2)."""

STRIPE_BYTES = 16 * KIB
"""The least that is read from one cell: a larger read is spread over as many cells as get that much."""


@dataclass(frozen=True)
class Cell:
    """One cell: its disks and its controllers' battery-backed cache.

    Attributes:
        bytes_per_s: of all its disks together.
        stream_bytes_per_s: what a single stream gets of it, at most ``bytes_per_s``.
    """

    disks: Station
    cache: Buffer
    bytes_per_s: float
    stream_bytes_per_s: float

    def write(self, size_bytes: int) -> Path:
        """Done once the cache has it; the disks follow, and a full cache makes the writer wait for them."""
        destage = (Use(self.disks, size_bytes / self.bytes_per_s), Take(self.cache, size_bytes))
        return (Put(self.cache, size_bytes), Fork(destage, wait=False))

    def read(self, size_bytes: float) -> Path:
        """From the disks; a sequential stream is prefetched, so no seek is paid."""
        busy_s = size_bytes / self.bytes_per_s
        return (Use(self.disks, busy_s), Delay(size_bytes / self.stream_bytes_per_s - busy_s))


@dataclass(frozen=True)
class MirroredCells:
    """All cells of a grid; data are spread evenly and each write has a mirror copy on another cell.

    Attributes:
        lost: how many of the last cells are lost: none or one, as two would have both copies of some data.
    """

    cells: tuple[Cell, ...]
    lost: int = 0

    def path(self, io: IO) -> Path:
        """One cell as likely as another; with a single cell there is nowhere to mirror to."""
        if io.op == "read":
            return self._striped(io.size_bytes)
        writes = [cell.write(io.size_bytes) for cell in self.left]
        return any_of(writes) if len(self.cells) == 1 else mirrored(writes, self.lost)

    @property
    def left(self) -> tuple[Cell, ...]:
        """The cells that are not lost."""
        return self.cells[: len(self.cells) - self.lost]

    def _striped(self, size_bytes: int) -> Path:
        """Read from as many cells at once as stripes allow, beginning at any."""
        wide = width(size_bytes, len(self.cells))
        pieces = [cell.read(size_bytes / wide) for cell in self.left]
        pieces += [any_of(pieces)] * self.lost
        if wide == len(pieces):
            return (Fork(*pieces),)
        around = pieces + pieces[: wide - 1]
        share = 1.0 / len(pieces)
        return (Choose(*((share, (Fork(*around[first : first + wide]),)) for first in range(len(pieces)))),)


def width(size_bytes: int, cells: int) -> int:
    """The number of ``cells`` that a read of ``size_bytes`` is spread over."""
    return min(cells, max(1, size_bytes // STRIPE_BYTES))
