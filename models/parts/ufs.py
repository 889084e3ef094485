"""UFS: synchronous writes through the page cache go out in whole blocks, one command each.

small write ──> [path of a synchronous write] ──> each block that it touches, one after the other, below
                                                  forcedirectio: the bytes themselves, below
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import maybe
from sim import Delay, Path, Repeat

BLOCK_BYTES = 8192
"""Default block of newfs, and window of the kernel through which a file is written (fbio.h: MAXBSIZE)."""

SECTOR_BYTES = 512
"""Alignment of small writes, which begin and end at any sector."""


@dataclass(frozen=True)
class SynchronousWrites:
    """A file of small writes that reach the drive before the call returns.

    Attributes:
        path_s: time from the process to the command and back, without a core of the session.
        direct: True if the mount bypasses the page cache.
    """

    path_s: float
    direct: bool
    below: Layer

    def path(self, io: IO) -> Path:
        """Steps of one write."""
        if self.direct:
            return (Delay(self.path_s), *self.below.path(io))
        blocks = touched_blocks(io.size_bytes)
        block = self.below.path(IO("write", BLOCK_BYTES))
        whole, rest = int(blocks), blocks - int(blocks)
        return (Delay(self.path_s), Repeat(whole, *block), *((maybe(rest, *block),) if rest else ()))


def touched_blocks(size_bytes: float) -> float:
    """Mean number of blocks that a write touches, over all starting sectors; it fills at least one."""
    return 1.0 + max(0.0, size_bytes - SECTOR_BYTES) / BLOCK_BYTES
