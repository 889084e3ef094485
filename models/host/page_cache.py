"""The host's page cache: data in memory cost a copy, and copies of several readers meet at the memory.

read, in memory      ──> copy
read, not in memory  ──> take from what was fetched ahead ──> copy;   behind it: below
write                ──> copy ──> put into [dirty pages] ──> done;  later below ──> take out

copy: hold a core ── its own work ──> [one of the memory controllers]
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.window import Window
from models.io import IO
from models.layer import Layer
from sim import Buffer, Choose, Closed, Delay, Exponential, Fork, Hold, Path, Pool, Put, Station, Take, Use


@dataclass(frozen=True)
class MemoryCopy:
    """Copies of bytes from memory to memory by the cores.

    A controller serves the cache lines of all copies in turn. Its time is exponential: in first-come order that
    gives the means of taking turns (Baskett et al., "Open, closed, and mixed networks of queues with different
    classes of customers", Journal of the ACM 22 (1975), 248-260).

    Attributes:
        cores: a copy keeps one, also while it waits for memory.
        controllers: one station a memory controller; pages lie on any of them.
        core_s_per_byte, memory_s_per_byte: time of the core alone, and of the controller.
    """

    cores: Pool
    controllers: tuple[Station, ...]
    core_s_per_byte: float
    memory_s_per_byte: float

    def path(self, size_bytes: int) -> Path:
        """One copy."""
        share, memory_s = 1.0 / len(self.controllers), Exponential(size_bytes * self.memory_s_per_byte)
        memory = Choose(*((share, Use(controller, memory_s)) for controller in self.controllers))
        return (Hold(self.cores, Delay(size_bytes * self.core_s_per_byte), memory),)


@dataclass(frozen=True)
class Resident:
    """Data in memory: nothing has to be fetched."""

    def path(self, io: IO) -> Path:  # noqa: ARG002  (whatever is read)
        """No steps: the caller accounts for the copy."""
        return ()


@dataclass(frozen=True)
class PageCache:
    """The page cache of one host, as one stream sees it.

    Attributes:
        resident: what is read lies in memory. A set that is read in sequence, again and again, lies there as a
            whole if it fits, and not at all if it does not: the oldest page goes first.
        window: what the host fetches before the stream asks for it.
        dirty: bytes that may wait to be written behind, of all streams.
        below: where the stream's file lies.
    """

    copy: MemoryCopy
    resident: bool
    window: Window
    dirty: Buffer
    below: Layer

    def path(self, io: IO) -> Path:
        """Only a read of what is not in memory, and a write without room in memory, wait for storage."""
        if io.op == "read":
            return self._copied(io) if self.resident else self.window.path(io, self._copied)
        behind = (*self.below.path(io), Take(self.dirty, io.size_bytes))
        return (*self._copied(io), Put(self.dirty, io.size_bytes), Fork(behind, wait=False))

    def _copied(self, io: IO) -> Path:
        return self.copy.path(io.size_bytes)

    def behind(self, name: str) -> Closed:
        """What fetches ahead from below."""
        return self.window.behind(name, self.below.path, group="kernel")
