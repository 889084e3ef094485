"""Bulk work on a database table and on flat files: generate, load, export, import.

generate:  [cpu] rows to text ──> write a block of the file ──> again
load:      read a buffer of the file ──> [cpu] text to rows ──> …  until 1 MiB ──> write it to the table ──> again
export:    read 1 MiB of the table ──> [cpu] rows to dump ──> write to the file, call by call ──> again
import:    read from the file ──> [cpu] dump to rows, call by call ──> 1 MiB to the table ──> again
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO, Op
from models.layer import Layer
from sim import Path, Repeat, Station, Step, Use

TABLE_IO_BYTES = 1 << 20
"""Most that a direct path I/O of the database moves."""


@dataclass(frozen=True)
class Batch:
    """What a process does again and again, and the bytes that it moves by it."""

    path: Path
    size_bytes: int


@dataclass(frozen=True)
class Worker:
    """One process between a file and a table.

    Attributes:
        cpu: the cores of the node.
        work_s_per_byte: its own work.
        call_s: what a call on the file takes before it comes to the mount.
        call_bytes: of one such call.
    """

    cpu: Station
    work_s_per_byte: float
    call_s: float
    call_bytes: int
    file: Layer
    table: Layer

    def generate(self) -> Batch:
        """One block of a flat file."""
        return Batch((self._work(self.call_bytes), *self._call("write")), self.call_bytes)

    def load(self, buffer_bytes: int) -> Batch:
        """What goes to the table at once, by way of a buffer that is read and then used up."""
        calls = max(1, buffer_bytes // self.call_bytes)
        buffers = max(1, TABLE_IO_BYTES // (calls * self.call_bytes))
        size_bytes = buffers * calls * self.call_bytes
        buffer = Repeat(buffers, Repeat(calls, *self._call("read")), self._work(calls * self.call_bytes))
        return Batch((buffer, *self.table.path(IO("write", size_bytes))), size_bytes)

    def dump(self) -> Batch:
        """What is read from the table at once, piece by piece to the dump."""
        piece = Repeat(TABLE_IO_BYTES // self.call_bytes, self._work(self.call_bytes), *self._call("write"))
        return Batch((*self.table.path(IO("read", TABLE_IO_BYTES)), piece), TABLE_IO_BYTES)

    def restore(self) -> Batch:
        """The same from the dump to the table."""
        piece = Repeat(TABLE_IO_BYTES // self.call_bytes, *self._call("read"), self._work(self.call_bytes))
        return Batch((piece, *self.table.path(IO("write", TABLE_IO_BYTES))), TABLE_IO_BYTES)

    def _work(self, size_bytes: int) -> Step:
        return Use(self.cpu, size_bytes * self.work_s_per_byte)

    def _call(self, op: Op) -> Path:
        io = IO(op, self.call_bytes)
        return (Use(self.cpu, self.call_s), *self.file.path(io))
