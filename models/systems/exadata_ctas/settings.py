"""Settings of `create table as select` on Exadata V1."""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.link.fabrics import FABRICS
from sim.system import choice, count, flag, size

TABLE_BYTES = 12_143_325 * 16_384 // 10
"""The seed table: a tenth of the blocks that ten statements read."""


@dataclass(frozen=True)
class ExadataCTASSettings:
    """Hosts, cells and the statement."""

    hosts: int = count(1, "database hosts, each copying a table of its own", high=16, role="nodes")
    slaves: int = count(16, "parallel slaves of each host", high=256)
    cells: int = count(14, "storage cells", low=2, high=256, role="devices")
    cells_lost: int = count(
        0, "cells lost; mirror copies on the others are read in their place", low=0, high=1, role="lost"
    )
    read_from: str = choice("exadata", "where the table is read from", ("exadata", "ext3"))
    table: int = size(TABLE_BYTES, "bytes of the table", low=1 << 20, role="amount")
    statements: int = count(10, "how often it is inserted", high=1000, role="amount")
    fabric: str = choice("ib-ddr", "between hosts and cells: RDS on InfiniBand, or others", tuple(FABRICS))
    paths: int = count(1, "cards or ports of each host, used in turn", high=64, role="links")
    direct_io: bool = flag("I/O past the page cache; no: each byte is copied through it", default=True)
