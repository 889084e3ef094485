"""What a database does while it is created, filled and indexed, as seen from its files.

format      new file:  write a burst ──> again, until the file is laid out
script      [user time] ──> commit: wake the log writer, write redo ──> again;  the database writer behind it
checkpoint  the database writer writes all changed blocks, waited for
build       read a burst ──> [user time] sort ──> write what comes of it ──> again
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.processor import Processor
from sim.places import Pool
from sim.steps import Delay, Fork, Hold, Path, Repeat

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
        burst_bytes: under way at once while a file is laid out, or read and sorted.
        batch_bytes: what the database writer writes at a time.
    """

    cpu: Processor
    commit_s: float
    burst_bytes: int
    batch_bytes: int

    def format(self, size_bytes: int, target: Layer) -> Path:
        """Lay out ``size_bytes``."""
        return tuple(Repeat(times, *target.path(burst)) for times, burst in self._bursts(size_bytes, "write"))

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

    def checkpoint(self, size_bytes: int, data: Layer) -> Path:
        """Write ``size_bytes`` of changed blocks, and wait for them."""
        batches = round(size_bytes / self.batch_bytes)
        return (Repeat(batches, *self._batch(data)),) if batches else ()

    def build(self, size_bytes: int, user_s_per_byte: float, written: float, source: Layer, target: Layer) -> Path:
        """Read ``size_bytes``, work on them, write ``written`` bytes for each of them."""
        return tuple(
            Repeat(
                times,
                *source.path(burst),
                self.cpu.user(burst.size_bytes * user_s_per_byte),
                *target.path(IO("write", round(burst.size_bytes * written))),
            )
            for times, burst in self._bursts(size_bytes, "read")
        )

    def _bursts(self, size_bytes: int, op: str) -> list[tuple[int, IO]]:
        return list(IO("read" if op == "read" else "write", size_bytes).split(self.burst_bytes))

    def _batch(self, data: Layer) -> Path:
        return (Hold(WRITER, *data.path(IO("write", self.batch_bytes))),)
