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
"""Largest direct path I/O of the database."""


@dataclass(frozen=True)
class Cycle:
    """Repeated steps of a process, and the bytes that each repetition moves."""

    path: Path
    size_bytes: int


@dataclass(frozen=True)
class Worker:
    """One process between a file and a table.

    Attributes:
        cpu: the cores of the node.
        work_s_per_byte: CPU time of the process itself.
        call_s: CPU time of a call on the file before it reaches the mount.
        call_bytes: bytes of one such call.
    """

    cpu: Station
    work_s_per_byte: float
    call_s: float
    call_bytes: int
    file: Layer
    table: Layer

    def generate(self) -> Cycle:
        """One block of a flat file."""
        return Cycle((self._work(self.call_bytes), *self._call("write")), self.call_bytes)

    def load(self, buffer_bytes: int) -> Cycle:
        """One write to the table: a buffer is read and its rows are converted, until the write is full."""
        calls = max(1, buffer_bytes // self.call_bytes)
        buffers = max(1, TABLE_IO_BYTES // (calls * self.call_bytes))
        size_bytes = buffers * calls * self.call_bytes
        buffer = Repeat(buffers, Repeat(calls, *self._call("read")), self._work(calls * self.call_bytes))
        return Cycle((buffer, *self.table.path(IO("write", size_bytes))), size_bytes)

    def dump(self) -> Cycle:
        """One read from the table, written to the dump piece by piece."""
        piece = Repeat(TABLE_IO_BYTES // self.call_bytes, self._work(self.call_bytes), *self._call("write"))
        return Cycle((*self.table.path(IO("read", TABLE_IO_BYTES)), piece), TABLE_IO_BYTES)

    def restore(self) -> Cycle:
        """One write to the table, read from the dump piece by piece."""
        piece = Repeat(TABLE_IO_BYTES // self.call_bytes, *self._call("read"), self._work(self.call_bytes))
        return Cycle((piece, *self.table.path(IO("write", TABLE_IO_BYTES))), TABLE_IO_BYTES)

    def _work(self, size_bytes: int) -> Step:
        return Use(self.cpu, size_bytes * self.work_s_per_byte)

    def _call(self, op: Op) -> Path:
        io = IO(op, self.call_bytes)
        return (Use(self.cpu, self.call_s), *self.file.path(io))
