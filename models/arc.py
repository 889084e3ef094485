"""The adaptive replacement cache: file data stay in memory, as much as others leave of it.

read ──> in memory: nothing to do     not in memory: below
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim.steps import Choose, Path


@dataclass(frozen=True)
class Arc:
    """The cache, for ``set_bytes`` of files of which every part is used alike."""

    size_bytes: float
    set_bytes: float

    @classmethod
    def left(cls, memory_bytes: float, used_bytes: float, least_bytes: float, set_bytes: float) -> Arc:
        """What others leave of the memory, but never less than ``least_bytes``."""
        return cls(max(least_bytes, memory_bytes - used_bytes), set_bytes)

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
        return (Choose((self.missing, self.below.path(io)), (1.0 - self.missing, ())),)
