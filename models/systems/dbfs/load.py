"""Flat files, external tables and dumps on DBFS: the layers of one cluster, wired.

node 1..n:  dbgen 1..8   ──> FUSE mount ──> global cache ──> file stream ┄┄> session ──┐
            slave 1..16  <── the same, walking the map of a LOB;  table ───────────────┼──> card ──> cells 1..m
            expdp, impdp ──  the same;  table ─────────────────────────────────────────┘

cells:  files and tables in sequence: read ahead, written behind;  pieces dealt out to slaves: arms move
"""

from __future__ import annotations

from dataclasses import dataclass

from models import data_folder
from models.database.lob_map import LobMap
from models.host.file_stream import FileStream
from models.io import Op
from models.layer import Layer, Shared
from models.storage.cell_disks import Arms
from models.storage.exadata_cell import CELL_BYTES_PER_S
from models.systems.dbfs.cluster import (
    Cluster,
    Node,
    cell_setting,
    cells_setting,
    direct_io_setting,
    link_setting,
    nodes_setting,
)
from models.systems.dbfs.load_parameters import (
    DIRECT_BYTES,
    DUMP_BYTES,
    GENERATORS,
    PARAMETERS,
    SLAVES,
    LoadParameters,
)
from models.workloads.bulk_load import TABLE_IO_BYTES, Batch, Worker
from sim import Buffer, Closed, Model
from sim.system import Measure, Scenario, Settings, System, choice, count, size
from sim.units import KIB, MB

WORK: dict[str, Op] = {"generate": "write", "load": "read", "export": "write", "import": "read"}
"""The kinds of work, and what they do to the file."""


@dataclass(frozen=True)
class LoadSettings:
    """Nodes, cells, and bulk work."""

    nodes: int = nodes_setting()
    cells: int = cells_setting()
    work: str = choice("load", "dbgen, load from an external table, expdp or impdp", tuple(WORK))
    generators: int = count(GENERATORS, "dbgen processes of each node, each with a flat file of its own", high=256)
    slaves: int = count(SLAVES, "parallel slaves that load on each node", high=256)
    dumps: int = count(1, "expdp or impdp processes of each node, each with a dump file of its own", high=256)
    bytes: int = size(DUMP_BYTES, "bytes that each node generates, loads, exports or imports", high=1 << 50)
    readsize: int = size(512 * KIB, "READSIZE of the external table", low=DIRECT_BYTES, high=TABLE_IO_BYTES)
    direct_io: bool = direct_io_setting()
    link: str = link_setting()
    cell: str = cell_setting()


class _Wiring(Cluster[LoadSettings, LoadParameters]):
    """The cluster with what works on its nodes."""

    @property
    def op(self) -> Op:
        return WORK[self.settings.work]

    @property
    def workers(self) -> int:
        """Processes of each node."""
        asked = self.settings
        return {
            "generate": asked.generators,
            "load": asked.slaves,
            "export": asked.dumps,
            "import": asked.dumps,
        }[asked.work]

    @property
    def file_bytes(self) -> int:
        """Bytes of a flat or dump file."""
        asked = self.settings
        files = asked.dumps if asked.work in ("export", "import") else asked.generators
        each: int = max(1, self.settings.bytes // files)
        return each

    def storage(self) -> Layer:
        """All cells. Only slaves read and write here and there; all others go in sequence."""
        if self.settings.work != "load":
            return self.cells()
        bytes_per_s = CELL_BYTES_PER_S[self.settings.cell]
        return Arms.of(self.settings.cells, bytes_per_s, self.parameters.position_s)

    def batch(self, worker: Worker) -> Batch:
        """What the worker does."""
        if self.settings.work == "load":
            return worker.load(self.settings.readsize)
        return {"generate": worker.generate, "export": worker.dump, "import": worker.restore}[self.settings.work]()

    @property
    def _work_s_per_byte(self) -> float:
        known = self.parameters
        return {
            "generate": known.generate_s_per_byte,
            "load": known.load_s_per_byte,
            "export": known.export_s_per_byte,
            "import": known.import_s_per_byte,
        }[self.settings.work]

    def worker(self, node: Node, file: FileStream) -> Worker:
        """One process."""
        work = self.settings.work
        return Worker(
            cpu=node.cpu,
            work_s_per_byte=self._work_s_per_byte,
            call_s=self.parameters.call_s,
            call_bytes=int(self.parameters.stdio_bytes) if work == "generate" else DIRECT_BYTES,
            file=self.mount(node, self.op, file),
            table=node.link,
        )

    def both(self, node: Node, number: int) -> tuple[Closed, Closed, int]:
        """One process and the stream behind its file; bytes of a batch."""
        lob = LobMap(
            cpu=node.cpu,
            map_s_per_byte=self.parameters.map_s_per_byte,
            file_bytes=self.file_bytes,
            below=self.session(node, number, self.op),
        )
        buffer = Buffer(f"{node.name} file {number}", int(self.parameters.buffer_bytes))
        file = FileStream(self.op, buffer, int(self.parameters.chunk_bytes), lob)
        batch, work = self.batch(self.worker(node, file)), self.settings.work
        front = Closed(f"{node.name} {work} {number}", clients=1, path=batch.path, group=work)
        return front, file.behind(f"{node.name} stream {number}", group="streams"), batch.size_bytes

    def scenario(self) -> Scenario:
        """All nodes, and all cells."""
        storage = Shared(self.storage())
        nodes = [self.node(number, storage) for number in range(1, self.settings.nodes + 1)]
        built = [self.both(node, number) for node in nodes for number in range(1, self.workers + 1)]
        workloads = [each for front, behind, _ in built for each in (front, behind)]
        size_bytes = built[0][2]
        walks = self.settings.nodes * self.settings.bytes / size_bytes
        elapsed = Measure("s", lambda result: result.throughput.duration(walks))
        return Scenario(
            Model(workloads), self.settings.work, size_bytes / MB, "MB/s", measures={"elapsed": elapsed}
        )


def _build(settings: LoadSettings, parameters: LoadParameters) -> Scenario:
    """Wire all nodes to all cells; the answer is the bytes that all processes move."""
    return _Wiring.of(settings, parameters).scenario()


DBFS_LOAD = System(
    name="dbfs-load",
    title="flat files, external tables and dumps on DBFS on Exadata (white paper of March 2016)",
    settings=Settings.of(LoadSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
)
