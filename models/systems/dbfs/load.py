"""Flat files, external tables and dumps on DBFS: the layers of one cluster, wired.

node 1..n:  dbgen 1..8   ──> FUSE mount ──> cluster work ──> file stream ┄┄> session ──┐
            slave 1..16  <── the same, walking the map of a LOB;  table ───────────────┼──> card ──> cells 1..m
            expdp, impdp ──  the same;  table ─────────────────────────────────────────┘

cells:  files and tables in sequence: read ahead, written behind;  pieces dealt out to slaves: arms move
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models import data_folder
from models.database.lob_map import LobMap
from models.io import Op
from models.layer import Layer, SharedPaths
from models.parts.cell import CELL_BYTES_PER_S, Cell, MirroredCells
from models.parts.page_cache.window import Window
from models.systems.dbfs.cluster import (
    A_CELL,
    Cluster,
    Node,
    beyond,
    cell_setting,
    cells_lost_setting,
    cells_setting,
    direct_io_setting,
    link_setting,
    nodes_setting,
    redundancy,
)
from models.systems.dbfs.load_parameters import (
    DIRECT_BYTES,
    DUMP_BYTES,
    GENERATORS,
    PARAMETERS,
    SLAVES,
    LoadParameters,
)
from models.workloads.bulk_load import TABLE_IO_BYTES, Cycle, Worker
from sim import Buffer, Closed, InputError, Model
from sim.engine.units import KIB, MB
from sim.system import Measure, Scenario, Settings, System, choice, count, size

WORK: dict[str, Op] = {"generate": "write", "load": "read", "export": "write", "import": "read"}
"""The kinds of work, with their operation on the file."""

TB = 10**12
LARGEST_FILE_BYTES = 10 * TB
"""Largest file that is read: the time to follow its map is known at 1 TB, and assumed proportional to size."""


@dataclass(frozen=True)
class LoadSettings:
    """Nodes, cells, and bulk work."""

    nodes: int = nodes_setting()
    cells: int = cells_setting()
    cells_lost: int = cells_lost_setting()
    work: str = choice("load", "dbgen, load from an external table, expdp or impdp", tuple(WORK))
    generators: int = count(GENERATORS, "dbgen processes of each node, each with a flat file of its own", high=256)
    slaves: int = count(SLAVES, "parallel slaves that load on each node", high=256)
    dumps: int = count(1, "expdp or impdp processes of each node, each with a dump file of its own", high=256)
    bytes: int = size(DUMP_BYTES, "bytes that each node generates, loads, exports or imports", high=1 << 50)
    readsize: int = size(512 * KIB, "READSIZE of the external table", low=DIRECT_BYTES, high=TABLE_IO_BYTES)
    direct_io: bool = direct_io_setting()
    link: str = link_setting()
    cell: str = cell_setting()


class _LoadCluster(Cluster[LoadSettings, LoadParameters]):
    """The cluster with the processes of its nodes."""

    @property
    def op(self) -> Op:
        return WORK[self.settings.work]

    @property
    def workers(self) -> int:
        """Processes of each node."""
        settings = self.settings
        return {
            "generate": settings.generators,
            "load": settings.slaves,
            "export": settings.dumps,
            "import": settings.dumps,
        }[settings.work]

    @property
    def files_setting(self) -> str:
        """The setting with the number of files of a node."""
        return "dumps" if self.settings.work in ("export", "import") else "generators"

    @property
    def file_bytes(self) -> int:
        """Bytes of a flat or dump file."""
        return max(1, self.settings.bytes // int(getattr(self.settings, self.files_setting)))

    def storage(self) -> Layer:
        """All cells. Slaves access them randomly; all other processes sequentially."""
        if self.settings.work != "load":
            return self.cells()
        bytes_per_s, position_s = CELL_BYTES_PER_S[self.settings.cell], self.parameters.position_s
        names = (f"cell {number}" for number in range(1, self.settings.cells + 1))
        cells = tuple(Cell.of_places(name, bytes_per_s, position_s) for name in names)
        return MirroredCells(cells, self.cells_lost)

    def cycle(self, worker: Worker) -> Cycle:
        """The repeated work of ``worker``."""
        if self.settings.work == "load":
            return worker.load(self.settings.readsize)
        return {"generate": worker.generate, "export": worker.dump, "import": worker.restore}[self.settings.work]()

    @property
    def _work_s_per_byte(self) -> float:
        parameters = self.parameters
        return {
            "generate": parameters.generate_s_per_byte,
            "load": parameters.load_s_per_byte,
            "export": parameters.export_s_per_byte,
            "import": parameters.import_s_per_byte,
        }[self.settings.work]

    def worker(self, node: Node, file: Layer) -> Worker:
        """One process."""
        work = self.settings.work
        return Worker(
            cpu=node.cpu,
            work_s_per_byte=self._work_s_per_byte,
            call_s=self.parameters.call_s,
            call_bytes=int(self.parameters.stdio_bytes) if work == "generate" else DIRECT_BYTES,
            file=file,
            table=node.link,
        )

    def process(self, node: Node, number: int) -> tuple[tuple[Closed, ...], int]:
        """One process with the streams behind its file, and the bytes of a cycle."""
        lob = LobMap(
            cpu=node.cpu,
            map_s_per_byte=self.parameters.map_s_per_byte,
            file_bytes=self.file_bytes,
            below=self.session(node, number, self.op),
        )
        buffer = Buffer(f"{node.name} file {number}", int(self.parameters.buffer_bytes))
        file = Window(self.op, buffer, int(self.parameters.chunk_bytes), lob)
        opened, streams = self.opened(node, number, self.op, file)
        cycle, work = self.cycle(self.worker(node, opened)), self.settings.work
        front = Closed(f"{node.name} {work} {number}", clients=1, path=cycle.path, group=work)
        return (front, self.behind(f"{node.name} stream {number}", file, lob), *streams), cycle.size_bytes

    def behind(self, name: str, file: Window, lob: LobMap) -> Closed:
        """The stream behind a file: slaves take random pieces, an import reads its file sequentially."""
        if self.settings.work != "import":
            return file.behind(name, group="streams")
        chunk = lob.in_sequence(lambda near: replace(file, below=near).moved(file.piece_bytes))
        return Closed(name, clients=1, path=[chunk], group="streams")

    def scenario(self) -> Scenario:
        """All nodes and all cells."""
        storage = SharedPaths(self.storage())
        nodes = [self.node(number, storage) for number in range(1, self.settings.nodes + 1)]
        processes = [self.process(node, number) for node in nodes for number in range(1, self.workers + 1)]
        workloads = [workload for closed, _ in processes for workload in closed]
        cycle_bytes = processes[0][1]
        cycles = self.settings.nodes * self.settings.bytes / cycle_bytes
        elapsed = Measure("s", lambda result: result.throughput.duration(cycles))
        return Scenario(
            Model(workloads),
            self.settings.work,
            cycle_bytes / MB,
            "MB/s",
            measures={"elapsed": elapsed},
            warnings=beyond(self.settings.nodes),
            notes=redundancy(self.settings, writes=True),
        )


def _build(settings: LoadSettings, parameters: LoadParameters) -> Scenario:
    """Wire all nodes to all cells; the answer is the total throughput of all processes.

    Raises:
        InputError: a file is so large that the time to follow its LOB map is unknown.
    """
    cluster = _LoadCluster.of(settings, parameters)
    if cluster.op == "read" and cluster.file_bytes > LARGEST_FILE_BYTES:
        raise InputError(
            f"a file has {cluster.file_bytes / TB:.4g} TB; allowed where it is read: up to "
            f"{LARGEST_FILE_BYTES / TB:.0f} TB, ten times the largest that was measured, as how its map is "
            f"followed is not known beyond; ask for fewer bytes, or more {cluster.files_setting}"
        )
    return cluster.scenario()


DBFS_LOAD = System(
    name="dbfs-load",
    title="flat files, external tables and dumps on DBFS on Exadata (white paper of March 2016)",
    settings=Settings.of(LoadSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
    failures=(A_CELL,),
)
