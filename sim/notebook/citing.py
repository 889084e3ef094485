"""Published figures, with where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim.data.package import Dataset, Measurement
from sim.errors import InputError, nearest
from sim.prediction.report import datasets


@dataclass(frozen=True)
class Figure:
    """A figure as somebody published it.

    Attributes:
        half_width: what rounding leaves open, to either side, in ``unit``.
        conditions: the settings that it was measured under.
    """

    value: float
    unit: str
    half_width: float
    source: str
    conditions: dict[str, Any]


def published(dataset: str, row: str, column: str) -> Figure:
    """The figure of ``dataset`` in that row and column.

    Raises:
        InputError: no such dataset, row or column.
    """
    (found,) = datasets([dataset])
    for each in found.measurements:
        if (each.row, each.column) == (row, column):
            return _figure(each)
    raise InputError(_missing(found, row, column))


def _figure(each: Measurement) -> Figure:
    return Figure(each.value, each.unit, each.half_width, each.source, dict(each.conditions))


def _missing(dataset: Dataset, row: str, column: str) -> str:
    rows: Iterable[str] = dict.fromkeys(each.row for each in dataset.measurements)
    if row not in rows:
        return f"dataset '{dataset.name}' has no row '{row}'; {nearest(row, rows)}"
    columns = [each.column for each in dataset.measurements if each.row == row]
    return f"row '{row}' of dataset '{dataset.name}' has no column '{column}'; {nearest(column, columns)}"
