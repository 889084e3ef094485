"""`create table as select` on Exadata V1: the layers of all hosts and cells, wired.

host 1..n:  coordinator ──> slaves ──> read: page cache of the host, or paths ──┐
                               └─────> write: ASM, two copies, paths ───────────┴──> cells 1..m, 12 disks each
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from models import data_folder
from models.layer import Layer
from models.parts.cell import CELL_BYTES_PER_S, ThroughAnyDisk, ThroughCell
from models.parts.disk import Disk
from models.parts.disk.mechanics import TURN_CV
from models.parts.host.calls import Calls
from models.parts.host.processor import BookedCores
from models.parts.link.fabrics import FABRICS
from models.parts.link.link import Link
from models.parts.mirror import NormalRedundancy
from models.parts.page_cache.cached_file import Resident
from models.parts.rebuild import not_rebuilt
from models.systems.exadata_ctas.answers import (
    GIB,
    STATEMENTS,
    Answers,
    copies_by_cores,
    copies_written,
    slave_ios,
)
from models.systems.exadata_ctas.parameters import PARAMETERS, ExadataCTASParameters
from models.systems.exadata_ctas.settings import ExadataCTASSettings
from models.workloads.parallel_query import ParallelCopy, WaitEvent
from sim import Closed, Model, Pool, Station
from sim.system import Ceiling, Failure, Scenario, Settings, System


@dataclass(frozen=True)
class _Host:
    """One host: its places, and the layers of its reads and writes."""

    name: str
    settings: ExadataCTASSettings
    parameters: ExadataCTASParameters

    @property
    def cores(self) -> Station:
        """All cores behind one run queue."""
        return Station(f"{self.name} cores", int(self.parameters.cores))

    def event(self, name: str) -> Pool:
        """The sessions in one wait event."""
        return Pool(f"{self.name} {name}", self.settings.slaves)

    def conventional(self, copies: int, below: Layer) -> Calls:
        """I/O of whole blocks by system calls, whose own time is left out: some 10 µs for a MiB."""
        return Calls(
            BookedCores(self.cores, self.parameters.io_booked),
            below,
            copy_s_per_byte=copies * self.parameters.copy_s_per_byte,
            looked_s_per_byte=self.parameters.block_s_per_byte,
        )

    def storage(self, cells: tuple[ThroughCell, ...]) -> NormalRedundancy:
        """All cells, as seen by this host."""
        fabric = FABRICS[self.settings.fabric]
        copies = copies_by_cores(self.settings)
        returned = self.parameters.returned if copies is None else 1.0
        paths = Link.paths(fabric, self.settings.paths, self.parameters.latency_s)
        targets: list[Layer] = [paths.before(cell, self.name, returned=returned) for cell in cells]
        if copies is not None:
            targets = [self.conventional(copies, target) for target in targets]
        return NormalRedundancy(tuple(targets), self.settings.cells_lost)

    def workload(self, cells: tuple[ThroughCell, ...]) -> Closed:
        """The statements of this host."""
        storage, io_bytes = self.storage(cells), int(self.parameters.io_bytes)
        cached = self.settings.read_from == "ext3"
        query_s_per_byte = self.parameters.query_user_s_per_byte + self.parameters.query_system_s_per_byte
        copy = ParallelCopy(
            slaves=self.settings.slaves,
            ios=slave_ios(self.settings, self.parameters),
            io_bytes=io_bytes,
            statement_s=self.parameters.statement_s,
            read=self.conventional(1, Resident()) if cached else WaitEvent(self.event("scans"), storage),
            rows=BookedCores(self.cores, self.parameters.query_booked).kernel(io_bytes * query_s_per_byte),
            write=WaitEvent(self.event("writes"), storage),
        )
        return copy.workload(self.name, statements=self.settings.statements, group=STATEMENTS)


def _cell(
    settings: ExadataCTASSettings, parameters: ExadataCTASParameters, kind: type[ThroughCell], name: str
) -> ThroughCell:
    """The cell ``name``: it writes every copy, and reads the table if that is in the cells."""
    written, read = copies_written(settings), settings.read_from == "exadata"
    disks = Disk(
        f"{name} disks",
        parameters.revolution_s / 2,
        parameters.disk_bytes_per_s,
        variation=TURN_CV,
        count=int(parameters.disks),
    )
    return kind(disks, parameters.seek_s, writes=written / (written + read))


def _build(
    settings: ExadataCTASSettings, parameters: ExadataCTASParameters, kind: type[ThroughCell] = ThroughCell
) -> Scenario:
    """Wire all hosts to all cells; the answer is the bytes written by all hosts, both copies."""
    cells = tuple(_cell(settings, parameters, kind, f"cell {number}") for number in range(1, settings.cells + 1))
    hosts = [_Host(f"host {number}", settings, parameters) for number in range(1, settings.hosts + 1)]
    answers = Answers(settings, parameters)
    return Scenario(
        Model([host.workload(cells) for host in hosts]),
        watch=STATEMENTS,
        amount=copies_written(settings) * answers.statement_bytes / GIB,
        unit="GiB/s",
        measures=answers.measures(),
        notes=not_rebuilt("cells_lost", settings.cells_lost),
    )


ROWS = 0.5
"""Smallest share of a block that a smart scan returns: blocks are closed when nine tenths are full."""


def _ceilings(settings: ExadataCTASSettings) -> tuple[Ceiling, ...]:
    """All written copies cross the cards, and lie on disks of the cells; so does data read from cells.

    Rates are first in bytes of the table a second, each of which is written in copies, and perhaps read.
    """
    fabric, cards = FABRICS[settings.fabric], settings.hosts * settings.paths
    written, cells = copies_written(settings), settings.cells - settings.cells_lost
    read = 1.0 if settings.read_from == "exadata" else 0.0
    back = 0.0 if fabric.duplex else read * (ROWS if copies_by_cores(settings) is None else 1.0)
    disks = CELL_BYTES_PER_S["v1"]
    rates = (
        (cards * fabric.line_bytes_per_s / (written + back), f"{cards} x {settings.fabric} card", back),
        (cells * disks / (written + read), f"{cells} x cell at {disks / GIB:.3g} GiB/s", read),
    )
    return tuple(
        Ceiling(measure, rate * bytes_each / GIB, f"{what}{', with what is read beside' * bool(beside)}")
        for rate, what, beside in rates
        for measure, bytes_each in (("throughput", written), ("fabric", written + read))
    )


EXADATA_CTAS = System(
    name="exadata-ctas",
    title="create table as select on Exadata V1, from the cells or from a cached Ext3 file (2009)",
    settings=Settings.of(ExadataCTASSettings),
    parameters=PARAMETERS,
    build=_build,
    ceilings=_ceilings,
    data_package=data_folder(),
    failures=(Failure("a cell", {"cells_lost": 1}),),
    structure="extents are dealt out so that the disks of a cell share a queue",
    rivals=("exadata-ctas-disks",),
    told_by=("cells",),
)

EXADATA_CTAS_DISKS = EXADATA_CTAS.rival(
    "exadata-ctas-disks",
    "each I/O is bound to a disk by chance, and each disk has a queue",
    build=partial(_build, kind=ThroughAnyDisk),
)
