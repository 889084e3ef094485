"""The kind ``zfs`` of stack files: a dataset of ZFS, with the layers below as its pool.

    read, in memory (ARC)   ──> [cores]: call and copy
    read, not in memory     ──> whole records, below ──> [cores]: checksum, decompress, copy;  runs: read ahead
    write                   ──> records that it leaves part of, not in memory: read ──> put into [dirty] ──> done
                                threads ┄┄> take out of [dirty], compress, checksum ──> below, large, in a row
    durable write, or sync  ──> the same ──> intent log: one log block for all who wait, below or on a log device

Nothing is written in place, so that the blocks of a transaction group are adjacent on disk, for any writes, and
adjacent ones are one I/O (`zfs_vdev_aggregation_limit`). Small durable writes are written twice,
large ones once, with a pointer in the log (`intent_log.py`). On a log device of its own (SLOG) all are logged.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.host import called, copies_of_host, of_host, woken
from models.parts.host.memory import CopyingCores
from models.parts.page_cache.read_ahead import ReadAhead
from models.parts.zfs.intent_log import UNIT_BYTES, logged_bytes
from models.parts.zfs.records import cut
from models.paths import in_turn, maybe
from sim import Buffer, Choose, Closed, InputError, Path, PerItem, Put, Repeat, Station, Take, Use
from sim.engine.units import size_text
from sim.system.quantities import bandwidth, duration
from sim.system.settings import choice, count, number, size
from sim.system.stack.kinds import FLUSH, PAGE_CACHE, Below

PAGE_BYTES = 4096
"""Unit of dirty data."""

LOG = FileIO("write", 0, file=-1, process=1, sequential=True, durable="all")
"""A block of the log on the pool: its blocks lie one behind the other, elsewhere than those of the groups."""


@dataclass(frozen=True)
class Zfs:
    """Records, the ARC, transaction groups and the intent log, in the words and with the defaults of OpenZFS."""

    recordsize: int = size(128 * 1024, "size of a record", low=512, high=16 << 20)
    resident: float = number(0.0, "share of the files in memory (ARC)", low=0.0, high=1.0)
    sync: str = choice(
        "standard", "standard, always or disabled, as the property of ZFS", ("standard", "always", "disabled")
    )
    immediate: int = size(32 * 1024, "largest write whose data go into the log, without a log device", low=0)
    log: float = duration(0.0, "latency of a separate log device; 0: the log is on the pool")
    log_bandwidth: float = bandwidth(2e9, "bandwidth of the log device")
    dirty: int = size(1 << 30, "limit of dirty bytes (zfs_dirty_data_max)")
    aggregation: int = size(1 << 20, "largest write of adjacent blocks (zfs_vdev_aggregation_limit)")
    writers: int = count(10, "parallel writes of dirty data (zfs_vdev_async_write_max_active)", high=1024)
    read_ahead: int = size(8 << 20, "most bytes prefetched ahead of a sequential run (zfetch_max_distance)")
    compressed: float = number(1.0, "bytes on the pool for each byte of the files", low=0.01, high=1.0)
    compress: float = bandwidth(math.inf, "bytes a second that a core compresses; unlimited: compression is off")
    checksum: float = bandwidth(5e9, "fletcher4 rate of a core; assumed")
    cores: int = count(4, "cores that call, copy, compress and checksum", high=4096)
    call: float = duration(5e-6, "core time of a call; assumed")
    copy: float | None = copies_of_host("bytes a second that a core copies")
    wake: float | None = of_host("until a caller that waited runs, exponential")

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A page cache, as files go through the ARC, and a flush, which waits for the intent log."""
        return (FLUSH, PAGE_CACHE)

    def layer(self, name: str, below: Below) -> Dataset:
        """The dataset on the pool ``below``.

        Raises:
            InputError: a record size that is no power of two, or too little room for dirty data.
        """
        if self.recordsize & (self.recordsize - 1):
            allowed = "a power of two from 512B to 16MiB, such as 16KiB"
            raise InputError(f"recordsize is {size_text(self.recordsize)}; allowed: {allowed}")
        if self.dirty < (least := max(self.recordsize, self.aggregation)):
            allowed = f"at least {size_text(least)}, a record and the largest I/O of adjacent blocks"
            raise InputError(f"dirty is {size_text(self.dirty)}; allowed: {allowed}")
        return Dataset(self, name, below(""))


@dataclass(frozen=True)
class Dataset:
    """All files of one dataset; ``name`` is the prefix of place names.

    Attributes:
        behind: amount of dirty pages written at a time, and the cores, by buffer.
        synced: bytes of a write that a later sync makes durable, by file.
    """

    kind: Zfs
    name: str
    pool: FileLayer
    behind: dict[Buffer, tuple[int, CopyingCores]] = field(default_factory=dict, compare=False)
    synced: dict[int, int] = field(default_factory=dict, compare=False)

    def path(self, io: FileIO) -> Path:
        """Steps of one call."""
        if io.op == "flush":
            return self._logged(io, self.synced.get(io.file, UNIT_BYTES))
        if io.op == "read":
            return self._read(io)
        if io.synced != "no":
            self.synced[io.file] = io.size_bytes
        if io.durable == "no" and self.kind.sync != "always":
            return (*self._copied(io), *self._rewritten(io), *self._dirtied(io))
        # A write that is logged by a pointer is at its final place already.
        dirtied = () if self._pointed(io.size_bytes) else self._dirtied(io)
        return (*self._copied(io), *self._rewritten(io), *dirtied, *self._logged(io, io.size_bytes))

    def background(self) -> Iterator[Closed]:
        """The threads that write transaction groups."""
        for dirty, (pages, cores) in self.behind.items():
            block = FileIO("write", self._stored(pages * PAGE_BYTES), sequential=True)
            path = (Take(dirty, pages), *self._worked(cores, pages * PAGE_BYTES), *self.pool.path(block))
            name, group = f"{dirty.name}, written", f"{self.name} behind"
            yield Closed(name, clients=self.kind.writers, path=path, group=group)

    def _read(self, io: FileIO) -> Path:
        if io.sequential:
            wake = woken(self.kind.wake, io, self._cores(io))
            missed = ReadAhead(self.name, self.kind.read_ahead, self._fetched, self._copied, wake).path(io)
        else:
            missed = (*self._fetched(self._whole(io)), *self._copied(io))
        return self._unless_resident(missed, self._copied(io))

    def _fetched(self, records: FileIO) -> Path:
        stored = replace(records, size_bytes=self._stored(records.size_bytes))
        return (*self.pool.path(stored), *self._worked(self._cores(records), records.size_bytes))

    def _rewritten(self, io: FileIO) -> Path:
        """Read records that are partly overwritten; a sequential run fills its own."""
        kept, per_bytes = cut(io.size_bytes, self.kind.recordsize)
        if io.sequential or io.appends or not kept:
            return ()
        size_bytes = self._stored(self.kind.recordsize)
        read = self.pool.path(replace(io, op="read", size_bytes=size_bytes, durable="no", synced="no"))
        times, rest = divmod(kept * io.size_bytes, per_bytes)
        some = (maybe(rest / per_bytes, *read),) if rest else ()
        return self._unless_resident((*((Repeat(times, *read),) if times else ()), *some), ())

    def _dirtied(self, io: FileIO) -> Path:
        """Make records dirty; those of a run fill up before they are written."""
        whole_bytes = io.size_bytes if io.sequential else self._whole(io).size_bytes
        pages, most = -(-whole_bytes // PAGE_BYTES), max(1, self.kind.aggregation // PAGE_BYTES)
        dirty = Buffer(f"{self.name} dirty", max(self.kind.dirty // PAGE_BYTES, 2 * max(most, pages)))
        self.behind[dirty] = most, self._cores(io)
        return (Put(dirty, pages),)

    def _logged(self, io: FileIO, size_bytes: int) -> Path:
        """Wait until a log block with these bytes is durable."""
        if self.kind.sync == "disabled":
            return ()
        piece_bytes = min(size_bytes, self.kind.recordsize)
        logged = size_bytes if self._pointed(size_bytes) else logged_bytes(size_bytes, piece_bytes)
        return (*in_turn(f"{self.name} log", self._log_block(logged)), *woken(self.kind.wake, io, self._cores(io)))

    def _pointed(self, size_bytes: int) -> bool:
        """True if the log has a pointer to a write instead of its bytes."""
        return size_bytes > self.kind.immediate and not self.kind.log and self.kind.sync != "disabled"

    def _log_block(self, size_bytes: int) -> Path:
        if self.kind.log:
            time = PerItem(self.kind.log, size_bytes / self.kind.log_bandwidth)
            return (Use(Station(f"{self.name} log device"), time),)
        return self.pool.path(LOG.piece(size_bytes))

    def _unless_resident(self, missed: Path, hit: Path) -> Path:
        share = self.kind.resident
        if not missed or share == 1.0:
            return hit
        return (Choose((share, hit), (1.0 - share, missed)),) if share else missed

    def _records(self, io: FileIO) -> int:
        return -(-io.size_bytes // self.kind.recordsize)

    def _whole(self, io: FileIO) -> FileIO:
        """``io`` extended to whole records."""
        return replace(io, size_bytes=self._records(io) * self.kind.recordsize)

    def _stored(self, size_bytes: int) -> int:
        return max(512, math.ceil(size_bytes * self.kind.compressed / 512) * 512)

    def _worked(self, cores: CopyingCores, size_bytes: int) -> Path:
        """Compression or decompression on a core, and checksums of the stored bytes."""
        time_s = size_bytes / self.kind.compress + self._stored(size_bytes) / self.kind.checksum
        return cores.kernel(time_s)

    def _copied(self, io: FileIO) -> Path:
        return called(self._cores(io), self.kind.call, self.kind.copy, io)

    def _cores(self, io: FileIO) -> CopyingCores:
        return CopyingCores.of(f"{self.name} cores", self.kind.cores, io)
