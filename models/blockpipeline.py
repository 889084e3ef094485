"""What happens to the bytes of a file system's block on its way to the disk: compressed, then checksummed.

write ──> [system time] compress, checksum ──> below, the bytes that are left
read  ──> below ──> [system time] checksum
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.processor import Processor
from sim.steps import Path

SECTOR_BYTES = 512


@dataclass(frozen=True)
class BlockPipeline:
    """The pipeline of one file system.

    Attributes:
        compress_s_per_byte, checksum_s_per_byte: zero if switched off.
        share: bytes that are left of each byte.
    """

    cpu: Processor
    compress_s_per_byte: float
    checksum_s_per_byte: float
    share: float
    below: Layer

    def path(self, io: IO) -> Path:
        """A checksum covers what is on the disk, so it is made after compressing."""
        stored = IO(io.op, math.ceil(io.size_bytes * self.share / SECTOR_BYTES) * SECTOR_BYTES)
        checksum_s = stored.size_bytes * self.checksum_s_per_byte
        if io.op == "read":
            return (*self.below.path(stored), self.cpu.system(checksum_s))
        return (self.cpu.system(io.size_bytes * self.compress_s_per_byte + checksum_s), *self.below.path(stored))
