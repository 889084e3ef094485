"""The kernel's work for an I/O, whoever starts it: a call under direct I/O, read-ahead, or write-behind.

I/O ──> [system time] by its size: pages held and mapped for the device, queued, completed and let go ──> below
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.processor import Processor
from models.io import IO
from models.layer import Layer
from sim import Path


@dataclass(frozen=True)
class IOWork:
    """A device with what the kernel does for each I/O to it.

    Attributes:
        s_per_byte: system time.
    """

    cpu: Processor
    s_per_byte: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One I/O."""
        return (self.cpu.system(io.size_bytes * self.s_per_byte), *self.below.path(io))
