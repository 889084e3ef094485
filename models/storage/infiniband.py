"""An InfiniBand card between a node and its storage: everything crosses this one card.

write ──> [out: bytes / bandwidth] ──> [latency, no queue] ──> below
read  ──> [back: bytes / bandwidth] ──> [latency, no queue] ──> below

Each direction is a server of its own, so that reads do not wait for writes; a card whose bandwidth is published
for both together has one. With RDS over InfiniBand the card moves data by itself (DMA): no time on the node's
cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.storage.fabrics import Fabric
from sim import Delay, Path, Station, Use


@dataclass(frozen=True)
class Link:
    """One card; on average ``copies`` of each written byte cross it (mirrored writes leave the node twice).

    Attributes:
        out, back: the two directions; the same server for both where ``bytes_per_s`` is for both together.
    """

    out: Station
    back: Station
    bytes_per_s: float
    latency_s: float
    copies: float
    below: Layer

    @classmethod
    def over(cls, name: str, fabric: Fabric, latency_s: float, copies: float, below: Layer) -> Link:
        """The card of the host ``name`` on ``fabric``."""
        ways = ("card out", "card back") if fabric.duplex else ("card", "card")
        out, back = (Station(f"{name} {way}") for way in ways)
        return cls(out, back, fabric.bytes_per_s, latency_s, copies, below)

    def path(self, io: IO) -> Path:
        """Queue for the card, cross the wire, go on below."""
        card, crossings = (self.out, self.copies) if io.op == "write" else (self.back, 1.0)
        return (
            Use(card, crossings * io.size_bytes / self.bytes_per_s),
            Delay(self.latency_s),
            *self.below.path(io),
        )
