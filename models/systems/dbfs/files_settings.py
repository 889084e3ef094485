"""Settings of tar, ls and rm on DBFS."""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op
from models.systems.dbfs.cluster import (
    cell_setting,
    cells_lost_setting,
    cells_setting,
    direct_io_setting,
    link_setting,
    nodes_setting,
)
from models.systems.dbfs.files_parameters import FILES, TREE
from sim.system import choice, count, size

OPERATIONS: dict[str, Op] = {
    "tar-x": "write",
    "tar-c": "read",
    "ls": "read",
    "ls-wildcard": "read",
    "ls-qualified": "read",
    "rm": "read",
}
"""The commands, with their direction of bytes."""


@dataclass(frozen=True)
class FilesSettings:
    """Nodes, cells, and a command on files."""

    nodes: int = nodes_setting()
    cells: int = cells_setting()
    cells_lost: int = cells_lost_setting()
    op: str = choice(
        "tar-x", "tar xvf, tar cvf, ls -lFR, ls -l /*/*/*x, ls -l /a/b/c/d/x, or rm -rf", tuple(OPERATIONS)
    )
    processes: int = count(1, "processes on each node, which share its files", high=256, role="clients")
    files: int = count(FILES, "files of each node", high=10_000_000)
    bytes: int = size(3 * 10**9, "bytes of these files together", high=1 << 50)
    directories: int = count(int(TREE.directories), "directories of each node; processes share them if fewer")
    levels: int = count(TREE.levels, "levels of directories", high=100)
    pctfree: int = count(10, "share of a block of the base table that inserts leave free, in %", low=0, high=90)
    df_period: int = count(
        0, "seconds from one df query of a mount to its next, which waits for it; 0: none", low=0, high=86_400
    )
    direct_io: bool = direct_io_setting()
    link: str = link_setting()
    cell: str = cell_setting()
