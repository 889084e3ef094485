"""Time sharing of cores by more processes than cores.

Processes that sleep between requests have turns of a short slice:
request ──> hold the [turn] of its process ── hold the [core]: a slice ── hold the [core]: a slice ── … ──> below

Those that poll for completions have whole slices:
request ──> hold the [turn] of its process ── hold the [core]: time ──> below
the kernel, for each process of a shared core:
            hold its [turn] until the [slice] of the core is free ── leave the turn alone for so long ──> again

A process that polls is always ready to run, so that a core with two of them runs each for a whole slice, whether
it has work or not. The other one's completions wait until its turn. A process that sleeps gives up its core at
once. Ready processes share a core by time, not by request: Linux runs the one that had the least of it ("CFS
basically models an ideal, precise multi-tasking CPU", Documentation/scheduler/sched-design-CFS.rst). With short
slices round robin does that: processor sharing (L. Kleinrock, "Queueing Systems", volume 2, 1976, section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from sim import Buffer, Closed, Delay, Hold, Path, Pool, Put, Repeat, Step, Take

_FOR_EVER = 1 << 30
"""Number of slices of a process: a month of milliseconds."""

SHORT_S = 0.5e-6
"""About how long a slice is of processes that sleep: no longer than what any I/O takes of a core, and no shorter
than that needs, as each is an event. With work of 10.8 µs beside one of 215, shares are within 1 % of equal."""


def slices_of(time_s: float) -> int:
    """Number of slices for work of ``time_s``."""
    return max(1, round(time_s / SHORT_S))


def turn_of(name: str, io: FileIO) -> Pool:
    """The turn of the process of ``io`` at the cores ``name``."""
    return Pool(f"{name} turn of process {io.process + 1}", role="internal")


def in_slices(turn: Pool, core: Pool, time_s: float) -> Step:
    """Work of a process that shares its ``core``: after each slice it queues behind other ready ones.

    Args:
        turn: turn of the process: it does one thing at a time, and has a single place in the queue of the core,
            for any amount of work.
    """
    slices = slices_of(time_s)
    return Hold(turn, Repeat(slices, Hold(core, Delay(time_s / slices))))


@dataclass(frozen=True)
class TimeSlices:
    """Processes that poll, on all cores: process ``number`` is on core ``number`` modulo their count.

    Attributes:
        cores: each a pool of one token.
        turns: one for each process; its holder may run.
    """

    cores: tuple[Pool, ...]
    turns: tuple[Pool, ...]
    slice_s: float

    @classmethod
    def of(cls, name: str, *, cores: int, processes: int, slice_s: float) -> TimeSlices:
        """``processes`` processes on ``cores`` cores of the host ``name``."""
        used = min(cores, processes)
        return cls(
            tuple(Pool(f"{name} core {number}") for number in range(1, used + 1)),
            tuple(Pool(f"{name} turn {number}", role="internal") for number in range(1, processes + 1)),
            slice_s,
        )

    def work(self, process: int, time_s: float) -> Path:
        """Work of ``process`` on its core, when it is its turn."""
        core, shared = self.cores[process % len(self.cores)], self._sharing(process % len(self.cores))
        work = Hold(core, Delay(time_s))
        return (work,) if len(shared) == 1 else (Hold(self.turns[process], work),)

    def behind(self) -> list[Closed]:
        """The kernel's scheduling of each process that has no core of its own."""
        return [
            Closed(f"{self.turns[process].name} given", 1, self._given(process, number), group="kernel")
            for number in range(len(self.cores))
            if len(self._sharing(number)) > 1
            for process in self._sharing(number)
        ]

    def _given(self, process: int, core: int) -> Path:
        """Slices of the ``core``, round robin, while the turn of ``process`` is not held.

        It is held before the slice is passed on, so that none of its requests gets in between. Each core has a
        timer of its own: their slices begin evenly spread, not all at once.
        """
        turn, free = self.turns[process], Buffer(f"{self.cores[core].name} slice", 1, 1, role="internal")
        return (
            Delay(self.slice_s * core / len(self.cores)),
            Hold(turn, Take(free)),
            Delay(self.slice_s),
            Repeat(_FOR_EVER, Hold(turn, Put(free), Take(free)), Delay(self.slice_s)),
        )

    def _sharing(self, core: int) -> list[int]:
        return list(range(core, len(self.turns), len(self.cores)))
