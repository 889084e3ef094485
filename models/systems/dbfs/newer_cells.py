"""Cells of Exadata X3-2 to X11M for streams, from data sheets: flash where it is faster than disks.

read   all that is read is in flash ──> [flash]: no arm moves
write  write-back flash, if it takes more than 12 disks do ──> [flash];   else [disks], whose arms move
"""

from __future__ import annotations

from models.io import Op
from models.parts.cell import CELL_BYTES_PER_S
from models.parts.generations import (
    CAPACITY_BYTES_PER_S,
    GENERATIONS,
    MEASURED,
    SCANNED_BYTES_PER_S,
    WRITE_BYTES,
    WRITES,
    grown,
)

CELLS = (*CELL_BYTES_PER_S, *GENERATIONS)
"""All cells that dd may run on."""

LINKS = ("roce-100",)
"""Links besides InfiniBand: one port of X8M and later."""


def streams(cell: str, op: Op) -> tuple[float, bool]:
    """Bandwidth of one ``cell`` for streams, bytes/s, and True if its arms move between streams."""
    if cell in CELL_BYTES_PER_S:
        return CELL_BYTES_PER_S[cell], True
    known, times = MEASURED[0], SCANNED_BYTES_PER_S[1] / SCANNED_BYTES_PER_S[0]
    if op == "read":
        return grown(SCANNED_BYTES_PER_S[0], known, cell, times), False
    flash = grown(WRITES * WRITE_BYTES, known, cell, times)
    return (flash, False) if flash > CAPACITY_BYTES_PER_S else (CAPACITY_BYTES_PER_S, True)


def put_together(cell: str) -> tuple[str, ...]:
    """Note on a cell that was not measured with DBFS, one line or none."""
    if cell in CELL_BYTES_PER_S:
        return ()
    note = (
        f"cell={cell} is put together from the vendor's data sheets, flash to a factor of two; what is read is "
        "in flash; nodes, mount and database stay those of the X2-2 racks (docs/systems/dbfs.md)"
    )
    return (note,)
