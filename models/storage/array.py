"""A disk array: controllers with a cache before disks, and dirty pages on their way to these.

    read   ──> [paths] ──> [controllers] ──> look up in [cache] ── hit ──────────────────────> done
                                                    └── miss ──> [disks] ──────────────> done
    write  ──> [paths] ──> [controllers] ──> put into [dirty] ──> in [cache], as its policy likes ──> done
                                             full: wait (forced flush)
               behind it, from the high watermark down to the low one:  take out ──> [disks], every copy

With its batteries off the array may not acknowledge what is on no disk: a write goes to the disks first.

With a disk lost, the others have its reads, and what would be written to it is written to the other copies alone.
A rebuild reads block by block from any disk, whose arm has to move for it, and writes them in sequence to a spare
disk, which has its share of all writes, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import PagedIO
from sim import Buffer, Cache, Choose, Fork, Gamma, Hold, Lookup, Path, Pool, Put, Repeat, Station, Step, Take, Use

POSITION_CV = 0.3
"""Of seek and half a turn of a 15k rpm disk, 3.4 and 2.0 ms: a turn evenly spread over 4 ms has a deviation of
1.2 ms, and about as much again comes from the seek."""


@dataclass(frozen=True)
class Array:
    """One array.

    Attributes:
        paths, path_bytes_per_s: fabric paths to the hosts, and what each moves.
        controllers, controller_s: storage processors, and the time of one for an I/O.
        cache: in pages.
        dirty: pages written and on no disk yet, with watermarks.
        destagers: as many writes to the disks as go on at once.
        disks, position_s, bytes_per_s: identical disks; mean time to position the arm, and bandwidth.
        chunk_bytes: destaged at a time from a longer write.
        copies: of everything written, each on a disk of its own.
        battery: whether written pages may stay in memory.
        lost: share of a copy that is on a disk that is lost.
        spare: the disk that is filled in its place, if there is one.
    """

    paths: Station
    path_bytes_per_s: float
    controllers: Station
    controller_s: float
    cache: Cache
    dirty: Buffer
    destagers: Pool
    disks: Station
    position_s: float
    bytes_per_s: float
    chunk_bytes: int
    copies: int
    battery: bool
    lost: float = 0.0
    spare: Station | None = None

    def path(self, io: PagedIO) -> Path:
        """The path of one I/O."""
        front = (
            Use(self.paths, io.size_bytes / self.path_bytes_per_s),
            Use(self.controllers, self.controller_s),
        )
        return front + (self._read(io) if io.op == "read" else self._write(io))

    def _read(self, io: PagedIO) -> Path:
        """Disks deliver the whole I/O at once: if the first page is in the cache, so is the rest."""
        rest = tuple(self._looked_up(io, io.pages - 1))
        return (
            Lookup(
                self.cache,
                io.addresses,
                hit=rest,
                miss=(*rest, self._disk(io.size_bytes)),
                sequential=io.sequential,
            ),
        )

    def _write(self, io: PagedIO) -> Path:
        looked_up = self._looked_up(io, io.pages)
        if not self.battery:
            return (*looked_up, self._written(io.size_bytes))
        pieces = [
            (size.size_bytes, io.pages * size.size_bytes // io.size_bytes)
            for times, size in io.split(self.chunk_bytes)
            for _ in range(times)
        ]
        branches = [
            (Hold(self.destagers, Take(self.dirty, pages), self._written(size)),) for size, pages in pieces
        ]
        return (Put(self.dirty, io.pages), *looked_up, Fork(*branches, wait=False))

    def _looked_up(self, io: PagedIO, times: int) -> list[Step]:
        step = Lookup(self.cache, io.addresses, sequential=io.sequential, write=io.op == "write")
        if times < 1:
            return []
        return [step if times == 1 else Repeat(times, step)]

    def rebuilt(self, size_bytes: int) -> tuple[Path, Path]:
        """A block that is read for the spare disk, and written to it."""
        assert self.spare  # noqa: S101  (without one, nothing is rebuilt)
        return (self._disk(size_bytes),), (Use(self.spare, size_bytes / self.bytes_per_s),)

    def _disk(self, size_bytes: int, disks: Station | None = None) -> Step:
        """Position, then transfer: one gamma distribution of the mean of both, as wide as the former."""
        mean_s = self.position_s + size_bytes / self.bytes_per_s
        return Use(disks or self.disks, Gamma(mean_s, POSITION_CV * self.position_s / mean_s))

    def _written(self, size_bytes: int) -> Step:
        """All copies at once; those on a lost disk go to its spare, or nowhere."""
        copy = (self._disk(size_bytes),)
        written = Fork(*[copy] * self.copies)
        if not self.lost:
            return written
        spare = [(self._disk(size_bytes, self.spare),)] if self.spare else []
        once = self.copies * self.lost
        return Choose((once, Fork(*[copy] * (self.copies - 1), *spare)), (1.0 - once, written))
