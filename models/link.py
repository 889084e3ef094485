"""A link between a node and the storage: one card that everything of the node crosses.

    bytes ──> [card: bytes / bandwidth] ──> [latency, no queue] ──> below

With RDS over InfiniBand the card moves data by itself (DMA): no time on the node's cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim.places import Station
from sim.steps import Delay, Path, Use

INFINIBAND_BYTES_PER_S = {"sdr": 0.9e9, "ddr": 1.85e9, "qdr": 3.2e9, "fdr": 6.0e9, "edr": 11.5e9}
"""What one 4x card moves. DDR: published for Exadata V1's card. QDR: what PCIe 2.0 x8 leaves of 4 GB/s. The
others: 90 to 92 % of the data rate (8, 54.5 and 100 Gb/s), the share that these two keep at best."""


@dataclass(frozen=True)
class Link:
    """One card; ``copies`` of each written byte cross it (mirrored writes leave the node twice)."""

    card: Station
    bytes_per_s: float
    latency_s: float
    copies: int
    below: Layer

    def path(self, io: IO) -> Path:
        """Queue for the card, cross the wire, go on below."""
        crossings = self.copies if io.op == "write" else 1
        return (
            Use(self.card, crossings * io.size_bytes / self.bytes_per_s),
            Delay(self.latency_s),
            *self.below.path(io),
        )
