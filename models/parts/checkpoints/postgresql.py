"""Checkpoints of PostgreSQL: pages that transactions change, their images in the log, their way to the device.

transaction  page in shared buffers? no: evict one, read it, from the page cache or below ──> work
             ──> first change since the checkpoint began: its image into the [log] ──> record ──> commit
checkpoint   the [log] since the last one reached its limit, or checkpoint_timeout is over ──> the last one is done
             ──> dirty pages are [to write] ──> a share of them whenever the log, or the clock, is a share further
             ──> sync ──> done

Of pages with popularities pᵢ, n changes touch

    D(n) = Σ 1 − (1 − pᵢ)ⁿ        (1)

so a change takes an image with the chance dD/dn: 1 when a checkpoint begins, and the less the more are touched.
The chance is constant between some levels of D, at each of which D is exact (`first_touches`). The log of n
transactions has n · record + D(n) · image bytes, and a checkpoint is due once it has

    W = ⌊max_wal_size / (16 MiB · (1 + completion))⌋ · 16 MiB        (2)

(CalculateCheckpointSegments, XLogCheckpointNeeded in src/backend/access/transam/xlog.c). A share x of its pages is
written once the log has grown by x · completion · W, or x · completion · timeout is over (IsCheckpointOnSchedule
in src/backend/postmaster/checkpointer.c). If the device is slower, the checkpointer does not pause, and the next
checkpoint begins as soon as this one is done.

Each flush writes the page of the log that the last one left partly filled again, so n transactions with i images
between two flushes are one page and (n · record + i · image) / 8 KiB pages.

A miss takes the place of the page that was used least recently. If that one is dirty, the background writer has
written it to the page cache (up to bgwriter_lru_maxpages each bgwriter_delay, 500 pages a second) and starts its
writing to the device by 512 KiB (bgwriter_flush_after); what is left reaches the device with the sync of the next
checkpoint. Pages to write are the oldest, and are evicted first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import ClassVar

from models.io import FileIO
from models.parts.checkpoints.levels import BASE, FLUSHED_PAGES, Levels, by_chance, emptied
from models.parts.host.memory import CopyingCores
from models.parts.host.messages import MessageCores
from models.parts.leader_commit import Commits, LeaderCommit
from models.popularity import zipf
from sim import Choose, Closed, Delay, Fork, IfAny, Path, Put, Repeat, Take
from sim.system.quantities import duration
from sim.system.settings import number, size
from sim.system.stack.kinds import Below

PAGE_BYTES, SEGMENT_BYTES = 8192, 16 << 20
"""Defaults of PostgreSQL: BLCKSZ, also XLOG_BLCKSZ of the log, and wal_segment_size."""

CLEANED_PAGES, CLEANED_PER_S = 64, 500.0
"""Pages that the background writer writes at a time and in a second (bgwriter_flush_after, _lru_maxpages)."""

SHARES = BASE
"""Shares of a checkpoint's pages, each for some 1.5 % of its time; the base of lumps, so that shares are whole."""

_LEAST, _LARGEST, _MOST_PAGES = 16 << 20, 1 << 50, 1 << 12


@dataclass(frozen=True)
class Checkpoints(Commits):
    """Transactions of PostgreSQL that change a page each, besides pages that all change, and its checkpoints.

    A transaction is a durable write of the load; other I/Os pass through.
    """

    database: ClassVar[str] = "postgresql"  # type: ignore[misc]
    data: int = size(1 << 30, "tables whose pages transactions change", low=_LEAST, high=_LARGEST)
    zipf: float = number(0.0, "exponent of Zipf's law for the popularity of pages; 0: all alike", high=3.0)
    shared_buffers: int = size(128 << 20, "pages in memory of PostgreSQL", low=_LEAST, high=_LARGEST)
    page_cache: int = size(8 << 30, "memory of the operating system for files", low=0, high=_LARGEST)
    page_cpu: float = duration(5e-6, "core time to move a page between shared buffers and page cache; assumed")
    record: int = size(600, "bytes of the log for a transaction, without images", high=1 << 20)
    image: int = size(
        PAGE_BYTES, "bytes of an image in the log; 0: full_page_writes = off", low=0, high=PAGE_BYTES
    )
    image_cpu: float = duration(5e-6, "core time of an image: it is copied, and its checksum computed; assumed")
    max_wal_size: int = size(1 << 30, "max_wal_size", low=2 * SEGMENT_BYTES, high=_LARGEST)
    checkpoint_timeout: float = duration(300.0, "checkpoint_timeout", low=1.0)
    completion: float = number(0.9, "checkpoint_completion_target", low=0.01)

    def layer(self, name: str, below: Below) -> CheckpointedCommit:
        """The database above ``below``."""
        return CheckpointedCommit(self, name, below(""))

    @property
    def due_bytes(self) -> int:
        """Log after which a checkpoint is due: equation 2."""
        return max(1, int(self.max_wal_size / SEGMENT_BYTES / (1.0 + self.completion))) * SEGMENT_BYTES

    @property
    def due_shares(self) -> int:
        """Shares of a checkpoint in that log."""
        return round(SHARES / self.completion)

    @property
    def share_bytes(self) -> int:
        """Log after which a checkpoint has to have written one more share of its pages."""
        return max(1, self.due_bytes // self.due_shares)

    @property
    def page_of_log(self) -> int:
        """Bytes in which the log is written: an image, or as many of records."""
        return self.image or PAGE_BYTES

    @property
    def pool_pages(self) -> int:
        """Pages of the data that fit into shared buffers."""
        return min(self.shared_buffers, self.data) // PAGE_BYTES

    @property
    def missed(self) -> float:
        """Share of changes whose page is not in shared buffers."""
        return self._missed_by(self.shared_buffers)

    @property
    def read(self) -> float:
        """Share of these misses that are not in the page cache either."""
        return self._missed_by(max(self.shared_buffers, self.page_cache)) / self.missed

    def _missed_by(self, memory: int) -> float:
        pages = self.data // PAGE_BYTES
        return 0.0 if memory >= self.data else 1.0 - _hit_ratio(pages, self.zipf, memory // PAGE_BYTES)


@cache
def _hit_ratio(pages: int, exponent: float, pool_pages: int) -> float:
    return zipf(pages, exponent).hit_ratio(pool_pages)


@dataclass(frozen=True)
class CheckpointedCommit(LeaderCommit):
    """Sessions that change pages and commit, and the checkpointer.

    Attributes:
        changes: steps of a change of a page, by the cores on which they run; they are many, so made once.
    """

    commits: Checkpoints
    changes: dict[CopyingCores | MessageCores, Path] = field(default_factory=dict, compare=False)

    def path(self, io: FileIO) -> Path:
        """A transaction: its page is read unless it is in memory, then come its work and its commit."""
        passes = io.op != "write" or io.durable == "no"
        return super().path(io) if passes else (*self._read(io), *super().path(io))

    def background(self) -> Iterator[Closed]:
        """The checkpointer: when a checkpoint begins, how far it should be, and what it writes."""
        yield from super().background()
        for io in self.asked:
            paths = {
                "begins": self._begins(),
                "log": self._log_is_further(),
                "clock": self._clock_is_further(),
                "share": self._share_is_granted(),
                "writes": self._writes(io),
            }
            for what, path in paths.items():
                yield Closed(f"{self.name} checkpoint {what}", 1, path, group="checkpointer")
            if self.commits.missed:
                yield Closed(f"{self.name} background writer", 1, self._evicted(io), group="background writer")

    @cached_property
    def _levels(self) -> Levels:
        kind = self.commits
        grown = min(kind.due_shares - 1, SEGMENT_BYTES // 2 // kind.share_bytes)  # it began within a segment
        return Levels.of(self.name, kind.data // PAGE_BYTES, kind.pool_pages, kind.share_bytes, grown)

    def _read(self, io: FileIO) -> Path:
        kind = self.commits
        if not kind.missed:
            return ()
        below = self.below.path(replace(io, op="read", size_bytes=PAGE_BYTES, sequential=False, durable="no"))
        read = (Choose((kind.read, below), (1.0 - kind.read, ())), *self._cores(io).kernel(kind.page_cpu))
        return (Choose((kind.missed, read), (1.0 - kind.missed, ())),)

    def _commit(self, io: FileIO) -> Path:
        """Before it commits, a transaction logs its change, and perhaps an image of the page."""
        cores = self._cores(io)
        if cores not in self.changes:
            self.changes[cores] = self._changed(cores)
        return (*self.changes[cores], *super()._commit(io))

    def _changed(self, cores: CopyingCores | MessageCores) -> Path:
        kind, levels = self.commits, self._levels
        image: Path = (Put(levels.touched),)
        if kind.image:
            image += (*cores.kernel(kind.image_cpu), Put(levels.pages), *self._logged(kind.image))
        # A page that becomes dirty takes the place of a clean one; else that of a dirty one, if it was missed.
        clean = (Put(levels.dirty), Put(levels.fresh))
        oldest = IfAny(levels.to_write, (Take(levels.to_write), Put(levels.fresh)))
        evicted = (
            *cores.kernel(kind.page_cpu),
            *by_chance(levels.evicted, kind.zipf, (Put(levels.evicted),)),
        )
        dirty = (Choose((kind.missed, (*evicted, oldest)), (1.0 - kind.missed, ())),) if kind.missed else ()
        return (
            *by_chance(levels.touched, kind.zipf, image),
            *by_chance(levels.dirty, kind.zipf, clean, dirty),
            *self._logged(kind.record),
            *self._recorded(),
        )

    def _recorded(self) -> Path:
        """The record fills pages of the log, whole ones and a part of one."""
        levels, page = self._levels, self.commits.page_of_log
        whole, rest = divmod(self.commits.record, page)
        full = IfAny(levels.records, (Take(levels.records, page), Put(levels.pages)), least=page)
        return (
            *((Put(levels.pages, whole),) if whole else ()),
            *((Put(levels.records, rest), full) if rest else ()),
        )

    def _logged(self, size_bytes: int) -> Path:
        return (Put(self._levels.paced, size_bytes),)

    def _written(self, io: FileIO) -> Path:
        """The log of a batch: the last page, and a write for each power of two in the number of further ones."""

        def pages(number: int) -> Path:
            size_bytes = number * self.commits.page_of_log
            return self.below.path(
                replace(io, size_bytes=size_bytes, sequential=True, durable="no", synced=io.durable)
            )

        each = 2 + self.commits.record // self.commits.page_of_log
        most = each * io.processes if self.commits.synchronous_commit == "on" else _MOST_PAGES
        return (*super()._written(io), *emptied(self._levels.pages, pages, base=2, most=most))

    @property
    def _is_due(self) -> Path:
        return (IfAny(self._levels.due, (), Put(self._levels.due)),)

    def _begins(self) -> Path:
        """A checkpoint: its timer starts with it, and only the timer of the latest one counts."""
        levels = self._levels
        late = (
            Delay(self.commits.checkpoint_timeout),
            Take(levels.timers),
            IfAny(levels.timers, (), self._is_due),
        )
        counted = (
            levels.log,
            levels.touched,
            levels.log_ahead,
            levels.time_ahead,
            levels.go,
            levels.share,
            levels.odd,
            levels.granted,
        )

        def scheduled(writes: int) -> Path:
            shares = Put(levels.share, writes // SHARES) if writes >= SHARES else Put(levels.odd, writes)
            return (Put(levels.to_write, writes * FLUSHED_PAGES), shares)

        return (
            Put(levels.timers),
            Fork(late, wait=False),
            Take(levels.due),
            Take(levels.done),
            IfAny(levels.due, Take(levels.due)),
            *(step for level in counted for step in emptied(level)),
            *emptied(levels.fresh, scheduled, unit=FLUSHED_PAGES),
            IfAny(levels.to_write, Put(levels.running), Put(levels.done)),
        )

    def _log_is_further(self) -> Path:
        """The log has grown by a share; the checkpoint may go on, unless the clock was faster; one may be due."""
        levels = self._levels
        return (
            Take(levels.paced, self.commits.share_bytes),
            IfAny(levels.time_ahead, Take(levels.time_ahead), (Put(levels.log_ahead), Put(levels.go))),
            Put(levels.log),
            IfAny(levels.log, self._is_due, least=self.commits.due_shares),
        )

    def _clock_is_further(self) -> Path:
        """A share of the time is over; the checkpoint may go on, unless the log was faster."""
        levels = self._levels
        return (
            Delay(self.commits.completion * self.commits.checkpoint_timeout / SHARES),
            IfAny(levels.log_ahead, Take(levels.log_ahead), (Put(levels.time_ahead), Put(levels.go))),
        )

    def _share_is_granted(self) -> Path:
        levels = self._levels
        return (
            Take(levels.go),
            IfAny(levels.odd, (Take(levels.odd), Put(levels.granted))),
            *emptied(levels.share, lambda writes: (Put(levels.granted, writes), Put(levels.spent, writes))),
            *emptied(levels.spent, lambda writes: (Put(levels.share, writes),)),
        )

    def _writes(self, io: FileIO) -> Path:
        """Write the next pages; after the last ones comes the sync."""
        levels, cores, page_cpu = self._levels, self._cores(io), self.commits.page_cpu
        page = self._page_written(io, 1)
        many = (
            Take(levels.to_write, FLUSHED_PAGES),
            Take(levels.dirty, FLUSHED_PAGES),
            *cores.kernel(FLUSHED_PAGES * page_cpu),
            Fork(*(page for _ in range(FLUSHED_PAGES))),
        )
        one = IfAny(levels.to_write, (Take(levels.to_write), Take(levels.dirty), *cores.kernel(page_cpu), *page))
        synced = (Take(levels.running), *self._synced(io), Put(levels.done))
        return (
            Take(levels.granted),
            IfAny(levels.to_write, many, Repeat(FLUSHED_PAGES - 1, one), least=FLUSHED_PAGES),
            IfAny(levels.to_write, (), IfAny(levels.running, synced)),
        )

    def _evicted(self, io: FileIO) -> Path:
        """Write some evicted pages, which takes their time at least."""
        pages = (self._page_written(io, 1) for _ in range(CLEANED_PAGES))
        return (
            Take(self._levels.evicted, CLEANED_PAGES),
            Fork((Delay(CLEANED_PAGES / CLEANED_PER_S),), *pages),
        )

    def _synced(self, io: FileIO) -> Path:
        """Evicted pages go to the device, then the flush."""
        flush = self.below.path(replace(io, op="flush", size_bytes=0, synced=io.durable))
        evicted = emptied(self._levels.evicted, lambda pages: self._page_written(io, pages))
        return (*(evicted if self.commits.missed else ()), *flush)

    def _page_written(self, io: FileIO, pages: int) -> Path:
        return self.below.path(
            replace(io, size_bytes=pages * PAGE_BYTES, sequential=False, durable="no", synced=io.durable)
        )
