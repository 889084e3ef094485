"""tar, ls and rm on DBFS: the layers of one cluster, wired.

node 1..n:  process 1..p ──> directory held by the kernel ──> FUSE mount ──> file store in the database
                         └─> records ──> FUSE mount ──> file ┄┄> session ──> LOB segment ──> card ──> cells 1..m
            df ┄┄ from time to time ──> all rows of the store
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models import data_folder
from models.database.file_store import FileStore
from models.database.row_chaining import Rows
from models.filesystem.namespace import Namespace
from models.filesystem.open_file import WholeFile
from models.io import Op
from models.layer import Shared
from models.systems.dbfs.cluster import (
    Cluster,
    Node,
    cell_setting,
    cells_setting,
    direct_io_setting,
    link_setting,
    nodes_setting,
)
from models.systems.dbfs.files_parameters import FILES, PARAMETERS, TREE, FilesParameters
from models.workloads.directory_tree import Tree
from models.workloads.metadata_utilities import Walk
from sim import Buffer, Closed, Lock, Model, Open, Periodic, Use
from sim.model.steps import Path as Steps
from sim.result import Result
from sim.statistics.estimates import Estimate, point
from sim.system import Measure, Scenario, Settings, System, choice, count, size

OPERATIONS: dict[str, Op] = {
    "tar-x": "write",
    "tar-c": "read",
    "ls": "read",
    "ls-wildcard": "read",
    "ls-qualified": "read",
    "rm": "read",
}
"""The commands, and which way bytes go."""

STARS = 3
"""Stars in the published pattern /*/*/*a.gif."""

BLOCK_BYTES = 8000
"""What a block of 8 KiB has for rows."""


@dataclass(frozen=True)
class FilesSettings:
    """Nodes, cells, and a command on files."""

    nodes: int = nodes_setting()
    cells: int = cells_setting()
    op: str = choice(
        "tar-x", "tar xvf, tar cvf, ls -lFR, ls -l /*/*/*x, ls -l /a/b/c/d/x, or rm -rf", tuple(OPERATIONS)
    )
    processes: int = count(1, "processes on each node, which share its files", high=256)
    files: int = count(FILES, "files of each node", high=10_000_000)
    bytes: int = size(3 * 10**9, "bytes of these files together", high=1 << 50)
    directories: int = count(int(TREE.directories), "directories of each node; processes share them if fewer")
    levels: int = count(TREE.levels, "levels of directories", high=100)
    pctfree: int = count(10, "share of a block of the base table that inserts leave free, in %", low=0, high=90)
    df_period: int = count(0, "seconds from one df query of a mount to its next; 0: none", low=0, high=86_400)
    direct_io: bool = direct_io_setting()
    link: str = link_setting()
    cell: str = cell_setting()


@dataclass(frozen=True)
class Job:
    """What one process does: ``walks`` times the same ``path``, each about so many ``names``."""

    path: Steps
    walks: float
    names: float


class _Wiring(Cluster[FilesSettings, FilesParameters]):
    """The cluster with the processes of its nodes."""

    @property
    def op(self) -> Op:
        return OPERATIONS[self.settings.op]

    @property
    def file_bytes(self) -> int:
        """Bytes of a file; all are alike."""
        each: int = self.settings.bytes // self.settings.files
        return each

    @property
    def share(self) -> Tree:
        """The part of its node's tree that a process works through."""
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

    def store(self, node: Node) -> FileStore:
        """The store, called from ``node``."""
        return FileStore(
            cpu=node.cpu,
            path_s=self.parameters.path_s,
            directory=self.directory,
            blocks=1.0 + self.chained,
            message_s=self.parameters.message_read_s,
            block_s=self.parameters.block_s,
            commit_s=self.parameters.commit_s,
            segment=self.segment,
            free_s=self.parameters.free_s,
        )

    def namespace(self, node: Node, number: int) -> Namespace:
        """The mount as process ``number`` sees it."""
        chunk_bytes = int(self.parameters.chunk_bytes)
        file = WholeFile(
            buffer=Buffer(f"{node.name} file {number}", int(self.parameters.buffer_bytes)),
            flushed=Buffer(f"{node.name} flushed {number}", 1),
            chunk_bytes=chunk_bytes,
            first_read_s=self.parameters.first_read_s,
            below=self.session(node, number, self.op),
        )
        mount = self.mount(node, self.op, file)
        within = (number - 1) % self.settings.directories + 1
        return Namespace(
            request=mount.request,
            directory=Lock(f"{node.name} directory {within}"),
            store=self.store(node),
            file=file,
            data=mount,
            system_call=Use(node.cpu, self.parameters.call_s),
        )

    def walk(self, node: Node, number: int) -> Walk:
        """Process ``number`` of ``node``."""
        return Walk(self.share, self.file_bytes, self.namespace(node, number))

    def job(self, walk: Walk) -> Job:
        """What a process does: page by page of its directories, or a short command as a whole."""
        command, stars = self.settings.op, min(STARS, self.settings.levels)
        if command == "ls-wildcard":
            return Job(walk.wildcard(stars), 1.0, sum(walk.tree.names_on(level) for level in range(stars)))
        if command == "ls-qualified":
            return Job(walk.qualified(), 1.0, 1.0)
        return Job(walk.page(command), walk.tree.directories * walk.pages, walk.tree.files_each / walk.pages)

    def df(self, node: Node) -> tuple[Open, ...]:
        """The space query of the mount: it reads all rows of the store."""
        if not self.settings.df_period:
            return ()
        rows = self.settings.nodes * self.settings.files
        query = self.store(node).listing(rows)
        return (Open(f"{node.name} df", arrivals=Periodic(float(self.settings.df_period)), path=[query]),)

    def scenario(self) -> Scenario:
        """All processes of all nodes. Queries of df are rare, so that with them the commands run to their end."""
        storage, command = Shared(self.cells()), self.settings.op
        nodes = [self.node(number, storage) for number in range(1, self.settings.nodes + 1)]
        numbers = range(1, self.settings.processes + 1)
        jobs = {(node, number): self.job(self.walk(node, number)) for node in nodes for number in numbers}
        queries = [each for node in nodes for each in self.df(node)]
        workloads = [
            Closed(
                f"{node.name} {command} {number}",
                clients=1,
                path=job.path,
                group=command,
                count=max(1, round(job.walks)) if queries else None,
            )
            for (node, number), job in jobs.items()
        ]
        one, whole = next(iter(jobs.values())), sum(job.walks for job in jobs.values())
        measures = {
            "elapsed": Measure("s", lambda result: _elapsed(result, whole)),
            "shown": Measure("s", lambda result: point(float(np.ceil(_elapsed(result, whole).value)))),
            "system_cpu": Measure("s", lambda result: _system_s(nodes, result, whole)),
            "node_cpu": Measure("%", lambda result: _cores(nodes, result)),
            "chained_rows": Measure("%", lambda _result: point(100.0 * self.chained)),
        }
        return Scenario(Model([*workloads, *queries]), command, one.names, "names/s", measures)


def _elapsed(result: Result, walks: float) -> Estimate:
    """Seconds that all ``walks`` take: of a job that ends, or at the rate of one that is watched for a while."""
    if result.elapsed:
        return result.elapsed
    return result.throughput.duration(walks)


def _system_s(nodes: list[Node], result: Result, walks: float) -> Estimate:
    """Seconds that the kernel works for the mount of a node: its channel is all wake-ups and copies."""
    shares = [result.places[node.channel.name].utilisation for node in nodes]
    return point(sum(shares) / len(shares) * _elapsed(result, walks).value)


def _cores(nodes: list[Node], result: Result) -> Estimate:
    """Share of its cores that the daemon and the database of a node keep busy."""
    shares = [result.places[node.cpu.name].utilisation for node in nodes]
    return point(100.0 * sum(shares) / len(shares))


def _build(settings: FilesSettings, parameters: FilesParameters) -> Scenario:
    """Wire all nodes to all cells; the answer is how long the slowest process takes."""
    return _Wiring.of(settings, parameters).scenario()


DBFS_FILES = System(
    name="dbfs-files",
    title="tar, ls and rm on DBFS on Exadata (white paper of March 2016)",
    settings=Settings.of(FilesSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
)
