"""Generations of Exadata: years, servers and cards, and growth of their flash."""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.link.fabrics import FABRICS, INFINIBAND_BYTES_PER_S
from sim.engine.units import KIB

_TLP = 256 / (256 + 24)
"""Payload share of PCI Express with payloads of 256 bytes: 16 of header, 2 + 4 of framing and sequence, 2 of
CRC of the link; its CRC takes 4."""

_PCIE_3_X8 = 8 * 8e9 * 128 / 130 / 8 * _TLP
_PCIE_3_X16 = 2 * _PCIE_3_X8
_TWO_ROCE = 2 * FABRICS["roce-100"].bytes_per_s


@dataclass(frozen=True)
class Generation:
    """One generation.

    Attributes:
        year: year of its release.
        cores: cores of a database server.
        card_bytes_per_s: total bandwidth of all ports of a server, each way.
        memory: memory of the cells that is read by RDMA: none, persistent, or volatile.
    """

    year: int
    cores: int
    card_bytes_per_s: float
    memory: str = "none"

    @property
    def logs_to_memory(self) -> bool:
        """True with PMEM Log: X8M and X9M only (Exadata System Software User's Guide, Monitoring PMEM Log)."""
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
InfiniBand QDR, both in use from X4-2 on, carry 8 GB/s, more than PCI Express 3.0 x8; likewise two of 100 Gb/s and
PCI Express 3.0 x16 (X8M-2)."""

MEASURED = "x3-2", "x11m"
"""First and last generation whose data sheets state the scan rate of flash."""

SCANNED_BYTES_PER_S = 5.45e9, 100e9
"""Scan rate of the flash of one cell of these (vendor): 7.25 GB/s with disks less 1.8 GB/s of disks; stated."""

WRITES, WRITE_BYTES = 75_000, 8 * KIB
"""Writes a second to the flash of one X3-2 cell, and their size (vendor)."""

CAPACITY_BYTES_PER_S = 1.28e9
"""Scan rate of 12 disks of 7,200 rpm: 23 GB/s of 18 cells (vendor, X3-2)."""


def grown(rate: float, known: str, name: str, times: float) -> float:
    """The ``rate`` of generation ``known``, scaled to generation ``name`` by constant growth a year.

    Args:
        times: growth from the first to the last measured generation.
    """
    first, last = (GENERATIONS[each].year for each in MEASURED)
    years = (GENERATIONS[name].year - GENERATIONS[known].year) / (last - first)
    return float(rate * times**years)
