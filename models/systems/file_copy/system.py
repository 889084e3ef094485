"""File utilities on direct and buffered mounts: their I/Os to storage, and the cost of these.

cp, tar, gzip:   source ──> utility ──> target
dd-gzip:         source ──> dd ──> pipe ──> gzip ──> target
dd-gzip-dd:      source ──> dd ──> pipe ──> gzip ──> pipe ──> dd ──> target

source, target:  direct:    each call as it is      ──┐   psfs: a LUN of an array
                 buffered:  page cache ┄┄> clusters ──┘   ufs:  one disk, whose arm both files share
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from models import data_folder
from models.io import Op
from models.layer import Layer
from models.parts.disk import Disk
from models.parts.host.calls import Calls
from models.parts.host.pipe import Pipe
from models.parts.host.processor import Processor
from models.parts.lun import Lun
from models.parts.page_cache.cached_file import CachedFile
from models.parts.page_cache.window import Window
from models.systems.file_copy.parameters import PARAMETERS, FileCopyParameters, HostParameters, host_parameters
from models.systems.other_scenario import OtherScenario, elapsed
from models.workloads.file_utilities import Compression, Process
from sim import Closed, Model, Path
from sim.engine.units import KIB
from sim.system import Measure, Scenario, Settings, System, choice, size

MIB = KIB * KIB
CP8M_BYTES = 8 * MIB
"""Block of cp8M, its only difference from cp."""

UTILITIES = ("cp", "cp8M", "mmap-cp", "tar", "gzip", "dd-gzip", "dd-gzip-dd")


@dataclass(frozen=True)
class FileCopySettings:
    """A utility, its file and its mount."""

    filesystem: str = choice("psfs", "file system, with its host and storage", ("psfs", "ufs"))
    mount: str = choice(
        "direct",
        "direct I/O (dboptimize, forcedirectio) or the page cache",
        ("direct", "buffered"),
        role="access",
    )
    utility: str = choice("cp", "what reads the file and writes the other; mmap-cp is Solaris' own cp", UTILITIES)
    file: int = size(1024 * MIB, "bytes of the file", high=64 << 30, role="bytes")
    cp_block: int = size(4 * KIB, "cp: bytes of a call", high=64 * MIB, role="chunk")
    tar_block: int = size(10 * KIB, "tar: bytes of a call", high=64 * MIB, role="chunk")
    gzip_read: int = size(32 * KIB, "gzip: bytes of a read", high=64 * MIB)
    gzip_write: int = size(16 * KIB, "gzip: bytes of a write", high=64 * MIB)
    dd_block: int = size(8 * MIB, "dd: bytes of a call", high=64 * MIB, role="chunk")
    pipe: int = size(64 * KIB, "capacity of a pipe; 4KiB before Linux 2.6.11", low=4096, high=64 * MIB)
    against: str = choice("none", "utility to compare elapsed and system time with", ("none", *UTILITIES))
    against_mount: str = choice("same", "mount of that utility", ("same", "direct", "buffered"))


@dataclass
class _Copy:
    """One copy on one host; ``behind`` collects background work of its kernel."""

    settings: FileCopySettings
    parameters: FileCopyParameters
    behind: list[Closed] = field(default_factory=list)

    @cached_property
    def host(self) -> HostParameters:
        """The parameters of the host with this file system."""
        return host_parameters(self.parameters, self.settings.filesystem)

    @property
    def cpu(self) -> Processor:
        return Processor.of("host", int(self.parameters.cores))

    @property
    def process(self) -> Process:
        return Process(self.cpu, self.host.user_s)

    def storage(self, op: Op) -> Layer:
        """Storage of the source (read) or the target (written), with the kernel's work for its I/Os."""
        return Calls(self.cpu, self.device(op), mapped_s_per_byte=self.host.io_s_per_byte)

    def device(self, op: Op) -> Layer:
        """The LUN or the disk."""
        if self.settings.filesystem == "psfs":
            return Lun.of(self.host.latency_s, 0.0, self.host.bytes_per_s)
        disk = Disk("disk", self.parameters.reposition_s, self.host.bytes_per_s)
        return disk.region(("read", "write").index(op))

    def file(self, op: Op, call_bytes: int) -> Layer:
        """The source or the target with its mount, for calls of ``call_bytes``."""
        if self.settings.mount == "buffered":
            return self.cached(op, call_bytes, self.parameters.cached_call_s, self.host.page_s_per_byte)
        return Calls(self.cpu, self.storage(op), call_s=self.host.call_s)

    def mapped(self) -> Layer:
        """The source, mapped: through the page cache on any mount, without call or copy."""
        return self.cached("read", int(self.host.cluster_bytes), 0.0, self.host.map_s_per_byte)

    def cached(self, op: Op, call_bytes: int, call_s: float, touch_s_per_byte: float) -> Layer:
        """A file in the page cache. Two clusters are prefetched, one while the other is used."""
        cluster_bytes = int(self.host.cluster_bytes)
        clusters = 2 if op == "read" else int(self.parameters.behind_bytes) // cluster_bytes
        name, behind = ("source", "read-ahead") if op == "read" else ("target", "write-behind")
        file = CachedFile(
            Window.of(name, op, clusters, cluster_bytes, self.storage(op), call_bytes),
            lambda size_bytes: (self.cpu.system(size_bytes * touch_s_per_byte),),
            call=(self.cpu.system(call_s),),
        )
        self.behind.append(file.window.behind(behind, group="kernel"))
        return file

    def pipe(self, name: str, max_bytes: int) -> Pipe:
        """A pipe with one side that moves at most ``max_bytes`` in a call."""
        return Pipe.of(
            name,
            self.settings.pipe,
            min(max_bytes, self.settings.dd_block),
            cpu=self.cpu,
            copy_s_per_byte=self.parameters.psfs_copy_s_per_byte,
        )

    def workloads(self) -> list[Closed]:
        """Processes of the utility; the copy ends with the first one."""
        utility, size = self.settings.utility, self.settings.file
        if utility.startswith("dd-gzip"):
            return self.pipeline(size)
        if utility == "gzip":
            source, target = (
                self.file("read", self.settings.gzip_read),
                self.file("write", self.settings.gzip_write),
            )
            return [_job("gzip", self.gzip(source, target))]
        if utility == "mmap-cp":
            cluster_bytes = int(self.host.cluster_bytes)
            target = self.file("write", cluster_bytes)
            return [_job("cp", self.process.copy(size, cluster_bytes, self.mapped(), target))]
        blocks = {"cp": self.settings.cp_block, "tar": self.settings.tar_block, "cp8M": CP8M_BYTES}
        source, target = self.file("read", blocks[utility]), self.file("write", blocks[utility])
        return [_job("cp", self.process.copy(size, blocks[utility], source, target))]

    def gzip(self, source: Layer, target: Layer) -> Path:
        """The path of the whole file through gzip."""
        compression = Compression(
            read_bytes=self.settings.gzip_read,
            write_bytes=self.settings.gzip_write,
            user_s_per_byte=self.parameters.gzip_s_per_byte,
            share=self.parameters.gzip_share,
        )
        return self.process.compress(self.settings.file, compression, source, target)

    def pipeline(self, size: int) -> list[Closed]:
        """A dd before gzip, and perhaps one after it, which writes whatever each of its reads returns."""
        front, dd_block = self.pipe("pipe to gzip", self.settings.gzip_read), self.settings.dd_block
        dd = _job("dd", self.process.copy(size, dd_block, self.file("read", dd_block), front))
        if self.settings.utility == "dd-gzip":
            return [_job("gzip", self.gzip(front, self.file("write", self.settings.gzip_write))), dd]
        back = self.pipe("pipe from gzip", self.settings.gzip_write)
        target = self.file("write", back.piece_bytes)
        last = self.process.copy(back.piece_bytes, back.piece_bytes, back, target)
        return [
            _job("gzip", self.gzip(front, back)),
            dd,
            Closed("dd behind gzip", clients=1, path=last, group="dd"),
        ]


def _job(name: str, path: Path) -> Closed:
    """A process that ends with the file: one request is the whole file."""
    return Closed(name, clients=1, path=path, count=1)


def _build(settings: FileCopySettings, parameters: FileCopyParameters) -> Scenario:
    """Wire one host; the answers are the speed of the copy and its processor time."""
    copy = _Copy(settings, parameters)
    jobs = copy.workloads()
    measures = {"user_cpu": Measure("s", copy.cpu.user_s), "system_cpu": Measure("s", copy.cpu.system_s)}
    if settings.against != "none":
        measures |= _compared(copy.cpu, settings, parameters)
    model = Model([*jobs, *copy.behind])
    return Scenario(model, jobs[0].group, settings.file / MIB, "MiB/s", measures)


def _compared(cpu: Processor, settings: FileCopySettings, parameters: FileCopyParameters) -> dict[str, Measure]:
    """Answers that compare the utility with another."""
    mount = settings.mount if settings.against_mount == "same" else settings.against_mount
    other = OtherScenario(
        _build(replace(settings, utility=settings.against, mount=mount, against="none"), parameters)
    )
    return {
        "elapsed_saved": other.saved(elapsed, elapsed),
        "system_cpu_added": other.added(cpu.system_s, cpu.system_s),
    }


FILE_COPY = System(
    name="file-copy",
    title="cp, tar and gzip on direct and buffered mounts of PSFS and UFS (2006-2007)",
    settings=Settings.of(FileCopySettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
)
