"""A rebuild beside the load: data of a lost part is read from the remaining ones and written to its replacement.

pace              bytes / rate pass ──> put one into [tokens], which holds one ──> again
in flight, each   take one from [tokens] ──> read a block of those left ──> write it ──> again

The rate is a limit, as in a RAID or a cluster: if blocks take longer, so does the rebuild.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.io import FileIO, Op
from sim import Buffer, Closed, Delay, Path, Put, Take, Workload
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point
from sim.engine.units import MB
from sim.system import Measure

BLOCK_BYTES = 64 * 1024
"""Bytes read and written at a time: RESYNC_BLOCK_SIZE of drivers/md/raid1-10.c of Linux."""

IN_FLIGHT = 32
"""Blocks in flight: RESYNC_DEPTH of drivers/md/raid1.c of Linux."""


FILE = -1
"""File number of a rebuild, which no load uses."""


def not_rebuilt(setting: str, lost: int) -> tuple[str, ...]:
    """Warning about lost parts that nothing rebuilds in the model; empty if none is lost."""
    note = "copies are read, and nothing is rebuilt: what that takes comes on top of the load"
    return (f"{setting}={lost}: {note}",) if lost else ()


def block_io(op: Op) -> FileIO:
    """One block, read or written."""
    return FileIO(op, BLOCK_BYTES, file=FILE, sequential=True, aligned_bytes=BLOCK_BYTES)


@dataclass(frozen=True)
class Rebuild:
    """An endless rebuild, for its effect on the load while it lasts.

    Attributes:
        name: name of its workload and prefix of its place.
        bytes_per_s: largest rate of the rebuild.
    """

    name: str
    bytes_per_s: float

    def workloads(self, read: Path, write: Path) -> Iterator[Workload]:
        """The rebuild and its pace, with the paths of one block of ``BLOCK_BYTES``."""
        tokens = Buffer(f"{self.name} tokens", 1, role="internal")
        interval_s = BLOCK_BYTES / self.bytes_per_s
        yield Closed(f"{self.name} pace", clients=1, path=(Delay(interval_s), Put(tokens)))
        yield Closed(self.name, clients=IN_FLIGHT, path=(Take(tokens), *read, *write), begins=1)

    def measures(self) -> dict[str, Measure]:
        """The rate of the rebuild beside the load, under its name."""
        return {self.name.replace(" ", "_"): Measure("MB/s", self._rate)}

    def _rate(self, result: Result) -> Estimate:
        group = result.groups.get(self.name)
        return group.throughput.scaled(BLOCK_BYTES / MB) if group else point(0.0)
