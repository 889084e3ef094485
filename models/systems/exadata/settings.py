"""Settings of the system ``exadata``."""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.generations import GENERATIONS
from sim.engine.units import KIB
from sim.system import choice, count, number, size

COPIES = {"external": 1, "normal": 2, "high": 3}
"""Copies of each block by redundancy of ASM, on different cells."""


@dataclass(frozen=True)
class ExadataSettings:
    """A rack and its load."""

    generation: str = choice("x9m-2", "of database servers and cells", tuple(GENERATIONS))
    nodes: int = count(2, "database servers", high=64)
    cells: int = count(3, "storage cells", high=64, role="parts")
    disks: str = choice(
        "capacity",
        "of the cells; performance: 15,000 rpm, X3-2 only",
        ("capacity", "performance"),
        role="devices",
    )
    op: str = choice(
        "read",
        "blocks read or written at random; scan: filtered by the cells; redo: of the log writer",
        ("read", "write", "scan", "redo"),
    )
    block: int = size(8 * KIB, "bytes of an I/O; scans of Exadata have pieces of 1 MiB", low=512, high=1024 * KIB)
    redundancy: str = choice("normal", "of ASM: 1, 2 or 3 copies on different cells", tuple(COPIES))
    clients: int = count(64, "I/Os in flight, dealt out to the database servers", high=65_536)
    memory_hits: float = number(0.0, "share of reads that memory of the cells serves (X8M-2 and later)", high=1.0)
    flash_hits: float = number(0.95, "share of all other reads that flash serves", high=1.0)
