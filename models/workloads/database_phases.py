"""What a database does while it is created, filled and indexed, as seen from its files.

format      new file:  write a burst ──> again, until the file is laid out;  several at once
script      [user time] ──> commit: wake the log writer, write redo ──> again;  the database writer behind it
build       read a burst ──> [user time] sort ──> write what comes of it ──> again
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.host.processor import Processor
from models.io import IO
from models.layer import Layer
from models.paths import pieces
from sim import Delay, Fork, Hold, Path, Pool, Repeat

WRITER = Pool("database writer")


@dataclass(frozen=True)
class Commits:
    """Transactions, one after the other.

    Attributes:
        count: how many.
        user_s: processor time of one.
        redo_bytes: that the commit of one writes.
        changed_bytes: of blocks that the database writer writes meanwhile, for all of them.
    """

    count: int
    user_s: float
    redo_bytes: int
    changed_bytes: int


@dataclass(frozen=True)
class Session:
    """One session of the database, and its writers.

    Attributes:
        commit_s: to wake the log writer and be woken by it; no processor time of the session.
        burst_bytes: of one write while a file is laid out; read, and worked on, at a time while one is built.
        writes: under way at once while a file is laid out.
        batch_bytes: what the database writer writes at a time.
    """

    cpu: Processor
    commit_s: float
    burst_bytes: int
    writes: int
    batch_bytes: int

    def format(self, size_bytes: int, target: Layer) -> Path:
        """Lay out ``size_bytes``, an equal part by each write that is under way."""
        part = IO("write", math.ceil(size_bytes / self.writes))
        branch = pieces(part, self.burst_bytes, target.path)
        return (Fork(*([branch] * self.writes)),)

    def script(self, commits: Commits, log: Layer, data: Layer) -> Path:
        """Transactions; the blocks that they change are written behind them, a batch at a time."""
        redo = log.path(IO("write", commits.redo_bytes))
        one = (self.cpu.user(commits.user_s), Delay(self.commit_s), *redo)
        batches = round(commits.changed_bytes / self.batch_bytes)
        between, rest = divmod(commits.count, batches + 1)
        behind = Fork(self._batch(data), wait=False)
        return (
            *((Repeat(batches, Repeat(between, *one), behind),) if batches and between else ()),
            Repeat(between + rest, *one),
        )

    def build(self, size_bytes: int, user_s_per_byte: float, written: float, source: Layer, target: Layer) -> Path:
        """Read ``size_bytes``, work on them, write ``written`` bytes for each of them."""

        def built(burst: IO) -> Path:
            return (
                *source.path(burst),
                self.cpu.user(burst.size_bytes * user_s_per_byte),
                *target.path(IO("write", round(burst.size_bytes * written))),
            )

        return pieces(IO("read", size_bytes), self.burst_bytes, built)

    def _batch(self, data: Layer) -> Path:
        return (Hold(WRITER, *data.path(IO("write", self.batch_bytes))),)
