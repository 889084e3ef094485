"""A pipe between two processes: a small buffer in the kernel.

    writer ──> copy ──> put into [pipe] ┄┄> take from [pipe] ──> copy ──> reader

A process at a full or an empty pipe waits, so two processes overlap by the content of the pipe.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.parts.host.processor import Processor
from models.paths import pieces
from sim import Buffer, Path, Put, Take


@dataclass(frozen=True)
class Pipe:
    """One pipe; both its ends are layers.

    Attributes:
        piece_bytes: bytes that cross at a time: a read returns available bytes, not all requested ones.
        copy_s_per_byte: system time of either side.
    """

    buffer: Buffer
    piece_bytes: int
    cpu: Processor
    copy_s_per_byte: float

    @classmethod
    def of(cls, name: str, capacity: int, max_bytes: int, *, cpu: Processor, copy_s_per_byte: float) -> Pipe:
        """The pipe ``name`` between two processes that move at most ``max_bytes`` in a call."""
        piece_bytes = min(capacity, max_bytes)
        # A short piece that waits for its reader must leave room for a whole one, or both sides would wait.
        room = max(capacity, 2 * piece_bytes - 1)
        return cls(Buffer(name, room), piece_bytes, cpu, copy_s_per_byte)

    def path(self, io: IO) -> Path:
        """One call, piece by piece."""
        return pieces(io, self.piece_bytes, self._piece)

    def _piece(self, io: IO) -> Path:
        copy = self.cpu.system(io.size_bytes * self.copy_s_per_byte)
        if io.op == "write":
            return (copy, Put(self.buffer, io.size_bytes))
        return (Take(self.buffer, io.size_bytes), copy)
