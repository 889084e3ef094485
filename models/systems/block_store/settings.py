"""Settings of the system ``block-store``."""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op
from sim.engine.units import KIB
from sim.system import choice, count, quantities, size

STUDIES = ("2021", "2024")
"""Studies, by their drives: SATA SSDs, or NVMe SSDs (Samsung PM9A3)."""

ERASURE = "ec-2-1"
SCHEMES = {"2-replicas": 2, "3-replicas": 3, ERASURE: 2}
"""Drives that a small write changes: one for each copy; or the data and a parity of it and the next block."""


@dataclass(frozen=True)
class BlockStoreSettings:
    """Processes of fio, their way to the store, and its machines."""

    study: str = choice("2024", "whose drives: of 2021, SATA SSDs; of 2024, NVMe SSDs", STUDIES)
    client: str = choice(
        "library",
        "how a process reaches the store: its library in fio, a device of the kernel (nbd), or a raw drive alone",
        ("library", "nbd", "raw"),
    )
    jobs: int = count(1, "processes of fio, each on a machine with a card of its own", high=256, role="clients")
    depth: int = count(1, "requests in flight of each process", high=4096)
    op: Op = choice("read", "what they do, at random", ("read", "write"))
    block: int = size(4 * KIB, "bytes of a request", low=512, high=64 * KIB * KIB)
    scheme: str = choice("2-replicas", "how each byte is kept", tuple(SCHEMES))
    nodes: int = count(3, "machines with drives", high=64)
    drives: int = count(8, "drives of a machine, each with servers of its own", high=64, role="devices")
    network: str = choice("tcp", "how messages go: TCP of the kernel, or RDMA", ("tcp", "rdma"))
    nic: float = quantities.bandwidth(50e9 / 8, "line rate of a machine's cards, in each direction", low=1e6)
