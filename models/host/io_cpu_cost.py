"""CPU cost of an I/O on its host.

issue and reap ──> [cores]     conventional I/O: calls of the database and of the kernel
copies         ──> [cores]     page cache or sockets to the caller's memory; none with DMA
the rest       ┄┄> [cores]     interrupts, kernel threads: the same cores, but no session waits for it
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
    """I/O by system calls; ``copies`` times each byte is copied by the cores."""

    work: HostWork
    issue_s_per_byte: float
    copy_s_per_byte: float
    copies: int
    below: Layer

    def path(self, io: IO) -> Path:
        """A write is copied out before it goes below, a read copied in when it comes."""
        cpu_s = io.size_bytes * (self.issue_s_per_byte + self.copies * self.copy_s_per_byte)
        work, below = self.work.path(cpu_s), self.below.path(io)
        return (*work, *below) if io.op == "write" else (*below, *work)
