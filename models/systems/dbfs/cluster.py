"""The cluster that all DBFS systems run on: nodes with a FUSE mount and a card each, and the cells of all.

node 1..n:  FUSE mount ──> cluster work, a request (one for all) ──> …
            session ──> cluster work, a chunk (one for all) ──> InfiniBand card ──> cells 1..m
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

from models.database.cluster_work import ClusterWork
from models.database.securefile import LobSession
from models.io import Op
from models.layer import Layer
from models.parts.cell import CELL_BYTES_PER_S, Cell, MirroredCells
from models.parts.fuse.mount import REQUEST_BYTES, FuseMount
from models.parts.fuse.request import FuseRequests
from models.parts.host.asleep import Threads, wake_up
from models.parts.host.calls import Calls
from models.parts.host.memory import CopyingCores
from models.parts.link.fabrics import FABRICS, INFINIBAND_BYTES_PER_S, Fabric
from models.parts.link.link import WHOLE, Link, Links
from models.parts.page_cache.window import Window
from models.parts.rebuild import not_rebuilt
from models.systems.dbfs.dd_parameters import DBFSParameters, by_operation
from sim import Buffer, Closed, InputError, Pool, Station
from sim.system import Failure, choice, count, flag

COPIES = 2
"""Copies of each written byte, on two cells (ASM normal redundancy)."""


def nodes_setting(most: int = 64) -> Any:
    """The setting ``nodes``."""
    return count(1, "database nodes, each with a mount of its own", high=most)


MEASURED_NODES = 4
"""Nodes of a half rack, the most in published figures (`docs/systems/dbfs.md`)."""


def beyond(nodes: int) -> tuple[str, ...]:
    """Note for readers about more nodes than were measured, one line or none."""
    if nodes <= MEASURED_NODES:
        return ()
    note = (
        f"cluster work is one server for all {nodes} nodes, a stand-in for what {MEASURED_NODES} nodes lose: "
        "how a fifth fares nobody has published; were there one for every four, it would limit less "
        "(docs/systems/dbfs.md)"
    )
    return (note,)


def cells_setting(most: int = 256) -> Any:
    """The setting ``cells``."""
    return count(3, "storage cells", high=most, role="devices")


def cells_lost_setting() -> Any:
    """The setting ``cells_lost``."""
    return count(0, "cells lost; mirror copies on the others are read in their place", low=0, high=1, role="lost")


A_CELL = Failure("a cell", {"cells_lost": 1})
"""Failure in all DBFS systems."""


def direct_io_setting() -> Any:
    """The setting ``direct_io``."""
    return flag("mounted with -o direct_io", default=True)


def link_setting(*others: str) -> Any:
    """The setting ``link``."""
    what = "InfiniBand generation" + (", or Ethernet with RDMA" if others else "")
    return choice("qdr", what, (*INFINIBAND_BYTES_PER_S, *others))


def fabric_of(link: str) -> Fabric:
    """The fabric of a value of the setting ``link``."""
    return FABRICS[link if link in FABRICS else f"ib-{link}"]


def cell_setting(names: Iterable[str] = CELL_BYTES_PER_S) -> Any:
    """The setting ``cell``."""
    return choice("x2-2", "storage cell generation", tuple(names))


class RackSettings(Protocol):
    """The settings that all DBFS systems have."""

    @property
    def nodes(self) -> int: ...
    @property
    def cells(self) -> int: ...
    @property
    def cells_lost(self) -> int: ...
    @property
    def direct_io(self) -> bool: ...
    @property
    def link(self) -> str: ...
    @property
    def cell(self) -> str: ...


def copies(settings: RackSettings) -> float:
    """Copies of each written byte: two with a mirror, on average less those on a lost cell."""
    return min(COPIES, settings.cells) * (1.0 - settings.cells_lost / settings.cells)


def redundancy(settings: RackSettings, *, writes: bool) -> tuple[str, ...]:
    """Notes on the mirror: a single cell has none, and none is rebuilt."""
    lost = not_rebuilt("cells_lost", settings.cells_lost)
    if settings.cells > 1 or not writes:
        return lost
    return (
        "cells=1 has nowhere to mirror to: each byte is written once, where two cells and more write it twice",
        *lost,
    )


ClusterSettings = TypeVar("ClusterSettings", bound=RackSettings)
ClusterParameters = TypeVar("ClusterParameters", bound=DBFSParameters)


@dataclass(frozen=True)
class Node:
    """The places that all processes of one node share."""

    name: str
    cpu: Station
    work: Station
    queue: Station
    threads: Pool
    link: Links


@dataclass(frozen=True)
class Cluster(Generic[ClusterSettings, ClusterParameters]):
    """The settings and parameters of one scenario, and the places that all nodes share.

    Attributes:
        chunk_work, request_work: stations that all nodes share, for a chunk and for a request.
        axes: settings that multiply each place and workload, by name.
    """

    settings: ClusterSettings
    parameters: ClusterParameters
    chunk_work: Station
    request_work: Station
    axes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: ClusterSettings, parameters: ClusterParameters) -> Self:
        """The cluster for ``settings``."""
        chunks, requests = (Station(f"cluster {what} work", role="stand-in") for what in ("chunk", "request"))
        return cls(settings, parameters, chunks, requests)

    def _count(self, *names: str, by: tuple[str, ...]) -> None:
        self.axes.update(dict.fromkeys(names, by))

    def cells(self) -> MirroredCells:
        """All storage cells."""
        bytes_per_s = self.cell_bytes_per_s
        cache_bytes = int(self.parameters.cell_cache_bytes)
        cells = tuple(
            Cell.of_streams(f"cell {number}", bytes_per_s, cache_bytes, self.parameters.piece_bytes_per_s)
            for number in range(1, self.settings.cells + 1)
        )
        stations = (disk.station for cell in cells for disk in cell.disks)
        caches = (cell.cache for cell in cells if cell.cache)
        self._count(*(place.name for place in (*stations, *caches)), by=("cells",))
        return MirroredCells(cells, self.cells_lost)

    @property
    def cell_bytes_per_s(self) -> float:
        """Bandwidth of one cell's disks for streams."""
        return CELL_BYTES_PER_S[self.settings.cell]

    @property
    def cells_lost(self) -> int:
        """Number of lost cells, whose mirror copies are on others.

        Raises:
            InputError: there is no other cell.
        """
        lost, cells = self.settings.cells_lost, self.settings.cells
        if lost >= cells:
            raise InputError(f"cells_lost is {lost} of {cells} cells; allowed: fewer than there are")
        return lost

    def node(self, number: int, storage: Layer) -> Node:
        """One node with its mount and its card."""
        name = f"node {number}"
        fabric = fabric_of(self.settings.link)
        link = Link(
            bandwidth=fabric.bytes_per_s,
            duplex=fabric.duplex,
            round_trip=self.parameters.latency_s,
            header=0,
            piece=WHOLE,
        )
        card = link.before(storage, f"{name} card", sent=copies(self.settings))
        node = Node(
            name,
            cpu=Station(f"{name} cpu", int(self.parameters.cores)),
            work=Station(f"{name} serial work", role="stand-in"),
            queue=Station(f"{name} fuse queue"),
            threads=Pool(f"{name} daemon threads", int(self.parameters.daemon_threads)),
            link=card,
        )
        threads = Threads(node.threads, wake_up(self.parameters.wake_s))
        places = (node.cpu, node.work, node.queue, *card.cards, node.threads, *threads.buffers)
        self._count(*(place.name for place in places), by=("nodes",))
        return node

    def session(self, node: Node, number: int, op: Op) -> LobSession:
        """The database session behind one open file."""
        costs = by_operation(self.parameters, op)
        return LobSession(
            session=Pool(f"{node.name} session {number}"),
            cpu=node.cpu,
            call_s=costs.session_s,
            node_work=node.work,
            node_work_s_per_byte=self.parameters.node_serial_s_per_byte,
            cluster_work=self.chunk_work,
            cluster_work_s=costs.chunk_s,
            below=node.link,
        )

    def mount(self, node: Node, op: Op, below: Layer) -> FuseMount:
        """The node's mount for one open file."""
        costs = by_operation(self.parameters, op)
        requests = FuseRequests(costs.request, node.threads, node.queue, CopyingCores(node.cpu))
        behind = ClusterWork(self.request_work, costs.cluster_s, below) if costs.cluster_s else below
        return FuseMount(requests, self.settings.direct_io, behind)

    def paged(self, node: Node, op: Op, below: Layer) -> Calls:
        """Calls without direct_io: a copy to pages, which go ``below``, or from prefetched pages."""
        copy_s_per_byte = by_operation(self.parameters, op).copy_s_per_byte
        return Calls(CopyingCores(node.cpu), below, copy_s_per_byte=copy_s_per_byte)

    def read_ahead(self, node: Node, number: int, mount: FuseMount) -> Window:
        """Pages that the kernel prefetches for a file."""
        return Window("read", Buffer(f"{node.name} pages {number}", 2 * REQUEST_BYTES), REQUEST_BYTES, mount)

    def opened(self, node: Node, number: int, op: Op, below: Layer) -> tuple[Layer, tuple[Closed, ...]]:
        """A file in sequential use, as its process sees it; and the kernel's read-ahead, if any."""
        mount = self.mount(node, op, below)
        if self.settings.direct_io:
            return mount, ()
        if op == "write":
            return self.paged(node, op, mount), ()
        ahead = self.read_ahead(node, number, mount)
        stream = ahead.behind(f"{node.name} read-ahead {number}", group="streams")
        self._count(ahead.pages.name, stream.name, by=("nodes", "users"))
        return self.paged(node, op, ahead), (stream,)
