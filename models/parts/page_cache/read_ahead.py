"""Read-ahead by windows: what a run of reads takes was fetched before it asks, while the next window is fetched.

read ──> left of the window: take a part ──> copy
    └──> else: wait for the window that is on its way, have another one fetched ┄┄> below ──> copy
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.io import FileIO
from sim import Buffer, Fork, IfAny, Path, Put, Repeat, Take


@dataclass(frozen=True)
class ReadAhead:
    """The windows of all runs; ``name`` begins the names of the places.

    Attributes:
        window_bytes: what is fetched at once.
        fetched: the path of a window, from below.
        copied: the path of what is copied to the caller.
        woken: a caller who slept until his window came runs again.
    """

    name: str
    window_bytes: int
    fetched: Callable[[FileIO], Path]
    copied: Callable[[FileIO], Path]
    woken: Path

    def path(self, io: FileIO) -> Path:
        """Read what has been fetched; the call that begins a window has the next one fetched."""
        calls = self.window_bytes // io.size_bytes
        if calls <= 1:
            return cut(io, self.window_bytes, lambda piece: (*self._turned(piece), *self.copied(piece)))
        left = Buffer(f"{self._stream(io)} calls left", calls - 1)
        fetched = (*self._turned(io.piece(calls * io.size_bytes)), Put(left, calls - 1))
        return (IfAny(left, Take(left), fetched), *self.copied(io))

    def _turned(self, window: FileIO) -> Path:
        """Wait for the window that is on its way, and have another one fetched."""
        # The run begins in the middle of a file: the first window is there.
        here = Buffer(self._stream(window), 1, 1)
        waited = IfAny(here, Take(here), (Take(here), *self.woken))
        return (waited, Fork((*self.fetched(window), Put(here)), wait=False))

    def _stream(self, io: FileIO) -> str:
        return f"{self.name} read ahead of process {io.process_of_all} in file {io.file}"


def cut(io: FileIO, max_bytes: int, path: Callable[[FileIO], Path]) -> Path:
    """Take ``path`` of each piece of ``io``, one after the other."""
    return tuple(Repeat(times, *path(io.piece(piece.size_bytes))) for times, piece in io.split(max_bytes))
