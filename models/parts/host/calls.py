"""Calls into the kernel: core time of each, before the I/O goes below and after it came back.

write, direct I/O ──> [core] the call; pages held and mapped; copied out ──> below
read, buffered    ──> [core] the call ──> below ──> [core] copied in, looked through

Direct I/O copies nothing. A buffered byte is copied between the caller and memory of the kernel; bytes sent over a
socket, once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from models.io import IO
from models.layer import Layer
from sim import Path


class Kernel(Protocol):
    """Cores that do a kernel's work."""

    def kernel(self, time_s: float) -> Path:
        """Work of the kernel for a process that waits for its end."""


@dataclass(frozen=True)
class Calls:
    """Layer in which every I/O is a call, or one of the kernel's own, as for read-ahead.

    Attributes:
        call_s: core time of a call of any size.
        mapped_s_per_byte: core time to pin, map, queue and release pages for a device.
        copy_s_per_byte: core time of all copies together.
        looked_s_per_byte: core time to process read data.
    """

    cpu: Kernel
    below: Layer
    call_s: float = 0.0
    mapped_s_per_byte: float = 0.0
    copy_s_per_byte: float = 0.0
    looked_s_per_byte: float = 0.0

    def path(self, io: IO) -> Path:
        """Steps of one call."""
        called_s = self.call_s + io.size_bytes * self.mapped_s_per_byte
        if io.op == "write":
            return (*self._work(called_s + io.size_bytes * self.copy_s_per_byte), *self.below.path(io))
        read_s = io.size_bytes * (self.looked_s_per_byte + self.copy_s_per_byte)
        return (*self._work(called_s), *self.below.path(io), *self._work(read_s))

    def _work(self, time_s: float) -> Path:
        return self.cpu.kernel(time_s) if time_s else ()
