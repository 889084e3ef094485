"""The cores of a host, where each I/O takes processor time of its process.

process ──> [its core]: time, and copy of each KiB ──> below ──> interrupt and wake-up, no queue ──> process
                                                                 it slept: the switch to it ──> [its core]

A process stays on one core, the number of the process modulo the count of cores: however many of its I/Os are in
flight, it submits and reaps them one after the other, and sleeps only when there is nothing to reap. Where there
are more processes than cores, of one load or of several, those of a core share it by time (`time_slices.py`).
Layers below may go on with work on that core; ``io.core`` says which it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.host import of_host
from models.parts.host.time_slices import in_slices, turn_of
from sim import Buffer, Delay, Hold, IfAny, Path, Pool, Put, Step, Take
from sim.system.quantities import duration
from sim.system.settings import count
from sim.system.stack.kinds import Below

KIB = 1024
_ANY_NUMBER = 1 << 30
INTERRUPT_S = 4.6e-6
"""Default time to wake a thread, if no layer of the host states one."""


@dataclass(frozen=True)
class Cores:
    """Cores, and the core time of an I/O.

    The defaults are those of io_uring with registered buffers under fio 3.35, fitted to the ICPE 2024 study of I/O
    schedulers: one process does 383,000 reads a second at most, and a few reads in flight take 7 to 8 µs longer
    than over SPDK, which polls.
    """

    count: int = count(10, "cores that submit I/O", high=4096)
    time: float = duration(2.6e-6, "core time of an I/O, submission and completion together")
    copy: float = duration(0.0, "core time for each KiB that is copied; none with direct I/O")
    interrupt: float | None = of_host(
        "time from the completion of the device until the process goes on; no core is busy",
        f"{INTERRUPT_S * 1e6:g}us",
    )

    def layer(self, name: str, below: Below) -> CoresLayer:
        """The cores above ``below``."""
        cores = tuple(Pool(f"{name} core {number}") for number in range(1, self.count + 1))
        return CoresLayer(cores, self.time, self.copy / KIB, self.interrupt, below(""))


@dataclass(frozen=True)
class CoresLayer:
    """Cores, each a pool of one token, so that layers below can hold it, too."""

    cores: tuple[Pool, ...]
    time_s: float
    copy_s_per_byte: float
    interrupt_s: float | None
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Work on the core, go on below, wait for the interrupt."""
        core = self.cores[io.process % len(self.cores)]
        work = self._work(io, core)
        shared = io.processes > len(self.cores)
        below = self.below.path(replace(io, core=core, turn=turn_of(core.name, io) if shared else None))
        if self.interrupt_s is not None or not io.times:
            interrupt_s = INTERRUPT_S if self.interrupt_s is None else self.interrupt_s
            return (work, *below, *((Delay(interrupt_s),) if interrupt_s else ()))
        if not io.times.busy_s:
            return (work, *below, *io.times.wake)
        # A process that has another I/O to submit or to reap meanwhile does not sleep.
        runs = Buffer(f"{core.name} runs process {io.process + 1}", _ANY_NUMBER)
        switch = (Put(runs), Hold(core, Delay(io.times.busy_s)), Take(runs))
        return (Put(runs), work, Take(runs), *below, *io.times.wake, IfAny(runs, (), switch))

    def _work(self, io: FileIO, core: Pool) -> Step:
        time_s = self.time_s + io.size_bytes * self.copy_s_per_byte
        if io.processes <= len(self.cores):
            return Hold(core, Delay(time_s))
        return in_slices(turn_of(core.name, io), core, time_s)
