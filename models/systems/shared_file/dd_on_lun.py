"""Processes of dd on one file of a LUN.

dd 1..n ──> call ──> file lock, as file system, mount and alignment rule ──> direct:    host ──> one LUN
                                                                             buffered:  page cache ┄┄> clusters
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from models.io import IO, Op
from models.layer import Layer
from models.parts.file.lock import LockedFile
from models.parts.host.processor import Processor
from models.parts.lun import Lun
from models.parts.page_cache.cached_file import CachedFile
from models.parts.page_cache.window import Window
from models.systems.shared_file.parameters import SharedFileParameters
from models.systems.shared_file.settings import SharedFileSettings
from models.workloads.file_utilities import Process
from sim import Closed, Lock


@dataclass
class DdOnLun:
    """The layers of one host and one file; ``behind`` collects background work of its kernel."""

    settings: SharedFileSettings
    parameters: SharedFileParameters
    behind: list[Closed] = field(default_factory=list)

    @property
    def processes(self) -> list[Closed]:
        """All processes, with the kernel's."""
        return [*self.writers(), *self.readers(), *self.behind]

    @property
    def cpu(self) -> Processor:
        """The cores."""
        return Processor.of("host", int(self.parameters.cores))

    def file(self, layer: Layer) -> LockedFile:
        """The file and its lock; the ``layer`` below differs between readers and writers."""
        return LockedFile(Lock("file lock"), self.settings.rule, layer)

    def pages(self, name: str, op: Op) -> Layer:
        """The layer below the lock: the page cache, or the LUN."""
        return self.cached(name, op) if self.settings.mount == "buffered" else self.lun

    @property
    def lun(self) -> Layer:
        """The host's path to the LUN, and the LUN."""
        return Lun.of(self.parameters.host_s, self.parameters.service_s, self.parameters.bytes_per_s)

    def cached(self, name: str, op: Op) -> CachedFile:
        """Pages that are prefetched for a reader, or written behind for all writers."""
        cluster_bytes = int(self.parameters.cluster_bytes)
        clusters = 2 if op == "read" else int(self.parameters.window_bytes) // cluster_bytes
        file = CachedFile(
            Window.of(name, op, clusters, cluster_bytes, self.lun, self.settings.block),
            lambda size_bytes: (self.cpu.system(size_bytes * self.parameters.copy_s_per_byte),),
            call=(self.cpu.system(self.parameters.call_s),),
        )
        self.behind.append(file.window.behind(f"{name} kernel", group="kernel"))
        return file

    def dd(self, name: str, op: Op, layer: Layer, count: int | None = None, clients: int = 1) -> Closed:
        """One process of ``clients`` threads; ``layer`` is below the lock."""
        process = Process(self.cpu, self.parameters.call_s)
        path = process.call(IO(op, self.settings.block), self.file(layer))
        return Closed(name, clients=clients, path=path, count=count, group=op)

    def writers(self) -> list[Closed]:
        """All dd processes that write, each its part of the file."""
        count = math.ceil(self.settings.file / self.settings.block / self.settings.writers)
        below = self.pages("written", "write")
        names = [f"writer {n + 1}" for n in range(self.settings.writers)]
        return [self.dd(name, "write", below, count, self.settings.threads) for name in names]

    def readers(self) -> list[Closed]:
        """All dd processes that read, each from a place of its own."""
        names = [f"reader {n + 1}" for n in range(self.settings.readers)]
        return [self.dd(name, "read", self.pages(f"{name} file", "read")) for name in names]
