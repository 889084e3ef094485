"""Calls through memory that the kernel owns: each byte is copied between there and the caller.

write ──> [system time] copy ──> below         read ──> below ──> [system time] copy
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.processor import Processor
from models.io import IO
from models.layer import Layer
from sim import Path


@dataclass(frozen=True)
class BufferedFile:
    """A file whose bytes are copied, each in ``copy_s_per_byte`` of system time."""

    cpu: Processor
    copy_s_per_byte: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One call."""
        copy = self.cpu.system(io.size_bytes * self.copy_s_per_byte)
        return (copy, *self.below.path(io)) if io.op == "write" else (*self.below.path(io), copy)
