"""A cache of a disk array: controllers with memory before disks, which reads ahead of runs and writes behind.

    read   ──> [controllers] ──> prefetch, of a run ──> look up in [cache] ── hit ──────────────> done
                                                             └── miss ──> below ──> done
    write  ──> [controllers] ──> write-back ──> in [cache], as its policy likes ──> done
               behind it: below

With its batteries off, the array must not acknowledge a write before it is on disk: the write goes below first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from models.io import PagedIO
from models.parts.array_cache.dirty_level import DirtyLevel
from models.parts.array_cache.prefetch import Prefetch
from models.parts.array_cache.write_back import WriteBack
from sim import Cache, Choose, Closed, Lookup, Path, Repeat, Station, Use


class Backing(Protocol):
    """Storage behind the cache."""

    def read(self, size_bytes: int) -> Path:
        """Path of a read of ``size_bytes`` into the cache."""

    def written(self, size_bytes: int, *, behind: bool) -> Path:
        """Path of a write of all copies.

        Args:
            behind: True if it comes from the cache, which sorts writes by their place.
        """


@dataclass(frozen=True)
class CachedArray:
    """One array.

    Attributes:
        controllers, controller_s: storage processors, and their time for an I/O.
        cache: cache of pages; None if only levels are followed.
        prefetch: prefetch of sequential runs.
        write_back: memory for written pages; None if the batteries are off.
        backing: storage below.
        hits: share of random reads that hit, without a cache of pages.
    """

    controllers: Station
    controller_s: float
    cache: Cache | None
    prefetch: Prefetch
    write_back: WriteBack | DirtyLevel | None
    backing: Backing
    hits: float = 0.0

    def path(self, io: PagedIO) -> Path:
        """The path of one I/O."""
        controller = Use(self.controllers, self.controller_s)
        if io.op == "write":
            return (controller, *self._write(io))
        ahead = self.prefetch.path(io) if self.prefetch.sees(io) else ()
        return (controller, *ahead, *self._read(io))

    def behind(self, io: PagedIO) -> list[Closed]:
        """Background workloads for all I/Os like ``io``."""
        if io.op == "write":
            return [self.write_back.behind(io, self._destaged)] if self.write_back else []
        return [self.prefetch.behind(io, self._read)] if self.prefetch.sees(io) else []

    def _read(self, io: PagedIO) -> Path:
        """Read the whole I/O from below at once: if the first page is in the cache, so is the rest."""
        read = self.backing.read(io.size_bytes)
        if not self.cache:
            hits = 0.0 if io.sequential else self.hits
            return (Choose((hits, ()), (1.0 - hits, read)),) if hits else read
        rest = self._looked_up(io, io.pages - 1)
        return (Lookup(self.cache, io.addresses, hit=rest, miss=(*rest, *read), sequential=io.sequential),)

    def _write(self, io: PagedIO) -> Path:
        looked_up = self._looked_up(io, io.pages)
        if self.write_back:
            return (*self.write_back.path(io), *looked_up)
        return (*looked_up, *self.backing.written(io.size_bytes, behind=False))

    def _destaged(self, size_bytes: int) -> Path:
        return self.backing.written(size_bytes, behind=True)

    def _looked_up(self, io: PagedIO, times: int) -> Path:
        if times < 1 or not self.cache:
            return ()
        step = Lookup(self.cache, io.addresses, sequential=io.sequential, write=io.op == "write")
        return (step if times == 1 else Repeat(times, step),)
