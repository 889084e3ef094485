"""What the cards of hosts and the disks of cells let through at most."""

from __future__ import annotations

from models.storage.exadata_cell import CELL_BYTES_PER_S
from models.storage.fabrics import FABRICS
from models.systems.exadata_ctas.answers import GIB, copies_by_cores, copies_written
from models.systems.exadata_ctas.settings import ExadataCTASSettings
from sim.system import Ceiling

ROWS = 0.5
"""Share of a block that a smart scan returns at least: blocks are closed when nine tenths are full."""


def ceilings(settings: ExadataCTASSettings) -> tuple[Ceiling, ...]:
    """All written copies cross the cards, and lie on disks of the cells; what is read from cells does, too."""
    fabric, cards = FABRICS[settings.fabric], settings.hosts * settings.paths
    written, cells = copies_written(settings), settings.cells - settings.cells_lost
    read = 1.0 if settings.seed == "exadata" else 0.0
    back = 0.0 if fabric.duplex else read * (ROWS if copies_by_cores(settings) is None else 1.0)
    disks = CELL_BYTES_PER_S["v1"]
    return (
        _ceiling(cards * fabric.line_bytes_per_s, written, back, f"{cards} x {settings.fabric} card"),
        _ceiling(cells * disks, written, read, f"{cells} x cell at {disks / GIB:.3g} GiB/s"),
    )


def _ceiling(bytes_per_s: float, written: float, read: float, what: str) -> Ceiling:
    """Of what is ``written``, where so much is ``read`` beside it; both a byte of the table."""
    beside = ", with what is read beside" if read else ""
    return Ceiling("throughput", bytes_per_s / GIB * written / (written + read), f"{what}{beside}")
