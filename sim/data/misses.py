"""The files of a data package that say by how far models missed its predicted figures, now and at first."""

from __future__ import annotations

from pathlib import Path

from sim.data.package import read_rows

FILE = "misses.csv"
"""A line for each predicted figure, with the logarithm of predicted over published."""

RIVALS = "misses-of-structures.csv"
"""The same of other structures of a system, by its name, where no fit of it was cross-validated."""

FIRST = "first-predictions.csv"
"""A line for each figure that ever stood in ``FILE``, with the logarithm when it first did, and since when."""


def lines(path: Path) -> list[dict[str, str]]:
    """The lines of such a file, by name of column; none where there is no file."""
    if not path.exists():
        return []
    (_, header), *rows = read_rows(path)
    return [dict(zip(header, cells, strict=True)) for _, cells in rows]
