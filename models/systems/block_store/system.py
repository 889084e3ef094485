"""Clients of a replicated block store, wired.

job 1..n ──> [nbd] ──> [its core] ──> [its card] ──> a server of the drive that leads ──> drive
                                                      └──> servers of other drives, on other machines
raw:  job ──> [its core] ──> drive
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

from models import data_folder
from models.io import FileIO
from models.layer import FileLayer
from models.parts.flash import Flash
from models.parts.host.cores import KIB, Cores
from models.parts.link.link import Link
from models.parts.replicas import Replicas
from models.systems.block_store.parameters import PARAMETERS, BlockStoreParameters
from models.systems.block_store.settings import ERASURE, SCHEMES, BlockStoreSettings
from sim import Closed, Delay, Fork, InputError, Model, Path, Repeat
from sim.data.fitted import loaded
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point
from sim.engine.units import MB
from sim.system import Ceiling, Measure, Scenario, Settings, System
from sim.system.quantities import BySize, TimeTable

_GROUP = "requests"
_SMALL_BYTES = 64 * KIB
"""Largest write that goes through the journal."""


@dataclass(frozen=True)
class JournaledWrites:
    """A drive whose small writes go into a journal first, and to their place in the background."""

    drive: FileLayer
    writes: int

    def path(self, io: FileIO) -> Path:
        """The first write is waited for; the others of a small one follow."""
        path = self.drive.path(io)
        if io.op != "write" or io.size_bytes > _SMALL_BYTES or self.writes == 1:
            return path
        return (*path, Fork((Repeat(self.writes - 1, *path),), wait=False))


@dataclass(frozen=True)
class _Store:
    """One store, and the drives of its study."""

    settings: BlockStoreSettings
    parameters: BlockStoreParameters

    @property
    def raw(self) -> bool:
        """True for a raw drive."""
        return self.settings.client == "raw"

    @property
    def drives(self) -> int:
        """Number of drives of all machines."""
        return self.settings.nodes * self.settings.drives

    @property
    def threads(self) -> int:
        """Number of threads of a drive's servers."""
        return round(self.parameters.threads)

    @property
    def _left(self) -> float:
        """Factor on the processor time of a message."""
        return self.parameters.rdma_work if self.settings.network == "rdma" else 1.0

    @property
    def _round_trip_s(self) -> float:
        p = self.parameters
        return p.rdma_round_trip_s if self.settings.network == "rdma" else p.round_trip_s

    @property
    def _card_bytes_per_s(self) -> float:
        return self.settings.nic * self.parameters.payload

    @property
    def top(self) -> FileLayer:
        """The top layer, for a process of fio."""
        return self._core(self._drive("drive") if self.raw else self._over_the_network())

    def _core(self, below: FileLayer) -> FileLayer:
        s, p = self.settings, self.parameters
        time_s = p.raw_s if self.raw else p.client_s * self._left
        byte_s = 0.0 if self.raw or s.op == "write" else p.client_byte_s * self._left
        if s.client == "nbd":
            byte_s += p.nbd_byte_s
        cores = Cores(count=s.jobs, time=time_s, copy=byte_s * KIB, interrupt=0.0)
        return cores.layer("client", lambda _copy: below)

    def _over_the_network(self) -> FileLayer:
        way = Link(count=self.settings.jobs, bandwidth=self._card_bytes_per_s, round_trip=self._round_trip_s)
        return way.layer("client card", lambda _copy: self._replicas())

    def _replicas(self) -> FileLayer:
        """The servers of all drives.

        Raises:
            InputError: large writes with erasure coding.
        """
        s, p = self.settings, self.parameters
        if s.scheme == ERASURE and s.op == "write" and s.block > _SMALL_BYTES:
            raise InputError(
                f"block is {s.block} bytes with scheme={ERASURE}; allowed of writes: up to {_SMALL_BYTES}: whole "
                "stripes, which need no parity read before, are not modelled"
            )
        work = TimeTable(
            self._work(p.server_read_s, p.server_read_byte_s), self._work(p.server_write_s, p.server_write_byte_s)
        )
        return Replicas(
            copies=SCHEMES[s.scheme],
            parity=s.scheme == ERASURE,
            hop=self._round_trip_s,
            servers=self.drives,
            machines=s.nodes,
            card=self._card_bytes_per_s,
            server=work,
            threads=self.threads,
        ).layer("store", lambda copy: JournaledWrites(self._drive(f"{copy}drive"), round(p.drive_writes)))

    def _work(self, request_s: float, byte_s: float) -> BySize:
        return BySize(((0, request_s * self._left), (1, (request_s + byte_s) * self._left)))

    def _drive(self, name: str) -> FileLayer:
        p = self.parameters
        sata = Flash(
            latency=_of_drive((p.sata_read_s, p.sata_write_s), (p.sata_bytes_per_s, p.sata_bytes_per_s)),
            units=1024,
            placement="free",
            iops=p.sata_read_iops,
            write_iops=p.sata_write_iops,
            bandwidth=p.sata_bytes_per_s,
        )
        nvme = Flash(
            latency=_of_drive(
                (p.nvme_read_s, p.nvme_write_s), (p.nvme_read_bytes_per_s, p.nvme_write_bytes_per_s)
            ),
            units=1024,
            placement="free",
            iops=p.nvme_read_iops,
            bandwidth=p.nvme_read_bytes_per_s,
            write_bandwidth=p.nvme_write_bytes_per_s,
        )
        return (sata if self.settings.study == "2021" else nvme).layer(name)

    def jobs(self) -> Iterator[Closed]:
        """Yield each process with its requests in flight."""
        s, top = self.settings, self.top
        nbd = (Delay(self.parameters.nbd_s),) if s.client == "nbd" else ()
        for process in range(s.jobs):
            path = top.path(FileIO(s.op, s.block, process=process))
            yield Closed(f"job {process + 1}", s.depth, (*nbd, *path), group=_GROUP)


def _of_drive(alone_s: tuple[float, float], bytes_per_s: tuple[float, float]) -> TimeTable:
    """Table of times of a 4 KiB block, read and written, and of the bytes beyond it."""
    return TimeTable(
        *(
            BySize(((4 * KIB, time_s), (8 * KIB, time_s + 4 * KIB / rate)))
            for time_s, rate in zip(alone_s, bytes_per_s, strict=True)
        )
    )


def _server_cpu(drives: int, threads: int) -> Measure:
    """CPU of the servers of a drive in per cent of a core, averaged over the drives."""

    def read(result: Result) -> Estimate:
        busy = fsum(result.places[f"store server {number} threads"].utilisation for number in range(1, drives + 1))
        return point(100.0 * threads * busy / drives)

    return Measure("%", read)


def _build(settings: BlockStoreSettings, parameters: BlockStoreParameters) -> Scenario:
    """All processes; the answer is their requests a second."""
    store = _Store(settings, parameters)
    bytes_a_request = Measure("MB/s", lambda result: _moved(result, settings.block), of_throughput=True)
    measures = {"bandwidth": bytes_a_request}
    if not store.raw:
        measures["server_cpu"] = _server_cpu(store.drives, store.threads)
    return Scenario(Model(list(store.jobs())), _GROUP, 1.0, "IO/s", measures)


def _moved(result: Result, block_bytes: int) -> Estimate:
    return result.groups[_GROUP].throughput.scaled(block_bytes / MB)


_MOST_PAYLOAD = 0.99
"""Payload share of the line, in frames of 9000 bytes."""


def _ceilings(settings: BlockStoreSettings) -> tuple[Ceiling, ...]:
    """All bytes cross the cards of clients and of machines with drives; written ones once for each copy."""
    if settings.client == "raw":
        return ()
    card = settings.nic * _MOST_PAYLOAD / settings.block
    copies = SCHEMES[settings.scheme] if settings.op == "write" else 1
    return (
        Ceiling("throughput", settings.jobs * card, f"{settings.jobs} x client's card at {settings.nic:.4g} B/s"),
        Ceiling(
            "throughput",
            settings.nodes * card / copies,
            f"{settings.nodes} x card of a machine with drives at {settings.nic:.4g} B/s, {copies} copies",
        ),
    )


BLOCK_STORE = System(
    name="block-store",
    title="processes on a block store that keeps copies on drives of several machines (2021 and 2024)",
    settings=Settings.of(BlockStoreSettings),
    parameters=loaded(PARAMETERS, data_folder(), "block-store"),
    build=_build,
    ceilings=_ceilings,
    data_package=data_folder(),
    loads=("randread", "randwrite"),
)
