"""tar, ls and rm on DBFS: the layers of one cluster, wired.

node 1..n:  process 1..p ──> directory held by the kernel ──> FUSE mount ──> file store in the database
                         └─> records ──> FUSE mount ──> file ┄┄> session ──> cluster work ──> card ──> cells 1..m
            df ┄┄ from time to time ──> all rows of the store
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from models import data_folder
from models.database.file_store import FileStore
from models.database.namespace import Namespace
from models.database.row_chaining import Rows
from models.io import Op
from models.layer import SharedPaths
from models.parts.fuse.open_file import WholeFile
from models.parts.page_cache.window import Window
from models.systems.dbfs.cluster import A_CELL, Cluster, Node, beyond, redundancy
from models.systems.dbfs.dd_parameters import by_operation
from models.systems.dbfs.files_parameters import PARAMETERS, FilesParameters
from models.systems.dbfs.files_settings import OPERATIONS, FilesSettings
from models.workloads.directory_tree import Tree
from models.workloads.metadata_utilities import TreeTraversal
from sim import Buffer, Closed, Delay, Lock, Model, Station, Use
from sim.engine.model.steps import Path as Steps
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point
from sim.system import Measure, Scenario, Settings, System

PAGE_COMMANDS: dict[str, Callable[[TreeTraversal], Steps]] = {
    "tar-x": TreeTraversal.extract,
    "tar-c": TreeTraversal.archive,
    "ls": TreeTraversal.list_long,
    "rm": TreeTraversal.remove,
}
"""Commands that process directories page by page."""

STARS = 3
"""Stars in the published pattern /*/*/*a.gif."""

BLOCK_BYTES = 8000
"""Bytes for rows in a block of 8 KiB."""


@dataclass(frozen=True)
class Command:
    """The command of one process: ``requests`` requests along ``path``, each about ``names`` names."""

    path: Steps
    requests: float
    names: float


class _FilesCluster(Cluster[FilesSettings, FilesParameters]):
    """The cluster with the processes of its nodes."""

    @property
    def op(self) -> Op:
        return OPERATIONS[self.settings.op]

    @property
    def file_bytes(self) -> int:
        """Bytes of a file; all files have the same size."""
        return self.settings.bytes // self.settings.files

    @property
    def share(self) -> Tree:
        """The part of a node's tree for one process."""
        directories = max(1.0, self.settings.directories / self.settings.processes)
        return Tree(self.settings.files / self.settings.processes, directories, self.settings.levels)

    @property
    def chained(self) -> float:
        """Share of the rows of the store that are chained."""
        rows = Rows(
            BLOCK_BYTES,
            int(self.parameters.row_bytes),
            int(self.parameters.map_entry_bytes),
            int(self.parameters.map_extent_bytes),
            int(self.parameters.map_most_bytes),
        )
        return rows.chained(self.file_bytes, together=self.settings.processes, pctfree=self.settings.pctfree)

    @property
    def kernel_copies_s(self) -> float:
        """Time of a node's kernel to copy the bytes of its files: for the daemon, and of pages."""
        copied_bytes = self.settings.bytes if self.settings.op in ("tar-x", "tar-c") else 0
        copies = 1 if self.settings.direct_io else 2
        return copies * copied_bytes * by_operation(self.parameters, self.op).copy_s_per_byte

    def store(self, node: Node) -> FileStore:
        """The store, as called from ``node``."""
        return FileStore(
            cpu=node.cpu,
            path_s=self.parameters.path_s,
            cluster=self.request_work,
            block_s=self.parameters.cluster_request_read_s,
            chained=self.chained,
            further_s=0.0 if self.op == "write" else self.parameters.further_block_s,
            commit_s=self.parameters.commit_s,
            segment=Station("lob segment"),
            free_s=self.parameters.free_s,
        )

    def namespace(self, node: Node, number: int) -> Namespace:
        """The mount for process ``number``."""
        buffer = Buffer(f"{node.name} file {number}", int(self.parameters.buffer_bytes))
        session = self.session(node, number, self.op)
        stream = Window(self.op, buffer, int(self.parameters.chunk_bytes), session)
        mount = self.mount(node, self.op, stream)
        ahead = self.read_ahead(node, number, mount) if self.op == "read" and not self.settings.direct_io else None
        flushed = Buffer(f"{node.name} flushed {number}", 1, role="internal")
        directory = (number - 1) % self.settings.directories + 1
        return Namespace(
            request=mount.request,
            directory=Lock(f"{node.name} directory {directory}"),
            store=self.store(node),
            file=WholeFile(stream, flushed, self.parameters.first_read_s, ahead),
            data=mount if self.settings.direct_io else self.paged(node, self.op, ahead or mount),
            system_call=Use(node.cpu, self.parameters.call_s),
        )

    def traversal(self, node: Node, number: int) -> TreeTraversal:
        """Process ``number`` of ``node``."""
        return TreeTraversal(self.share, self.file_bytes, self.namespace(node, number))

    def command(self, traversal: TreeTraversal) -> Command:
        """The command of a process: one request is a page of a directory, or a short command as a whole."""
        op, tree, stars = self.settings.op, traversal.tree, min(STARS, self.settings.levels)
        if op == "ls-wildcard":
            return Command(traversal.wildcard(stars), 1.0, sum(tree.names_on(level) for level in range(stars)))
        if op == "ls-qualified":
            return Command(traversal.qualified(), 1.0, 1.0)
        pages = traversal.pages
        return Command(PAGE_COMMANDS[op](traversal), tree.directories * pages, tree.files_each / pages)

    def df(self, node: Node) -> tuple[Closed, ...]:
        """Space queries of the mount, one at a time, each of which reads all rows of the store."""
        if not self.settings.df_period:
            return ()
        rows = self.settings.nodes * self.settings.files
        rest_s = max(0.0, self.settings.df_period - rows * self.parameters.path_s)
        query = self.store(node).listing(rows)
        return (Closed(f"{node.name} df", clients=1, path=[Delay(rest_s), *query], group="df"),)

    def scenario(self) -> Scenario:
        """All processes of all nodes. Queries of df are rare, so with them commands run to their end."""
        storage, op = SharedPaths(self.cells()), self.settings.op
        nodes = [self.node(number, storage) for number in range(1, self.settings.nodes + 1)]
        numbers = range(1, self.settings.processes + 1)
        commands = {
            (node, number): self.command(self.traversal(node, number)) for node in nodes for number in numbers
        }
        queries = [query for node in nodes for query in self.df(node)]
        workloads = [
            Closed(
                f"{node.name} {op} {number}",
                clients=1,
                path=command.path,
                group=op,
                count=max(1, round(command.requests)) if queries else None,
            )
            for (node, number), command in commands.items()
        ]
        names = next(iter(commands.values())).names
        requests = sum(command.requests for command in commands.values())
        measures = {
            "elapsed": Measure("s", lambda result: _elapsed(result, requests)),
            "shown": Measure("s", lambda result: point(float(np.ceil(_elapsed(result, requests).value)))),
            "system_cpu": Measure("s", lambda result: _system_s(nodes, self.kernel_copies_s, result, requests)),
            "node_cpu": Measure.of_whole(lambda result: _cores(nodes, result)),
            "chained_rows": Measure.of_whole(lambda _result: point(100.0 * self.chained)),
        }
        return Scenario(
            Model([*workloads, *queries]),
            op,
            names,
            "names/s",
            measures,
            warnings=beyond(self.settings.nodes),
            notes=redundancy(self.settings, writes=False),
        )


def _build(settings: FilesSettings, parameters: FilesParameters) -> Scenario:
    """Wire all nodes to all cells; the answer is the elapsed time of the slowest process."""
    return _FilesCluster.of(settings, parameters).scenario()


DBFS_FILES = System(
    name="dbfs-files",
    title="tar, ls and rm on DBFS on Exadata (white paper of March 2016)",
    settings=Settings.of(FilesSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
    failures=(A_CELL,),
)


def _elapsed(result: Result, requests: float) -> Estimate:
    """Elapsed time of all ``requests``: of a finished job, else at the measured rate."""
    if result.elapsed:
        return result.elapsed
    return result.throughput.duration(requests)


def _system_s(nodes: list[Node], copies_s: float, result: Result, requests: float) -> Estimate:
    """System time of a node's mount: its queue, and the kernel's copies."""
    shares = [result.places[node.queue.name].utilisation for node in nodes]
    return point(sum(shares) / len(shares) * _elapsed(result, requests).value + copies_s)


def _cores(nodes: list[Node], result: Result) -> Estimate:
    """Share of a node's cores that its daemon and its database keep busy, in per cent."""
    shares = [result.places[node.cpu.name].utilisation for node in nodes]
    return point(100.0 * sum(shares) / len(shares))
