"""Phases of a database that is created, filled and indexed, as seen from its files.

format      new file:  write a burst ──> again, until the file is laid out;  several at once
script      [user time] ──> commit: write redo ──> again;  the database writer behind it
build       read a burst ──> [user time] sort ──> write the result ──> again
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from models.io import IO
from models.layer import Layer
from models.parts.host.processor import Processor
from models.paths import pieces
from sim import Fork, Hold, Path, Pool, Repeat

WRITER = Pool("database writer")


@dataclass(frozen=True)
class Commits:
    """Transactions, one after the other.

    Attributes:
        count: number of transactions.
        user_s: processor time of one transaction.
        redo_bytes: redo that the commit of one transaction writes.
        changed_bytes: bytes of blocks that all of them change, written meanwhile by the database writer.
    """

    count: int
    user_s: float
    redo_bytes: int
    changed_bytes: int

    def part(self, parts: int) -> Commits:
        """One of ``parts`` equal parts of them."""
        return replace(self, count=self.count // parts, changed_bytes=self.changed_bytes // parts)


@dataclass(frozen=True)
class DatabasePhases:
    """Work of one session of a database and its writers in each phase.

    Attributes:
        burst_bytes: size of a write while a file is laid out, and of a read while one is built.
        writes: number of writes under way at once while a file is laid out.
        batch_bytes: size of a write of the database writer.
    """

    cpu: Processor
    burst_bytes: int
    writes: int
    batch_bytes: int

    def format(self, size_bytes: int, target: Layer) -> Path:
        """Lay out a file of ``size_bytes``: each of the concurrent writes lays out an equal part."""
        part = IO("write", math.ceil(size_bytes / self.writes))
        branch = pieces(part, self.burst_bytes, target.path)
        return (Fork(*([branch] * self.writes)),)

    def script(self, commits: Commits, log: Layer, data: Layer) -> Path:
        """Run ``commits``; the blocks that they change are written in the background, a batch at a time."""
        redo = log.path(IO("write", commits.redo_bytes))
        transaction = (self.cpu.user(commits.user_s), *redo)
        batches = round(commits.changed_bytes / self.batch_bytes)
        transactions_per_batch, rest = divmod(commits.count, batches + 1)
        write = Fork((Hold(WRITER, *data.path(IO("write", self.batch_bytes))),), wait=False)
        interleaved = batches and transactions_per_batch
        return (
            *((Repeat(batches, Repeat(transactions_per_batch, *transaction), write),) if interleaved else ()),
            Repeat(transactions_per_batch + rest, *transaction),
        )

    def build(self, size_bytes: int, user_s_per_byte: float, written: float, source: Layer, target: Layer) -> Path:
        """Read ``size_bytes`` in bursts, process each, and write ``written`` bytes for each byte read."""

        def built(burst: IO) -> Path:
            return (
                *source.path(burst),
                self.cpu.user(burst.size_bytes * user_s_per_byte),
                *target.path(IO("write", round(burst.size_bytes * written))),
            )

        return pieces(IO("read", size_bytes), self.burst_bytes, built)
