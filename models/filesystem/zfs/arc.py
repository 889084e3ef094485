"""The adaptive replacement cache: file data stay in memory, as much as others leave of it.

read ──> in memory: nothing to do     not in memory: below

While there is more memory than files, a new buffer costs nothing. A full cache must give up an old buffer for it,
which takes processor time for each byte.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import maybe
from sim import Path


@dataclass(frozen=True)
class Arc:
    """The cache, for ``set_bytes`` of files of which every part is used equally often.

    ``reclaim_s_per_byte``: system time to give up a buffer for a new one.
    """

    size_bytes: float
    set_bytes: float
    reclaim_s_per_byte: float

    @property
    def buffer_s_per_byte(self) -> float:
        """System time to get a buffer."""
        return self.reclaim_s_per_byte if self.missing else 0.0

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
