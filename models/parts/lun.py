"""A LUN of an array, known by what it does for one I/O.

latency, no queue ──> [drives: service + bytes / bandwidth]

Memory before the drives is a `CachedFile` for each stream (`models/parts/page_cache/cached_file.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.parts.disk import Disk
from sim import Delay, Path


@dataclass(frozen=True)
class Lun:
    """One LUN.

    Attributes:
        drives: with the time that an I/O takes of one beside its bytes, and what streams side by side get.
        latency_s: time there and back, with all work that the array does for several I/Os at once.
    """

    drives: Disk
    latency_s: float = 0.0

    @classmethod
    def of(cls, latency_s: float, service_s: float, bytes_per_s: float) -> Lun:
        """One I/O after the other, whatever the array does inside."""
        return cls(Disk("lun", service_s, bytes_per_s), latency_s)

    def path(self, io: IO) -> Path:
        """Reach the array, queue for a drive."""
        reached = (Delay(self.latency_s),) if self.latency_s else ()
        return (*reached, self.drives.anywhere(io.size_bytes))
