"""Dirty pages of a host as a level: writers run free, are paced and stop; flushers write above a threshold.

    write ──> above the midpoint?  take from [pace] ──> put into [dirty]: full: stop ──> done
              what was dirtied, lot by lot ──> [ages], and the oldest beyond the background threshold ──> [due]
    flusher   take from [due] ──> below ──> out of [dirty], and put into [pace] what writers may dirty for it

Thresholds and pace are those of Linux (balance_dirty_pages and pos_ratio_polynom of mm/page-writeback.c). Writers
run free up to the *midpoint*, (background + limit) / 2. Above it they may dirty

    1 + ((setpoint - dirty) / (limit - setpoint))³                                                        (1)

pages for each one written, where the setpoint is halfway between midpoint and limit: 2 at the midpoint, 1 at the
setpoint, at which the level stays, and none at the limit, where writers stop. The kernel estimates the rate of
storage; here each completion lets writers go on, so that the pace is always that of storage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from models.io import FileIO
from models.layer import FileLayer
from models.parts.page_cache.ages import Ages
from models.parts.page_cache.bands import by_level
from sim import Buffer, Choose, Closed, IfAny, Path, Put, Repeat, Step, Take

PAGE_BYTES = 4096

PACES = 8
"""Bands of the level above the midpoint, each with the pace of its middle by equation 1."""

GRAINS = 16
"""Parts of a page in which the pace is counted."""

SHARES = 16
"""Bands of the level, each with the probability of its middle that a random write finds its page dirty."""


@dataclass(frozen=True)
class DirtyPages:
    """Dirty pages of all files of one host; amounts are pages.

    Attributes:
        name: prefix of place names.
        background, limit: levels above which flushers write, and at which writers stop.
        cluster_bytes: size of a write by a flusher behind sequential writes.
        flushers: parallel writes of flushers.
        expire_s, period_s: age at which pages are due, and time between looks for them.
        data: pages that random writes choose from; 0: no page is written twice.
        behind: ages of dirty pages, and a piece of their write-back, by its pages.
    """

    name: str
    below: FileLayer
    background: int
    limit: int
    cluster_bytes: int
    flushers: int
    expire_s: float
    period_s: float
    data: int
    behind: dict[int, tuple[Ages, FileIO]] = field(default_factory=dict, compare=False)

    @cached_property
    def level(self) -> Buffer:
        """Dirty pages, with those that are being written."""
        return Buffer(f"{self.name} dirty", self.limit)

    @cached_property
    def cluster(self) -> int:
        """Pages of the largest write: what is under way fits twice between the threshold and the midpoint."""
        return max(1, min(self.cluster_bytes // PAGE_BYTES, (self.limit - self.background) // (4 * self.flushers)))

    @property
    def midpoint(self) -> int:
        """The level up to which writers run free."""
        return (self.background + self.limit) // 2

    def path(self, io: FileIO) -> Path:
        """A write that need not be durable."""
        dirtied = self.dirtied(io, self._ages(io).dirtied)
        return dirtied if io.sequential or not self.data else self._unless_dirty(dirtied)

    def dirtied(self, io: FileIO, noted: Callable[[int], Path]) -> Path:
        """Dirty the pages of ``io`` at the pace of storage; ``noted`` has further steps for some pages.

        A write that ends within a page shares it with the next.
        """
        steps: list[Step] = []
        for times, part in io.split(self.cluster * PAGE_BYTES):
            whole, rest = divmod(part.size_bytes, PAGE_BYTES)
            own = (*self._put(whole), *noted(whole)) if whole else ()
            share = rest / PAGE_BYTES
            shared = (Choose((share, (*self._put(1), *noted(1))), (1.0 - share, ())),) if rest else ()
            steps.append(Repeat(times, *own, *shared))
        return tuple(steps)

    def piece(self, io: FileIO) -> int:
        """Pages of a write by a flusher behind writes like ``io``."""
        return self.cluster if io.sequential else min(self.cluster, -(-io.size_bytes // PAGE_BYTES))

    def written(self, io: FileIO, pages: int, *after: Step) -> Path:
        """Write a piece of ``pages`` of a file of ``io`` below, and let writers go on."""
        piece = replace(io, size_bytes=pages * PAGE_BYTES, aligned_bytes=PAGE_BYTES)
        return (*self.below.path(piece), *after, self._granted(pages), Take(self.level, pages))

    def background_of(self, group: str) -> Iterator[Closed]:
        """The flushers, and what looks for old pages."""
        for pages, (ages, io) in self.behind.items():
            path = (Take(ages.due, pages), *self.written(io, pages))
            yield Closed(f"{ages.due.name}, written", clients=self.flushers, path=path, group=group)
            yield from ages.background(self.period_s, group)

    def _ages(self, io: FileIO) -> Ages:
        pages = self.piece(io)
        if pages not in self.behind:
            name = f"{self.name} in pieces of {pages * PAGE_BYTES} bytes"
            looks = max(1, math.ceil(self.expire_s / self.period_s))
            self.behind[pages] = Ages.of(name, self.background, self.limit, pages, looks), io
        return self.behind[pages][0]

    @cached_property
    def _pace(self) -> Buffer:
        """Grains that writers above the midpoint may dirty: for all that flushers may complete at a time."""
        few = 4 * GRAINS * self.cluster
        return Buffer(f"{self.name} pace of writers", max(few, few * self.flushers // 2), few, role="internal")

    def _put(self, pages: int) -> Path:
        paced = IfAny(self.level, Take(self._pace, GRAINS * pages), least=self.midpoint)
        return (paced, Put(self.level, pages))

    def _granted(self, pages: int) -> Step:
        """Let writers dirty pages for written ``pages``, by equation 1; below the midpoint a few in advance."""
        half = (self.limit - self.midpoint) / 2.0
        starts = [self.midpoint + round(2.0 * half * band / PACES) for band in range(PACES)]
        paces = [1.0 + (1.0 - (2.0 * band + 1.0) / PACES) ** 3 for band in range(PACES)]
        puts = [(Put(self._pace, max(1, round(GRAINS * pages * pace))),) for pace in paces]
        most = 2 * GRAINS * pages
        paced = IfAny(self._pace, (), by_level(self.level, starts[1:], puts), least=self._pace.capacity - most)
        return IfAny(self.level, paced, IfAny(self._pace, (), puts[0], least=most), least=self.midpoint)

    def _unless_dirty(self, dirtied: Path) -> Path:
        """Steps of a random write: a page that is dirty already is not counted again."""
        most = min(self.limit, self.data)
        bands = min(SHARES, most)
        starts = [most * band // bands for band in range(1, bands)]
        found = [(band + 0.5) * most / bands / self.data for band in range(bands)]
        if most == self.data:  # at most all is dirty
            starts, found = [*starts, most], [*found, 1.0]
        paths = [(Choose((share, ()), (1.0 - share, dirtied)),) for share in found]
        return by_level(self.level, starts, paths)
