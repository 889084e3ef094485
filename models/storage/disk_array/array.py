"""A disk array: controllers with a cache before disks, which reads ahead of runs and writes behind its writers.

    read   ──> [paths] ──> [controllers] ──> prefetch, of a run ──> look up in [cache] ── hit ──────────────> done
                                                                          └── miss ──> [disks] ──> done
    write  ──> [paths] ──> [controllers] ──> write-back ──> in [cache], as its policy likes ──> done
               behind it: [disks], every copy

With its batteries off the array may not acknowledge what is on no disk: a write goes to the disks first.

With a disk lost, the others have its reads, and what would be written to it is written to the other copies alone.
A rebuild reads block by block from any disk, whose arm has to move for it, and writes them in sequence to a spare
disk, which has its share of all writes, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import PagedIO
from models.storage.disk_array.prefetch import Prefetch
from models.storage.disk_array.write_back import WriteBack
from sim import Cache, Choose, Closed, Fork, Gamma, Lookup, Path, Repeat, Station, Step, Use

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
        prefetch: what it fetches ahead of a run.
        write_back: written pages that may stay in memory; None: none may, for the batteries are off.
        disks, position_s, bytes_per_s: identical disks; mean time to position the arm, and bandwidth.
        destage_position_s: the former where many writes are sorted by their place.
        copies: of everything written, each on a disk of its own.
        lost: share of a copy that is on a disk that is lost.
        spare: the disk that is filled in its place, if there is one.
    """

    paths: Station
    path_bytes_per_s: float
    controllers: Station
    controller_s: float
    cache: Cache
    prefetch: Prefetch
    write_back: WriteBack | None
    disks: Station
    position_s: float
    destage_position_s: float
    bytes_per_s: float
    copies: int
    lost: float = 0.0
    spare: Station | None = None

    def path(self, io: PagedIO) -> Path:
        """The path of one I/O."""
        front = (
            Use(self.paths, io.size_bytes / self.path_bytes_per_s),
            Use(self.controllers, self.controller_s),
        )
        if io.op == "write":
            return front + self._write(io)
        ahead = self.prefetch.path(io) if self.prefetch.sees(io) else ()
        return front + ahead + self._read(io)

    def behind(self, io: PagedIO) -> list[Closed]:
        """What the array does for all I/Os like ``io`` when nobody waits for it."""
        if io.op == "write":
            return [self.write_back.behind(io, self._destaged)] if self.write_back else []
        return [self.prefetch.behind(io, self._read)] if self.prefetch.sees(io) else []

    def _read(self, io: PagedIO) -> Path:
        """Disks deliver the whole I/O at once: if the first page is in the cache, so is the rest."""
        rest = self._looked_up(io, io.pages - 1)
        read = self._disk(io.size_bytes, self.position_s)
        return (Lookup(self.cache, io.addresses, hit=rest, miss=(*rest, read), sequential=io.sequential),)

    def _write(self, io: PagedIO) -> Path:
        looked_up = self._looked_up(io, io.pages)
        if self.write_back:
            return (*self.write_back.path(io), *looked_up)
        return (*looked_up, self._written(io.size_bytes, self.position_s))

    def _destaged(self, size_bytes: int) -> Step:
        return self._written(size_bytes, self.destage_position_s)

    def _looked_up(self, io: PagedIO, times: int) -> Path:
        step = Lookup(self.cache, io.addresses, sequential=io.sequential, write=io.op == "write")
        if times < 1:
            return ()
        return (step if times == 1 else Repeat(times, step),)

    def rebuilt(self, size_bytes: int) -> tuple[Path, Path]:
        """A block that is read for the spare disk, and written to it."""
        assert self.spare  # noqa: S101  (without one, nothing is rebuilt)
        return (self._disk(size_bytes, self.position_s),), (Use(self.spare, size_bytes / self.bytes_per_s),)

    def _disk(self, size_bytes: int, position_s: float, disks: Station | None = None) -> Step:
        """Position, then transfer: one gamma distribution of the mean of both, as wide as the former."""
        mean_s = position_s + size_bytes / self.bytes_per_s
        return Use(
            disks or self.disks,
            Gamma(mean_s, POSITION_CV * position_s / mean_s, source="seeks and turns of the disk"),
        )

    def _written(self, size_bytes: int, position_s: float) -> Step:
        """All copies at once; those on a lost disk go to its spare, or nowhere."""
        copy = (self._disk(size_bytes, position_s),)
        written = Fork(*[copy] * self.copies)
        if not self.lost:
            return written
        spare = [(self._disk(size_bytes, position_s, self.spare),)] if self.spare else []
        once = self.copies * self.lost
        return Choose((once, Fork(*[copy] * (self.copies - 1), *spare)), (1.0 - once, written))
