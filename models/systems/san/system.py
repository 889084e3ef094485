"""`dd` on a host with a page cache, over a Fibre Channel fabric to one LUN: the layers, wired.

dd 1..n ──> page cache of the host (or past it) ──> adapter ──> paths ──> LUN: memory of the array, drives
                  └┄ reads ahead, writes behind                                    └┄ reads ahead, writes behind
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from models import data_folder
from models.io import IO, Op
from models.parts.disk import Disk
from models.parts.host.bus_adapter import BusAdapter
from models.parts.host.memory import CopyingCores, Memory
from models.parts.link.fabrics import FABRICS
from models.parts.link.link import Link
from models.parts.lun import Lun
from models.parts.page_cache.cached_file import CachedFile
from models.parts.page_cache.window import Window
from models.systems.san.parameters import PARAMETERS, SANParameters
from sim import Buffer, Closed, InputError, Lock, Model, Path, Pool, Station
from sim.engine.units import KIB, MB
from sim.system import Ceiling, Failure, Scenario, Settings, System, choice, count, flag, size

PIECE_BYTES = 128 * KIB
"""Bytes that the array fetches from one drive at a time: a StorEdge 3510's segment of a LUN for sequential use."""

_FIBRE_CHANNEL = tuple(name for name in FABRICS if name.startswith("fc-"))


@dataclass(frozen=True)
class SANSettings:
    """Streams, the host and its fabric."""

    streams: int = count(1, "dd processes, each with a file of its own", high=256, role="clients")
    op: Op = choice("read", "what dd does", ("read", "write"))
    block: int = size(1 << 20, "bytes of one read or write call", high=64 << 20)
    data: int = size(512_000_000, "bytes that each stream moves")
    page_cache: bool = flag("through the host's page cache; no: direct I/O", default=True)
    memory: int = size(12 << 30, "memory of the host for its page cache", low=1 << 28)
    sockets: int = count(2, "Opteron sockets of the host, each with a memory controller", high=8, role="parts")
    fabric: str = choice("fc-2", "one path between host and array", _FIBRE_CHANNEL)
    paths: int = count(2, "paths, used in turn", high=64, role="links")
    paths_lost: int = count(0, "paths that are lost", low=0, high=63, role="lost")
    drives: int = count(1, "drives of the LUN", high=1024, role="devices")


@dataclass(frozen=True)
class _Host:
    """One host, its fabric and its LUN."""

    settings: SANSettings
    parameters: SANParameters

    @property
    def set_bytes(self) -> int:
        """Bytes that all streams read or write."""
        return int(self.settings.streams * self.settings.data)

    def on_lun(self, name: str) -> CachedFile:
        """A file in the memory of the array, which prefetches on all drives of the LUN."""
        parameters, drives = self.parameters, self.settings.drives
        pieces = drives * int(parameters.array_ahead_bytes) // PIECE_BYTES
        lun = Lun(Disk("drives", 0.0, parameters.drive_bytes_per_s, count=drives))
        return CachedFile(
            Window.of(f"array {name}", "read", pieces, PIECE_BYTES, lun),
            resident=self.set_bytes <= parameters.array_cache_bytes,
            dirty=Buffer("array dirty", int(parameters.array_cache_bytes * parameters.array_dirty_share)),
            turn=Lock(f"{name} in turn"),
        )

    def san(self, on_lun: CachedFile) -> BusAdapter:
        """A file of the array behind its fabric, with the host's adapter.

        Raises:
            InputError: no path is left.
        """
        fabric, lost, paths = FABRICS[self.settings.fabric], self.settings.paths_lost, self.settings.paths
        if lost >= paths:
            raise InputError(f"paths_lost is {lost} of {paths} paths; allowed: fewer than there are")
        requests = max(1, int(self.parameters.request_bytes) // PIECE_BYTES)
        across = Link.paths(fabric, paths, self.parameters.latency_s, lost).before(on_lun, "host")
        return BusAdapter(requests * PIECE_BYTES, across)

    def copied(self, size_bytes: int) -> Path:
        """A copy by one of the host's cores, between its memory and a caller's."""
        sockets, parameters = self.settings.sockets, self.parameters
        controllers = tuple(Station(f"memory {number}") for number in range(1, sockets + 1))
        cores = Pool("cores", sockets * int(parameters.socket_cores))
        copying = CopyingCores(cores, Memory(controllers, parameters.copy_memory_s_per_byte))
        return copying.copied_beside(size_bytes, size_bytes * parameters.copy_core_s_per_byte)

    def page_cache(self, name: str, below: BusAdapter) -> CachedFile:
        """The host's page cache above the fabric, for one file."""
        piece = int(self.parameters.host_ahead_bytes)
        dirty_bytes = int(self.settings.memory * self.parameters.dirty_share)
        return CachedFile(
            Window.of(f"host {name}", "read", 2, piece, below, self.settings.block),
            self.copied,
            resident=self.set_bytes <= self.settings.memory,
            dirty=Buffer("dirty pages", dirty_bytes),
        )

    def stream(self, number: int) -> Iterator[Closed]:
        """One dd, with the prefetch of host and array."""
        name = f"file {number}"
        on_lun = self.on_lun(name)
        san = self.san(on_lun)
        cached = self.page_cache(name, san) if self.settings.page_cache else None
        io = IO(self.settings.op, self.settings.block)
        count = ceil(self.settings.data / io.size_bytes)
        yield Closed(f"dd {number}", clients=1, path=(cached or san).path(io), count=count, group="dd")
        if io.op == "write" or (cached and cached.resident):
            return
        if cached:
            yield cached.window.behind(f"read-ahead of host {number}", group="kernel")
        if not on_lun.resident:
            yield on_lun.window.behind(f"read-ahead of array {number}", group="array")


def _build(settings: SANSettings, parameters: SANParameters) -> Scenario:
    """Wire all streams to one LUN; the answer is their total throughput."""
    host = _Host(settings, parameters)
    streams = [each for number in range(1, settings.streams + 1) for each in host.stream(number)]
    return Scenario(Model(streams), watch="dd", amount=settings.block / MB, unit="MB/s")


def _ceilings(settings: SANSettings) -> tuple[Ceiling, ...]:
    """Past the page cache all bytes cross the remaining paths, in one direction."""
    if settings.page_cache:
        return ()
    left, rate = settings.paths - settings.paths_lost, FABRICS[settings.fabric].line_bytes_per_s / MB
    return (Ceiling("throughput", left * rate, f"{left} x {settings.fabric} path at {rate:g} MB/s"),)


SAN = System(
    name="san",
    title="dd through a page cache or past it, over Fibre Channel to one LUN (2006-2007)",
    settings=Settings.of(SANSettings),
    parameters=PARAMETERS,
    build=_build,
    ceilings=_ceilings,
    data_package=data_folder(),
    failures=(Failure("a path", {"paths_lost": 1}),),
)
