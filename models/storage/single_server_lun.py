"""A LUN of an array as a single server: one I/O after the other, whatever the array does inside.

latency, no queue ──> [lun: service + bytes / bandwidth]
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from sim import Delay, Path, Station, Use


@dataclass(frozen=True)
class SingleServerLun:
    """One LUN of an array behind a fabric.

    Attributes:
        latency_s: time there and back, with all work that the array does for several I/Os at once.
        service_s: time that it takes for one I/O after the other, beside the transfer.
    """

    lun: Station
    latency_s: float
    service_s: float
    bytes_per_s: float

    def path(self, io: IO) -> Path:
        """Reach the array, queue for the LUN."""
        return (Delay(self.latency_s), Use(self.lun, self.service_s + io.size_bytes / self.bytes_per_s))
