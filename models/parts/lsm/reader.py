"""Reads of single keys: a filter for each sorted run, and blocks from the block cache or the device.

get ──> [cpu] ──> each file of level 0, each level: its filter passes wrongly: a block ──> the block of the key

The key lies in the last level. A Bloom filter of b bits a key passes wrongly with probability 0.6185^b (0.8 % at
10 bits), so that a get reads 1 + runs × 0.6185^b blocks, of which the block cache has a share.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.parts.lsm.tree import Tree
from sim import Choose, IfAny, Path, Station, Step, Use

PASSED_A_BIT = 0.6185
"""2^(-ln 2): false positives of a filter with the best number of probes, by bit of a key (Bloom, 1970)."""


@dataclass(frozen=True)
class Reader:
    """The path of reads.

    Attributes:
        bits: of the filter, a key; 0 for none.
        hit: share of blocks that the block cache has.
    """

    tree: Tree
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
        first, levels = self.tree.first, len(self.tree.targets)
        runs: list[Step] = [IfAny(first, wrongly, least=files) for files in range(1, first.capacity + 1)]
        runs += [IfAny(self.tree.level(number), wrongly) for number in range(1, levels)]
        return (Use(self.cpu, self.get_s), *runs, block)
