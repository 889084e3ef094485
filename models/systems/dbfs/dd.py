"""`dd` through a FUSE mount into DBFS on Exadata: the layers of one cluster, wired.

node 1..n:  dd 1..u ──> FUSE mount ──> cluster work ──> file stream 1..u ┄┄> session ──> InfiniBand card ──┐
                        (one a node)   (one for all)          │ cluster work, one for all  ├──> cells 1..m
                                                              └────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from models import data_folder
from models.io import IO, Op
from models.layer import SharedPaths
from models.parts.cell import CELL_BYTES_PER_S, interleaved_bytes_per_s, width
from models.parts.page_cache.window import Window
from models.systems.dbfs.cluster import (
    A_CELL,
    COPIES,
    Cluster,
    Node,
    cell_setting,
    cells_lost_setting,
    cells_setting,
    copies,
    direct_io_setting,
    fabric_of,
    link_setting,
    nodes_setting,
    redundancy,
)
from models.systems.dbfs.dd_parameters import PARAMETERS, DBFSParameters, by_operation
from models.systems.dbfs.newer_cells import CELLS, LINKS, put_together, streams
from models.systems.dbfs.structures import FULL_CELLS, NOTHING_SHARED, FullCellsParameters
from models.systems.dbfs.system_cpu import system_s
from models.workloads.dd import dd
from sim import Buffer, Closed, InputError, Model
from sim.data.fitted import loaded
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.units import KIB, MB
from sim.system import Ceiling, Measure, Scenario, Settings, System, choice, count, size


@dataclass(frozen=True)
class DBFSSettings:
    """Nodes, cells, and dd on them."""

    nodes: int = nodes_setting(1000)
    cells: int = cells_setting(5000)
    cells_lost: int = cells_lost_setting()
    users: int = count(1, "dd processes on each node, each with a file of its own", high=256, role="clients")
    block: int = size(128 * KIB, "bytes of one read or write call", high=64 << 20)
    op: Op = choice("write", "what dd does", ("write", "read"))
    direct_io: bool = direct_io_setting()
    link: str = link_setting(*LINKS)
    cell: str = cell_setting(CELLS)


MAX_WAYS = 2_000_000
"""Most paths from users to cells in a simulation, which needs all; the analytic engine lumps them."""


@dataclass(frozen=True)
class _DDCluster(Cluster[DBFSSettings, DBFSParameters]):
    """The cluster with its users.

    Attributes:
        streams: number of streams that share the cells' disks, including users that are not built.
    """

    streams: int = 1

    @property
    def io(self) -> IO:
        return IO(self.settings.op, self.settings.block)

    @property
    def cell_bytes_per_s(self) -> float:
        """Bandwidth of one cell for streams, if its arms move between them."""
        in_sequence, arms = streams(self.settings.cell, self.io.op)
        if not arms or not isinstance(self.parameters, FullCellsParameters):
            return in_sequence
        return interleaved_bytes_per_s(in_sequence, self.parameters.run_bytes(self.io.op), self.streams)

    def file(self, node: Node, user: int) -> Window:
        """One open file: its buffer and the database session behind it."""
        session = self.session(node, user, self.io.op)
        buffer = Buffer(f"{node.name} file {user}", int(self.parameters.buffer_bytes))
        self._count(session.session.name, buffer.name, by=("nodes", "users"))
        return Window(self.io.op, buffer, int(self.parameters.chunk_bytes), session)

    def user(self, node: Node, user: int) -> tuple[Closed, ...]:
        """One dd, and the streams behind its file."""
        file, call_s = self.file(node, user), self.parameters.call_s
        opened, streams = self.opened(node, user, self.io.op, file)
        workloads = (
            dd(f"{node.name} dd {user}", self.io, opened, node.cpu, call_s, group="dd"),
            file.behind(f"{node.name} stream {user}", group="streams"),
            *streams,
        )
        self._count(*(workload.name for workload in workloads), by=("nodes", "users"))
        return workloads

    def scenario(self) -> Scenario:
        """All nodes and all cells."""
        storage = SharedPaths(self.cells())
        nodes = [self.node(number, storage) for number in range(1, self.settings.nodes + 1)]
        users = range(1, self.settings.users + 1)
        workloads = [workload for node in nodes for user in users for workload in self.user(node, user)]
        measures = {"system_cpu": Measure.fixed("s/GB", self.system_s_per_gb)}
        notes = put_together(self.settings.cell) + redundancy(self.settings, writes=self.io.op == "write")
        return Scenario(Model(workloads), "dd", self.settings.block / MB, "MB/s", measures, notes=notes)

    @property
    def system_s_per_gb(self) -> float:
        """System time of a node's kernel for 10^9 bytes, seconds of a core."""
        costs, direct_io = by_operation(self.parameters, self.io.op), self.settings.direct_io
        call_s = system_s(self.io, self.parameters.call_s, costs, direct_io=direct_io)
        return 1000 * MB / self.io.size_bytes * call_s


def _build(settings: DBFSSettings, parameters: DBFSParameters) -> Scenario:
    """Wire all nodes to all cells; the answer is the bytes that all dd processes move."""
    ways = settings.nodes * settings.users * settings.cells
    if ways > MAX_WAYS:
        raise InputError(
            f"nodes x users x cells is {ways}; allowed in a simulation: up to {MAX_WAYS}; ask for fewer, or "
            "choose engine analytic"
        )
    return _cluster(settings, parameters, _streams(settings, parameters)).scenario()


def _cluster(settings: DBFSSettings, parameters: DBFSParameters, streams: int) -> _DDCluster:
    return replace(_DDCluster.of(settings, parameters), streams=streams)


def _streams(settings: DBFSSettings, parameters: DBFSParameters) -> int:
    """Streams that share the cells' disks; 1 if their number has no effect."""
    return settings.nodes * settings.users if isinstance(parameters, FullCellsParameters) else 1


def _fold(settings: DBFSSettings, parameters: DBFSParameters) -> tuple[Scenario, Symmetry]:
    """One user of one node, and as many cells as one I/O needs; all others are identical to them.

    With a cell lost, the others are not: all are built.
    """
    if settings.cells_lost:
        scenario = _build(settings, parameters)
        return scenario, symmetry(scenario.model)
    cells = settings.cells
    needed = width(int(parameters.chunk_bytes), cells) if settings.op == "read" else 1
    few = replace(settings, nodes=1, users=1, cells=min(cells, max(2, needed)))  # a write goes to two cells
    scenario, alike, axes = _part(few, parameters, _streams(settings, parameters))
    factors = {"nodes": float(settings.nodes), "users": float(settings.users), "cells": cells / few.cells}
    return scenario, alike.scaled(axes, factors)


@lru_cache(maxsize=64)  # small models, shared by points of a sweep
def _part(
    few: DBFSSettings, parameters: DBFSParameters, streams: int
) -> tuple[Scenario, Symmetry, Mapping[str, tuple[str, ...]]]:
    """A scenario that stands for larger ones, its identical parts, and the multipliers of each part."""
    cluster = _cluster(few, parameters, streams)
    scenario = cluster.scenario()
    return scenario, symmetry(scenario.model), cluster.axes


def _ceilings(settings: DBFSSettings) -> tuple[Ceiling, ...]:
    """All bytes cross the nodes' cards and the cells' disks; written bytes once for each copy.

    The rate of flash in later cells is too uncertain for a ceiling.
    """
    card = "port" if settings.link in LINKS else "InfiniBand card"
    hardware = [(settings.nodes, f"{settings.link} {card}", fabric_of(settings.link).bytes_per_s)]
    if bytes_per_s := CELL_BYTES_PER_S.get(settings.cell):
        hardware.append((settings.cells - settings.cells_lost, f"{settings.cell} cell", bytes_per_s))
    written = copies(settings) if settings.op == "write" else 1.0
    times = "twice" if written == COPIES else f"{written:.3g} times"
    mirrored = f", every byte written {times}" if written > 1.0 else ""
    return tuple(
        Ceiling(
            "throughput",
            most=count * bytes_per_s / written / MB,
            why=f"{count} x {name} at {bytes_per_s / MB:g} MB/s{mirrored}",
        )
        for count, name, bytes_per_s in hardware
    )


DBFS = System(
    name="dbfs",
    title="dd through a FUSE mount into DBFS on Exadata (white paper of March 2016)",
    settings=Settings.of(DBFSSettings),
    parameters=loaded(PARAMETERS, data_folder(), "dbfs"),
    build=_build,
    ceilings=_ceilings,
    fold=_fold,
    data_package=data_folder(),
    failures=(A_CELL,),
    structure="each chunk passes one server of the whole cluster, and each request another",
    rivals=("dbfs-cells", "dbfs-free"),
    told_by=("nodes", "cells"),
)

DBFS_CELLS = DBFS.rival(
    "dbfs-cells",
    "arms of the cells move between streams, and each request passes one server of the whole cluster",
    parameters=loaded(FULL_CELLS, data_folder(), "dbfs-cells"),
)

DBFS_FREE = DBFS.rival(
    "dbfs-free",
    "arms of the cells move between streams, and nodes share nothing else",
    parameters=loaded(NOTHING_SHARED, data_folder(), "dbfs-free"),
)
