"""Row chaining: rows that are inserted empty fill a block, and no longer fit in it once they grow.

insert ──> until the share PCTFREE of the block is left;  grow ──> in the block, or chained to another

A row grows with the map of its file's LOB, which it holds. Files that are written one after the other fill the
block with grown rows; files that are created together fill it with empty rows first (white paper on DBFS, "Row
chaining effect").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """Rows of the store's base table.

    Attributes:
        block_bytes: bytes for rows in a block.
        empty_bytes: size of the row of an empty file.
        entry_bytes, extent_bytes: size of an entry in the map of a LOB, one for each extent of ``extent_bytes``.
        max_bytes: largest map that stays in the row.
    """

    block_bytes: int
    empty_bytes: int
    entry_bytes: int
    extent_bytes: int
    max_bytes: int

    def grown_by(self, file_bytes: int) -> int:
        """Bytes by which a row grows while its file is written."""
        extents = -(-file_bytes // self.extent_bytes)
        return min(self.max_bytes, extents * self.entry_bytes)

    def chained(self, file_bytes: int, *, together: int, pctfree: int) -> float:
        """Share of chained rows where files are created ``together`` before any of them is written."""
        growth, limit = max(1, self.grown_by(file_bytes)), self.block_bytes * (100 - pctfree) // 100
        filled = rows = chained = 0
        while filled + self.empty_bytes <= limit or not rows:
            new = max(1, min(together, (limit - filled) // self.empty_bytes))
            filled += new * self.empty_bytes
            fitting = min(new, max(0, self.block_bytes - filled) // growth)
            filled += fitting * growth
            rows += new
            chained += new - fitting
        return chained / rows
