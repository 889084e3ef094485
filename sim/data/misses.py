"""Files of a data package with the prediction errors of models, current ones and first ones."""

from __future__ import annotations

from pathlib import Path

from sim.data.package import read_rows

FILE = "misses.csv"
"""A line for each predicted figure, with the logarithm of predicted over published."""

RIVALS = "misses-of-structures.csv"
"""Errors of alternative structures of a system, by its name, if no fit of it was cross-validated."""

FIRST = "first-predictions.csv"
"""A line for each figure that ever stood in ``FILE``, with its first logarithm and the date of it."""


def lines(path: Path) -> list[dict[str, str]]:
    """Lines of such a file, by column name; empty if there is no file."""
    if not path.exists():
        return []
    (_, header), *rows = read_rows(path)
    return [dict(zip(header, cells, strict=True)) for _, cells in rows]
