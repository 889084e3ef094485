"""Write-behind and read-ahead: a buffer per open file, with one stream of large pieces behind it.

    write:  call ──> put into [buffer] ──> done        behind it:  take a chunk ──> below
    read:   call ──> take from [buffer] ──> done       behind it:  below ──> put a chunk

The two sides meet only in the buffer, so a file moves at the speed of its slower side.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO, Op
from models.layer import Layer
from sim import Buffer, Closed, Path, Put, Take


@dataclass(frozen=True)
class FileStream:
    """One open file, read or written in sequence.

    Attributes:
        buffer: in bytes; at least two chunks, so that one fills while the other drains.
        chunk_bytes: size of an I/O to the layer below.
    """

    op: Op
    buffer: Buffer
    chunk_bytes: int
    below: Layer

    def path(self, io: IO) -> Path:
        """The caller's side: only the buffer."""
        return (Put(self.buffer, io.size_bytes) if self.op == "write" else Take(self.buffer, io.size_bytes),)

    def behind(self, name: str, *, group: str) -> Closed:
        """The stream behind the buffer, as a workload of its own: one chunk after the other."""
        return Closed(name, clients=1, path=self.chunk(self.below), group=group)

    def chunk(self, below: Layer) -> Path:
        """Move one chunk between the buffer and what is ``below``."""
        moved = below.path(IO(self.op, self.chunk_bytes))
        if self.op == "write":
            return (Take(self.buffer, self.chunk_bytes), *moved)
        return (*moved, Put(self.buffer, self.chunk_bytes))
