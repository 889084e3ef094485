"""Writes into memtables: the writer's path through delay, log and memory.

batch of writes ──> writes are delayed: [write controller: bytes / rate] ──> [cpu] ──> log ──> [memtables]: room

Two memtables that wait for their flush are the most by default: a writer who finds no room waits. The write
controller passes bytes one after the other, at a rate that falls while the work of merges grows (`tree.py`).

Log: none; buffered, when it reaches the device with the flush of its memtable (assumed: the kernel writes it back by
then); or synced, when one of the writers writes and flushes it for all that wait (`group commit`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import Layer
from models.parts.lsm.tree import MOST_SLOWED, Tree
from sim import Await, Buffer, Choose, Fork, Gate, Gather, Hold, IfAny, Lock, Path, Put, Station, Step, Use, Wake

PAGE_BYTES = 4096
"""Unit of memtables: levels in bytes would overflow counters over time."""


@dataclass(frozen=True)
class Writer:
    """The path of writes.

    Attributes:
        memtables: pages of all memtables.
        full: pages not yet in a flush; a flush waits until they fill a memtable.
        delayed_bytes_per_s: first rate of delayed writes.
        cpu, write_s: cores, and core time of a write of ``record_bytes``.
        synced: a write returns once the log is flushed.
    """

    tree: Tree
    memtables: Buffer
    full: Buffer
    delayed_bytes_per_s: float
    cpu: Station
    write_s: float
    record_bytes: int
    synced: bool
    below: Layer

    def path(self, io: FileIO) -> Path:
        """A batch of writes with ``io.size_bytes``."""
        work = Use(self.cpu, self.write_s * io.size_bytes / self.record_bytes)
        log = self._synced(io) if self.synced else ()
        return (self.tree.delayed(self._slow(io.size_bytes)), work, *log, *self._into_memtable(io.size_bytes))

    def _slow(self, size_bytes: int) -> Path:
        controller = Station(f"{self.tree.name} write controller", role="throttle")
        seconds = size_bytes / self.delayed_bytes_per_s
        path: Path = (Use(controller, seconds),)
        for steps in range(1, MOST_SLOWED + 1):
            path = (IfAny(self.tree.slowed, (Use(controller, seconds * 0.8 ** (-steps / 2)),), path, least=steps),)
        return path

    def _into_memtable(self, size_bytes: int) -> Path:
        """Whole pages; a write below a page fills one with the probability that it does so in the mean."""
        pages, rest = divmod(size_bytes, PAGE_BYTES)
        path: tuple[Step, ...] = (Put(self.memtables, pages), Put(self.full, pages)) if pages else ()
        if rest:
            share = rest / PAGE_BYTES
            path += (Choose((share, (Put(self.memtables), Put(self.full))), (1.0 - share, ())),)
        return path

    def _synced(self, io: FileIO) -> Path:
        """The first writer in line writes and flushes the log for all; those who come meanwhile are the next group."""
        group, lock = Gate(f"{self.tree.name} write group"), Lock(f"{self.tree.name} log")
        leads = Buffer(f"{self.tree.name} leader waits", 1, role="internal")
        record = self.below.path(replace(io, sequential=True, durable="no", synced="data"))
        flush = self.below.path(replace(io, op="flush", size_bytes=0, sequential=True, synced="data"))
        from sim import Take  # noqa: PLC0415

        lead = (
            Fork((Await(group),), wait=False),
            Put(leads),
            Hold(lock.exclusive, Take(leads), Gather(group), *record, *flush),
            Wake(group),
        )
        return (IfAny(leads, Await(group), lead),)
