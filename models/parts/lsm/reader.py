"""Reads of single keys: a filter for each sorted run, and blocks from the block cache or the device.

get ──> [cpu] ──> each level but the last: its filter passes wrongly: a block ──> the last: the block of the key

A Bloom filter of b bits a key passes wrongly with probability 0.6185^b (0.8 % at 10 bits), so that a get of a key
in the last of n levels, of which level 0 counts as one, reads 1 + (n - 1) × 0.6185^b blocks. The block cache has a
share of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from sim import Choose, Path, Repeat, Station, Use

PASSED_A_BIT = 0.6185
"""2^(-ln 2): false positives of a filter with the best number of probes, by bit of a key (Bloom, 1970)."""


@dataclass(frozen=True)
class Reader:
    """The path of reads.

    Attributes:
        levels: levels, with level 0.
        bits: of the filter, a key; 0 for none.
        hit: share of blocks that the block cache has.
    """

    levels: int
    cpu: Station
    get_s: float
    bits: float
    hit: float
    block_bytes: int
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """A get."""
        below = self.below.path(io.piece(self.block_bytes))
        block = Choose((self.hit, ()), (1.0 - self.hit, below))
        passed = PASSED_A_BIT**self.bits
        wrongly = Choose((passed, (block,)), (1.0 - passed, ()))
        filters = (Repeat(self.levels - 1, wrongly),) if self.levels > 1 else ()
        return (Use(self.cpu, self.get_s), *filters, block)
