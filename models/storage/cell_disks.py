"""Disks of cells whose arms move for every I/O, as parallel slaves read and write at random.

    read   ──> any disk: position, bytes / bandwidth
    write  ──> any disk of a cell, and one of the next cell, at once ──> done when both are

A file that is moved in sequence is read ahead and written behind (see ``exadata_cell``). Slaves get pieces of
files dealt out to them and write extents of their own. Their large writes go past the cells' cache, as they do in
``through_cell``. An I/O lies on one disk; each disk has a queue of its own. With a cell lost it is as in
``exadata_cell``: the others have its reads, and a write that it had a copy of is written once.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.paths import mirrored
from sim import Choose, Path, Station, Step, Use

DISKS = 12
"""Disks of a cell (data sheets of Exadata V1, V2 and X2-2)."""


@dataclass(frozen=True)
class CellDisks:
    """All disks of all cells.

    Attributes:
        disks: of each cell.
        bytes_per_s: of one disk.
        position_s: to bring the arm to where an I/O begins.
        lost: how many of the last cells are lost: none or one.
    """

    disks: tuple[tuple[Station, ...], ...]
    bytes_per_s: float
    position_s: float
    lost: int = 0

    @classmethod
    def of(cls, cells: int, bytes_per_s: float, position_s: float, lost: int = 0) -> CellDisks:
        """The disks of ``cells`` cells, each cell of ``bytes_per_s``, of which so many are ``lost``."""
        disks = tuple(
            tuple(Station(f"cell {cell} disk {number}") for number in range(1, DISKS + 1))
            for cell in range(1, cells + 1)
        )
        return cls(disks, bytes_per_s / DISKS, position_s, lost)

    def path(self, io: IO) -> Path:
        """One disk is as likely as another; a write has its mirror copy on the next cell."""
        time_s = self.position_s + io.size_bytes / self.bytes_per_s
        left = self.disks[: len(self.disks) - self.lost]
        if io.op == "read" or len(self.disks) == 1:
            return (_any([disk for cell in left for disk in cell], time_s),)
        return mirrored([(_any(cell, time_s),) for cell in left], self.lost)


def _any(disks: tuple[Station, ...] | list[Station], time_s: float) -> Step:
    return Choose(*((1.0 / len(disks), Use(disk, time_s)) for disk in disks))
