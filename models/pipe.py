"""A pipe between two processes: a small buffer in the kernel.

    writer ──> copy ──> put into [pipe] ┄┄> take from [pipe] ──> copy ──> reader

A process that meets a full or an empty pipe waits, so two processes overlap by what the pipe holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.processor import Processor
from sim.places import Buffer
from sim.steps import Path, Put, Repeat, Step, Take


@dataclass(frozen=True)
class Pipe:
    """One pipe; both its ends are layers.

    Attributes:
        piece_bytes: what crosses at a time: a reader gets what is there, not all that it asks for.
        copy_s_per_byte: system time of either side.
    """

    buffer: Buffer
    piece_bytes: int
    cpu: Processor
    copy_s_per_byte: float

    def path(self, io: IO) -> Path:
        """One call, piece by piece."""
        return tuple(Repeat(times, *self._piece(piece)) for times, piece in io.split(self.piece_bytes))

    def _piece(self, io: IO) -> tuple[Step, ...]:
        copy = self.cpu.system(io.size_bytes * self.copy_s_per_byte)
        if io.op == "write":
            return (copy, Put(self.buffer, io.size_bytes))
        return (Take(self.buffer, io.size_bytes), copy)
