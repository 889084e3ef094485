"""A LUN of an array, known by what it does for one I/O: drives behind a fabric, and perhaps memory before them.

path                    latency, no queue ──> [drives: service + bytes / bandwidth]
stream, read            in the cache: done;   else in turn: take from what was fetched ahead;  behind it: [drives]
stream, write           put into [array dirty] ──> done;                        behind it: [drives] ──> take out
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.parts.disk import Disk
from models.parts.page_cache.window import Window
from sim import Buffer, Closed, Delay, Fork, Hold, Lock, Path, Put, Take


@dataclass(frozen=True)
class Lun:
    """One LUN.

    Attributes:
        drives: with the time that an I/O takes of one beside its bytes, and what streams side by side get.
        latency_s: time there and back, with all work that the array does for several I/Os at once.
    """

    drives: Disk
    latency_s: float = 0.0

    @classmethod
    def of(cls, latency_s: float, service_s: float, bytes_per_s: float) -> Lun:
        """One I/O after the other, whatever the array does inside."""
        return cls(Disk("lun", service_s, bytes_per_s), latency_s)

    def path(self, io: IO) -> Path:
        """Reach the array, queue for a drive."""
        return (Delay(self.latency_s), *self.moved(io))

    def moved(self, io: IO) -> Path:
        """A piece between the array's memory and one of the drives."""
        return (self.drives.anywhere(io.size_bytes),)


@dataclass(frozen=True)
class CachedStream:
    """A file on ``lun`` that is read or written in sequence through the memory of the array.

    Attributes:
        turn: its requests are served one after the other, as their bytes lie.
        window: what the array fetches ahead.
        resident: whether what is read lies in memory, where an earlier reading left it.
        dirty: bytes that may be in memory and on no drive yet.
    """

    lun: Lun
    turn: Lock
    window: Window
    resident: bool
    dirty: Buffer

    def path(self, io: IO) -> Path:
        """Only a drive takes time: the memory delivers and takes as fast as the fabric does."""
        if io.op == "read":
            return () if self.resident else (Hold(self.turn.exclusive, *self.window.path(io, lambda _: ())),)
        behind = (*self.lun.moved(io), Take(self.dirty, io.size_bytes))
        return (Put(self.dirty, io.size_bytes), Fork(behind, wait=False))

    def behind(self, name: str) -> Closed:
        """What fetches ahead from the drives."""
        return self.window.behind(name, self.lun.moved, group="array")
