"""The kind ``lsm`` of stack files: a log-structured merge tree above the files that hold it (RocksDB).

write ──> [memtables] ──> flush ──> [level 0] ──> merge ──> [level 1] ──> merge ──> [level 2] …   (`tree.py`)
read  ──> filters ──> blocks                                                                    (`reader.py`)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from models.io import FileIO
from models.layer import FileLayer
from models.parts.lsm.compaction import Compaction, Files
from models.parts.lsm.log import AppendedLog, SyncedLog
from models.parts.lsm.reader import Reader
from models.parts.lsm.tree import Tree
from models.parts.lsm.writer import PAGE_BYTES, Writer
from sim import Buffer, Closed, InputError, Path, Station
from sim.system.quantities import bandwidth, duration
from sim.system.settings import choice, count, number, size
from sim.system.stack.kinds import FLUSH, WRITES, Below

MIB, GIB = 1 << 20, 1 << 30


@dataclass(frozen=True)
class Lsm:
    """RocksDB with leveled compaction. Defaults are those of its options (``db_bench --help`` of 7.8.3).

    A write of the load is a batch of records with ``size`` bytes in all; a read is one get.
    """

    resizes = True  # records are written several times, in files
    record: int = size(416, "bytes of a record with its key")
    write: float = duration(4e-6, "core time to write a record to log and memtable; assumed")
    get: float = duration(5e-6, "core time of a get; assumed")
    cores: int = count(8, "cores of reads, writes and merges", high=4096)
    log: str = choice(
        "buffered",
        "write-ahead log: buffered in the page cache; synced, for each group of writers; appended past the page "
        "cache; or none",
        ("buffered", "synced", "appended", "none"),
    )
    log_buffer: int = size(MIB, "bytes of an append: writable_file_max_buffer_size")
    log_depth: int = count(1, "appends in flight; 1: a write waits for its own", high=1024)
    barrier: int = size(0, "bytes of an appended log after which all appends must have ended; 0: none", low=0)
    memtable: int = size(
        64 * MIB, "bytes of a memtable and of each file: write_buffer_size, target_file_size_base"
    )
    memtables: int = count(2, "full memtables at which writes stop: max_write_buffer_number", low=1, high=64)
    trigger: int = count(4, "files of level 0 at which it is merged", high=64)
    slowdown: int = count(20, "files of level 0 at which writes are delayed", high=256)
    stop: int = count(36, "files of level 0 at which writes stop", high=256)
    base: int = size(256 * MIB, "bytes of level 1: max_bytes_for_level_base", high=1 << 50)
    fanout: int = count(
        10, "how many times as large the next level is: max_bytes_for_level_multiplier", low=2, high=100
    )
    data: int = size(100 * GIB, "bytes of all records with different keys", high=1 << 50)
    levels: str = choice("empty", "levels at the start: empty, or full", ("empty", "full"))
    soft: int = size(64 * GIB, "bytes that wait to be merged at which writes are delayed", high=1 << 50)
    delayed_rate: float = bandwidth(16 * MIB, "first rate of delayed writes: delayed_write_rate")
    mergers: int = count(1, "threads that merge: max_background_jobs less those that flush", high=64)
    merge: float = bandwidth(200e6, "bytes a second that a core merges; assumed")
    limit: float = bandwidth(math.inf, "rate limiter of background writes: rate_limiter_bytes_per_sec")
    chunk: int = size(4 * MIB, "bytes of an I/O of flushes and merges, a whole part of a memtable; assumed")
    bloom: float = number(10.0, "bits of the filter for each key; 0: no filter", high=64.0)
    cached: float = number(0.0, "share of blocks that the block cache has", high=1.0)
    block: int = size(4096, "bytes of a block")

    def needs(self) -> tuple[str, ...]:
        """A flush, if the log is synced."""
        return (FLUSH,) if self.log == "synced" else ()

    @staticmethod
    def notes(asked: Collection[str]) -> Iterator[str]:
        """A warning of steady answers: levels fill for minutes or hours."""
        if WRITES in asked:
            yield "a steady rate of writes is that of the time before merges fall behind; ask for rates over time"

    def layer(self, name: str, below: Below) -> LsmLayer:
        """The tree above ``below``.

        Raises:
            InputError: thresholds out of order, or a memtable that is no whole number of chunks.
        """
        if not self.trigger < self.slowdown < self.stop:
            raise InputError(f"trigger, slowdown and stop are {self.trigger}, {self.slowdown}, {self.stop}; "
                             "allowed: each above the one before")  # fmt: skip
        return LsmLayer(self, name, self._tree(name), below(""))

    def _tree(self, name: str) -> Tree:
        files = max(2, round(self.data / self.memtable))
        targets = [max(1, round(self.base / self.memtable))]
        while targets[-1] < files:
            targets.append(targets[-1] * self.fanout)
        targets[-1] = files
        soft = max(1, round(self.soft / self.memtable))
        return Tree(
            name,
            self.trigger,
            self.slowdown,
            self.stop,
            tuple(targets),
            self.fanout,
            soft,
            self.levels == "full",
        )


@dataclass(frozen=True)
class LsmLayer:
    """The tree at its places.

    Attributes:
        written: True once there is a write: without one nothing is flushed or merged.
    """

    kind: Lsm
    name: str
    tree: Tree
    below: FileLayer
    written: list[bool] = field(default_factory=list, compare=False)

    def path(self, io: FileIO) -> Path:
        """A batch of writes, or a get."""
        if io.op == "flush":
            return self.below.path(io)
        if io.op == "read":
            return self._reader().path(io)
        self.written[:] = [True]
        return self._writer().path(io)

    def background(self) -> Iterator[Closed]:
        """Flushes and merges."""
        if self.written:
            compaction = Compaction(self.tree, self._files(), self.kind.mergers)
            yield from compaction.background(self._full, self._memtables, self._pages)

    @property
    def _pages(self) -> int:
        return max(1, self.kind.memtable // PAGE_BYTES)

    @property
    def _memtables(self) -> Buffer:
        return Buffer(f"{self.name} memtables", self.kind.memtables * self._pages)

    @property
    def _full(self) -> Buffer:
        return Buffer(f"{self.name} not flushed", self.kind.memtables * self._pages, role="internal")

    @property
    def _cpu(self) -> Station:
        return Station(f"{self.name} cpu", self.kind.cores)

    def _writer(self) -> Writer:
        kind = self.kind
        return Writer(
            self.tree,
            self._memtables,
            self._full,
            kind.delayed_rate,
            self._cpu,
            kind.write,
            kind.record,
            self._log(),
        )

    def _log(self) -> FileLayer | None:
        kind = self.kind
        if kind.log == "appended":
            return AppendedLog(self.name, kind.log_buffer, kind.log_depth, kind.barrier, self.below)
        return SyncedLog(self.name, self.below) if kind.log == "synced" else None

    def _reader(self) -> Reader:
        kind = self.kind
        return Reader(
            1 + len(self.tree.targets), self._cpu, kind.get, kind.bloom, kind.cached, kind.block, self.below
        )

    def _files(self) -> Files:
        kind = self.kind
        log_bytes = kind.memtable if kind.log == "buffered" else 0
        limiter = Station(f"{self.name} rate limiter", role="throttle")
        return Files(kind.memtable, kind.chunk, self._cpu, kind.merge, limiter, kind.limit, log_bytes, self.below)
