"""Read-ahead by windows: a run of reads finds its data prefetched, while the next window is fetched.

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
    """The windows of all runs; ``name`` is the prefix of place names.

    Attributes:
        window_bytes: bytes fetched at once.
        fetched: function to the path of a window, from below.
        copied: function to the path of the copy to the caller.
        woken: steps to wake a caller that slept until its window came.
    """

    name: str
    window_bytes: int
    fetched: Callable[[FileIO], Path]
    copied: Callable[[FileIO], Path]
    woken: Path

    def path(self, io: FileIO) -> Path:
        """Read prefetched data; the call that begins a window starts the fetch of the next one."""
        calls = self.window_bytes // io.size_bytes
        if calls <= 1:
            return cut(io, self.window_bytes, lambda piece: (*self._turned(piece), *self.copied(piece)))
        left = Buffer(f"{self._stream(io)} calls left", calls - 1)
        fetched = (*self._turned(io.piece(calls * io.size_bytes)), Put(left, calls - 1))
        return (IfAny(left, Take(left), fetched), *self.copied(io))

    def _turned(self, window: FileIO) -> Path:
        """Wait for the window in flight, and start the fetch of another one."""
        # The run begins in the middle of a file: the first window is already fetched.
        here = Buffer(self._stream(window), 1, 1)
        waited = IfAny(here, Take(here), (Take(here), *self.woken))
        return (waited, Fork((*self.fetched(window), Put(here)), wait=False))

    def _stream(self, io: FileIO) -> str:
        return f"{self.name} read ahead of process {io.process_of_all} in file {io.file}"


def cut(io: FileIO, max_bytes: int, path: Callable[[FileIO], Path]) -> Path:
    """Take ``path`` of each piece of ``io`` in turn."""
    return tuple(Repeat(times, *path(io.piece(piece.size_bytes))) for times, piece in io.split(max_bytes))
