"""The page cache of a host: reads from memory, read-ahead, writes that are done before storage has them.

    read, in memory      ──> call and copy by a core
    read, not in memory  ──> whole pages, below ──> copy;     in sequence: from the window that was read ahead
    write                ──> copy ──> put into [dirty]: wait while too much is ──> done
                             flushers ┄┄> take out of [dirty] ──> below; in sequence: clusters of many writes
    write, synced later  ──> copy ──> put into [dirty of its file] ──> done, and at once ┄┄> below
    fsync                ──> wait until nothing is [dirty of its file], wake up ──> below
    durable write        ──> copy ──> below

A write of a part of a page that is not in memory reads the page first. The limit is that of balance_dirty_pages
(mm/page-writeback.c: vm.dirty_ratio): a writer beyond it waits for the flushers, so that a load that writes for
long continues at the rate of the storage below.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.host import called, copies_of_host, of_host, woken
from models.parts.host.memory import CopyingCores
from models.parts.page_cache.read_ahead import ReadAhead
from sim import Await, Buffer, Choose, Closed, Fork, Gate, Gather, IfAny, Path, Put, Take, Wake
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

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A page cache with its pages; flushes are for the layer below."""
        return (PAGE_CACHE, PAGES)

    def layer(self, name: str, below: Below) -> CachedPages:
        """The page cache of the layers below."""
        return CachedPages(self, name, below(""))


@dataclass(frozen=True)
class CachedPages:
    """All files of one host; ``name`` is the prefix of place names.

    Attributes:
        behind: background writes, by the buffer that they empty.
    """

    kind: PageCache
    name: str
    below: FileLayer
    behind: dict[Buffer, FileIO] = field(default_factory=dict, compare=False)

    def path(self, io: FileIO) -> Path:
        """Steps of one call."""
        if io.op == "flush":
            return self._flush(io)
        if io.op == "read":
            return self._read(io)
        return (*self._copied(io), *self._filled(io), *self._write(io))

    def background(self) -> Iterator[Closed]:
        """The flushers."""
        for dirty, io in self.behind.items():
            path = (Take(dirty, io.size_bytes), *self.below.path(io))
            yield Closed(
                f"{dirty.name}, written", clients=self.kind.flushers, path=path, group=f"{self.name} behind"
            )

    def _read(self, io: FileIO) -> Path:
        if self.kind.resident == 1.0:
            return self._copied(io)
        if io.sequential:
            wake = self._woken(io)
            missed = ReadAhead(self.name, self.kind.read_ahead, self.below.path, self._copied, wake).path(io)
        else:
            missed = (*self.below.path(_whole(io)), *self._woken(io), *self._copied(io))
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
        if io.synced != "no":
            dirty, clean = self._of_file(io)
            done = (Take(dirty, io.size_bytes), IfAny(dirty, (), IfAny(clean, (Gather(clean), Wake(clean)))))
            return (Put(dirty, io.size_bytes), Fork((*self.below.path(_whole(io)), *done), wait=False))
        piece = (
            replace(io, size_bytes=self.kind.cluster, aligned_bytes=PAGE_BYTES) if io.sequential else _whole(io)
        )
        order = "in sequence" if io.sequential else f"of {piece.size_bytes} bytes"
        dirty = Buffer(f"{self.name} dirty {order}", max(self.kind.dirty, 2 * piece.size_bytes))
        self.behind.setdefault(dirty, piece)
        return (Put(dirty, io.size_bytes if io.sequential else piece.size_bytes),)

    def _flush(self, io: FileIO) -> Path:
        flushed = self.below.path(io)
        if io.synced == "no":
            return flushed
        dirty, clean = self._of_file(io)
        return (IfAny(dirty, (Await(clean), *self._woken(io))), *flushed)

    def _of_file(self, io: FileIO) -> tuple[Buffer, Gate]:
        """Dirty bytes of a file, and the gate of those that wait for their writing."""
        clean = Gate(f"{self.name} file {io.file} clean", role="internal")
        return Buffer(f"{self.name} dirty in file {io.file}", self.kind.dirty), clean

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
