"""The file store in the database, as the daemon calls it: a row a path, a LOB a file.

resolve  ──> [directory] blocks of the row ──> [cpu] find the path, one row
change   ──> resolve ──> the commit's redo write
remove   ──> resolve ──> [segment] give the LOB's space back ──> the commit's redo write
list     ──> [cpu] a row for each name

A list returns the attributes of all names, and a change those of its path, so that the daemon need not ask for
them again (white paper on DBFS, "Slow response of file listing": "a new dbfs_attributes query … or cache").

Each node hands out space from its own stock, but all give it back to the one list of the segment.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Delay, Exponential, Path, Station, Step, Use


@dataclass(frozen=True)
class FileStore:
    """The tables and the LOB segment of one store, called from one node.

    Attributes:
        cpu: the cores of the node.
        path_s: time on a core to resolve one path, or to return one name of a list.
        directory: one server for the whole cluster: who may touch a block.
        blocks: blocks in which a row lies, as a mean: more than one where rows are chained.
        message_s, block_s: time of a block at the directory, and of each further block on a core.
        commit_s: the redo write of a commit; those of several sessions go together, so that nobody queues.
        segment: one server for the whole cluster: space and inodes of the LOB segment.
        free_s: mean time that giving back a LOB keeps the segment; exponential, as for a LOB call.
    """

    cpu: Station
    path_s: float
    directory: Station
    blocks: float
    message_s: float
    block_s: float
    commit_s: float
    segment: Station
    free_s: float

    def resolve(self) -> Path:
        """Find one path and return its row."""
        further_s = (self.blocks - 1.0) * self.block_s
        return (Use(self.directory, self.blocks * self.message_s), Use(self.cpu, self.path_s + further_s))

    def commit(self) -> Step:
        """Make a change durable."""
        return Delay(self.commit_s)

    def change(self) -> Path:
        """Insert a row, or change its attributes."""
        return (*self.resolve(), self.commit())

    def remove(self) -> Path:
        """Delete the row of a file and free its LOB."""
        return (*self.resolve(), Use(self.segment, Exponential(self.free_s)), self.commit())

    def listing(self, names: float) -> Step:
        """Return the attributes of ``names`` names."""
        return Use(self.cpu, names * self.path_s)
