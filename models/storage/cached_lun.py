"""A LUN of an array: drives behind the array's own memory, which reads ahead and writes behind.

read, in the cache      ──> done
read, not in the cache  ──> in turn: take from what was fetched ahead of this stream;   behind it: [drives]
write                   ──> put into [array dirty] ──> done;                   behind it: [drives] ──> take out
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.window import Window
from models.io import IO
from sim import Buffer, Closed, Fork, Hold, Lock, Path, Put, Station, Take, Use


@dataclass(frozen=True)
class CachedLun:
    """Drives that stream side by side.

    Attributes:
        bytes_per_s: of one drive, in sequence.
        resident: whether what is read lies in the cache of the array, where an earlier reading left it.
        dirty: bytes that may be in the array's memory and on no drive yet.
    """

    drives: Station
    bytes_per_s: float
    resident: bool
    dirty: Buffer

    def moved(self, io: IO) -> Path:
        """A piece between the array's memory and one of the drives."""
        return (Use(self.drives, io.size_bytes / self.bytes_per_s),)

    def stream(self, name: str, window: Window) -> LunStream:
        """The file ``name``, read or written in sequence; ``window``: what the array fetches ahead of it."""
        return LunStream(self, Lock(f"{name} in turn"), window)


@dataclass(frozen=True)
class LunStream:
    """One stream of ``lun``.

    Attributes:
        turn: its requests are served one after the other, as their bytes lie.
    """

    lun: CachedLun
    turn: Lock
    window: Window

    def path(self, io: IO) -> Path:
        """Only a drive takes time: the memory delivers and takes as fast as the fabric does."""
        if io.op == "read":
            return () if self.lun.resident else (Hold(self.turn.exclusive, *self.window.path(io, lambda _: ())),)
        behind = (*self.lun.moved(io), Take(self.lun.dirty, io.size_bytes))
        return (Put(self.lun.dirty, io.size_bytes), Fork(behind, wait=False))

    def behind(self, name: str) -> Closed:
        """What fetches ahead from the drives."""
        return self.window.behind(name, self.lun.moved, group="array")
