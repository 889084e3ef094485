"""A window of bytes between a caller and the layer below: read-ahead, or write-behind.

    read:   take from [pages], use, give [room]      behind it:  take room ──> below ──> put pages
    write:  take [room], use, put into [pages]       behind it:  take pages ──> below ──> give room

``room`` and ``pages`` together never exceed the window. Hosts and arrays have such windows. If one thread moves
piece after piece, the piece being moved needs no room.

The next piece is fetched when the caller reaches the one before, wherever calls begin and end. Calls of another
size leave a part of a piece over, which is no room for a whole one: the window is larger by that part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from models.io import IO, Op
from models.layer import Layer
from models.paths import pieces
from sim import Buffer, Closed, Path, Put, Take


@dataclass(frozen=True)
class Window:
    """The window of one stream.

    Attributes:
        pages: bytes in memory: fetched and not yet read, or written and not yet sent.
        piece_bytes: size of an I/O to the layer ``below``.
        room: bytes that may still be fetched or written; None if one thread moves piece after piece: then
            ``pages`` has room for two, so that one fills while the other drains.
    """

    op: Op
    pages: Buffer
    piece_bytes: int
    below: Layer
    room: Buffer | None = None

    @classmethod
    def of(
        cls, name: str, op: Op, count: int, piece_bytes: int, below: Layer, call_bytes: int | None = None
    ) -> Window:
        """The window ``name`` of ``count`` pieces: at least one in use, one in flight.

        Args:
            call_bytes: size of the caller's calls; by default that of a piece.
        """
        window = max(2, count) * piece_bytes + _left_over(call_bytes or piece_bytes, piece_bytes)
        pages = Buffer(f"{name} pages", window)
        room = Buffer(f"{name} room", window, initial=window, role="internal")
        return cls(op, pages, piece_bytes, below, room)

    @property
    def depth(self) -> int:
        """Largest number of pieces in flight at once."""
        return self.room.capacity // self.piece_bytes if self.room else 1

    def path(self, io: IO, use: Callable[[IO], Path] = lambda _: ()) -> Path:
        """The caller's side, piece by piece, so that moving begins before a long call ends."""
        source, target = (self.pages, self.room) if self.op == "read" else (self.room, self.pages)
        if self.room is None and io.size_bytes <= self.piece_bytes:
            return _across(source, io.size_bytes, use(io), target)
        return pieces(io, self.piece_bytes, lambda piece: _across(source, piece.size_bytes, use(piece), target))

    def behind(self, name: str, *, group: str) -> Closed:
        """The background side, as a workload of its own."""
        return Closed(name, clients=self.depth, path=self.moved(self.piece_bytes), group=group)

    def moved(self, size_bytes: int) -> Path:
        """Move ``size_bytes`` between the window and the layer below."""
        source, target = (self.room, self.pages) if self.op == "read" else (self.pages, self.room)
        return _across(source, size_bytes, self.below.path(IO(self.op, size_bytes)), target)


def _across(source: Buffer | None, size_bytes: int, steps: Path, target: Buffer | None) -> Path:
    taken = (Take(source, size_bytes),) if source else ()
    return (*taken, *steps, *((Put(target, size_bytes),) if target else ()))


def _left_over(call_bytes: int, piece_bytes: int) -> int:
    """Largest remainder of a piece after calls that end within it; 0 if one size divides the other."""
    common = gcd(call_bytes, piece_bytes)
    return 0 if common in (call_bytes, piece_bytes) else piece_bytes - common
