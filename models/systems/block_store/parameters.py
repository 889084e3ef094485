"""Parameters of the block store, its clients and its drives.

A fitted one has a prior: its value here is the centre, and its bounds are two standard deviations away on each
side. Processor times are common to both studies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import guess, prior
from models.parts.link.link import ETHERNET_PAYLOAD
from sim.system import Parameters, parameter


def _derived(value: float, unit: str, likely: tuple[float, float], how: str, *rows: str) -> Any:
    low, high = likely
    cells = tuple(f"block-store/{row}" for row in rows)
    return parameter(value, unit, low / 10, high * 10, "derived", how, cells, likely=likely)


_RAW = "4KiB 1 job depth 1/IO/s"
_SATA = "2021 raw drive"
_NVME = "2024 raw drive"


@dataclass(frozen=True)
class BlockStoreParameters:
    """Numbers of clients, network, servers and drives."""

    raw_s: float = prior(5e-6, "s", "of fio for an I/O of a raw drive, call and completion: 3 to 8 µs with libaio")
    client_s: float = prior(10e-6, "s", "of fio with the store's library for a request, one after the other")
    client_byte_s: float = prior(
        0.5e-9, "s/byte", "of a client for each byte that it reads: sockets copy, 1 to 4 GB/s"
    )
    nbd_s: float = prior(
        30e-6, "s", "two switches more, to the process behind the device and back, and a block layer"
    )
    nbd_byte_s: float = prior(0.5e-9, "s/byte", "of that process, which copies each byte once more, 1 to 4 GB/s")
    round_trip_s: float = prior(20e-6, "s", "there and back, TCP of the kernel over a switch, both ends awake")
    server_read_s: float = prior(16e-6, "s", "of a thread of a drive's server for a read")
    server_write_s: float = prior(26e-6, "s", "of a thread of a drive's server for a copy of a write")
    server_read_byte_s: float = prior(0.5e-9, "s/byte", "the same for each byte read: sockets copy, 1 to 4 GB/s")
    server_write_byte_s: float = prior(1.2e-9, "s/byte", "the same for each byte written, with its checksum")
    threads: float = guess(
        2, "1", (2, 3), "servers of a drive, a thread each: 173 % of a core are in use for the busiest load"
    )
    drive_writes: float = guess(
        4,
        "1",
        (3, 5),
        "of a drive for a copy of a small write: into the journal, its entry, then to its place, and metadata",
    )
    payload: float = parameter(
        ETHERNET_PAYLOAD,
        "1",
        0.5,
        1.0,
        "derived",
        "of the line, TCP over IPv4 in frames of 1500 bytes; with larger frames up to 0.99",
        likely=(0.93, 0.99),
    )
    rdma_round_trip_s: float = guess(
        6e-6, "s", (3e-6, 10e-6), "RDMA over Ethernet through one switch, both ends polling"
    )
    rdma_work: float = guess(
        0.6,
        "1",
        (0.4, 0.9),
        "of the processor time of clients and servers, what is left without TCP of the kernel",
    )
    sata_read_s: float = _derived(97e-6, "s", (95e-6, 99e-6), "102.0 µs, less fio", f"{_SATA}, read/{_RAW}")
    sata_write_s: float = _derived(32e-6, "s", (30e-6, 34e-6), "37.0 µs, less fio", f"{_SATA}, write/{_RAW}")
    sata_read_iops: float = _derived(
        81_700, "1/s", (80_000, 83_000), "at depth 32", f"{_SATA}, read/4KiB 1 job depth 32/IO/s"
    )
    sata_write_iops: float = _derived(
        60_000, "1/s", (55_000, 65_000), "at depth 32", f"{_SATA}, write/4KiB 1 job depth 32/IO/s"
    )
    sata_bytes_per_s: float = guess(0.53e9, "bytes/s", (0.45e9, 0.56e9), "SATA at 6 Gb/s, 450 to 560 MB/s")
    nvme_read_s: float = _derived(63e-6, "s", (61e-6, 65e-6), "68.0 µs, less fio", f"{_NVME}, read/{_RAW}")
    nvme_write_s: float = _derived(11.5e-6, "s", (9e-6, 14e-6), "16.7 µs, less fio", f"{_NVME}, write/{_RAW}")
    nvme_read_iops: float = guess(
        900e3, "1/s", (750e3, 1100e3), "4 processes read 750,000; data sheets up to 1,100,000"
    )
    nvme_read_bytes_per_s: float = guess(6.5e9, "bytes/s", (4e9, 6.9e9), "data sheets, four lanes of PCIe 4.0")
    nvme_write_bytes_per_s: float = _derived(
        2.15e9,
        "bytes/s",
        (2.1e9, 4e9),
        "525,000 writes of 4 KiB by 4 processes, or more where commands limit; data sheets by size up to 4 GB/s",
        f"{_NVME}, write/4KiB 4 jobs depth 128/IO/s",
    )


PARAMETERS = Parameters.of(BlockStoreParameters)
"""All parameters of the block store, before a fit."""
