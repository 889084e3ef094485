"""The flash dies of an SSD behind one controller: reads of random blocks.

read ──> hold a place of the [window]
          └─ [controller: one command] ── fixed part, no queue ──┬─ [a die, drawn at random]: page ──┬─ [transfer]
                                                                 └─ [the next die]: the next, … ────────┘

Where a block lies is chance, so two reads meet at one die long before all dies are busy: the mean rises slowly
with the depth, and the 99th percentile at once. What the controller, or the window, does not let in waits in
order, and adds the same time to every read; so the distance of the 99th percentile from the mean stops growing
there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO
from sim import Choose, Delay, Fork, Gamma, Hold, Path, Pool, Station, Step, Use

PAGE_BYTES = 4096
"""The unit of the flash translation layer: less is not read."""


@dataclass(frozen=True)
class DieTimes:
    """Times of a device.

    Attributes:
        command_s: of the controller for a command, one after the other.
        fixed_s: of a read outside of controller, dies and transfer, without queue.
        die_s: of a die for a page; ``variation`` is its coefficient of variation.
        transfer_s: of the way out for a page, one after the other; 0 where the controller is slower at any size.
    """

    command_s: float
    fixed_s: float
    die_s: float
    variation: float
    transfer_s: float = 0.0


@dataclass(frozen=True)
class FlashDies:
    """One device at its places."""

    window: Pool
    controller: Station
    dies: tuple[Station, ...]
    transfer: Station
    times: DieTimes

    @classmethod
    def of(cls, name: str, *, window: int, dies: int, times: DieTimes) -> FlashDies:
        """The device ``name`` with so many places for commands, and so many dies."""
        return cls(
            Pool(f"{name} window", window),
            Station(f"{name} controller"),
            tuple(Station(f"{name} die {number}") for number in range(1, dies + 1)),
            Station(f"{name} transfer"),
            times,
        )

    def path(self, io: IO) -> Path:
        """The steps of a read."""
        pages, times = pages_of(io.size_bytes), self.times
        moved = (Use(self.transfer, pages * times.transfer_s),) if times.transfer_s else ()
        command = Use(self.controller, times.command_s)
        return (Hold(self.window, command, Delay(times.fixed_s), self._read(pages), *moved),)

    def _read(self, pages: int) -> Step:
        """All ``pages`` at once, from dies that follow each other, the first drawn at random."""
        time = Gamma(self.times.die_s, self.times.variation, source="p99 of a read alone (ICPE 2024 study)")
        uses, count = [Use(die, time) for die in self.dies], len(self.dies)
        if pages == 1:
            return Choose(*((1.0 / count, use) for use in uses))
        starts = (Fork(*((uses[(first + page) % count],) for page in range(pages))) for first in range(count))
        return Choose(*((1.0 / count, start) for start in starts))


def pages_of(size_bytes: int) -> int:
    """Pages that so many bytes take: a part of a page takes a whole one."""
    return max(1, math.ceil(size_bytes / PAGE_BYTES))
