"""Erased blocks of a drive as a level: writes use them up, garbage collection gives them back.

write ──> room in [used pages] ──> room in the [cache] ──> done
each [unit]:  take a program's pages from the [cache] ──> program                       again and again
              take as many from [used pages], if few erased ones are left
                  ──> read and program what is moved for them ──> erase, once in a block

A unit programs and cleans in turns, one operation at a time, so a read waits behind one program or erase at most,
beside other reads. When no page is left, writes pass at the rate at which cleaning frees pages (`cleaning.py`).
A program has as many pages as make the rate of all units together. Units clean once fewer than two erased blocks
are left for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from models.io import IO
from models.parts.flash.cells import Cells
from models.parts.flash.cleaning import FRESH, RANDOM, SEQUENTIAL, stages
from models.parts.flash.write_buffer import PAGE_BYTES, pages_of
from models.paths import varied
from sim import Buffer, Choose, Closed, IfAny, InputError, Path, Put, Repeat, Station, Take, Use
from sim.engine.model.distributions import Distribution
from sim.engine.units import size_text

CLEAN_BELOW = 2
"""Erased blocks of a unit below which it cleans: one to be filled next, and one to move pages to."""


@dataclass(frozen=True)
class Space:
    """Sizes and times of the flash.

    Attributes:
        capacity, used: bytes that users may write, and share that they do write.
        spare: bytes beyond, as a share of ``capacity``.
        block: bytes erased at once.
        rate: bytes a second that all units program.
        program_s, erase_s, read_s: busy time of a unit for a program, an erase, and a read of what is moved.
    """

    capacity: int
    spare: float
    used: float
    history: str
    block: int
    rate: float
    program_s: float
    erase_s: float
    read_s: float


@dataclass(frozen=True)
class FreeSpace:
    """Erased pages of a drive, and the memory in front of them.

    Attributes:
        cache: pages accepted and not yet being programmed.
        written: pages without room for new data: valid ones, and overwritten ones in blocks not yet cleaned.
        users: pages that users address.
        at_once: pages of a program.
        program_s: its time.
        seen: True for each write seen in a run, False for each at random; empty in an unused copy of the layer.
    """

    name: str
    space: Space
    cells: Cells
    cache: Buffer
    written: Buffer
    users: int
    at_once: int
    program_s: float
    seen: set[bool] = field(default_factory=set, compare=False)

    @classmethod
    def of(cls, name: str, space: Space, cells: Cells, cache_bytes: int) -> FreeSpace:
        """The free space of the device ``name``.

        Raises:
            InputError: the drive cannot hold what is used, or the cache not one program.
        """
        units = sum(each.servers for each in cells.units)
        block = pages_of(space.block)
        users = max(1, round(pages_of(space.capacity) * space.used))
        pages = round(pages_of(space.capacity) * (1.0 + space.spare))
        if pages - CLEAN_BELOW * units * block <= users:
            need = (users + CLEAN_BELOW * units * block) / pages_of(space.capacity) - 1.0
            raise InputError(
                f"spare is {space.spare:g}, too little for {CLEAN_BELOW} erased blocks of {units} units "
                f"beside the used part; allowed: at least {need:.3g} here, or smaller blocks"
            )
        at_once = max(1, round(space.rate * space.program_s / units / PAGE_BYTES))
        if at_once > min(block, pages_of(cache_bytes) // 2):
            raise InputError(
                f"block and cache are {size_text(space.block)} and {size_text(cache_bytes)}; allowed: at least "
                f"one and two programs of {size_text(at_once * PAGE_BYTES)} (sustained × program / units)"
            )
        full = pages - CLEAN_BELOW * units * block
        initial = {FRESH: 0, SEQUENTIAL: users, RANDOM: pages}[space.history]
        program_s = at_once * PAGE_BYTES * units / space.rate
        return cls(
            name,
            space,
            cells,
            Buffer(f"{name} cache", pages_of(cache_bytes)),
            Buffer(f"{name} used pages", pages, initial, low=full - 1, high=full),
            users,
            at_once,
            program_s,
        )

    def taken(self, io: IO, *, sequential: bool) -> Path:
        """Wait for erased pages, and for room in the cache."""
        self.seen.add(sequential)
        most = min(self.cache.capacity - self.at_once, self.written.capacity - self.written.high)
        return tuple(
            Repeat(
                times, Put(self.written, pages_of(piece.size_bytes)), Put(self.cache, pages_of(piece.size_bytes))
            )
            for times, piece in io.split(most * PAGE_BYTES)
        )

    def background(self, slow: float) -> Iterator[Closed]:
        """Programs and cleaning of each unit, if anything writes; ``slow`` is the factor of a degraded device."""
        if not self.seen:
            return
        costs = stages(self.written.high, self.users, self.space.history, sequential=self.seen == {True})
        ends = [int(each.until) for each in costs[:-1]]
        units, block = sum(each.servers for each in self.cells.units), pages_of(self.space.block)
        most = max([0, *ends]) + units * (self.at_once + 1)
        progress = Buffer(f"{self.name} pages cleaned", most, role="internal")
        # A level that nobody lowers is refused: one page more goes in, and out again.
        counted = (Put(progress, self.at_once + 1), Take(progress, 1))
        stale = Buffer(f"{self.name} cleaned pages", 2 * block, role="internal")
        for unit in self.cells.units:
            program = (Take(self.cache, self.at_once), Use(unit, self._varied(self.program_s * slow)))
            yield Closed(f"{unit.name} programs", unit.servers, program, group=f"{self.name} programs")
            path = self._cleaned(unit, stale, costs[-1].moved, slow)
            for end, stage in zip(reversed(ends), reversed(costs[:-1]), strict=True):
                earlier = (*self._cleaned(unit, stale, stage.moved, slow), *counted)
                path = (IfAny(progress, path, earlier, least=end),)
            clean = (Take(self.written, self.at_once), *path)
            yield Closed(
                f"{unit.name} garbage collection", unit.servers, clean, group=f"{self.name} garbage collection"
            )
            erase = (Take(stale, block), Use(unit, self._varied(self.space.erase_s * slow)))
            yield Closed(f"{unit.name} erases", unit.servers, erase, group=f"{self.name} erases")

    def _cleaned(self, unit: Station, stale: Buffer, moved: float, slow: float) -> Path:
        """Steps that free the pages of one program: ``moved`` others for each are read and programmed."""
        move = Use(unit, self._varied((self.space.read_s + self.program_s) * slow))
        rest = moved % 1.0
        return (
            *([Repeat(int(moved), move)] if moved >= 1.0 else []),
            *([Choose((rest, move), (1.0 - rest, ()))] if rest else []),
            Put(stale, min(round(self.at_once * (1.0 + moved)), stale.capacity)),
        )

    def _varied(self, time_s: float) -> float | Distribution:
        return varied(time_s, self.cells.variation, self.cells.source)
