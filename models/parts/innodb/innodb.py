"""InnoDB: a buffer pool over the data, dirty pages that are flushed, and the redo log that they hold up.

    transaction ──> page accesses, one after the other: in the pool? no: evict a page ──> read one, below
                                       evicted dirty: into [lru flush], full of them: wait
                ──> its changes make pages dirty: into [checkpoint age] (full: sync flush, wait)
                ──> commit, below
    LRU flush   ──> take a batch of [lru flush] ──> write it
    page cleaner──> take a batch of [checkpoint age] ──> adaptive flushing: not before its time ──> write it
    write it    ──> doublewrite: the whole batch as one sequential write ──> flush ──> its pages at once ──> flush

The checkpoint is fuzzy: it is as old as the oldest change that only memory has. Its age grows by the redo of each
transaction and shrinks as the oldest dirty page is flushed; so it is counted in pages that are to be flushed, each
of which stands for the redo between its first change and the next page's. Below a tenth of the capacity nothing
is flushed; above, the page cleaner flushes so many pages a second:

    rate = 4/3 io_capacity_max a^1.5, and io_capacity_max at most        (1)

where a is the age over that at which asynchronous flushing is due, 7/8 of the log. At 15/16 of it transactions
wait, and pages are flushed as fast as the device takes them (MySQL 5.7: af_get_pct_for_lsn in
storage/innobase/buf/buf0flu.cc, log_calc_max_ages in storage/innobase/log/log0log.cc; MySQL 8.4 reference manual,
"InnoDB Checkpoints", "Configuring Buffer Pool Flushing", "Doublewrite Buffer").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from models.io import FileIO, Op
from models.layer import FileLayer
from models.parts.innodb.pages import Pool
from models.paths import maybe
from models.popularity import Popularity, uniform, zipf
from models.tpcc import tpcc
from sim import Buffer, Closed, Delay, Fork, IfAny, InputError, Path, Put, Repeat, Step, Take
from sim.system.quantities import rate
from sim.system.settings import choice, count, flag, number, size
from sim.system.stack.kinds import Below

ASYNC, SYNC, LOW_WATER = 7 / 8, 15 / 16, 0.1
"""Ages of the checkpoint over the redo capacity: LOG_POOL_PREFLUSH_RATIO_ASYNC and _SYNC of log0log.cc, and the
default of innodb_adaptive_flushing_lwm."""

RUNGS = 10
"""Steps in which flushing speeds up with the age, and misses become fewer while the pool fills."""

SETTLED_BATCHES = 12
"""Batches of checkpoint age where only the long run matters: flows balance at any size, soon at a small one."""


RARE = 0.02
"""Share of the other kind of page writes below which one kind is not told apart."""

LRU_SCAN_DEPTH = 1024
"""Pages that are free before the LRU flush falls behind: innodb_lru_scan_depth."""

_ANY_NUMBER = 1 << 20


@dataclass(frozen=True)
class InnoDB:
    """Durable writes of the load as transactions: page accesses, redo, commit; other I/Os pass through.

    Put `commits` with ``database = "mysql"`` below. Pages that are accessed are independent of each other.
    """

    resizes = True
    data: int = size(100 << 30, "all pages of tables and indexes", low=1 << 20, high=1 << 50)
    pool: int = size(10 << 30, "innodb_buffer_pool_size", low=1 << 20, high=1 << 50)
    page: int = size(16 << 10, "innodb_page_size", low=4096, high=65536)
    popular: str = choice(
        "zipf",
        "which pages are accessed: zipf with ``exponent``, each alike, or those of TPC-C",
        ("zipf", "uniform", "tpcc"),
    )
    exponent: float = number(0.8, "of Zipf's law: page k is accessed in proportion to 1 / k^exponent", high=3.0)
    accesses: int = count(20, "page accesses of a transaction, one after the other; assumed", high=10_000)
    changed: float = number(0.4, "share of them that change the page; assumed", low=0.001, high=1.0)
    redo: int = size(4096, "bytes of redo of a transaction; assumed", low=64)
    redo_capacity: int = size(1 << 30, "innodb_redo_log_capacity", low=8 << 20, high=1 << 45)
    io_capacity_max: float = rate(2000.0, "pages a second up to which adaptive flushing goes")
    doublewrite: bool = flag("innodb_doublewrite: a batch is written twice, first as a whole", default=True)
    batch: int = count(120, "pages that are flushed at once (srv_doublewrite_batch_size)", high=1024)
    cleaners: int = count(4, "threads that flush (innodb_page_cleaners)", high=64)
    start: str = choice(
        "settled",
        "settled: the long run; cold: from an empty pool and an empty redo log on; empty-log: with a full pool",
        ("settled", "cold", "empty-log"),
    )

    def layer(self, name: str, below: Below) -> Transactions:
        """The buffer pool above ``below``.

        Raises:
            InputError: the pool has fewer than 64 pages.
        """
        if self.pool < 64 * self.page:
            raise InputError(f"pool is {self.pool} bytes; allowed: at least 64 pages, {64 * self.page} bytes")
        return Transactions(self, name, below(""))

    @cached_property
    def in_long_run(self) -> Pool:
        """Misses and writes of pages, with a checkpoint at 7/8 of the redo log."""
        window = ASYNC * self.redo_capacity / self.redo * self.accesses
        return Pool(self._popularity(), self.pool / self.page, self.changed, window)

    @cached_property
    def written(self) -> tuple[float, float]:
        """Pages of a transaction that are evicted dirty, and that are flushed for the checkpoint.

        Either kind is none if it is rare, and counted with the other: its level would take for ever to settle.
        """
        pool = self.in_long_run
        evicted, flushed = self.accesses * pool.evicted_dirty, self.accesses * pool.checkpointed
        if evicted < RARE * flushed:
            return 0.0, evicted + flushed
        return (evicted + flushed, 0.0) if flushed < RARE * evicted else (evicted, flushed)

    def _popularity(self) -> Popularity:
        if self.popular == "tpcc":
            return tpcc(self.data, self.page)
        pages = self.data / self.page
        return uniform(pages) if self.popular == "uniform" else zipf(pages, self.exponent)


@dataclass(frozen=True)
class Transactions:
    """The buffer pool and the page cleaners.

    Attributes:
        asked: the first transaction, if any: without one nothing is flushed.
    """

    kind: InnoDB
    name: str
    below: FileLayer
    asked: list[FileIO] = field(default_factory=list, compare=False)

    def path(self, io: FileIO) -> Path:
        """A transaction, if ``io`` must be durable when it returns."""
        if io.op != "write" or io.durable == "no":
            return self.below.path(io)
        self.asked[:] = [io]
        read = self.below.path(self._page(io, "read"))
        return (Repeat(self.kind.accesses, *self._access(read)), *self._dirtied(), *self.below.path(io))

    def background(self) -> Iterator[Closed]:
        """The threads that flush; those without work are left out."""
        if not self.asked:
            return
        batch = self._batch(self.asked[0])
        evicted, flushed = self.kind.written
        if flushed:
            yield self._cleaner(
                "page cleaner", (Take(self._age, self.kind.batch), Fork(_ladder(self._age, self._pauses()), batch))
            )
        if evicted:
            yield self._cleaner("LRU flush", (Take(self._evicted, self.kind.batch), *batch))

    def _cleaner(self, what: str, path: Path) -> Closed:
        return Closed(f"{self.name} {what}", self.kind.cleaners, path, group=what)

    def _access(self, read: Path) -> Path:
        """One page access; ``read`` is that of a page that is missed."""
        pool = self.kind.in_long_run
        dirty = self.kind.written[0] / (self.kind.accesses * pool.missed) if pool.missed else 0.0
        evict = _sometimes(dirty, Put(self._evicted, 1))
        if self.kind.start != "cold":
            return _sometimes(pool.missed, *evict, *read)
        begins, rungs, enter = 0, [], Put(self._filled, 1)
        for level, missed in pool.filling(RUNGS):
            rungs.append((begins, _sometimes(missed, enter, *read)))
            begins = math.ceil(level)
        replaced = (Take(self._filled, 1), enter)
        full = _sometimes(pool.missed, *replaced, *evict, *read) or replaced
        return _ladder(self._filled, [*rungs, (begins, full)])

    def _dirtied(self) -> Path:
        """Pages of a transaction that the checkpoint will wait for."""
        whole, rest = divmod(self.kind.written[1], 1.0)
        put = Put(self._age, 1)
        return (*((Repeat(int(whole), put),) if whole else ()), *_sometimes(rest, put))

    def _pauses(self) -> list[tuple[int, Path]]:
        """(age, pause of a thread for a batch): equation 1 in the middle of each rung, and none at the last."""
        pauses, high = [], self._age.capacity * ASYNC / SYNC
        for rung in range(RUNGS):
            low, middle = (LOW_WATER + (1.0 - LOW_WATER) * (rung + half) / RUNGS for half in (0.0, 0.5))
            pages = self.kind.io_capacity_max * min(1.0, 4.0 / 3.0 * middle**1.5)
            pause: Path = (Delay(self.kind.cleaners * self.kind.batch / pages),)
            pauses.append((math.ceil(low * high), pause))
        return [*pauses, (self._age.capacity - self.kind.batch, ())]

    def _batch(self, io: FileIO) -> Path:
        """Write a batch of pages."""
        page, flush = self._page(io, "write"), replace(io, op="flush", size_bytes=0, synced=io.durable)
        flushed = self.below.path(flush)
        whole = replace(page, size_bytes=self.kind.batch * self.kind.page, sequential=True)
        first = (*self.below.path(whole), *flushed) if self.kind.doublewrite else ()
        return (*first, Fork(*[self.below.path(page)] * self.kind.batch), *flushed)

    def _page(self, io: FileIO, op: Op) -> FileIO:
        page = self.kind.page
        return replace(
            io,
            op=op,
            size_bytes=page,
            sequential=False,
            aligned_bytes=page & -page,
            durable="no",
            synced=io.durable,
        )

    @property
    def _age(self) -> Buffer:
        """Pages to be flushed before the checkpoint may move on; in the long run their number does not matter."""
        kind = self.kind
        pages = SETTLED_BATCHES * kind.batch * kind.cleaners
        if kind.start != "settled":
            pages = max(pages, round(kind.written[1] * SYNC * kind.redo_capacity / kind.redo))
        low = round(LOW_WATER * pages * ASYNC / SYNC)
        return Buffer(f"{self.name} checkpoint age", pages, low=low, high=low + kind.batch)

    @property
    def _evicted(self) -> Buffer:
        return Buffer(f"{self.name} LRU flush", max(LRU_SCAN_DEPTH, 2 * self.kind.batch))

    @property
    def _filled(self) -> Buffer:
        """Pages in the pool; there is room for more, as several transactions may see it almost full."""
        room = round(self.kind.pool / self.kind.page) + _ANY_NUMBER
        return Buffer(f"{self.name} pages in the pool", room, role="internal")


def _sometimes(probability: float, *steps: Step) -> Path:
    """``steps`` with this probability; nothing, or all of them, where it is certain."""
    if probability <= 0.0 or not steps:
        return ()
    return (maybe(probability, *steps),) if probability < 1.0 else steps


def _ladder(level: Buffer, rungs: Sequence[tuple[int, Path]]) -> Path:
    """The last of ``rungs``, (level from which on, path), that the level has reached; the first if it is none."""
    path = rungs[0][1]
    for least, reached in rungs[1:]:
        path = (IfAny(level, reached, path, least=least),)
    return path
