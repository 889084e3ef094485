"""Cores of a host that call and copy, and the memory bandwidth that they share.

work   [a core]
copy   [a core], and if the host says what its memory moves:  hold a core ── its own work ──> [a memory controller]

A core that copies waits for memory, and does nothing else meanwhile: one alone copies at the rate of a core, and
many at once at that of the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.parts.host.time_slices import in_slices, slices_of, turn_of
from sim import Choose, Delay, Exponential, Hold, Path, Pool, Repeat, Station, Use

MOVED = 2
"""Bytes that memory moves for each one copied: it is read and written, as STREAM counts its copy (J. McCalpin,
"Memory bandwidth and machine balance in current high performance computers", IEEE TCCA Newsletter, 1995)."""


@dataclass(frozen=True)
class Memory:
    """The memory of a host.

    A controller serves the cache lines of all copies in turn. Its time is exponential: in first-come order that
    gives the means of taking turns (Baskett et al., "Open, closed, and mixed networks of queues with different
    classes of customers", Journal of the ACM 22 (1975), 248-260).

    Attributes:
        controllers: one station a memory controller; pages lie on any of them.
        s_per_byte: time of a controller for each copied byte.
    """

    controllers: tuple[Station, ...]
    s_per_byte: float

    def passed(self, size_bytes: float) -> Choose:
        """Transfer of a copy's bytes at a controller."""
        share, time_s = 1.0 / len(self.controllers), Exponential(size_bytes * self.s_per_byte)
        return Choose(*((share, Use(controller, time_s)) for controller in self.controllers))


@dataclass(frozen=True)
class CopyingCores:
    """Cores of one host.

    Attributes:
        cores: the cores; a pool if a copy holds one while it waits for ``memory``.
        memory: the shared memory; None if it never limits.
        turn: turn of the process, if several time-share a core; None if each works to its end.
    """

    cores: Station | Pool
    memory: Memory | None = None
    turn: Pool | None = None

    @classmethod
    def of(cls, name: str, count: int, io: FileIO) -> CopyingCores:
        """``count`` cores with the memory of the host of ``io``; time-shared if its processes run other loads."""
        memory = io.times and io.times.memory
        turn = turn_of(name, io) if io.beside and io.processes > count else None
        if not memory:
            return cls(Pool(name, count) if turn else Station(name, count), None, turn)
        assert io.times  # noqa: S101  (they have that memory)
        return cls(Pool(name, count), Memory((memory,), MOVED / io.times.memory_bytes_per_s), turn)

    def kernel(self, time_s: float) -> Path:
        """Work of ``time_s``."""
        if isinstance(self.cores, Station):
            return (Use(self.cores, time_s),)
        return (in_slices(self.turn, self.cores, time_s) if self.turn else Hold(self.cores, Delay(time_s)),)

    def copied(self, size_bytes: int, time_s: float) -> Path:
        """A copy that takes a core ``time_s`` if no other core copies."""
        if not self.memory:
            return self.kernel(time_s)
        return self.copied_beside(size_bytes, max(0.0, time_s - size_bytes * self.memory.s_per_byte))

    def copied_beside(self, size_bytes: int, time_s: float) -> Path:
        """A copy that takes a core ``time_s`` besides its wait for memory."""
        assert isinstance(self.cores, Pool)  # noqa: S101  (both are of a host whose memory is known)
        assert self.memory  # noqa: S101
        slices = slices_of(time_s + size_bytes * self.memory.s_per_byte) if self.turn else 1
        passed = (self.memory.passed(size_bytes / slices),) if size_bytes else ()
        sliced = Repeat(slices, Hold(self.cores, Delay(time_s / slices), *passed))
        return (Hold(self.turn, sliced) if self.turn else Hold(self.cores, Delay(time_s), *passed),)
