"""Parallel query that copies a table: create table as select, insert … select.

coordinator ── alone: parse, start, commit ──> all slaves at once ──> again, until all statements are done
                                                 └─ each: read ──> [rows to blocks, a core] ──> write ──> again
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Closed, Delay, Fork, Hold, Path, Pool, Repeat


@dataclass(frozen=True)
class WaitEvent:
    """A wait event of the database: ``sessions`` has a token for each session in it."""

    sessions: Pool
    below: Layer

    def path(self, io: IO) -> Path:
        """A session is in the event from the call to its return."""
        return (Hold(self.sessions, *self.below.path(io)),)


@dataclass(frozen=True)
class ParallelCopy:
    """``slaves`` sessions that copy a table, each by ``ios`` I/Os of ``io_bytes`` bytes.

    Attributes:
        statement_s: time of the coordinator alone for each statement.
        rows: steps that convert the rows of one I/O from read to written form.
    """

    slaves: int
    ios: int
    io_bytes: int
    statement_s: float
    read: Layer
    rows: Path
    write: Layer

    def workload(self, name: str, *, statements: int, group: str) -> Closed:
        """The coordinator: ``statements`` statements, one after the other."""
        slave = Repeat(
            self.ios,
            *self.read.path(IO("read", self.io_bytes)),
            *self.rows,
            *self.write.path(IO("write", self.io_bytes)),
        )
        path = [Delay(self.statement_s), Fork(*([slave] * self.slaves))]
        return Closed(name, clients=1, path=path, count=statements, group=group)
