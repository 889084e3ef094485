"""File utilities: cp, tar, gzip and dd, each with its own block size.

copy:      read a block ──> write it ──> again, until the file is through
compress:  read a block ──> [user time] ──> write each full block ──> again

Source and target are layers: a file on some mount, or a pipe from or to the next utility.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.parts.host.processor import Processor
from models.paths import maybe, pieces
from sim import Path, Repeat


@dataclass(frozen=True)
class Process:
    """One running utility: it makes one call after the other, each with ``call_user_s`` of user time."""

    cpu: Processor
    call_user_s: float

    def call(self, io: IO, layer: Layer) -> Path:
        """One read or write."""
        return (self.cpu.user(self.call_user_s), *layer.path(io))

    def copy(self, file_bytes: int, block_bytes: int, source: Layer, target: Layer) -> Path:
        """Read and write the whole file, block by block."""

        def copied(block: IO) -> Path:
            return (*self.call(block, source), *self.call(IO("write", block.size_bytes), target))

        return pieces(IO("read", file_bytes), block_bytes, copied)

    def compress(self, file_bytes: int, compression: Compression, source: Layer, target: Layer) -> Path:
        """Read the whole file, and write it compressed."""

        def compressed(block: IO) -> Path:
            return (
                *self.call(block, source),
                self.cpu.user(block.size_bytes * compression.user_s_per_byte),
                *self._output(block.size_bytes * compression.share, compression.write_bytes, target),
            )

        return pieces(IO("read", file_bytes), compression.read_bytes, compressed)

    def _output(self, size_bytes: float, block_bytes: int, target: Layer) -> Path:
        """Write blocks as they fill up; a partly full block is written with the probability of its share."""
        written = self.call(IO("write", block_bytes), target)
        whole, rest = divmod(size_bytes, block_bytes)
        full = (Repeat(int(whole), *written),) if whole else ()
        return (*full, maybe(rest / block_bytes, *written))


@dataclass(frozen=True)
class Compression:
    """Parameters of ``gzip``.

    Attributes:
        read_bytes, write_bytes: block sizes of its calls.
        user_s_per_byte: user time for each byte read.
        share: bytes written for each byte read.
    """

    read_bytes: int
    write_bytes: int
    user_s_per_byte: float
    share: float
