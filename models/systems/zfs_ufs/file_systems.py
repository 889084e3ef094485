"""Files of the zfs-ufs system: the layers below a database, on UFS and on ZFS, each on one disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from models.layer import Layer
from models.parts.disk.disk import Disk, Region, WriteCache
from models.parts.host.calls import Calls
from models.parts.host.processor import Processor
from models.parts.ufs import SynchronousWrites
from models.parts.zfs.arc import Arc, CachedReads
from models.parts.zfs.block_pipeline import BlockPipeline
from models.parts.zfs.buffers import Buffers, InBuffers
from models.parts.zfs.intent_log import IntentLog
from models.parts.zfs.records import Entered, Pattern, Records, touched_bytes
from models.parts.zfs.transaction_group import PERIOD_S, TransactionGroups
from models.systems.zfs_ufs.parameters import ZfsUfsParameters
from models.systems.zfs_ufs.settings import ZfsUfsSettings
from sim import Buffer, Closed, Path, Pool, Station
from sim.engine.model.steps import iter_steps

_LOG, _DATA, _FRONTIER, _SWAP = 1, 2, 3, 4


@dataclass(frozen=True)
class Files:
    """The layers of one host and its disk, completed by each file system."""

    settings: ZfsUfsSettings
    parameters: ZfsUfsParameters

    @cached_property
    def cpu(self) -> Processor:
        return Processor.of("host", int(self.parameters.cores))

    @cached_property
    def drive(self) -> Disk:
        parameters = self.parameters
        cache = WriteCache(
            Station("bus"),
            Pool("drive queue"),
            Buffer("drive cache", int(parameters.drive_cache_bytes)),
            parameters.bus_bytes_per_s,
            parameters.command_s,
            physical_bytes=min(self.settings.maxphys, int(parameters.request_bytes)),
        )
        return Disk("", parameters.seek_s + parameters.rotation_s, parameters.disk_bytes_per_s, cache=cache)

    def region(self, number: int, *, anew: bool = False) -> Region:
        """A region of the drive; each read goes to another place in it."""
        return self.drive.region(number, reads_anew=True, writes_anew=anew)

    def copied(self, below: Layer) -> Layer:
        """Calls through the kernel's memory."""
        return Calls(self.cpu, below, copy_s_per_byte=self.parameters.copy_s_per_byte)

    @property
    def cache_least_bytes(self) -> float:
        """Smallest memory of the file cache, whatever else needs memory."""
        return 0.0

    @property
    def swap(self) -> Layer:
        """Storage of paged-out memory: the same disk, as both disks of the host hold the system."""
        return self.region(_SWAP)

    def background(self, work: Path) -> list[Closed]:  # noqa: ARG002  (any work)
        """Workloads of the kernel in the background of ``work``."""
        return []


@dataclass(frozen=True)
class Ufs(Files):
    """Files written in place."""

    @property
    def log(self) -> Layer:
        """The redo log."""
        direct = self.settings.mount == "forcedirectio"
        return self._mounted(SynchronousWrites(self.parameters.ufs_write_s, direct, self.region(_LOG)))

    def file(self, pattern: Pattern) -> Layer:  # noqa: ARG002  (in place for any pattern)
        """A data file."""
        return self._mounted(self.region(_DATA))

    def _mounted(self, below: Layer) -> Layer:
        return below if self.settings.mount == "forcedirectio" else self.copied(below)

    @property
    def source(self) -> Layer:
        """A table to read, none of it in memory."""
        return self.file("new")


@dataclass(frozen=True)
class Zfs(Files):
    """Files in records that are never written in place.

    Attributes:
        cache: behaviour of the ARC.
    """

    cache: type[Arc] = Arc

    @property
    def cache_least_bytes(self) -> float:
        """Smallest memory of the ARC, which holds unlogged pieces until their group is written.

        They are at most as many as the platter writes meanwhile, and do not count as dirty.
        """
        parameters = self.parameters
        kept = self.settings.recordsize > parameters.immediate_bytes
        return max(parameters.arc_least_bytes, kept * PERIOD_S * parameters.disk_bytes_per_s)

    @cached_property
    def arc(self) -> Arc:
        parameters = self.parameters
        left_bytes = self.settings.memory - parameters.used_bytes
        return self.cache(max(parameters.arc_least_bytes, left_bytes), parameters.files_bytes)

    @property
    def buffers(self) -> Buffers:
        """Buffers for records."""
        parameters, short = self.parameters, self.arc.missing > 0.0
        return Buffers(self.cpu, int(parameters.cores), self.settings.recordsize, parameters.reclaim_s, short)

    @cached_property
    def records(self) -> Layer:
        """Records on their way to the disk or back."""
        empty = self.settings.phase in ("db-creation", "ts-creation")
        share = self.parameters.empty_share if empty else self.parameters.data_share
        return BlockPipeline(
            self.cpu,
            threads=int(self.parameters.cores),
            compress_s_per_byte=self.settings.compression * self.parameters.compress_s_per_byte,
            checksum_s_per_byte=self.settings.checksum * self.parameters.checksum_s_per_byte,
            block_s=self.parameters.record_s,
            pointer_bytes=self.parameters.pointer_bytes,
            buffers=self.buffers,
            share=share if self.settings.compression else 1.0,
            below=self.region(_FRONTIER, anew=True),
        )

    @cached_property
    def groups(self) -> TransactionGroups:
        """Transaction groups: half of the ARC may be dirty (arc.c: arc_tempreserve_space), a group half of it."""
        group_bytes = int(self.parameters.arc_least_bytes) // 4
        room = max(int(self.arc.size_bytes) // 2, 2 * group_bytes)
        return TransactionGroups(Buffer("dirty bytes", room), group_bytes, self.records)

    @property
    def log(self) -> Layer:
        """The redo log."""
        return self.file("sequence")

    def file(self, pattern: Pattern) -> Layer:
        """A file written in this pattern."""
        flush = self.settings.flush
        record, block = self.settings.recordsize, self.settings.block
        scattered = pattern == "scattered"
        small = int(self.parameters.device_read_bytes)
        piece_bytes = min(record, block) if scattered else record
        log = IntentLog(
            piece_bytes=piece_bytes,
            immediate_bytes=int(self.parameters.immediate_bytes),
            dirtied=touched_bytes(block, record) / block if scattered else 1.0,
            log=self.drive.chain(_LOG) if flush else self.region(_LOG),
            final=self.records,
            group=self.groups,
            flush=self.drive.flush if flush else (),
        )
        records = Records(
            pattern,
            record,
            block,
            read_bytes=small if record < small // 4 else 0,
            missing=self.arc.missing,
            storage=self.records,
            below=log,
        )
        return self._entered(piece_bytes, InBuffers(self.buffers, records))

    @property
    def source(self) -> Layer:
        """A table that is read."""
        return self._entered(self.settings.recordsize, CachedReads(self.arc.missing_in_turn, self.records))

    def _entered(self, piece_bytes: int, below: Layer) -> Layer:
        return self.copied(Entered(self.cpu, self.parameters.record_s, piece_bytes, below))

    def background(self, work: Path) -> list[Closed]:
        if all(step.place != self.groups.dirty for step in iter_steps(work)):
            return []
        return [self.groups.sync("transaction groups", group="kernel")]
