"""Several paths of a fabric between a host and its storage, used in turn.

write ──> hold [outbound] ── pieces over [card] ──> [latency] ──> below
read  ──> below ──> [latency] ──> hold [inbound] ── pieces over [card]

With Fibre Channel, and with RDS over InfiniBand, the card moves data by itself (DMA): no time on the host's cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import pieces
from models.storage.fabrics import Fabric
from sim import Delay, Hold, Path, Pool, Station, Use

PIECE_BYTES = 256 * 1024
"""Bytes that one direction sends before the other has its turn; fewer change elapsed times by less than 1 %."""


@dataclass(frozen=True)
class FabricPaths:
    """Identical paths; an I/O takes the one that is free first, which for I/Os of one size is round robin.

    The two directions queue apart and take turns piece by piece, so that a read does not wait for all
    writes before it.

    Attributes:
        card: one server a path, or two (one a direction) on a duplex fabric.
        outbound, inbound: one token a path: an I/O keeps its path until it is across.
        bytes_per_s: of one server.
        latency_s: there and back, without queueing.
        returned: share of the bytes of a read that come back: of a smart scan rows do, not blocks.
    """

    card: Station
    outbound: Pool
    inbound: Pool
    bytes_per_s: float
    latency_s: float
    below: Layer
    returned: float = 1.0

    @classmethod
    def over(
        cls, name: str, fabric: Fabric, paths: int, latency_s: float, below: Layer, returned: float = 1.0
    ) -> FabricPaths:
        """All paths of the host ``name`` over ``fabric``."""
        return cls(
            card=Station(f"{name} card", 2 * paths if fabric.duplex else paths),
            outbound=Pool(f"{name} outbound", paths),
            inbound=Pool(f"{name} inbound", paths),
            bytes_per_s=fabric.bytes_per_s,
            latency_s=latency_s,
            below=below,
            returned=returned,
        )

    def path(self, io: IO) -> Path:
        """A write crosses, then goes on below; a read comes from below, then crosses."""
        below, latency = self.below.path(io), Delay(self.latency_s)
        if io.op == "write":
            return (Hold(self.outbound, *self._across(io)), latency, *below)
        back = io.piece(max(1, round(self.returned * io.size_bytes)))
        return (*below, latency, Hold(self.inbound, *self._across(back)))

    def _across(self, io: IO) -> Path:
        return pieces(io, PIECE_BYTES, lambda piece: (Use(self.card, piece.size_bytes / self.bytes_per_s),))
