"""Settings of the CubeFS system."""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op
from sim.engine.units import KIB
from sim.system import choice, count, flag, quantities, size
from sim.system.settings import number

HARDWARE = ("older", "newer")
"""The measured clusters: ten data nodes on 10 Gb/s, and five on 50 Gb/s."""


@dataclass(frozen=True)
class CubeFSSettings:
    """Clients, the load of their processes, and the data nodes."""

    clients: int = count(1, "machines that mount the volume, each with a card of its own", high=64)
    processes: int = count(1, "on each client, each with a file of its own and one request at a time", high=1024)
    op: Op = choice("read", "what the processes do", ("read", "write"))
    block: int = size(4 * KIB, "bytes of a request", low=512, high=128 * KIB)
    order: str = choice("random", "of requests within a file; sequential writes append", ("random", "sequential"))
    nic: float = quantities.bandwidth(10e9 / 8, "line rate of every machine's card, in each direction", low=1e6)
    data_nodes: int = count(10, "machines that keep the data", low=1, high=64)
    ssds_per_node: int = count(16, "SSDs of a data node", high=64)
    cpus_per_node: int = count(32, "processors of a machine, of clients as well", high=4096)
    cpu_speed: float = number(
        1.0, "speed of all processors, relative to those of the hardware", low=0.1, high=10.0
    )
    replicas: int = count(3, "copies of each byte, each on another data node", high=7)
    follower_read: bool = flag("any copy may be read, not the leader's only", default=True)
    hardware: str = choice(
        "older", "whose processors, SSDs and wake-ups: those of the 10 Gb/s or the 50 Gb/s cluster", HARDWARE
    )
