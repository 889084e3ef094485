"""A rebuild beside the load: what a lost part held is read from those left and written to its replacement.

in flight, each:  [rate: a block each bytes / rate] ──> read a block of those left ──> write it ──> again

The rate is a limit, as that of a RAID or of a cluster is: where blocks take longer, so does the rebuild.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO, Op
from sim import Closed, Path, Station, Use, Workload
from sim.result import Result
from sim.statistics.estimates import Estimate, point
from sim.system import Measure
from sim.units import MB

BLOCK_BYTES = 64 * 1024
"""Read and written at a time: RESYNC_BLOCK_SIZE of drivers/md/raid1-10.c of Linux."""

IN_FLIGHT = 32
"""Blocks on their way at a time: RESYNC_DEPTH of drivers/md/raid1.c of Linux."""


FILE = -1
"""The file that a rebuild reads and writes: none of the load."""


def block(op: Op) -> FileIO:
    """One block, read or written."""
    return FileIO(op, BLOCK_BYTES, file=FILE, sequential=True, aligned_bytes=BLOCK_BYTES)


@dataclass(frozen=True)
class Rebuild:
    """A rebuild, which never ends: what it takes from the load while it lasts.

    Attributes:
        name: of its workload and its place.
        bytes_per_s: at most so many are rebuilt.
    """

    name: str
    bytes_per_s: float

    def workload(self, read: Path, write: Path) -> Workload:
        """The rebuild, with the paths of one block of ``BLOCK_BYTES``."""
        pace = Use(Station(f"{self.name} rate"), BLOCK_BYTES / self.bytes_per_s)
        return Closed(self.name, clients=IN_FLIGHT, path=(pace, *read, *write))

    def measures(self) -> dict[str, Measure]:
        """How fast it comes on beside the load, under its name."""
        return {self.name.replace(" ", "_"): Measure("MB/s", self._rate)}

    def _rate(self, result: Result) -> Estimate:
        group = result.groups.get(self.name)
        return group.throughput.scaled(BLOCK_BYTES / MB) if group else point(0.0)
