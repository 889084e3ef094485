"""A LUN of an array, described by its time for one I/O.

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
        drives: drives, with the time of an I/O besides its bytes, and the bandwidth of parallel streams.
        latency_s: round trip, with all work that the array does for several I/Os at once.
    """

    drives: Disk
    latency_s: float = 0.0

    @classmethod
    def of(cls, latency_s: float, service_s: float, bytes_per_s: float) -> Lun:
        """A LUN that serves one I/O at a time."""
        return cls(Disk("lun", service_s, bytes_per_s), latency_s)

    def path(self, io: IO) -> Path:
        """Reach the array, queue for a drive."""
        reached = (Delay(self.latency_s),) if self.latency_s else ()
        return (*reached, self.drives.anywhere(io.size_bytes))
