"""Jobs of fio that write one file at random, and sync after each write: the layers, wired.

job 1..n ──> fio ──> journal ──> drive;   fsync or fdatasync ──> journal ──> drive
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from models import data_folder
from models.io import Durable, FileIO
from models.layer import FileLayer
from models.parts.flash import Flash
from models.parts.host.flush_queue import FlushQueue
from models.parts.host.shared_lines import shared_lines
from models.parts.journal import Journal, Journaled
from models.systems.file_sync.hosts import HOSTS, Host, quantities_of
from models.systems.file_sync.parameters import PARAMETERS, FileSyncParameters
from sim import Closed, Delay, Hold, Model, Path, Pool
from sim.data.fitted import loaded
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point
from sim.engine.units import KIB
from sim.system import Measure, Scenario, Settings, System, choice, count, size
from sim.system.quantities import BySize, TimeTable

SYNCS = ("none", "fsync", "fdatasync")


@dataclass(frozen=True)
class FileSyncSettings:
    """Jobs of fio, each a process with one direct write in flight (psync)."""

    host: str = choice("dell32", "machine and device, by the name that its source gives it", tuple(HOSTS))
    filesystem: str = choice("ext4", "file system of the file, whose blocks are all written", ("ext4", "xfs"))
    jobs: int = count(1, "processes that write the one file", high=256, role="clients")
    block: int = size(16 * KIB, "bytes of one write", low=512, high=16 << 20)
    sync: str = choice("fsync", "what a process calls after each write", SYNCS)


BLOCK_BYTES = 16 * KIB
"""The smaller of the two measured blocks: latencies are for this size."""

PAGE_BYTES = 4096

ANY_NUMBER = 1024
"""Writes that the memory of a device accepts at once: more than there are."""

CORE_CACHE_BYTES = 1024 * KIB
"""Size of a core's own cache: 1 to 2 MiB on processors of these years."""

_MICROSECONDS = 1e6
_GROUP = "jobs"


@dataclass(frozen=True)
class _Host:
    """One machine, its file system and its device."""

    settings: FileSyncSettings
    parameters: FileSyncParameters

    @property
    def host(self) -> Host:
        return quantities_of(self.parameters, self.settings.host)

    @property
    def large(self) -> bool:
        """True if a block fills the cache of a core."""
        return self.settings.block > CORE_CACHE_BYTES

    @property
    def drive(self) -> FileLayer:
        host, kind = self.host, HOSTS[self.settings.host]
        drive = Flash(
            latency=self._latency,
            access=self._streamed,
            units=ANY_NUMBER,
            placement="free",
            variation=self.parameters.variation,
            iops=1.0 / host.command_s,
            bandwidth=math.inf,
            command=int(host.command_bytes or self.parameters.command_bytes) // PAGE_BYTES * PAGE_BYTES,
            cache=int(host.buffer_bytes),
            sustained=host.bytes_per_s,
            volatile=kind.volatile,
            order=kind.order,
            partial=host.sector_s,
            padding=host.padding_s,
            flush=host.flush_s,
            serial=host.serial_s,
            merged=host.merged,
        ).layer("drive", source="")
        return FlushQueue(int(host.queues)).layer("drive queue", lambda _copy: drive) if host.flush_s else drive

    @property
    def _latency(self) -> TimeTable:
        """Latency of a single write: of the journal, of a block, and for each byte beyond it."""
        host, parameters = self.host, self.parameters
        foreign_s = shared_lines(host.foreign_s, self.settings.jobs, parameters.sharers)
        always_s = foreign_s + host.command_s
        small_s = host.small_s + always_s
        block_s = host.write_s + host.xfs_s * (self.settings.filesystem == "xfs") + always_s
        block = (BLOCK_BYTES - 1, small_s), (BLOCK_BYTES, block_s)
        streamed = ((size, block_s + time_s) for size, time_s in self._streamed.write.points[1:])
        by_size = BySize(((1, small_s), *block, *streamed))
        return TimeTable(by_size, by_size)

    @property
    def _streamed(self) -> TimeTable:
        """Time of bytes beyond a block, as one stream moves them into the memory of the device."""
        byte_s = self.parameters.page_s / PAGE_BYTES + 1.0 / self.host.stream_bytes_per_s
        by_size = BySize(((BLOCK_BYTES, 0.0), (2 * BLOCK_BYTES, BLOCK_BYTES * byte_s)))
        return TimeTable(by_size, by_size)

    @cached_property
    def journal(self) -> Journaled:
        settings, parameters = self.settings, self.parameters
        kind = Journal(
            filesystem=settings.filesystem,
            tick=parameters.tick_s,
            wake=parameters.wake_s,
            deep=self.host.asleep_s if self.large else 0.0,
            work=parameters.commit_s,
        )
        return kind.layer("journal", lambda _copy: self.drive)

    @property
    def syncs(self) -> Pool:
        """Pool that each job holds during a sync, to measure its time."""
        return Pool("sync", self.settings.jobs)

    def job(self, process: int) -> Closed:
        """One endless process."""
        journal = self.journal
        write = journal.path(FileIO("write", self.settings.block, process=process, synced=self._durable))
        return Closed(f"job {process + 1}", clients=1, path=(*write, *self._sync(journal, process)), group=_GROUP)

    @property
    def _durable(self) -> Durable:
        syncs: dict[str, Durable] = {"fdatasync": "data", "fsync": "all"}
        return syncs.get(self.settings.sync, "no")

    def _sync(self, journal: Journaled, process: int) -> Path:
        if self.settings.sync == "none":
            return ()
        flush = FileIO("flush", 0, process=process, durable=self._durable, synced=self._durable)
        cold_s = self.parameters.cold_s + self.host.cold_s if self.large else 0.0
        call = Delay(self.parameters.call_s + cold_s)
        return (Delay(self.parameters.between_s), Hold(self.syncs, call, *journal.path(flush)))


def _sync_latency(jobs: int) -> Measure:
    """Mean time of a sync."""

    def read(result: Result) -> Estimate:
        sync = result.places["sync"]
        return point(_MICROSECONDS * sync.utilisation * jobs / sync.visits if sync.visits else 0.0)

    return Measure("µs", read)


def _build(settings: FileSyncSettings, parameters: FileSyncParameters) -> Scenario:
    """Wire the jobs of one host; the answer is their write rate."""
    host = _Host(settings, parameters)
    jobs = [host.job(process) for process in range(settings.jobs)]
    measures = {} if settings.sync == "none" else {"sync_latency": _sync_latency(settings.jobs)}
    return Scenario(Model([*jobs, *host.journal.background()]), _GROUP, 1.0, "writes/s", measures)


FILE_SYNC = System(
    name="file-sync",
    title="jobs that write one file and sync after each write, by host (fio, December 2025)",
    settings=Settings.of(FileSyncSettings),
    parameters=loaded(PARAMETERS, data_folder(), "file-sync"),
    build=_build,
    data_package=data_folder(),
    loads=("randwrite",),
)
