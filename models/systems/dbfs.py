"""`dd` through a FUSE mount into DBFS on Exadata: the layers of one cluster, wired.

node 1..n:  dd 1..u ──> FUSE mount ──> global cache ──> file stream 1..u ┄┄> session ──> InfiniBand card ──┐
                        (one a node)   (one directory         │ one LOB segment for all    ├──> cells 1..m
                                        for all)              └────────────────────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from models import data_folder
from models.cell import CELL_BYTES_PER_S, Cell, MirroredCells, width
from models.fuse import FuseMount
from models.globalcache import GlobalCache
from models.io import IO
from models.layer import Layer, Shared
from models.link import INFINIBAND_BYTES_PER_S, Link
from models.securefile import Session
from models.streaming import FileStream
from models.systems.dbfs_parameters import PARAMETERS
from models.workload import dd
from sim.fitted import loaded
from sim.model import Model
from sim.parameters import Parameters
from sim.places import Buffer, Pool, Station
from sim.settings import Choice, Count, Flag, Setting, Size, Values
from sim.symmetry import Symmetry, symmetry
from sim.system import Ceiling, Scenario
from sim.units import KIB, MB
from sim.workloads import Closed

SETTINGS: tuple[Setting, ...] = (
    Count("nodes", 1, "database nodes, each with a mount of its own", high=64),
    Count("cells", 3, "storage cells", high=256),
    Count("users", 1, "dd processes on each node, each with a file of its own", high=256),
    Size("block", 128 * KIB, "bytes of one read or write call", high=64 << 20),
    Choice("op", "write", "what dd does", options=("write", "read")),
    Flag("direct_io", default=True, help="mounted with -o direct_io"),
    Choice("link", "qdr", "InfiniBand generation", options=tuple(INFINIBAND_BYTES_PER_S)),
    Choice("cell", "x2-2", "storage cell generation", options=tuple(CELL_BYTES_PER_S)),
)


@dataclass(frozen=True)
class _Node:
    """What the users of one node share."""

    name: str
    cpu: Station
    memory: Station
    channel: Station
    threads: Pool
    link: Link


@dataclass(frozen=True)
class _Wiring:
    """The settings and parameters of one scenario, and what all nodes share.

    Attributes:
        axes: the settings that say how many there are of each place and workload, by its name.
    """

    settings: Values
    parameters: Parameters
    segment: Station
    directory: Station
    axes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Values, parameters: Parameters) -> _Wiring:
        """The wiring for ``settings``."""
        return cls(settings, parameters, Station("lob segment"), Station("block directory"))

    def _count(self, *names: str, by: tuple[str, ...]) -> None:
        self.axes.update(dict.fromkeys(names, by))

    @property
    def io(self) -> IO:
        return IO(self.settings["op"], self.settings["block"])

    def cells(self) -> MirroredCells:
        """All storage cells."""
        bytes_per_s = CELL_BYTES_PER_S[self.settings["cell"]]
        cache_bytes = int(self.parameters["cell_cache_bytes"])
        cells = tuple(
            Cell(
                Station(f"cell {number} disks"),
                Buffer(f"cell {number} cache", cache_bytes),
                bytes_per_s,
                min(bytes_per_s, self.parameters["cell_stream_bytes_per_s"]),
            )
            for number in range(1, self.settings["cells"] + 1)
        )
        self._count(*(place.name for cell in cells for place in (cell.disks, cell.cache)), by=("cells",))
        return MirroredCells(cells)

    def node(self, number: int, storage: Layer) -> _Node:
        """One node with its mount and its card."""
        name = f"node {number}"
        card = Link(
            card=Station(f"{name} card"),
            bytes_per_s=INFINIBAND_BYTES_PER_S[self.settings["link"]],
            latency_s=self.parameters["latency_s"],
            copies=min(2, self.settings["cells"]),
            below=storage,
        )
        node = _Node(
            name,
            cpu=Station(f"{name} cpu", int(self.parameters["cores"])),
            memory=Station(f"{name} memory"),
            channel=Station(f"{name} fuse channel"),
            threads=Pool(f"{name} daemon threads", int(self.parameters["daemon_threads"])),
            link=card,
        )
        stations = (node.cpu, node.memory, node.channel, card.card)
        self._count(*(place.name for place in (*stations, node.threads)), by=("nodes",))
        return node

    def file(self, node: _Node, user: int) -> FileStream:
        """One open file: its buffer and the database session behind it."""
        session = Session(
            session=Pool(f"{node.name} session {user}"),
            cpu=node.cpu,
            call_s=self.parameters[f"session_{self.io.op}_s"],
            memory=node.memory,
            memory_s_per_byte=self.parameters["memory_s_per_byte"],
            segment=self.segment,
            segment_s=self.parameters[f"segment_{self.io.op}_s"],
            below=node.link,
        )
        buffer = Buffer(f"{node.name} file {user}", int(self.parameters["buffer_bytes"]))
        self._count(session.session.name, buffer.name, by=("nodes", "users"))
        return FileStream(self.io.op, buffer, int(self.parameters["chunk_bytes"]), session)

    def mount(self, node: _Node, below: FileStream) -> FuseMount:
        """The node's mount as one file sees it."""
        return FuseMount(
            channel=node.channel,
            threads=node.threads,
            cpu=node.cpu,
            dispatch_s=self.parameters["dispatch_s"],
            channel_s_per_byte=self.parameters[f"channel_{self.io.op}_s_per_byte"],
            handler_s=self.parameters["handler_s"],
            copy_s_per_byte=self.parameters[f"copy_{self.io.op}_s_per_byte"],
            direct_io=self.settings["direct_io"],
            below=GlobalCache(self.directory, self.parameters[f"message_{self.io.op}_s"], below),
        )

    def user(self, node: _Node, user: int) -> tuple[Closed, Closed]:
        """One dd, and the stream behind its file."""
        file = self.file(node, user)
        call_s = self.parameters["call_s"]
        both = (
            dd(f"{node.name} dd {user}", self.io, self.mount(node, file), node.cpu, call_s, group="dd"),
            file.behind(f"{node.name} stream {user}", group="streams"),
        )
        self._count(*(workload.name for workload in both), by=("nodes", "users"))
        return both

    def scenario(self) -> Scenario:
        """All nodes, and all cells."""
        storage = Shared(self.cells())
        nodes = [self.node(number, storage) for number in range(1, self.settings["nodes"] + 1)]
        users = range(1, self.settings["users"] + 1)
        workloads = [each for node in nodes for user in users for each in self.user(node, user)]
        return Scenario(Model(workloads), watch="dd", amount=self.settings["block"] / MB, unit="MB/s")


class _DBFS:
    """See the module's text."""

    name = "dbfs"
    title = "dd through a FUSE mount into DBFS on Exadata (white paper of March 2016)"
    settings = SETTINGS

    @cached_property
    def parameters(self) -> Parameters:
        """With the values last fitted."""
        return loaded(PARAMETERS, self.data_package, self.name)

    @property
    def data_package(self) -> Path:
        """Where the published figures are."""
        return data_folder()

    def build(self, settings: Values, parameters: Parameters) -> Scenario:
        """Wire all nodes to all cells; the answer is the bytes that all dd processes move."""
        return _Wiring.of(settings, parameters).scenario()

    def fold(self, settings: Values, parameters: Parameters) -> tuple[Scenario, Symmetry]:
        """The same by one user of one node, and as many cells as one I/O needs: all others are like them."""
        cells = settings["cells"]
        asked = min(cells, max(2, width(int(parameters["chunk_bytes"]), cells)))  # two: a write and its mirror
        few = {**settings, "nodes": 1, "users": 1, "cells": asked}
        wiring = _Wiring.of(few, parameters)
        scenario = wiring.scenario()
        factors = {axis: settings[axis] / few[axis] for axis in ("nodes", "users", "cells")}
        return scenario, symmetry(scenario.model).grown(wiring.axes, factors)

    def ceilings(self, settings: Values) -> tuple[Ceiling, ...]:
        """All bytes cross the nodes' cards and the cells' disks, written ones once for each copy."""
        hardware = (
            (settings["nodes"], f"{settings['link']} InfiniBand card", INFINIBAND_BYTES_PER_S[settings["link"]]),
            (settings["cells"], f"{settings['cell']} cell", CELL_BYTES_PER_S[settings["cell"]]),
        )
        copies = min(2, settings["cells"]) if settings["op"] == "write" else 1
        mirrored = ", every byte written twice" if copies > 1 else ""
        return tuple(
            Ceiling(
                "throughput",
                most=count * bytes_per_s / copies / MB,
                why=f"{count} x {name} at {bytes_per_s / MB:g} MB/s{mirrored}",
            )
            for count, name, bytes_per_s in hardware
        )


DBFS = _DBFS()
