"""Storage cells: disks behind controllers, with each write on two cells.

cached   write ──> any two neighbouring cells at once:  put into [cache] ──> done;  later [disks] ──> take out
         read  ──> pieces from neighbouring cells at once:  [disks] ──> the rest of its time
past the cache, as I/Os at any place and large ones go
         write ──> [a disk: position, bytes / bandwidth] of both ──> done
         read  ──> [a disk …], or in sequence: from the cell's memory; a disk fetches as much again behind

The disks of a cell are striped. Streams side by side find them as one server of their added bandwidth; a piece
lies on few of them, so that one stream gets less from a cell than all of them can give: the rest of its time
keeps no server busy. Slaves that get pieces of files dealt out to them move an arm for every I/O, each disk with a
queue of its own.

With a cell lost, the pieces that it had are read from their mirror copies, which lie on all other cells (ASM gives
each disk partners in several other failure groups, and each cell is such a group). A write of which one copy would
go to that cell is written once, until ASM drops it and makes new copies (disk_repair_time, hours).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.parts.disk import Disk
from models.paths import any_of, mirrored
from sim import Buffer, Choose, Delay, Fork, Path, Put, Step, Take
from sim.engine.units import KIB

CELL_BYTES_PER_S = {"v1": 1.0e9, "v2": 1.5e9, "x2-2": 1.8e9}
"""Bandwidth of the 12 disks of one cell, by generation (data sheets of Exadata V1, V2 and X2-2)."""

DISKS = 12
"""Disks of a cell (the same data sheets)."""

POSITION_S = 36 / 10_800
"""Time to position an arm: 36 disks do 10,800 small I/Os a second (data sheet, X2-2 quarter rack)."""

STRIPE_BYTES = 16 * KIB
"""Smallest piece read from one cell: a larger read is spread over as many cells as get that much."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        disks: one with their total bandwidth for streams; for random I/Os each disk, with a queue of its own.
        cache: battery-backed cache for writes; None if they bypass it.
        stream_bytes_per_s: bandwidth of a single prefetched stream; None without sequential reads.
    """

    disks: tuple[Disk, ...]
    cache: Buffer | None = None
    stream_bytes_per_s: float | None = None

    @classmethod
    def of_streams(cls, name: str, bytes_per_s: float, cache_bytes: int, stream_bytes_per_s: float) -> Cell:
        """The cell ``name`` for prefetched streams, with a write cache."""
        disks = Disk(f"{name} disks", 0.0, bytes_per_s)
        return cls((disks,), Buffer(f"{name} cache", cache_bytes), min(bytes_per_s, stream_bytes_per_s))

    @classmethod
    def of_places(cls, name: str, bytes_per_s: float, position_s: float) -> Cell:
        """The cell ``name`` with a seek for every I/O."""
        numbers = range(1, DISKS + 1)
        return cls(tuple(Disk(f"{name} disk {number}", position_s, bytes_per_s / DISKS) for number in numbers))

    def write(self, size_bytes: int) -> Path:
        """Write to the cache; the disks follow, and a full cache makes the writer wait for them."""
        moved = _any(self.disks, size_bytes)
        if not self.cache:
            return moved
        return (Put(self.cache, size_bytes), Fork((*moved, Take(self.cache, size_bytes)), wait=False))

    def streamed(self, size_bytes: float) -> Path:
        """A piece of a prefetched stream, which pays no seek."""
        (disks,), rate = self.disks, self.stream_bytes_per_s
        assert rate  # noqa: S101  (else there are no streams)
        return (disks.anywhere(size_bytes), Delay(size_bytes / rate - size_bytes / disks.bytes_per_s))


def interleaved_bytes_per_s(bytes_per_s: float, run_bytes: float, streams: int) -> float:
    """Bandwidth of a cell whose disks ``streams`` share in turns of ``run_bytes``.

    An arm has to move unless the run before was of the same stream.
    """
    moves = 1.0 - 1.0 / streams
    return run_bytes / (run_bytes / bytes_per_s + moves * POSITION_S / DISKS)


@dataclass(frozen=True)
class MirroredCells:
    """All cells of a grid; data are spread evenly and each write has a mirror copy on another cell.

    Attributes:
        cells: identical cells.
        lost: number of lost cells: 0 or 1, as two would have both copies of some data.
    """

    cells: tuple[Cell, ...]
    lost: int = 0

    def path(self, io: IO) -> Path:
        """Any cell or disk with equal probability; a single cell has no mirror."""
        if io.op == "read":
            streams = self.cells[0].stream_bytes_per_s is not None
            disks = tuple(disk for cell in self.left for disk in cell.disks)
            return self._striped(io.size_bytes) if streams else _any(disks, io.size_bytes)
        writes = [cell.write(io.size_bytes) for cell in self.left]
        return writes[0] if len(self.cells) == 1 else mirrored(writes, self.lost)

    @property
    def left(self) -> tuple[Cell, ...]:
        """The cells that are not lost."""
        return self.cells[: len(self.cells) - self.lost]

    def _striped(self, size_bytes: int) -> Path:
        """Read from as many cells at once as stripes allow, beginning at any."""
        wide = width(size_bytes, len(self.cells))
        pieces = [cell.streamed(size_bytes / wide) for cell in self.left]
        pieces += [any_of(pieces)] * self.lost
        if wide == len(pieces):
            return (Fork(*pieces),)
        around = pieces + pieces[: wide - 1]
        share = 1.0 / len(pieces)
        return (Choose(*((share, (Fork(*around[first : first + wide]),)) for first in range(len(pieces)))),)


def width(size_bytes: int, cells: int) -> int:
    """The number of ``cells`` that a read of ``size_bytes`` is spread over."""
    return min(cells, max(1, size_bytes // STRIPE_BYTES))


def _any(disks: tuple[Disk, ...], size_bytes: int) -> Path:
    """Any one disk with equal probability."""
    paths = [(disk.anywhere(size_bytes),) for disk in disks]
    return any_of(paths) if len(paths) > 1 else paths[0]


@dataclass(frozen=True)
class ThroughCell:
    """One cell whose large writes go to a disk directly; extents are spread evenly, so disks share a queue.

    Data are read in one place and written in another: an arm that was at the other kind has to move first.

    Attributes:
        disks: the disks, whose writes wait for the sector to come round.
        seek_s: seek between the places of reads and writes.
        writes: share of writes among all I/Os of the cell: the probability that an arm is at their place.
    """

    disks: Disk
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
        """Use the first free disk."""
        return _at(self.disks, io, seek_s)


@dataclass(frozen=True)
class ThroughAnyDisk(ThroughCell):
    """One cell, where each I/O goes to a random disk, so that each disk has a queue of its own."""

    def _at_a_disk(self, io: IO, seek_s: float) -> Step:
        """Use any one disk with equal probability."""
        (step,) = any_of([(_at(disk, io, seek_s),) for disk in self.disks.apart])
        return step


def _at(disks: Disk, io: IO, seek_s: float) -> Step:
    """Use of ``disks``; a scan continues where it was, as soon as the arm is there."""
    position_s = disks.position_s if io.op == "write" else 0.0
    return disks.anywhere(io.size_bytes, position_s, before_s=seek_s)
