"""Processes that never sleep on fewer cores: each core gives them turns.

request ──> hold the [turn] of its process ── hold the [core]: time ──> below
the kernel, for each core: hold the turns of all processes but one for a slice, then of all but the next, …

A process that polls for completions is always ready to run, so that a core with two of them runs each for a whole
slice, whether it has work or not. What the device completes meanwhile for the other waits until its turn. One that
sleeps between completions gives up its core at once, and needs no slices.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Closed, Delay, Hold, Path, Pool


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
        """The kernel's turns on each core that several processes share."""
        return [
            Closed(f"{core.name} slices", 1, self._round(number), group="kernel")
            for number, core in enumerate(self.cores)
            if len(self._sharing(number)) > 1
        ]

    def _round(self, core: int) -> Path:
        """One slice for each process of the ``core``, in which the others are held off."""
        sharing = self._sharing(core)
        return tuple(
            _held([self.turns[other] for other in sharing if other != running], self.slice_s)
            for running in sharing
        )

    def _sharing(self, core: int) -> list[int]:
        return list(range(core, len(self.turns), len(self.cores)))


def _held(turns: list[Pool], slice_s: float) -> Hold:
    """Hold all ``turns`` for a slice."""
    first, *others = turns
    return Hold(first, _held(others, slice_s) if others else Delay(slice_s))
