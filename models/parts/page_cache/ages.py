"""Ages of dirty pages: the oldest are written first, once there are too many, or once they are too old.

    dirtied ──> fewer than the background threshold?  [young]
                else ──> [due], in place of the oldest, which it replaces among the young
    each period   [fresh] ┄> [age 0] ┄> [age 1] ┄┄> … ┄┄> expired ──> [due];  those replaced ┄> [fresh]

As Linux does it: every ``dirty_writeback_centisecs`` a flusher looks for pages that were dirtied more than
``dirty_expire_centisecs`` ago (wb_check_old_data_flush of fs/fs-writeback.c). Between two looks only numbers
change: ages are kept in lots, a 32nd of the background threshold, and known to a lot and a period.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sim import Buffer, Closed, Delay, IfAny, Path, Put, Repeat, Step, Take

LOTS = 32
"""Lots up to the background threshold."""

MOVED = 256
"""Pages that are moved at a time from one age to the next: few beside what many writes dirty."""


@dataclass(frozen=True)
class Ages:
    """Dirty pages that are not due yet, by age; all in pages, but for lots.

    Attributes:
        moved, lot: pages that are moved at a time, and pages of a lot.
        lots: number of lots up to the threshold.
        young: pages that are not due.
        fresh: those of them dirtied since the last look.
        replaced: pages that went to be written in place of younger ones since the last look.
        stages: lots by age in periods, the youngest first.
        due: pages that flushers have to write.
    """

    moved: int
    lot: int
    lots: int
    young: Buffer
    fresh: Buffer
    replaced: Buffer
    stages: tuple[Buffer, ...]
    due: Buffer

    @classmethod
    def of(cls, name: str, background: int, limit: int, piece: int, looks: int) -> Ages:
        """Ages of pages that are written in pieces of ``piece``, due ``looks`` looks after the first one."""
        moved = piece * max(1, min(MOVED, background // LOTS) // piece)
        lot = max(1, background // LOTS // moved) * moved
        lots = max(1, background // lot)

        def internal(what: str, most: int) -> Buffer:
            return Buffer(f"{name}, {what}", most, role="internal")

        stages = tuple(internal(f"age {age}", lots + 1) for age in range(looks))
        young, fresh, replaced = (internal(what, lots * lot + lot) for what in ("young", "fresh", "replaced"))
        return cls(moved, lot, lots, young, fresh, replaced, stages, internal("due", 2 * limit))

    def dirtied(self, pages: int) -> Path:
        """Steps once ``pages``, at most a piece, are dirty."""
        full = self.lots * self.lot
        counted = IfAny(self.replaced, (), Put(self.replaced, pages), least=full)
        young = (Put(self.young, pages), Put(self.fresh, pages))
        return (IfAny(self.young, (Put(self.due, pages), counted), young, least=full),)

    def background(self, period_s: float, group: str) -> Iterator[Closed]:
        """The look for old pages."""
        lot, ages = self.lot, tuple(reversed(self.stages))

        def moves(*steps: Step) -> Repeat:
            return Repeat(lot // self.moved, *steps)

        due = moves(Take(self.young, self.moved), Put(self.due, self.moved))
        expired = IfAny(ages[0], (Take(ages[0]), due))
        older = [IfAny(young, (Take(young), Put(old))) for old, young in pairwise(ages)]
        renewed: Path = ()
        for stage in self.stages:  # the oldest is asked first
            renewed = (IfAny(stage, (Take(stage), moves(Put(self.fresh, self.moved))), renewed),)
        new = IfAny(self.replaced, (moves(Take(self.replaced, self.moved)), *renewed), least=lot)
        first = IfAny(self.fresh, (moves(Take(self.fresh, self.moved)), Put(self.stages[0])), least=lot)
        looks = (Repeat(self.lots, step) for step in (expired, *older, new, first))
        yield Closed(f"{self.due.name}, by age", clients=1, path=(Delay(period_s), *looks), group=group)
