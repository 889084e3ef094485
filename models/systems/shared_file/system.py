"""Writers and readers of one file: does the file system let them work at once?

dd 1..n ──> call ──> file lock, as file system, mount and alignment rule ──> direct:    host ──> one LUN
                                                                             buffered:  page cache ┄┄> clusters
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from models import data_folder
from models.filesystem.file_lock import ACCESSES, LockedFile
from models.filesystem.lock_rules import FILE_SYSTEMS, lock_rule
from models.host.processor import Processor
from models.host.read_ahead import CachedFile
from models.io import IO, Op
from models.layer import Layer
from models.storage.single_server_lun import SingleServerLun
from models.systems.comparison import OtherScenario
from models.systems.shared_file.parameters import PARAMETERS, SharedFileParameters
from models.workloads.file_utilities import Process
from sim import Closed, Lock, Model, Station
from sim.system import Measure, Scenario, Settings, System, choice, count, flag, size
from sim.units import KIB

MOUNTS = ACCESSES


@dataclass(frozen=True)
class SharedFileSettings:
    """Processes on one file."""

    filesystem: str = choice("psfs", "whose lock rule holds", tuple(FILE_SYSTEMS))
    mount: str = choice("dboptimize", "how the file is accessed; each file system knows some of these", MOUNTS)
    writers: int = count(1, "dd processes, each overwriting its part of the file", high=256)
    readers: int = count(0, "dd processes that read the file meanwhile, without end", low=0, high=256)
    block: int = size(4 * KIB, "bytes of one read or write", high=1 << 20)
    file: int = size(1024 * KIB * KIB, "bytes that the writers overwrite together", high=64 << 30)
    aligned: bool = flag("whole blocks of the file system", default=True)


@dataclass
class _Host:
    """The layers of one host and one file; ``behind`` gathers what its kernel does in the background."""

    settings: SharedFileSettings
    parameters: SharedFileParameters
    behind: list[Closed] = field(default_factory=list)

    @property
    def cpu(self) -> Processor:
        return Processor.of("host", int(self.parameters.cores))

    def file(self, layer: Layer) -> LockedFile:
        """The file and its lock; the ``layer`` below differs between readers and writers."""
        rule = lock_rule(self.settings.filesystem, self.settings.mount, aligned=self.settings.aligned)
        return LockedFile(Lock("file lock"), rule, layer)

    def pages(self, name: str, op: Op) -> Layer:
        """What lies below the lock: the page cache, or the LUN."""
        return self.cached(name, op) if self.settings.mount == "buffered" else self.lun

    @property
    def lun(self) -> Layer:
        return SingleServerLun(
            Station("lun"),
            latency_s=self.parameters.host_s,
            service_s=self.parameters.service_s,
            bytes_per_s=self.parameters.bytes_per_s,
        )

    def cached(self, name: str, op: Op) -> CachedFile:
        """Pages that are read ahead for a reader, or written behind for all writers."""
        cluster_bytes = int(self.parameters.cluster_bytes)
        file = CachedFile.of(
            name,
            op,
            clusters=2 if op == "read" else int(self.parameters.window_bytes) // cluster_bytes,
            cluster_bytes=cluster_bytes,
            cpu=self.cpu,
            call_s=self.parameters.call_s,
            touch_s_per_byte=self.parameters.copy_s_per_byte,
            below=self.lun,
        )
        self.behind.append(file.behind(f"{name} kernel", group="kernel"))
        return file

    def dd(self, name: str, op: Op, layer: Layer, count: int | None = None) -> Closed:
        """One process; ``layer`` is what lies below the lock."""
        process = Process(self.cpu, self.parameters.call_s)
        path = process.call(IO(op, self.settings.block), self.file(layer))
        return Closed(name, clients=1, path=path, count=count, group=op)

    def writers(self) -> list[Closed]:
        """All dd processes that write, each its part of the file."""
        count = math.ceil(self.settings.file / self.settings.block / self.settings.writers)
        below = self.pages("written", "write")
        return [self.dd(f"writer {n + 1}", "write", below, count) for n in range(self.settings.writers)]

    def readers(self) -> list[Closed]:
        """All dd processes that read, each from a place of its own."""
        names = [f"reader {n + 1}" for n in range(self.settings.readers)]
        return [self.dd(name, "read", self.pages(f"{name} file", "read")) for name in names]


def _build(settings: SharedFileSettings, parameters: SharedFileParameters) -> Scenario:
    """All processes on one file; the answer is the writes that they complete."""
    host = _Host(settings, parameters)
    processes = [*host.writers(), *host.readers()]
    measures: dict[str, Measure] = {}
    if settings.readers:
        measures["reads"] = Measure("reads/s", lambda result: result.groups["read"].throughput)
    if settings.writers > 1:
        measures["scale_up"] = _scale_up(settings, parameters)
    return Scenario(Model([*processes, *host.behind]), "write", 1.0, "writes/s", measures)


def _scale_up(settings: SharedFileSettings, parameters: SharedFileParameters) -> Measure:
    """Throughput as a share of what one writer alone gets, times the number of writers."""
    alone = OtherScenario(_build(replace(settings, writers=1), parameters))
    return alone.share(lambda result: result.throughput, lambda one: one.throughput.scaled(settings.writers))


SHARED_FILE = System(
    name="shared-file",
    title="writers and readers of one file, by file system and mount (PSFS on a DL585, 2006)",
    settings=Settings.of(SharedFileSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
)
