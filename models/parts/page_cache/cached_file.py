"""A file that is read or written in sequence through memory: read-ahead, write-behind, and a copy for each byte.

read, in memory      ──> copy
read, not in memory  ──> a window of pieces (read ahead) ── and for each of them: copy
write                ──> a window of pieces (written behind) ── and for each of them: copy
  with a limit       ──> copy ──> put into [dirty pages] of all files ──> done;  later below ──> take out

The caller goes on while pieces of the window are in flight to or from storage, which gets pieces for calls of any
size. A file that is read sequentially again and again is in memory as a whole if it fits, and not at all if it
does not: the oldest page goes first. The memory is that of a host or of an array, which transfers at the speed of
the fabric: there nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.io import IO
from models.parts.page_cache.window import Window
from sim import Buffer, Fork, Hold, Lock, Path, Put, Take


@dataclass(frozen=True)
class CachedFile:
    """One open file, as one stream sees it.

    Attributes:
        window: window of pieces, each an I/O to storage.
        copied: function from bytes to the path of their copy between memory and the caller.
        call: path of a call besides its bytes.
        resident: True if read data is in memory from an earlier pass.
        dirty: dirty bytes of all files; None if the window is the limit.
        turn: lock of the window, if calls are served in the order of their bytes.
    """

    window: Window
    copied: Callable[[int], Path] = lambda _: ()
    call: Path = ()
    resident: bool = False
    dirty: Buffer | None = None
    turn: Lock | None = None

    def path(self, io: IO) -> Path:
        """Steps of one call."""
        if io.op == "read" and self.resident:
            return (*self.call, *self.copied(io.size_bytes))
        if io.op == "read" or self.dirty is None:
            moved = self.window.path(io, lambda piece: self.copied(piece.size_bytes))
            return (*self.call, *((Hold(self.turn.exclusive, *moved),) if self.turn else moved))
        behind = (*self.window.below.path(io), Take(self.dirty, io.size_bytes))
        return (
            *self.call,
            *self.copied(io.size_bytes),
            Put(self.dirty, io.size_bytes),
            Fork(behind, wait=False),
        )


@dataclass(frozen=True)
class Resident:
    """Data in memory: nothing is fetched."""

    def path(self, io: IO) -> Path:  # noqa: ARG002  (for any read)
        """No steps: the caller accounts for the copy."""
        return ()
