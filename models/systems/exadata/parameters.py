"""Parameters of Exadata's cells and of database servers' work for a write.

None is fitted, and none was set by a held-out figure. Rates of flash are stated for X3-2 and X11M; those of
generations between lie on the curve of constant growth through both, times ``step``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import guess
from models.parts.generations import CAPACITY_BYTES_PER_S, SCANNED_BYTES_PER_S, WRITES
from sim.system import Basis, Parameters, parameter

_DATASET = "exadata-generations"


def _published(
    value: float, unit: str, within: float, how: str, *rows: str, basis: Basis = "published", by: str = "vendor"
) -> Any:
    """A stated parameter, accurate to a share ``within``."""
    cells = tuple(f"{_DATASET}/{row}" for row in rows)
    likely = (value * (1.0 - within), value * (1.0 + within))
    return parameter(value, unit, value / 5, value * 5, basis, f"({by}) {how}", cells, likely=likely)


def _derived(value: float, unit: str, within: float, how: str, *rows: str) -> Any:
    """A quotient or a difference of stated values."""
    return _published(value, unit, within, how, *rows, basis="derived")


@dataclass(frozen=True)
class ExadataParameters:
    """Numbers of cells and servers."""

    flash_x3_2_bytes_per_s: float = _derived(
        SCANNED_BYTES_PER_S[0],
        "bytes/s",
        0.02,
        "7.25 GB/s of flash and disks of an X3-2 cell, less 1.8 GB/s of its disks",
        "X3-2 Single Cell/Flash Cache Data Bandwidth, High Perf Disk",
        "X3-2 Single Cell/Disk Data Bandwidth, High Perf Disk",
    )
    flash_x11m_bytes_per_s: float = _published(
        SCANNED_BYTES_PER_S[1],
        "bytes/s",
        0.05,
        "scanned by an X11M cell",
        "X11M storage server/Flash SQL scan throughput",
    )
    flash_x5_2_reads: float = _derived(
        296_000,
        "1/s",
        0.02,
        "8 KiB from flash of an X5-2 cell: 4.144 million by 14",
        "X5-2 full rack, High Capacity/random 8K read IOPS",
    )
    flash_x3_2_writes: float = _published(
        WRITES, "1/s", 0.02, "copies of 8 KiB that an X3-2 cell takes", "X3-2 Single Cell/Flash IOPS, 8K Writes"
    )
    step: float = guess(
        1.0,
        "1",
        (0.5, 2.0),
        "what generations between have of even growth in flash: it comes in steps, such as new cards or buses",
    )
    performance_bytes_per_s: float = _published(
        1.8e9,
        "bytes/s",
        0.03,
        "scanned from 12 disks of 15,000 rpm",
        "X3-2 Single Cell/Disk Data Bandwidth, High Perf Disk",
    )
    performance_iops: float = _derived(
        3600, "1/s", 0.02, "of these at random: 14,400 of four cells", "X3-2 Quarter/Disk IOPS, High Perf Disk"
    )
    capacity_bytes_per_s: float = _derived(
        CAPACITY_BYTES_PER_S,
        "bytes/s",
        0.03,
        "scanned from 12 disks of 7,200 rpm: 23 GB/s of 18 cells",
        "X3-2 Full Rack/Disk Data Bandwidth, High Cap Disk",
    )
    capacity_iops: float = _published(
        2000, "1/s", 0.03, "of these at random, X3-2", "X3-2 Single Cell/Disk IOPS, High Cap Disk"
    )
    later_capacity_iops: float = _published(
        2396,
        "1/s",
        0.03,
        "of these at random, X4-2; taken for all later ones",
        "hard disk LUNs/IOPS",
        by="calibration",
    )
    later_disks: float = guess(
        1.0, "1", (0.8, 2.5), "times as fast to scan as disks of X3-2 are those of later cells, 4 to 22 TB each"
    )
    memory_bytes_per_s: float = _published(
        500e9, "bytes/s", 0.1, "scanned from memory of an X11M cell", "X11M storage server/XRMEM columnar scan"
    )
    memory_s: float = parameter(
        18.4e-6,
        "s",
        3e-6,
        60e-6,
        "derived",
        "(vendor) RDMA read without its bytes: less than 19 µs for 8 KiB, of which 0.6 µs on X8M-2's cards",
        (f"{_DATASET}/8K database reads/to less than",),
        likely=(15e-6, 18.9e-6),
    )
    flash_read_s: float = guess(90e-6, "s", (60e-6, 120e-6), "of a flash card for 8 KiB, one at a time")
    flash_write_s: float = guess(25e-6, "s", (15e-6, 60e-6), "the same, into memory that a capacitor protects")
    server_s: float = guess(
        40e-6, "s", (20e-6, 100e-6), "of a cell for a request: a thread wakes up, looks up the block, checks it"
    )
    round_trip_s: float = guess(20e-6, "s", (10e-6, 40e-6), "a message there and back, with its interrupts")
    copy_x8m_2_s: float = _derived(
        49e-6,
        "s",
        0.02,
        "of a core of a database server for each copy written: 48 cores by 980,000",
        "X8M-2/8K flash write I/Os per second",
    )
    copy_x9m_2_s: float = _derived(
        32e-6, "s", 0.03, "the same, X9M-2: 64 cores by 2,000,000", "X9M-2/8K flash write I/Os per second"
    )
    returned: float = parameter(
        0.003,
        "bytes/byte",
        1e-6,
        1.0,
        "assumed",
        "of a scan, at its peak: 8.5 TB/s of an X11M rack and two database servers of 48 GB/s leave 0.0056",
        likely=(0.0005, 0.0056),
    )


PARAMETERS = Parameters.of(ExadataParameters)
"""All parameters of Exadata X3-2 to X11M."""
