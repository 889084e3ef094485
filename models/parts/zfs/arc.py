"""The adaptive replacement cache: file data stay in memory, as much as others leave of it.

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
    """The cache, for ``set_bytes`` of files of which every part is used equally often."""

    size_bytes: float
    set_bytes: float

    @property
    def held(self) -> float:
        """Share of the files that it has room for."""
        return min(1.0, self.size_bytes / self.set_bytes)

    @property
    def missing(self) -> float:
        """Share of the blocks used here and there that is not in memory."""
        return 1.0 - self.held

    @property
    def missing_in_turn(self) -> float:
        """Share of what is read from beginning to end that is not in memory."""
        return self.missing


@dataclass(frozen=True)
class LoopedArc(Arc):
    """Files that are read from end to end push out what comes next, unless all of them have room (LRU)."""

    @property
    def missing_in_turn(self) -> float:
        """All or nothing."""
        return float(self.held < 1.0)


SKEW = math.log(0.8) / math.log(0.2)
"""A fifth of the blocks gets four fifths of the uses, of this fifth a fifth four fifths of these, and so on
(W. P. Heising, "Note on random addressing techniques", IBM Systems Journal 2 (1963))."""


@dataclass(frozen=True)
class SkewedArc(Arc):
    """Some blocks are used more often than others, and these are kept."""

    @property
    def missing(self) -> float:
        """Share of the uses that does not go to them."""
        return float(1.0 - self.held**SKEW)

    @property
    def missing_in_turn(self) -> float:
        """A scan uses all alike."""
        return 1.0 - self.held


@dataclass(frozen=True)
class CachedReads:
    """Reads of files of which the share ``missing`` is not in memory."""

    missing: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One read."""
        return (maybe(self.missing, *self.below.path(io)),)
