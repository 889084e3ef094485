"""Alternative causes of the half rack's losses: full cells, with and without work of the cluster.

| structure    | behind a chunk                          | behind a request           |
|--------------|-----------------------------------------|----------------------------|
| ``cluster``  | a server of the cluster; cells stream   | a server of the cluster    |
| ``cells``    | cells whose arms move between streams   | a server of the cluster    |
| ``free``     | cells whose arms move between streams   | nothing that nodes share   |

Figures have two points of nodes and cells, one on three and four on seven, so they hardly tell the three apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from models.io import Op
from models.systems.dbfs.dd_parameters import DBFSParameters
from sim.engine.units import KIB
from sim.system import Parameters, parameter

CHUNK_WORK = ("cluster_chunk_write_s", "cluster_chunk_read_s")
"""Parameters that full cells replace."""

REQUEST_WORK = ("cluster_request_write_s", "cluster_request_read_s")

_RUN = (
    "what an arm of a cell moves before it goes to another stream: from half a chunk to an allocation unit of ASM "
    "(4 MiB on Exadata); begins in the middle on a logarithmic scale"
)


@dataclass(frozen=True)
class FullCellsParameters(DBFSParameters):
    """The parameters of the dbfs system, and the scatter of streams over the disks of a cell."""

    write_run_bytes: float = parameter(512 * KIB, "bytes", 64 * KIB, 4096 * KIB, "fitted", _RUN)
    read_run_bytes: float = parameter(512 * KIB, "bytes", 64 * KIB, 4096 * KIB, "fitted", _RUN)

    def run_bytes(self, op: Op) -> float:
        """Bytes that an arm moves at once."""
        return self.read_run_bytes if op == "read" else self.write_run_bytes


def _without(*absent: str) -> Parameters[FullCellsParameters]:
    """The parameters of full cells, with the times of ``absent`` work set to 0."""
    defined = Parameters.of(FullCellsParameters)
    entries = tuple(entry for entry in defined.entries if entry.name not in absent)
    return replace(defined, entries=entries, record=partial(FullCellsParameters, **dict.fromkeys(absent, 0.0)))


FULL_CELLS = _without(*CHUNK_WORK)
"""Parameters of the structure ``cells`` before a fit."""

NOTHING_SHARED = _without(*CHUNK_WORK, *REQUEST_WORK)
"""Parameters of the structure ``free`` before a fit."""
