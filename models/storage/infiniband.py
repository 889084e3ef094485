"""An InfiniBand card between a node and its storage: everything crosses this one card.

bytes ──> [card: bytes / bandwidth] ──> [latency, no queue] ──> below

With RDS over InfiniBand the card moves data by itself (DMA): no time on the node's cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Delay, Path, Station, Use


@dataclass(frozen=True)
class Link:
    """One card; on average ``copies`` of each written byte cross it (mirrored writes leave the node twice)."""

    card: Station
    bytes_per_s: float
    latency_s: float
    copies: float
    below: Layer

    def path(self, io: IO) -> Path:
        """Queue for the card, cross the wire, go on below."""
        crossings = self.copies if io.op == "write" else 1
        return (
            Use(self.card, crossings * io.size_bytes / self.bytes_per_s),
            Delay(self.latency_s),
            *self.below.path(io),
        )
