"""The kind ``array cache`` of stack files: the cache of a disk array above any layers that hold its data.

I/O of a process ──> its pages: at random, or where its run goes on ──> the array (`cache.py`) ──> below

The cache is warm when the run begins, by look-ups before it. A flush does nothing: memory with batteries is as
safe as a disk; without them, each write reached the layer below before it was done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from models.io import FileIO, Op, PagedIO
from models.layer import FileLayer
from models.parts.array_cache.cache import CachedArray
from models.parts.array_cache.dirty_level import DirtyLevel
from models.parts.array_cache.prefetch import Prefetch
from models.parts.array_cache.write_back import WriteBack
from sim import (
    AddressSource,
    Cache,
    Closed,
    Delay,
    InputError,
    Lookup,
    Path,
    Repeat,
    Sequential,
    Station,
    Uniform,
    Zipf,
)
from sim.engine.model.policies import policy_names
from sim.engine.units import size_text
from sim.system.quantities import duration
from sim.system.settings import choice, count, flag, number, size
from sim.system.stack.kinds import FLUSH, Below

WARMING_ROUNDS = 8
"""Look-ups for each page of the cache before time 0."""

TICK_S = 1e-9
"""Resolution of the clock."""

AT_ONCE = 64
"""Random writes admitted at a time; admission takes time only if memory is full."""

PAGES, LEVEL = "pages", "level"
"""What is followed of the memory."""

LEAST_PAGES = 8
"""Smallest dirty memory in pages, so that watermarks fit in."""


@dataclass(frozen=True)
class ArrayCache:
    """Controllers with memory. The defaults are those of a mid-range array of 2006 (CLARiiON's watermarks)."""

    memory: int = size(1 << 30, "size of the cache", low=1 << 20, high=1 << 42)
    data: int = size(10 << 30, "bytes that random I/Os address", low=1 << 20, high=1 << 50)
    skew: float = number(0.0, "exponent of the Zipf law of random I/Os; 0: uniform", high=3.0)
    page: int = size(8192, "size of a page", low=512, high=1 << 20)
    policy: str = choice("lru", "rule for the pages that stay", policy_names())
    dirty: float = number(0.4, "share of the memory that may be dirty; assumed", low=0.01, high=1.0)
    low: float = number(
        0.6, "low watermark: share of the dirty limit at which destaging stops", low=0.0, high=0.99
    )
    high: float = number(
        0.8, "high watermark: share of the dirty limit at which destaging begins", low=0.01, high=1.0
    )
    chunk: int = size(64 * 1024, "size of a destaging write")
    destagers: int = count(32, "destaging writes in parallel", high=4096)
    ahead: int = size(1 << 20, "bytes prefetched ahead of a sequential run", low=0)
    controllers: int = count(2, "storage processors", high=64)
    controller: float = duration(50e-6, "time of a storage processor for an I/O; assumed: 20,000 a second each")
    followed: str = choice(
        PAGES,
        "pages: which are in memory and which are dirty; level: only how many, for hours and for large memories",
        (PAGES, LEVEL),
    )
    battery: bool = flag("no: each write goes below before it is acknowledged", default=True)

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A flush, which does nothing."""
        return (FLUSH,)

    def layer(self, name: str, below: Below) -> PagedFiles:
        """The array above ``below``.

        Raises:
            InputError: the watermarks are in the wrong order, or a level is followed under a skewed load.
        """
        if self.low >= self.high:
            raise InputError(f"low is {self.low:g} and high {self.high:g}; the low watermark lies below the other")
        pages = max(1, self.memory // self.page)
        dirty = max(LEAST_PAGES, int(pages * self.dirty))
        write_back: WriteBack | DirtyLevel = WriteBack.of(
            dirty, low=self.low, high=self.high, destagers=self.destagers, chunk_bytes=self.chunk, name=f"{name} "
        )
        if self.followed == LEVEL:
            if self.skew:
                raise InputError(
                    f"skew is {self.skew:g}, and a level tells nothing of pages; give skew = 0 or followed = pages"
                )
            extent = max(1, self.data // self.page)
            write_back = DirtyLevel(write_back.dirty, write_back.destagers, self.chunk, extent)
        return PagedFiles(
            self,
            name,
            Station(f"{name} controllers", self.controllers),
            Cache(f"{name} pages", pages, self.policy) if self.followed == PAGES else None,
            write_back if self.battery else None,
            below(""),
        )


@dataclass(frozen=True)
class LayerBelow:
    """Layer below the cache, for I/Os like ``io``."""

    below: FileLayer
    io: FileIO

    def read(self, size_bytes: int) -> Path:
        """Read for the cache: the bytes alone."""
        return self._asked("read", size_bytes)

    def written(self, size_bytes: int, *, behind: bool) -> Path:  # noqa: ARG002  (the layer below sorts)
        """Write durably: volatile memory below would not be safe."""
        return self._asked("write", size_bytes)

    def _asked(self, op: Op, size_bytes: int) -> Path:
        return self.below.path(replace(self.io, op=op, size_bytes=size_bytes, durable="no", synced="no"))


@dataclass(frozen=True)
class PagedFiles:
    """I/Os of files as paged I/Os of the array; ``name`` is the prefix of place names.

    Attributes:
        asked: I/Os seen so far, each with its view of the array.
    """

    kind: ArrayCache
    name: str
    controllers: Station
    cache: Cache | None
    write_back: WriteBack | DirtyLevel | None
    below: FileLayer
    asked: dict[PagedIO, CachedArray] = field(default_factory=dict, compare=False)

    def path(self, io: FileIO) -> Path:
        """One I/O.

        Raises:
            InputError: a write is larger than the room above the high watermark.
        """
        if io.op == "flush":
            return ()
        paged = self._paged(io)
        dirty = self.write_back.dirty if self.write_back else None
        if io.op == "write" and dirty and paged.pages > dirty.capacity - dirty.high:
            raise InputError(
                f"a write of {size_text(io.size_bytes)} finds no room above the high watermark of "
                f"{size_text(dirty.capacity * self.kind.page)} of dirty memory; give more memory, or a lower high"
            )
        ahead = self.kind.ahead // io.size_bytes if io.sequential else 0
        array = CachedArray(
            self.controllers,
            self.kind.controller,
            self.cache,
            Prefetch(ahead),
            self.write_back,
            LayerBelow(self.below, io),
            hits=min(1.0, self.kind.memory / self.kind.data),
        )
        self.asked.setdefault(paged, array)
        return array.path(paged)

    def background(self) -> Iterator[Closed]:
        """Background workloads of the array, and the look-ups that warm its cache."""
        for paged, array in self.asked.items():
            yield from array.behind(paged)
        if self.cache and any(not paged.sequential and paged.op == "read" for paged in self.asked):
            look_ups = Repeat(WARMING_ROUNDS * self.cache.capacity, Lookup(self.cache, self._random))
            yield Closed(f"{self.name} warming", clients=1, path=[look_ups, Delay(TICK_S)], stop_s=TICK_S)

    @property
    def _extent(self) -> int:
        return max(1, self.kind.data // self.kind.page)

    @property
    def _random(self) -> AddressSource:
        return Zipf(self._extent, self.kind.skew) if self.kind.skew else Uniform(self._extent)

    def _paged(self, io: FileIO) -> PagedIO:
        """The I/O on pages: runs of processes lie one after the other, random I/Os are one stream."""
        pages = max(1, -(-io.size_bytes // self.kind.page))
        run = Sequential(self._extent, (1 + io.process_of_all) * self._extent)
        stream = f"{io.op}s of process {io.process_of_all}" if io.sequential else f"{io.op}s at random"
        return PagedIO(
            io.op,
            io.size_bytes,
            run if io.sequential else self._random,
            pages,
            sequential=io.sequential,
            stream=f"{self.name} {stream}",
            clients=1 if io.sequential else AT_ONCE,
        )
