"""Database servers on storage cells with memory, flash and disks, wired.

client ──> [cores of its database server, for copies] ──> [its card] ──> any cell: memory, flash, disks
                                                               └──> writes: 1, 2 or 3 neighbouring cells at once
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models import data_folder
from models.parts.cached_cell import CachedCell, Hits
from models.parts.cell import DISKS
from models.parts.disk import Disk
from models.parts.flash import Flash
from models.parts.generations import GENERATIONS, Generation, grown
from models.parts.link.messages import Card, Network
from models.paths import any_of, mirrored
from models.systems.exadata.parameters import PARAMETERS, ExadataParameters
from sim import Closed, InputError, Model, Path, Station, Step, Use
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate
from sim.engine.units import KIB
from sim.system import Measure, Scenario, Settings, System, choice, count, number, size
from sim.system.quantities import BySize, TimeTable

COPIES = {"external": 1, "normal": 2, "high": 3}
"""Copies of each block by redundancy of ASM, on different cells."""


@dataclass(frozen=True)
class ExadataSettings:
    """A rack and its load."""

    generation: str = choice("x9m-2", "of database servers and cells", tuple(GENERATIONS))
    nodes: int = count(2, "database servers", high=64)
    cells: int = count(3, "storage cells", high=64, role="parts")
    disks: str = choice(
        "capacity",
        "of the cells; performance: 15,000 rpm, X3-2 only",
        ("capacity", "performance"),
        role="devices",
    )
    op: str = choice(
        "read",
        "blocks read or written at random; scan: filtered by the cells; redo: of the log writer",
        ("read", "write", "scan", "redo"),
    )
    block: int = size(8 * KIB, "bytes of an I/O; scans of Exadata have pieces of 1 MiB", low=512, high=1024 * KIB)
    redundancy: str = choice("normal", "of ASM: 1, 2 or 3 copies on different cells", tuple(COPIES))
    clients: int = count(64, "I/Os in flight, dealt out to the database servers", high=65_536)
    memory_hits: float = number(0.0, "share of reads that memory of the cells serves (X8M-2 and later)", high=1.0)
    flash_hits: float = number(0.95, "share of all other reads that flash serves", high=1.0)


_GROUP = "I/Os"
_BLOCK = 8 * KIB
"""Block size of the data sheets."""

_HEADER = 128
"""Bytes of a request or an answer besides its data."""


@dataclass(frozen=True)
class _Rack:
    """One rack: its cells, and the requests of its database servers."""

    settings: ExadataSettings
    parameters: ExadataParameters

    @property
    def generation(self) -> Generation:
        """Generation of all its servers."""
        return GENERATIONS[self.settings.generation]

    @property
    def copies(self) -> int:
        """Copies that an I/O writes; 0 for reads."""
        return COPIES[self.settings.redundancy] if self.settings.op in ("write", "redo") else 0

    def _flash_of(self, known: str, rate: float) -> float:
        """The ``rate`` of generation ``known``, scaled to this one by constant growth."""
        name, p = self.settings.generation, self.parameters
        if name == known:
            return rate
        return p.step * grown(rate, known, name, p.flash_x11m_bytes_per_s / p.flash_x3_2_bytes_per_s)

    @property
    def _scanned_bytes_per_s(self) -> float:
        """Scan rate of the flash of a cell."""
        p = self.parameters
        if self.settings.generation == "x11m":
            return p.flash_x11m_bytes_per_s
        return self._flash_of("x3-2", p.flash_x3_2_bytes_per_s)

    @property
    def _flash(self) -> Flash:
        """Flash of a cell: all its cards as one, as its server sees them."""
        p, bytes_per_s = self.parameters, self._scanned_bytes_per_s
        writes = self._flash_of("x3-2", p.flash_x3_2_writes)
        times = (
            BySize(((_BLOCK, time_s + _BLOCK / rate), (2 * _BLOCK, time_s + 2 * _BLOCK / rate)))
            for time_s, rate in ((p.flash_read_s, bytes_per_s), (p.flash_write_s, writes * _BLOCK))
        )
        return Flash(
            latency=TimeTable(*times),
            units=1024,
            placement="free",
            iops=max(self._flash_of("x5-2", p.flash_x5_2_reads), writes),
            write_iops=writes,
            bandwidth=bytes_per_s,
            write_bandwidth=writes * _BLOCK,
        )

    def _disks(self, name: str) -> Disk:
        """The 12 disks of a cell, behind one queue."""
        p, first = self.parameters, self.settings.generation == "x3-2"
        if self.settings.disks == "performance":
            iops, bytes_per_s = p.performance_iops, p.performance_bytes_per_s
        else:
            iops = p.capacity_iops if first else p.later_capacity_iops
            bytes_per_s = p.capacity_bytes_per_s * (1.0 if first else p.later_disks)
        each = bytes_per_s / DISKS
        return Disk(f"{name} disks", DISKS / iops - _BLOCK / each, each, count=DISKS)

    def _cell(self, number: int) -> CachedCell:
        name, p, card = f"cell {number}", self.parameters, self.generation.card_bytes_per_s
        return CachedCell(
            name,
            Card.of(f"{name} card"),
            requests=Network(card, p.round_trip_s / 2, _HEADER),
            rdma=Network(card, p.memory_s, 0),
            server_s=p.server_s,
            flash=self._flash.layer(f"{name} flash"),
            flash_bytes_per_s=self._scanned_bytes_per_s,
            disks=self._disks(name),
            memory_bytes_per_s=p.memory_bytes_per_s,
        )

    def _asked(self, cells: tuple[CachedCell, ...], card: Card) -> Path:
        """One I/O of the database server with ``card``."""
        s, size = self.settings, self.settings.block
        hits = Hits(s.memory_hits, s.flash_hits)
        if s.op == "scan":
            return any_of([cell.scan(card, size, hits, self.parameters.returned) for cell in cells])
        if s.op == "read":
            return any_of([cell.read(card, size, hits) for cell in cells])
        by_rdma = s.op == "redo" and self.generation.logs_to_memory
        one = [cell.log(card, size) if by_rdma else cell.write(card, size) for cell in cells]
        return mirrored(one, copies=self.copies)

    def _before(self, name: str) -> tuple[Step, ...]:
        """Work of a database server before it writes: more of it from X9M-2 on."""
        if not self.copies:
            return ()
        p, later = self.parameters, self.generation.year >= GENERATIONS["x9m-2"].year
        copy_s = p.copy_x9m_2_s if later else p.copy_x8m_2_s
        return (Use(Station(f"{name} cores", self.generation.cores), self.copies * copy_s),)

    def clients(self) -> Iterator[Closed]:
        """Yield the clients of each database server that has any."""
        s = self.settings
        cells = tuple(self._cell(number) for number in range(1, s.cells + 1))
        share, rest = divmod(s.clients, s.nodes)
        for server in range(min(s.nodes, s.clients)):
            name = f"server {server + 1}"
            before = self._before(name)
            path = (*before, *self._asked(cells, Card.of(f"{name} card")))
            clients = share + (server < rest)
            yield Closed(f"{name} clients", clients, path, begins=len(before), group=_GROUP)


def _check(settings: ExadataSettings) -> None:
    """Refuse impossible racks.

    Raises:
        InputError: more copies than cells; memory or disks that the generation lacks.
    """
    name, memory = settings.generation, GENERATIONS[settings.generation].memory
    copies = COPIES[settings.redundancy] if settings.op in ("write", "redo") else 1
    if copies > settings.cells:
        raise InputError(
            f"redundancy={settings.redundancy} needs {copies} cells, and there are {settings.cells}; add cells"
        )
    if settings.memory_hits and memory == "none":
        raise InputError(
            f"memory_hits is {settings.memory_hits:g} with {name}; allowed: 0, and more from x8m-2 on"
        )
    if settings.memory_hits and settings.op == "scan" and memory == "persistent":
        raise InputError(
            f"memory_hits is {settings.memory_hits:g} of a scan with {name}; allowed: 0, as only volatile memory "
            "(x10m, x11m) is scanned"
        )
    if settings.disks == "performance" and name != "x3-2":
        raise InputError(f"disks=performance with {name}; allowed: x3-2, of whose disks data sheets are at hand")


def _build(settings: ExadataSettings, parameters: ExadataParameters) -> Scenario:
    """All clients; the answer is their I/Os a second."""
    _check(settings)
    rack = _Rack(settings, parameters)
    measures = {"bandwidth": _times(settings.block / 1e9, "GB/s")}
    if rack.copies:
        measures["copies"] = _times(rack.copies, "IO/s")
    return Scenario(Model(list(rack.clients())), _GROUP, 1.0, "IO/s", measures)


def _times(amount: float, unit: str) -> Measure:
    def read(result: Result) -> Estimate:
        return result.groups[_GROUP].throughput.scaled(amount)

    return Measure(unit, read, of_throughput=True)


EXADATA = System(
    name="exadata",
    title="reads, writes, scans and redo on Exadata X3-2 to X11M: memory by RDMA, flash, disks (2012 to 2025)",
    settings=Settings.of(ExadataSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
)
