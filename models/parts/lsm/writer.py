"""Writes into memtables: the writer's path through delay, log and memory.

batch of writes ──> writes are delayed: [write controller: bytes / rate] ──> [cpu] ──> log ──> [memtables]: room

Two memtables that wait for their flush are the most by default: a writer who finds no room waits. The write
controller passes bytes one after the other, at a rate that falls while the work of merges grows (`tree.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.parts.lsm.tree import MOST_SLOWED, Tree
from sim import Buffer, Choose, IfAny, Path, Put, Station, Step, Use

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
        log: the log, if a write waits for it.
    """

    tree: Tree
    memtables: Buffer
    full: Buffer
    delayed_bytes_per_s: float
    cpu: Station
    write_s: float
    record_bytes: int
    log: FileLayer | None

    def path(self, io: FileIO) -> Path:
        """A batch of writes with ``io.size_bytes``."""
        work = Use(self.cpu, self.write_s * io.size_bytes / self.record_bytes)
        log = self.log.path(io) if self.log else ()
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
