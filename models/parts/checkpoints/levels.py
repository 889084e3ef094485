"""Levels of a database and its checkpointer, chances that depend on one, and levels that are emptied at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from models.popularity import Popularity, zipf
from sim import Buffer, Choose, IfAny, Path, Repeat, Take

FLUSHED_PAGES = 32
"""Pages that a checkpoint writes at a time: checkpoint_flush_after, 256 KiB."""

BASE = 64
"""A level is emptied in lumps that are powers of this."""

STEPS = 12
"""Changes of the chance of a first touch from 1 down to 0; it is constant between them."""

_SHARES, _BYTES = 1 << 12, 1 << 24


@dataclass(frozen=True)
class Levels:
    """Counts of the database and its checkpointer.

    Attributes:
        touched: pages changed since the last checkpoint began.
        records: bytes of records not yet counted in ``pages``, which are the pages of the log to be written.
        dirty: dirty pages in shared buffers; ``fresh``: those dirty since then, ``to_write``: since before.
        evicted: dirty pages in the page cache, which were evicted from shared buffers.
        log: shares by which it has grown since the last checkpoint began; ``paced``: bytes of the next share.
        log_ahead, time_ahead: shares by which the log is ahead of the clock, and the other way round.
        go: shares that should be written.
        share: writes in one, which are ``spent`` while they are ``granted``; ``odd``: those left over.
        timers: timers that run; ``due``, ``running``, ``done``: 1 if a checkpoint is.
    """

    touched: Buffer
    records: Buffer
    pages: Buffer
    dirty: Buffer
    fresh: Buffer
    to_write: Buffer
    evicted: Buffer
    log: Buffer
    paced: Buffer
    log_ahead: Buffer
    time_ahead: Buffer
    go: Buffer
    share: Buffer
    odd: Buffer
    spent: Buffer
    granted: Buffer
    timers: Buffer
    due: Buffer
    running: Buffer
    done: Buffer

    @classmethod
    def of(cls, name: str, pages: int, pool_pages: int, share_bytes: int, grown: int) -> Levels:
        """Levels of the database ``name`` after a checkpoint, since which its log has ``grown``."""
        writes = pool_pages // FLUSHED_PAGES + 2 * BASE

        def level(what: str, capacity: int, full: int = 0) -> Buffer:
            return Buffer(f"{name} {what}", capacity, full)

        def inner(what: str, capacity: int = _SHARES, full: int = 0) -> Buffer:
            return Buffer(f"{name} {what}", capacity, full, role="internal")

        return cls(
            touched=level("pages touched", pages),
            records=inner("records", _BYTES),
            pages=inner("pages of log", _SHARES),
            dirty=level("pages dirty", pool_pages),
            fresh=inner("fresh", pool_pages),
            to_write=level("pages to write", pool_pages + FLUSHED_PAGES),
            evicted=level("pages evicted", pages),
            log=level("log", _SHARES, grown),
            paced=inner("log of a share", share_bytes + _BYTES),
            log_ahead=inner("log ahead"),
            time_ahead=inner("time ahead"),
            go=inner("go"),
            share=inner("share", writes),
            spent=inner("spent", writes),
            odd=inner("odd writes", BASE),
            granted=inner("granted", 2 * writes),
            timers=inner("timers"),
            due=inner("due", 1),
            running=inner("running", 1),
            done=inner("done", 1, 1),
        )


def emptied(
    level: Buffer, each: Callable[[int], Path] = lambda _: (), *, unit: int = 1, base: int = BASE, most: int = 0
) -> Path:
    """Take all of ``level``, or its first ``most``, in lumps of ``unit`` times a power of ``base``.

    After each lump come the steps ``each(lump)``. Less than a ``unit`` stays.
    """
    lump = 1
    path: Path = ()
    while lump * unit <= (most or level.capacity):
        taken = IfAny(level, (Take(level, lump * unit), *each(lump)), least=lump * unit)
        path = (Repeat(base - 1, taken), *path)
        lump *= base
    return path


def by_chance(level: Buffer, exponent: float, first: Path, again: Path = ()) -> Path:
    """Take ``first`` if a page is touched that is none of the ``level`` ones touched before, by Zipf's law."""

    def chosen(steps: list[tuple[int, float]]) -> Path:
        if len(steps) > 1:
            half = len(steps) // 2
            return (IfAny(level, chosen(steps[half:]), chosen(steps[:half]), least=steps[half][0]),)
        chance = steps[0][1]
        return (Choose((chance, first), (1.0 - chance, again)),) if chance else again

    return chosen(first_touches(level.capacity, exponent))


@cache
def first_touches(pages: int, exponent: float) -> list[tuple[int, float]]:
    """Numbers of distinct pages touched, each with the mean chance of another one until the next number."""
    popularity = zipf(pages, exponent)
    chances = [1.0 - step / STEPS for step in range(1, STEPS)] + [0.5 / STEPS, 0.25 / STEPS]
    accesses = [0.0, *(_accesses_until(popularity, chance) for chance in chances)]
    points = [(at, min(pages - 1.0, popularity.touched(at))) for at in accesses]
    rising = [
        (int(low), min(1.0, (high - low) / (after - before)))
        for (before, low), (after, high) in pairwise(points)
        if int(high) > int(low)
    ]
    last = int(points[-1][1])
    return [*rising, *([(last, chances[-1] / 2.0)] if last else [(0, 1.0)]), (pages, 0.0)]


def _accesses_until(popularity: Popularity, chance: float) -> float:
    """Accesses until one touches a page for the first time with no more than this ``chance``."""

    def more(accesses: float) -> bool:
        return popularity.touched(accesses + 1.0) - popularity.touched(accesses) > chance

    low, high = 0.0, 1.0
    while more(high):
        low, high = high, 2.0 * high
    while high - low > max(0.5, 1e-9 * high):
        middle = (low + high) / 2.0
        low, high = (middle, high) if more(middle) else (low, middle)
    return high
