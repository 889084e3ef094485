"""The write-ahead log of a log-structured merge tree.

synced    write ──> does a leader wait already?  yes: wait for it
                                                 no: lead: wait for the [log] ──> gather all ──> write ──> flush
appended  write ──> its bytes into the [log buffer]; full: append it
          at depth 1: wait for the append
          deeper: wait until fewer are [in flight], let it go; after a ``barrier`` of bytes wait for all of them

Appends of a zone may be reordered: bytes behind a barrier are safe only once all before it are. A buffered log
takes processor time alone, and reaches the device with the flush of its memtable (``compaction.py``; assumed: the
kernel has written it back by then).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from sim import Await, Buffer, Fork, Gate, Gather, Hold, IfAny, Lock, Path, Put, Repeat, Step, Take, Wake

UNIT_BYTES = 64
"""Unit of log buffers; records are rounded to it."""


@dataclass(frozen=True)
class SyncedLog:
    """A log that is flushed for each group of writers."""

    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Steps of one write until it is durable."""
        group, lock = Gate(f"{self.name} write group"), Lock(f"{self.name} log")
        waits = Buffer(f"{self.name} leader waits", 1, role="internal")
        record = self.below.path(replace(io, sequential=True, durable="no", synced="data"))
        flush = self.below.path(replace(io, op="flush", size_bytes=0, sequential=True, synced="data"))
        own = Fork((Await(group),), wait=False)  # one of those that it gathers
        lead = (own, Put(waits), Hold(lock.exclusive, Take(waits), Gather(group), *record, *flush), Wake(group))
        return (IfAny(waits, Await(group), lead),)


@dataclass(frozen=True)
class AppendedLog:
    """A log that is appended past the page cache.

    Attributes:
        buffer_bytes: bytes of an append.
        depth: appends in flight.
        barrier_bytes: bytes of the log after which all appends must have ended; 0: never.
    """

    name: str
    buffer_bytes: int
    depth: int
    barrier_bytes: int
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Steps of one write until it is in the buffer, or appended, or ordered."""
        record, size = (max(1, round(each / UNIT_BYTES)) for each in (io.size_bytes, self.buffer_bytes))
        filled, lock = Buffer(f"{self.name} log buffer", record + size), Lock(f"{self.name} log")
        append = IfAny(filled, (Take(filled, size), *self._append(size)), least=size)
        return (Hold(lock.exclusive, Put(filled, record), Repeat(-(-(record + size) // size), append)),)

    def _append(self, size: int) -> Path:
        append = self.below.path(FileIO("write", size * UNIT_BYTES, sequential=True, appends=True))
        if self.depth == 1:
            return append
        in_flight = Buffer(f"{self.name} log appends in flight", self.depth)
        begun: tuple[Step, ...] = (Put(in_flight), Fork((*append, Take(in_flight)), wait=False))
        if not self.barrier_bytes:
            return begun
        between = max(size, round(self.barrier_bytes / UNIT_BYTES))
        since = Buffer(f"{self.name} log since barrier", between + size)
        ended = (Put(in_flight, self.depth), Take(in_flight, self.depth))
        return (*begun, Put(since, size), IfAny(since, (Take(since, between), *ended), least=between))
