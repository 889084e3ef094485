"""Links between a node and its storage: one card that everything crosses, or several paths used in turn.

    Link   bytes ──> [card: bytes / bandwidth] ──> [latency, no queue] ──> below
    Paths  write ──> hold [outbound] ── pieces over [card] ──> [latency] ──> below
           read  ──> below ──> [latency] ──> hold [inbound] ── pieces over [card]

With RDS over InfiniBand and with Fibre Channel the card moves data by itself (DMA): no time on the node's cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Delay, Hold, Path, Pool, Repeat, Station, Use

INFINIBAND_BYTES_PER_S = {"sdr": 0.9e9, "ddr": 1850 * 2**20, "qdr": 3.2e9, "fdr": 6.0e9, "edr": 11.5e9}
"""What one 4x card moves, both directions together. DDR: 1,850 MB/s, published for Exadata V1's card; read as 2^20
bytes, as the run published with it moved 1.865e9 bytes a second. QDR: what PCIe 2.0 x8 leaves of 4 GB/s. The
others: 90 to 92 % of the data rate (8, 54.5 and 100 Gb/s), the share that QDR keeps at best."""

PIECE_BYTES = 256 * 1024
"""What one direction sends before the other has its turn; smaller ones change elapsed times by less than 1 %."""


@dataclass(frozen=True)
class Fabric:
    """One path of a fabric.

    Attributes:
        bytes_per_s: what it carries: each direction, if ``duplex``, else both together.
        dma: the card moves data into the memory of the caller by itself; without, sockets copy every byte.
    """

    bytes_per_s: float
    duplex: bool
    dma: bool


def _fibre_channel(gigabaud: float, code: float) -> Fabric:
    """Line rate × code × payload of a full frame (2112 bytes of 2148, and six idle words between: FC-FS)."""
    return Fabric(gigabaud * 1e9 * code / 8 * 2112 / 2172, duplex=True, dma=True)


FABRICS = {
    **{f"ib-{name}": Fabric(rate, duplex=False, dma=True) for name, rate in INFINIBAND_BYTES_PER_S.items()},
    **{f"fc-{speed}": _fibre_channel(speed * 1.0625, 8 / 10) for speed in (1, 2, 4, 8)},
    "fc-16": _fibre_channel(14.025, 64 / 66),
    "fc-32": _fibre_channel(28.05, 64 / 66),
    "gbe-1": Fabric(110e6, duplex=True, dma=False),
    "gbe-10": Fabric(1.08e9, duplex=True, dma=False),
}
"""By name. Fibre Channel from its standards; Ethernet: what TCP/IP carries in practice."""


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


@dataclass(frozen=True)
class Paths:
    """Alike paths; an I/O takes the one that is free first, which for alike I/Os is round robin.

    The two directions queue apart and take turns piece by piece, so that a read does not wait for all
    writes before it.

    Attributes:
        card: one server a path, or two (one a direction) on a duplex fabric.
        outbound, inbound: one token a path: an I/O keeps its path until it is across.
        bytes_per_s: of one server.
        latency_s: there and back, without queueing.
    """

    card: Station
    outbound: Pool
    inbound: Pool
    bytes_per_s: float
    latency_s: float
    below: Layer

    @classmethod
    def over(cls, name: str, fabric: Fabric, paths: int, latency_s: float, below: Layer) -> Paths:
        """All paths of the host ``name`` over ``fabric``."""
        return cls(
            card=Station(f"{name} card", 2 * paths if fabric.duplex else paths),
            outbound=Pool(f"{name} outbound", paths),
            inbound=Pool(f"{name} inbound", paths),
            bytes_per_s=fabric.bytes_per_s,
            latency_s=latency_s,
            below=below,
        )

    def path(self, io: IO) -> Path:
        """A write crosses, then goes on below; a read comes from below, then crosses."""
        below, latency = self.below.path(io), Delay(self.latency_s)
        if io.op == "write":
            return (Hold(self.outbound, *self._across(io)), latency, *below)
        return (*below, latency, Hold(self.inbound, *self._across(io)))

    def _across(self, io: IO) -> Path:
        return tuple(
            Repeat(times, Use(self.card, piece.size_bytes / self.bytes_per_s))
            for times, piece in io.split(PIECE_BYTES)
        )
