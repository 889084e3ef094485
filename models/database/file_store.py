"""The file store in the database, as the daemon calls it: a row a path, a LOB a file.

resolve  ──> [cluster] blocks of the row ──> [cpu] find the path, one row ──> a chained row: its further block
change   ──> resolve ──> the commit's redo write
remove   ──> resolve ──> [segment] give the LOB's space back ──> the commit's redo write
list     ──> [cpu] a row for each name ──> further blocks of those that are chained

A list returns the attributes of all names, and a change those of its path, so that the daemon need not ask for
them again (white paper on DBFS, "Slow response of file listing": "a new dbfs_attributes query … or cache").

Each node hands out space from its own stock, but all give it back to the one list of the segment.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.paths import maybe
from sim import Delay, Exponential, Path, Station, Step, Use


@dataclass(frozen=True)
class FileStore:
    """The tables and the LOB segment of one store, called from one node.

    Attributes:
        cpu: the cores of the node.
        path_s: time on a core to resolve one path, or to return one name of a list.
        cluster: one server for the whole cluster.
        block_s: time of a block there.
        chained: share of rows that continue in a further block.
        further_s: time to fetch a further block, for which the session waits.
        commit_s: time of the redo write of a commit; those of several sessions are grouped, so there is no queue.
        segment: one server for the whole cluster: space and inodes of the LOB segment.
        free_s: mean exponential time that freeing a LOB occupies the segment, as for a LOB call.
    """

    cpu: Station
    path_s: float
    cluster: Station
    block_s: float
    chained: float
    further_s: float
    commit_s: float
    segment: Station
    free_s: float

    def resolve(self) -> Path:
        """Find one path and return its row."""
        lookup = (Use(self.cluster, (1.0 + self.chained) * self.block_s), Use(self.cpu, self.path_s))
        return (*lookup, maybe(self.chained, Delay(self.further_s))) if self.chained else lookup

    def commit(self) -> Step:
        """Make a change durable."""
        return Delay(self.commit_s)

    def change(self) -> Path:
        """Insert a row, or change its attributes."""
        return (*self.resolve(), self.commit())

    def remove(self) -> Path:
        """Delete the row of a file and free its LOB."""
        return (*self.resolve(), Use(self.segment, Exponential(self.free_s)), self.commit())

    def listing(self, names: float) -> Path:
        """Return the attributes of ``names`` names, one row after the other."""
        rows = (Use(self.cpu, names * self.path_s),)
        return (*rows, Delay(names * self.chained * self.further_s)) if self.chained else rows
