"""The adaptive replacement cache: file data stay in memory, as much as others leave of it.

read ──> in memory: nothing to do     not in memory: below
"""

from __future__ import annotations

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
    def missing(self) -> float:
        """Share of the files that is not in memory."""
        return max(0.0, 1.0 - self.size_bytes / self.set_bytes)


@dataclass(frozen=True)
class CachedReads:
    """Reads of files of which the share ``missing`` is not in memory."""

    missing: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One read."""
        return (maybe(self.missing, *self.below.path(io)),)
