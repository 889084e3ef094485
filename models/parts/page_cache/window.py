"""A window of bytes between a caller and what is below: read ahead of the caller, or written behind it.

    read:   take from [pages], use, give [room]      behind it:  take room ──> below ──> put pages
    write:  take [room], use, put into [pages]       behind it:  take pages ──> below ──> give room

``room`` and ``pages`` together never exceed the window. A host has such windows, and so has an array.

The next piece is fetched when the caller comes into the one before, wherever his calls begin and end. Calls of
another size leave a part of a piece behind, which is no room for a whole one: the window is larger by that part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from models.io import IO, Op
from models.paths import pieces
from sim import Buffer, Closed, Path, Put, Take


@dataclass(frozen=True)
class Window:
    """The window of one stream.

    Attributes:
        pages: bytes that are in memory: fetched and not yet read, or written and not yet sent.
        room: bytes that may still be fetched or written.
        piece_bytes: size of an I/O to what is below.
    """

    op: Op
    pages: Buffer
    room: Buffer
    piece_bytes: int

    @classmethod
    def of(cls, name: str, op: Op, count: int, piece_bytes: int, call_bytes: int | None = None) -> Window:
        """The window ``name`` of ``count`` pieces: at least one in use, one on its way.

        Args:
            call_bytes: size of the caller's calls; that of a piece by default.
        """
        window = max(2, count) * piece_bytes + _left_over(call_bytes or piece_bytes, piece_bytes)
        return cls(
            op, Buffer(f"{name} pages", window), Buffer(f"{name} room", window, initial=window), piece_bytes
        )

    @property
    def depth(self) -> int:
        """The number of pieces that may be on their way at once."""
        return self.room.capacity // self.piece_bytes

    def path(self, io: IO, use: Callable[[IO], Path]) -> Path:
        """The caller's side, piece by piece, so that moving begins before a long call ends."""
        source, target = (self.pages, self.room) if self.op == "read" else (self.room, self.pages)
        return pieces(
            io,
            self.piece_bytes,
            lambda piece: (Take(source, piece.size_bytes), *use(piece), Put(target, piece.size_bytes)),
        )

    def behind(self, name: str, below: Callable[[IO], Path], *, group: str) -> Closed:
        """The other side, as a workload of its own; ``below``: the path of one piece."""
        source, target = (self.room, self.pages) if self.op == "read" else (self.pages, self.room)
        moved = below(IO(self.op, self.piece_bytes))
        path = (Take(source, self.piece_bytes), *moved, Put(target, self.piece_bytes))
        return Closed(name, clients=self.depth, path=path, group=group)


def _left_over(call_bytes: int, piece_bytes: int) -> int:
    """The most of a piece that calls leave behind that end within it; nothing if one size divides the other."""
    common = gcd(call_bytes, piece_bytes)
    return 0 if common in (call_bytes, piece_bytes) else piece_bytes - common
