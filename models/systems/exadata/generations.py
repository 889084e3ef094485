"""Generations of Exadata: when they came, and what their servers and cards are made of."""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.link.fabrics import FABRICS, INFINIBAND_BYTES_PER_S

_TLP = 256 / (256 + 24)
"""What headers of PCI Express leave, with payloads of 256 bytes: 16 of header, 2 + 4 of framing and sequence, 2 of
CRC of the link; its CRC takes 4."""

_PCIE_3_X8 = 8 * 8e9 * 128 / 130 / 8 * _TLP
_PCIE_3_X16 = 2 * _PCIE_3_X8
_TWO_ROCE = 2 * FABRICS["roce-100"].bytes_per_s


@dataclass(frozen=True)
class Generation:
    """One generation.

    Attributes:
        year: of its release.
        cores: of a database server.
        card_bytes_per_s: of all ports of a server together, each way.
        memory: of the cells, that is read by RDMA: none, persistent, or volatile.
    """

    year: int
    cores: int
    card_bytes_per_s: float
    memory: str = "none"

    @property
    def logs_to_memory(self) -> bool:
        """PMEM Log is there in X8M and X9M only (Exadata System Software User's Guide, Monitoring PMEM Log)."""
        return self.memory == "persistent"


GENERATIONS = {
    "x3-2": Generation(2012, 16, INFINIBAND_BYTES_PER_S["qdr"]),
    "x4-2": Generation(2013, 24, _PCIE_3_X8),
    "x5-2": Generation(2015, 36, _PCIE_3_X8),
    "x6-2": Generation(2016, 44, _PCIE_3_X8),
    "x7-2": Generation(2017, 48, _PCIE_3_X8),
    "x8-2": Generation(2019, 48, _PCIE_3_X8),
    "x8m-2": Generation(2019, 48, _PCIE_3_X16, "persistent"),
    "x9m-2": Generation(2021, 64, _TWO_ROCE, "persistent"),
    "x10m": Generation(2023, 192, _TWO_ROCE, "volatile"),
    "x11m": Generation(2025, 192, _TWO_ROCE, "volatile"),
}
"""Cores, ports and PCI Express of the card: Oracle, Exadata hardware components of each generation. Two ports of
InfiniBand QDR, both in use from X4-2 on, carry 8 GB/s, more than PCI Express 3.0 x8 lets through; so do two of 100
Gb/s and PCI Express 3.0 x16 (X8M-2)."""

MEASURED = "x3-2", "x11m"
"""First and last, of which data sheets say how fast flash is scanned."""
