"""Blocks of a file system on their way to the disk: compressed, then checksummed.

write ──> [system time] compress into a second buffer, checksum ──> below, the bytes that are left and pointers
read  ──> below ──> [system time] into a buffer, checksum; if compressed, into a second buffer

All cores work on the blocks of one I/O. Blocks that are written together lie one behind the other, so that below
they are one I/O (OpenSolaris, vdev_queue.c: up to 128 KiB); but each is allocated, passed on and pointed to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.parts.host.processor import Processor
from models.parts.zfs.buffers import Buffers
from sim import Fork, Path, Step

SECTOR_BYTES = 512


@dataclass(frozen=True)
class BlockPipeline:
    """The pipeline of one file system.

    Attributes:
        threads: number of threads that share the blocks of one I/O.
        compress_s_per_byte, checksum_s_per_byte: zero if switched off.
        block_s: core time to allocate a block of any size and to pass it on.
        pointer_bytes: bytes in an indirect block for each block that it points to.
        buffers: buffers for reads, as large as a block; one more for each compressed block.
        share: compressed size over uncompressed size.
    """

    cpu: Processor
    threads: int
    compress_s_per_byte: float
    checksum_s_per_byte: float
    block_s: float
    pointer_bytes: float
    buffers: Buffers
    share: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One I/O; the checksum covers the compressed bytes, so it is computed after compression."""
        blocks = math.ceil(io.size_bytes / self.buffers.size_bytes)
        stored_bytes = math.ceil(io.size_bytes * self.share / SECTOR_BYTES) * SECTOR_BYTES
        stored = IO(io.op, stored_bytes + round(blocks * self.pointer_bytes))
        checked_s = stored.size_bytes * self.checksum_s_per_byte + blocks * self.block_s
        compress_s = io.size_bytes * self.compress_s_per_byte
        second = self.buffers.path(io) if compress_s else ()
        if io.op == "read":
            return (*self.below.path(stored), *self.buffers.path(io), *second, self._work(checked_s))
        return (*second, self._work(checked_s + compress_s), *self.below.path(stored))

    def _work(self, time_s: float) -> Step:
        share = self.cpu.system(time_s / self.threads)
        return Fork(*(share for _ in range(self.threads)))
