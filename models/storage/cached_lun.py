"""A LUN of an array: drives behind the array's own cache.

read, in the cache      ──> done
read, not in the cache  ──> [drives]
write                   ──> [drives]
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from sim import Path, Station, Use


@dataclass(frozen=True)
class CachedLun:
    """Drives that stream side by side.

    Attributes:
        bytes_per_s: of one drive, in sequence.
        resident: whether what is read lies in the cache of the array, which fetched it ahead.
    """

    drives: Station
    bytes_per_s: float
    resident: bool

    def path(self, io: IO) -> Path:
        """Only a drive takes time: the cache delivers as fast as the fabric takes it."""
        if io.op == "read" and self.resident:
            return ()
        return (Use(self.drives, io.size_bytes / self.bytes_per_s),)
