"""The adaptive replacement cache: file data stay in memory, in the room that other uses leave.

read ──> in memory: nothing to do     not in memory: below
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import maybe
from sim import Path


@dataclass(frozen=True)
class Arc:
    """The cache, for ``set_bytes`` of files whose parts are used equally often."""

    size_bytes: float
    set_bytes: float

    @property
    def held(self) -> float:
        """Share of the files that fits in the cache."""
        return min(1.0, self.size_bytes / self.set_bytes)

    @property
    def missing(self) -> float:
        """Share of randomly used blocks that is not in memory."""
        return 1.0 - self.held

    @property
    def missing_in_turn(self) -> float:
        """Share of sequentially read data that is not in memory."""
        return self.missing


@dataclass(frozen=True)
class LoopedArc(Arc):
    """Files read from end to end evict what comes next, unless all of them fit (LRU)."""

    @property
    def missing_in_turn(self) -> float:
        """All or nothing."""
        return float(self.held < 1.0)


SKEW = math.log(0.8) / math.log(0.2)
"""Exponent of the 80/20 rule: a fifth of the blocks gets four fifths of the uses, recursively
(W. P. Heising, "Note on random addressing techniques", IBM Systems Journal 2 (1963))."""


@dataclass(frozen=True)
class SkewedArc(Arc):
    """Cache of blocks with skewed use, of which the most used are kept."""

    @property
    def missing(self) -> float:
        """Share of the uses that do not hit kept blocks."""
        return float(1.0 - self.held**SKEW)

    @property
    def missing_in_turn(self) -> float:
        """Share for a scan, which uses all blocks equally."""
        return 1.0 - self.held


@dataclass(frozen=True)
class CachedReads:
    """Reads of files of which the share ``missing`` is not in memory."""

    missing: float
    below: Layer

    def path(self, io: IO) -> Path:
        """Steps of one read."""
        return (maybe(self.missing, *self.below.path(io)),)
