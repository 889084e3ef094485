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
"""Of a UFS as newfs makes it, and the window of the kernel through which a file is written (fbio.h: MAXBSIZE)."""

SECTOR_BYTES = 512
"""Small writes begin and end at any sector."""


@dataclass(frozen=True)
class SynchronousWrites:
    """A file of small writes each of which is on its way to the drive before the call returns.

    Attributes:
        path_s: from the process that asks to the command and back, without a core of the session.
        direct: the mount bypasses the page cache.
    """

    path_s: float
    direct: bool
    below: Layer

    def path(self, io: IO) -> Path:
        """One write."""
        if self.direct:
            return (Delay(self.path_s), *self.below.path(io))
        blocks = touched_blocks(io.size_bytes)
        block = self.below.path(IO("write", BLOCK_BYTES))
        whole, rest = int(blocks), blocks - int(blocks)
        return (Delay(self.path_s), Repeat(whole, *block), *((maybe(rest, *block),) if rest else ()))


def touched_blocks(size_bytes: float) -> float:
    """Blocks that a write touches, on average over all sectors where it may begin; it fills one at least."""
    return 1.0 + max(0.0, size_bytes - SECTOR_BYTES) / BLOCK_BYTES
