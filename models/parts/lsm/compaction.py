"""Background work of a log-structured merge tree: flushes of memtables, and merges of levels.

flush    take [full memtable] ──> write a file ──> [level 0], room in [memtables] ──> look
merger   look ──> the level that exceeds its target by the largest factor, if nobody merges it
         ──> merge ──> the next level ──> look

Level 0 is merged as a whole, together with all of level 1, as its files overlap with everything; so nobody merges
level 1 meanwhile. A merge reads, merges on a core and writes chunk by chunk, all three at once: it reads ahead and
writes behind. Files that a merge replaces count until it ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.parts.lsm.tree import Tree
from sim import Buffer, Closed, Fork, Hold, IfAny, Lock, Path, Put, Repeat, Station, Take, Use

SCORES = (8.0, 5.0, 3.5, 2.5, 2.0, 1.5, 1.25, 1.0)
"""Factors by which a level exceeds its target, of those that are told apart."""


@dataclass(frozen=True)
class Files:
    """Reading, merging and writing of whole files.

    Attributes:
        file_bytes, chunk_bytes: bytes of a file, and of an I/O.
        cores: cores that merge, and their rate.
        limiter: rate limiter of background writes; its rate may be infinite.
        log_bytes: bytes of the log that reach the device for each file flushed.
    """

    file_bytes: int
    chunk_bytes: int
    cores: Station
    bytes_per_s: float
    limiter: Station
    limit_bytes_per_s: float
    log_bytes: int
    below: FileLayer

    def merged(self) -> Path:
        """A file is read, merged and written."""
        return self._moved("read", "write")

    def flushed(self) -> Path:
        """A memtable is written as a file, and its log."""
        logged = self._repeated(self.log_bytes, "write") if self.log_bytes else ()
        return (*logged, *self._moved("write"))

    def _moved(self, *ops: str) -> Path:
        chunk = min(self.chunk_bytes, self.file_bytes)
        work = Use(self.cores, chunk / self.bytes_per_s)
        return (Repeat(math.ceil(self.file_bytes / chunk), Fork((work,), *(self._io(op, chunk) for op in ops))),)

    def _repeated(self, size_bytes: int, op: str) -> Path:
        chunk = min(self.chunk_bytes, size_bytes)
        return (Repeat(math.ceil(size_bytes / chunk), *self.below.path(self._request(op, chunk))),)

    def _io(self, op: str, size_bytes: int) -> Path:
        limited: Path = ()
        if op == "write" and math.isfinite(self.limit_bytes_per_s):
            limited = (Use(self.limiter, size_bytes / self.limit_bytes_per_s),)
        return (*limited, *self.below.path(self._request(op, size_bytes)))

    @staticmethod
    def _request(op: str, size_bytes: int) -> FileIO:
        return FileIO(op, size_bytes, file=1, sequential=True)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Compaction:
    """The threads that flush and merge."""

    tree: Tree
    files: Files
    threads: int

    def background(self, full: Buffer, memtables: Buffer, pages: int) -> Iterator[Closed]:
        """One thread that flushes memtables of ``pages``, and those that merge levels."""
        name = self.tree.name
        flush = (
            Take(full, pages),
            *self.files.flushed(),
            *self.tree.flushed(),
            Take(memtables, pages),
            *self._look,
        )
        yield Closed(f"{name} flush", clients=1, path=flush, group="lsm flush")
        for thread in range(1, self.threads + 1):
            yield Closed(f"{name} merge {thread}", clients=1, path=self._merger(thread), group="lsm merge")

    @property
    def _look(self) -> Path:
        look = Buffer(f"{self.tree.name} look", 1, role="internal")
        return (IfAny(look, (), Put(look)),)

    def _merger(self, thread: int) -> Path:
        name, last = self.tree.name, len(self.tree.targets)
        chosen = [Buffer(f"{name} merge {thread} of level {n}", 1, role="internal") for n in range(last)]
        begun = Buffer(f"{name} merge {thread} begun", 1, role="internal")
        path: Path = (Take(Buffer(f"{name} look", 1, role="internal")),)
        free = [IfAny(self._lock(number), (), (Put(begun), Put(choice))) for number, choice in enumerate(chosen)]
        for score in SCORES:
            for number, begin in enumerate(free):
                level, least = self._exceeded(number, score)
                if least <= level.capacity:
                    path += (IfAny(begun, (), IfAny(level, begin, least=least)),)
        path += (IfAny(begun, (Take(begun), *self._look)),)  # for the other threads
        for number, choice in enumerate(chosen):
            work = self._from_first() if number == 0 else self._from_level(number)
            held = Hold(self._lock(number).exclusive, *work)
            path += (IfAny(choice, (Take(choice), held, *self._look)),)
        return path

    def _lock(self, number: int) -> Lock:
        """Held by who merges level ``number``; levels 0 and 1 go together."""
        return Lock(f"{self.tree.name} merge of level {max(1, number)}")

    def _exceeded(self, number: int, score: float) -> tuple[Buffer, int]:
        """The level, and how many files exceed its target ``score`` times."""
        if number == 0:
            return self.tree.first, math.ceil(score * self.tree.trigger)
        return self.tree.level(number), math.floor(score * self.tree.targets[number - 1]) + 1

    def _from_first(self) -> Path:
        """All files of level 0 there are, together with all of level 1."""
        tree, stop = self.tree, self.tree.stop
        left, done = (
            Buffer(f"{tree.name} level 0 {state}", stop, role="internal") for state in ("left", "merged")
        )
        first, level, merge = tree.first, tree.level(1), self.files.merged()
        install = Repeat(stop, IfAny(done, (Take(done), Take(first), *tree.arrived(1))))
        return (
            Repeat(stop, IfAny(tree.fresh, (Take(tree.fresh), Put(left)))),
            Repeat(stop, IfAny(left, (Take(left), *merge, Put(done)))),
            *(IfAny(level, merge, least=files) for files in range(1, level.capacity + 1)),
            *tree.merged((install,)),
        )

    def _from_level(self, number: int) -> Path:
        """A file of a level, together with those of the next one that overlap with it."""
        tree = self.tree
        install = (Take(tree.level(number)), *tree.arrived(number + 1))
        return (*tree.overlaps(number, self.files.merged()), *tree.merged(install))
