"""CPU cost of an I/O on its host.

blocks read ──> [cores]     checked and picked apart by the session; a smart scan leaves that to the cells
copies      ──> [cores]     page cache or sockets to the caller's memory; none with DMA
the rest    ┄┄> [cores]     interrupts, kernel threads: the same cores, but no session waits for it
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Fork, Path, Station, Use


@dataclass(frozen=True)
class HostWork:
    """Work on ``cores``, of which the share ``booked`` (0 to 1) counts as CPU time of a session."""

    cores: Station
    booked: float

    def path(self, cpu_s: float) -> Path:
        """The session's part, while the rest is done in the background."""
        background = Use(self.cores, (1.0 - self.booked) * cpu_s)
        return (Fork(background, wait=False), Use(self.cores, self.booked * cpu_s))


@dataclass(frozen=True)
class ConventionalIO:
    """I/O of whole blocks by system calls; ``copies`` times each byte is copied by the cores.

    The calls themselves, some 10 µs for a MiB, are left out.
    """

    work: HostWork
    block_s_per_byte: float
    copy_s_per_byte: float
    copies: int
    below: Layer

    def path(self, io: IO) -> Path:
        """A write is copied out before it goes below, a read copied in when it comes."""
        below, copies_s = self.below.path(io), io.size_bytes * self.copies * self.copy_s_per_byte
        if io.op == "write":
            return (*self._work(copies_s), *below)
        return (*below, *self._work(io.size_bytes * self.block_s_per_byte + copies_s))

    def _work(self, cpu_s: float) -> Path:
        return self.work.path(cpu_s) if cpu_s else ()
