"""Settings of the system ``nvme``."""

from __future__ import annotations

from dataclasses import dataclass

from sim.engine.units import KIB
from sim.system import choice, count, size

DRIVERS = ("io_uring", "spdk")
RUNS = ("depths", "blocks")
SCHEDULERS = ("none", "kyber", "mq-deadline", "bfq")
PAGE_BYTES = 4 * KIB
"""Bytes that one die reads at once."""


@dataclass(frozen=True)
class NvmeSettings:
    """Processes of fio, their devices, and the layers between."""

    devices: int = count(1, "SSDs; each process reads from all of them in turn", high=64)
    processes: int = count(1, "processes of fio", high=256, role="clients")
    depth: int = count(1, "reads in flight of each process, over all devices together, as fio counts", high=4096)
    block: int = size(4 * KIB, "bytes of a read", low=512, high=KIB * KIB)
    scheduler: str = choice("none", "I/O scheduler of each device; the driver spdk goes past it", SCHEDULERS)
    driver: str = choice(
        "io_uring", "through the kernel with interrupts, or spdk: polling from user space", DRIVERS
    )
    op: str = choice("read", "random reads", ("read",))
    run: str = choice("depths", "the study's run by depth or by block size, where interrupts were held back", RUNS)
