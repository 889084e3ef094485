"""The page cache of a host: reads from memory, read-ahead, writes that are done before storage has them.

    read, in memory      ──> call and copy by a core
    read, not in memory  ──> whole pages, below ──> copy;     in sequence: from the window that was read ahead
    write                ──> copy ──> put into [dirty]: wait while too much is ──> done
                             flushers ┄┄> take out of [dirty] ──> below; in sequence: clusters of many writes
    write, synced later  ──> copy ──> put into [dirty of its file] ──> done, and at once ┄┄> below
    fsync                ──> wait until nothing is [dirty of its file], wake up ──> below
    durable write        ──> copy ──> below

With a background threshold, dirty pages are a level with the thresholds of Linux (``dirty_pages.py``), and with
data the pages that reads find are a level, too (``filling.py``).

A write of a part of a page that is not in memory reads the page first. The limit is that of balance_dirty_pages
(mm/page-writeback.c: vm.dirty_ratio): a writer beyond it waits for the flushers, so that a load that writes for
long continues at the rate of the storage below.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.host import called, copies_of_host, of_host, woken
from models.parts.host.memory import CopyingCores
from models.parts.page_cache.dirty_pages import DirtyPages
from models.parts.page_cache.file_sync import FileSync
from models.parts.page_cache.filling import Filling, kept
from models.parts.page_cache.read_ahead import ReadAhead
from sim import Await, Buffer, Choose, Closed, Fork, Gate, Gather, IfAny, InputError, Path, Put, Take, Wake
from sim.system.quantities import duration
from sim.system.settings import count, number, size
from sim.system.stack.kinds import PAGE_CACHE, PAGES, Below

PAGE_BYTES = 4096


@dataclass(frozen=True)
class PageCache:
    """Pages in memory, some of them dirty."""

    resident: float = number(0.0, "share of reads that find their pages in memory", low=0.0, high=1.0)
    read_ahead: int = size(128 * 1024, "window of sequential reads (read_ahead_kb)")
    dirty: int = size(1 << 30, "limit of dirty bytes (vm.dirty_ratio)")
    cluster: int = size(1 << 20, "bytes of a write by a flusher behind sequential writes")
    flushers: int = count(4, "parallel writes of flushers; assumed", high=1024)
    cores: int = count(4, "cores that call and copy", high=4096)
    call: float = duration(1e-6, "core time of a call")
    copy: float | None = copies_of_host("bytes a second that a core copies")
    wake: float | None = of_host("wake-up of a caller that waited for pages")
    memory: int = size(0, "memory for pages, of which ratios are shares; 0: it is never full", low=0)
    background: int = size(
        0, "dirty bytes above which flushers write (vm.dirty_background_bytes); 0: they write at once", low=0
    )
    dirty_ratio: float = number(0.0, "share of memory that may be dirty (vm.dirty_ratio), in place of dirty")
    background_ratio: float = number(0.0, "vm.dirty_background_ratio, as a share, in place of background")
    expire: float = duration(30.0, "age at which dirty pages are due (vm.dirty_expire_centisecs)")
    period: float = duration(5.0, "time between looks for such pages (vm.dirty_writeback_centisecs)", low=1e-3)
    data: int = size(0, "bytes that I/Os go over, cold at first; 0: resident is what reads find", low=0)
    zipf: float = number(0.0, "exponent of the popularity of data; 0: uniform", high=4.0)
    reclaim: float = duration(0.0, "core time to free a page (4 KiB) once memory is full")

    @property
    def limits(self) -> tuple[int, int]:
        """Dirty bytes above which flushers write, and at which writers stop.

        Raises:
            InputError: flushers would begin above the limit.
        """
        most = round(self.dirty_ratio * self.memory) or self.dirty
        background = round(self.background_ratio * self.memory) or self.background
        if background >= most:
            raise InputError(
                f"background is {background >> 20}MiB, and dirty is {most >> 20}MiB; allowed: background below "
                "dirty: lower background or its ratio, or raise dirty"
            )
        return background, most

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A page cache with its pages; flushes are for the layer below."""
        return (PAGE_CACHE, PAGES)

    def layer(self, name: str, below: Below) -> CachedPages:
        """The page cache of the layers below.

        Raises:
            InputError: flushers would begin above the limit.
        """
        return CachedPages(self, name, below(""), *self.limits)


@dataclass(frozen=True)
class CachedPages:
    """All files of one host; ``name`` is the prefix of place names.

    Attributes:
        threshold, limit: dirty bytes above which flushers write, 0: they write at once; and at which writers stop.
        behind: background writes, by the buffer that they empty.
    """

    kind: PageCache
    name: str
    below: FileLayer
    threshold: int
    limit: int
    behind: dict[Buffer, FileIO] = field(default_factory=dict, compare=False)

    def path(self, io: FileIO) -> Path:
        """Steps of one call."""
        if io.op == "flush":
            return self._flush(io)
        if io.op == "read":
            return self._read(io)
        return (*self._copied(io), *self._filled(io), *self._kept(io), *self._write(io))

    @cached_property
    def _synced(self) -> FileSync | None:
        """Dirty pages by file; None if flushers write at once."""
        if not self.threshold:
            return None
        kind = self.kind
        pages = DirtyPages(
            self.name,
            self.below,
            self.threshold // PAGE_BYTES,
            self.limit // PAGE_BYTES,
            kind.cluster,
            kind.flushers,
            kind.expire,
            kind.period,
            kind.data // PAGE_BYTES,
        )
        return FileSync(pages)

    def background(self) -> Iterator[Closed]:
        """The flushers."""
        if self._synced:
            yield from self._synced.dirty.background_of(f"{self.name} behind")
            yield from self._synced.background_of(f"{self.name} behind")
        for dirty, io in self.behind.items():
            path = (Take(dirty, io.size_bytes), *self.below.path(io))
            yield Closed(
                f"{dirty.name}, written", clients=self.kind.flushers, path=path, group=f"{self.name} behind"
            )

    @cached_property
    def _filling(self) -> Filling:
        kind = self.kind
        return Filling.of(self.name, kind.data, kind.memory, kind.zipf, kind.resident)

    def _kept(self, io: FileIO) -> Path:
        """New pages stay in memory; once it is full, others are freed for them."""
        held, reclaimed = self.kind.memory // PAGE_BYTES, self._reclaimed(io)
        if not (io.sequential and held and reclaimed):
            return ()
        pages = min(held, -(-io.size_bytes // PAGE_BYTES))
        return (
            kept(Buffer(f"{self.name} pages written", 2 * held + 4096, role="internal"), held, pages, reclaimed),
        )

    def _reclaimed(self, io: FileIO) -> Path:
        """Free as many pages as ``io`` needs."""
        time_s = self.kind.reclaim * -(-io.size_bytes // PAGE_BYTES)
        return self._cores(io).kernel(time_s) if time_s else ()

    def _read(self, io: FileIO) -> Path:
        if self.kind.resident == 1.0:
            return self._copied(io)
        if io.sequential:
            wake = self._woken(io)
            missed = ReadAhead(self.name, self.kind.read_ahead, self.below.path, self._copied, wake).path(io)
        else:
            missed = (*self.below.path(_whole(io)), *self._woken(io), *self._copied(io))
        if self.kind.data:
            return self._filling.path(io, self._copied(io), missed, self._reclaimed(io))
        share = self.kind.resident
        return (Choose((share, self._copied(io)), (1.0 - share, missed)),) if share else missed

    def _filled(self, io: FileIO) -> Path:
        """Read the rest of partially written pages, one after the other."""
        if io.sequential or io.appends or io.aligned_bytes % PAGE_BYTES == 0 or self.kind.resident == 1.0:
            return ()
        read = self.below.path(replace(_whole(io), op="read", durable="no", synced="no"))
        return (
            (Choose((1.0 - self.kind.resident, read), (self.kind.resident, ())),) if self.kind.resident else read
        )

    def _write(self, io: FileIO) -> Path:
        if io.durable != "no":
            return self.below.path(io)
        if self._synced:
            if io.synced != "no":
                return self._synced.path(io)
            return self._synced.dirty.path(io if io.sequential else _whole(io))
        if io.synced != "no":
            dirty, clean = self._of_file(io)
            done = (Take(dirty, io.size_bytes), IfAny(dirty, (), IfAny(clean, (Gather(clean), Wake(clean)))))
            return (Put(dirty, io.size_bytes), Fork((*self.below.path(_whole(io)), *done), wait=False))
        piece = (
            replace(io, size_bytes=self.kind.cluster, aligned_bytes=PAGE_BYTES) if io.sequential else _whole(io)
        )
        order = "in sequence" if io.sequential else f"of {piece.size_bytes} bytes"
        dirty = Buffer(f"{self.name} dirty {order}", max(self.limit, 2 * piece.size_bytes))
        self.behind.setdefault(dirty, piece)
        return (Put(dirty, io.size_bytes if io.sequential else piece.size_bytes),)

    def _flush(self, io: FileIO) -> Path:
        flushed = self.below.path(io)
        if io.synced == "no":
            return flushed
        if self._synced:
            return (*self._synced.synced(io.file, self._woken(io)), *flushed)
        dirty, clean = self._of_file(io)
        return (IfAny(dirty, (Await(clean), *self._woken(io))), *flushed)

    def _of_file(self, io: FileIO) -> tuple[Buffer, Gate]:
        """Dirty bytes of a file, and the gate of those that wait for their writing."""
        clean = Gate(f"{self.name} file {io.file} clean", role="internal")
        return Buffer(f"{self.name} dirty in file {io.file}", self.limit), clean

    def _woken(self, io: FileIO) -> Path:
        return woken(self.kind.wake, io, self._cores(io))

    def _cores(self, io: FileIO) -> CopyingCores:
        return CopyingCores.of(f"{self.name} cores", self.kind.cores, io)

    def _copied(self, io: FileIO) -> Path:
        return called(self._cores(io), self.kind.call, self.kind.copy, io)


def _whole(io: FileIO) -> FileIO:
    """``io`` extended to whole pages."""
    pages = -(-io.size_bytes // PAGE_BYTES) * PAGE_BYTES
    return replace(io, size_bytes=pages, aligned_bytes=max(io.aligned_bytes, PAGE_BYTES))
