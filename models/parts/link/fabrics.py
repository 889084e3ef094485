"""Fabrics between hosts and storage: bandwidth of a card or a path of each."""

from __future__ import annotations

from dataclasses import dataclass

INFINIBAND_BYTES_PER_S = {"sdr": 0.9e9, "ddr": 1850 * 2**20, "qdr": 3.2e9, "fdr": 6.0e9, "edr": 11.5e9}
"""Bandwidth of one 4x card in each direction, but for DDR in both together: 1,850 MB/s, as published for Exadata
V1's card, and read as 2^20 bytes, as the run published with it moved 1.865e9 bytes a second. QDR: limited by PCIe
2.0 x8 of 4 GB/s each way. The others: 90 to 92 % of the data rate (8, 54.5 and 100 Gb/s), the share that QDR keeps
at best."""


@dataclass(frozen=True)
class Fabric:
    """One path of a fabric.

    Attributes:
        bytes_per_s: payload rate of each direction if ``duplex``, else of both together.
        line_bytes_per_s: line rate, with frames and gaps: an upper bound.
        dma: True if the card moves data into the caller's memory; False if sockets copy every byte.
    """

    bytes_per_s: float
    line_bytes_per_s: float
    duplex: bool
    dma: bool


def _fibre_channel(gigabaud: float, code: float) -> Fabric:
    """Line rate × code × payload of a full frame (2112 bytes of 2148, and six idle words between: FC-FS)."""
    line_bytes_per_s = gigabaud * 1e9 * code / 8
    return Fabric(line_bytes_per_s * 2112 / 2172, line_bytes_per_s, duplex=True, dma=True)


def _ethernet(gigabits: float) -> Fabric:
    """TCP/IP at 10 Gb/s in practice, 1.08 of 1.25 GB/s, and the equal share of faster lines."""
    line_bytes_per_s = gigabits * 1e9 / 8
    return Fabric(line_bytes_per_s * 1.08 / 1.25, line_bytes_per_s, duplex=True, dma=False)


def _roce(gigabits: float) -> Fabric:
    """RDMA over converged Ethernet, version 2, in packets of 2,048 bytes of data and 86 around them.

    38 of Ethernet with preamble and gap (IEEE 802.3), 20 of IPv4, 8 of UDP; of InfiniBand its transport header 12,
    acknowledgement header 4 and invariant CRC 4 (InfiniBand Architecture Specification, annex 17).
    """
    line_bytes_per_s = gigabits * 1e9 / 8
    return Fabric(line_bytes_per_s * 2048 / (2048 + 86), line_bytes_per_s, duplex=True, dma=True)


FABRICS = {
    **{
        f"ib-{name}": Fabric(rate, rate, duplex=name != "ddr", dma=True)
        for name, rate in INFINIBAND_BYTES_PER_S.items()
    },
    **{f"fc-{speed}": _fibre_channel(speed * 1.0625, 8 / 10) for speed in (1, 2, 4, 8)},
    "fc-16": _fibre_channel(14.025, 64 / 66),
    "fc-32": _fibre_channel(28.05, 64 / 66),
    "fc-64": _fibre_channel(57.8, 16 / 17),
    "gbe-1": Fabric(110e6, 125e6, duplex=True, dma=False),
    **{f"gbe-{speed}": _ethernet(speed) for speed in (10, 25, 40, 50, 100, 200, 400)},
    "roce-100": _roce(100),
}
"""Fabrics by name. Fibre Channel from its standards; Ethernet: TCP/IP in practice; InfiniBand: cards at best,
which is less than the line."""
