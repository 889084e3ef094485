"""Processes that never sleep on fewer cores: each core gives them turns.

request ──> hold the [turn] of its process ── hold the [core]: time ──> below
the kernel, for each process of a shared core:
            hold its [turn] until the [slice] of the core is free ── leave the turn alone for so long ──> again

A process that polls for completions is always ready to run, so that a core with two of them runs each for a whole
slice, whether it has work or not. What the device completes meanwhile for the other waits until its turn. One that
sleeps between completions gives up its core at once, and needs no slices.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Buffer, Closed, Delay, Hold, Path, Pool, Put, Repeat, Take

_FOR_EVER = 1 << 30
"""Slices of a process: a month, if they take milliseconds."""


@dataclass(frozen=True)
class TimeSlices:
    """The processes of all cores: process ``number`` is on core ``number`` modulo their count.

    Attributes:
        cores: each a pool of one token.
        turns: one for each process; its holder is who may run.
    """

    cores: tuple[Pool, ...]
    turns: tuple[Pool, ...]
    slice_s: float

    @classmethod
    def of(cls, name: str, *, cores: int, processes: int, slice_s: float) -> TimeSlices:
        """So many processes on so many cores of the host ``name``."""
        used = min(cores, processes)
        return cls(
            tuple(Pool(f"{name} core {number}") for number in range(1, used + 1)),
            tuple(Pool(f"{name} turn {number}") for number in range(1, processes + 1)),
            slice_s,
        )

    def work(self, process: int, time_s: float) -> Path:
        """Work of ``process`` on its core, when it is its turn."""
        core, shared = self.cores[process % len(self.cores)], self._sharing(process % len(self.cores))
        work = Hold(core, Delay(time_s))
        return (work,) if len(shared) == 1 else (Hold(self.turns[process], work),)

    def behind(self) -> list[Closed]:
        """What the kernel does about each process that has no core of its own."""
        return [
            Closed(f"{self.turns[process].name} given", 1, self._given(process, number), group="kernel")
            for number in range(len(self.cores))
            if len(self._sharing(number)) > 1
            for process in self._sharing(number)
        ]

    def _given(self, process: int, core: int) -> Path:
        """Slices of the ``core``, round robin, while the turn of ``process`` is not held.

        It is held before the slice is handed on, so that none of its requests gets in between. Each core has a
        timer of its own: their slices begin one after the other, evenly, and not all at once.
        """
        turn, free = self.turns[process], Buffer(f"{self.cores[core].name} slice", 1, 1)
        return (
            Delay(self.slice_s * core / len(self.cores)),
            Hold(turn, Take(free)),
            Delay(self.slice_s),
            Repeat(_FOR_EVER, Hold(turn, Put(free), Take(free)), Delay(self.slice_s)),
        )

    def _sharing(self, core: int) -> list[int]:
        return list(range(core, len(self.turns), len(self.cores)))
