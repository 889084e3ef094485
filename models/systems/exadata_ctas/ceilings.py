"""Upper bounds by the cards of hosts and the disks of cells."""

from __future__ import annotations

from models.parts.cell import CELL_BYTES_PER_S
from models.parts.link.fabrics import FABRICS
from models.systems.exadata_ctas.answers import GIB, copies_by_cores, copies_written
from models.systems.exadata_ctas.settings import ExadataCTASSettings
from sim.system import Ceiling

ROWS = 0.5
"""Smallest share of a block that a smart scan returns: blocks are closed when nine tenths are full."""


def ceilings(settings: ExadataCTASSettings) -> tuple[Ceiling, ...]:
    """All written copies cross the cards, and lie on disks of the cells; so does data read from cells.

    Rates are first in bytes of the table a second, each of which is written in copies, and perhaps read.
    """
    fabric, cards = FABRICS[settings.fabric], settings.hosts * settings.paths
    written, cells = copies_written(settings), settings.cells - settings.cells_lost
    read = 1.0 if settings.read_from == "exadata" else 0.0
    back = 0.0 if fabric.duplex else read * (ROWS if copies_by_cores(settings) is None else 1.0)
    disks = CELL_BYTES_PER_S["v1"]
    rates = (
        (cards * fabric.line_bytes_per_s / (written + back), f"{cards} x {settings.fabric} card", back),
        (cells * disks / (written + read), f"{cells} x cell at {disks / GIB:.3g} GiB/s", read),
    )
    return tuple(
        Ceiling(measure, rate * bytes_each / GIB, f"{what}{', with what is read beside' * bool(beside)}")
        for rate, what, beside in rates
        for measure, bytes_each in (("throughput", written), ("fabric", written + read))
    )
