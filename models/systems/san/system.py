"""`dd` on a host with a page cache, over a Fibre Channel fabric to one LUN: the layers, wired.

dd 1..n ──> page cache of the host (or past it) ──> paths ──> LUN: cache of the array, drives
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from models import data_folder
from models.host.page_cache import MemoryCopy, PageCache
from models.io import IO, Op
from models.layer import Layer
from models.storage.cached_lun import CachedLun
from models.storage.fabric_paths import FabricPaths
from models.storage.fabrics import FABRICS
from models.systems.san.parameters import PARAMETERS, SANParameters
from sim import Buffer, Closed, InputError, Model, Pool, Station
from sim.system import Failure, Scenario, Settings, System, choice, count, flag, size
from sim.units import MB

_FIBRE_CHANNEL = tuple(name for name in FABRICS if name.startswith("fc-"))


@dataclass(frozen=True)
class SANSettings:
    """Streams, the host and its fabric."""

    streams: int = count(1, "dd processes, each with a file of its own", high=256)
    op: Op = choice("read", "what dd does", ("read", "write"))
    block: int = size(1 << 20, "bytes of one read or write call", high=64 << 20)
    data: int = size(512_000_000, "bytes that each stream moves")
    page_cache: bool = flag("through the host's page cache; no: direct I/O", default=True)
    memory: int = size(12 << 30, "memory of the host for its page cache", low=1 << 28)
    sockets: int = count(2, "Opteron sockets of the host, each with a memory controller", high=8)
    fabric: str = choice("fc-2", "one path between host and array", _FIBRE_CHANNEL)
    paths: int = count(2, "paths, used in turn", high=64)
    paths_lost: int = count(0, "paths that are lost", low=0, high=63)
    drives: int = count(1, "drives of the LUN", high=1024)


@dataclass(frozen=True)
class _Host:
    """One host, its fabric and its LUN."""

    settings: SANSettings
    parameters: SANParameters

    @property
    def set_bytes(self) -> int:
        """Bytes that all streams read or write."""
        return int(self.settings.streams * self.settings.data)

    def lun(self) -> CachedLun:
        """The array."""
        return CachedLun(
            drives=Station("drives", self.settings.drives),
            bytes_per_s=self.parameters.drive_bytes_per_s,
            resident=self.set_bytes <= self.parameters.array_cache_bytes,
        )

    def san(self) -> FabricPaths:
        """The array behind its fabric.

        Raises:
            InputError: no path is left.
        """
        fabric, left = FABRICS[self.settings.fabric], self.settings.paths - self.settings.paths_lost
        if left < 1:
            lost, paths = self.settings.paths_lost, self.settings.paths
            raise InputError(f"paths_lost is {lost} of {paths} paths; allowed: fewer than there are")
        return FabricPaths.over("host", fabric, left, self.parameters.latency_s, self.lun())

    def page_cache(self) -> PageCache:
        """The host's memory before the fabric."""
        sockets = self.settings.sockets
        copy = MemoryCopy(
            cores=Pool("cores", sockets * int(self.parameters.socket_cores)),
            controllers=tuple(Station(f"memory {number}") for number in range(1, sockets + 1)),
            core_s_per_byte=self.parameters.copy_core_s_per_byte,
            memory_s_per_byte=self.parameters.copy_memory_s_per_byte,
        )
        dirty_bytes = int(self.settings.memory * self.parameters.dirty_share)
        return PageCache(
            copy=copy,
            resident=self.set_bytes <= self.settings.memory,
            dirty=Buffer("dirty pages", dirty_bytes),
            below=self.san(),
        )

    def stream(self, number: int, below: Layer) -> Closed:
        """One dd."""
        io = IO(self.settings.op, self.settings.block)
        count = ceil(self.settings.data / io.size_bytes)
        return Closed(f"dd {number}", clients=1, path=below.path(io), count=count, group="dd")


def _build(settings: SANSettings, parameters: SANParameters) -> Scenario:
    """Wire all streams to one LUN; the answer is the bytes that all of them move."""
    host = _Host(settings, parameters)
    below = host.page_cache() if settings.page_cache else host.san()
    streams = [host.stream(number, below) for number in range(1, settings.streams + 1)]
    return Scenario(Model(streams), watch="dd", amount=settings.block / MB, unit="MB/s")


SAN = System(
    name="san",
    title="dd through a page cache or past it, over Fibre Channel to one LUN (2006-2007)",
    settings=Settings.of(SANSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
    failures=(Failure("a path", {"paths_lost": 1}),),
)
