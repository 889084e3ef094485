"""Published figures, with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.data.dataset import Dataset, Measurement
from sim.data.hardware import Limit, hardware
from sim.data.package import DataPackage
from sim.engine.errors import InputError, nearest
from sim.system.installed import systems
from sim.system.shipped import CHECKOUT, INSTALLED

HARDWARE = "hardware"
"""Name of the hardware catalogue as a dataset: a row for each entry, a column for each limit."""

PRESENT_DAY = "present-day"
"""Folder with figures of present-day stacks, beside those of installed systems."""


@dataclass(frozen=True)
class Figure:
    """A published figure.

    Attributes:
        half_width: rounding, to either side, in ``unit``.
        conditions: the settings that it was measured under.
    """

    value: float
    unit: str
    half_width: float
    source: str
    conditions: dict[str, Any]


def published(dataset: str, row: str, column: str) -> Figure:
    """The figure of ``dataset`` in that row and column; for the dataset ``hardware``, a present limit.

    Raises:
        InputError: no such dataset, row or column.
    """
    if dataset == HARDWARE:
        return _limit(row, column)
    found = _dataset(dataset)
    for each in found.measurements:
        if (each.row, each.column) == (row, column):
            return _figure(each)
    raise InputError(_missing(found, row, column))


def _dataset(name: str) -> Dataset:
    known = {HARDWARE}
    for folder in _folders():
        package = DataPackage(folder)
        if name in package.names():
            return package.read(name)
        known.update(package.names())
    raise InputError(f"no dataset '{name}'; {nearest(name, sorted(known))}")


def _folders() -> Iterator[Path]:
    """Yield the models' data packages, then those of other systems, which take longer to find."""
    own = [place for folder in (INSTALLED, CHECKOUT) for place in (folder, folder / PRESENT_DAY)]
    yield from (place for place in own if place.is_dir())
    yield from (each.data_package for each in systems().values() if each.data_package)


def _figure(each: Measurement) -> Figure:
    return Figure(each.value, each.unit, each.half_width, each.source, dict(each.conditions))


def _limit(name: str, what: str) -> Figure:
    entry = hardware(name)
    limit: Limit | None = entry.limit(what)
    if limit is None:
        limits = dict.fromkeys(each.what for each in entry.limits_at())
        raise InputError(f"hardware '{name}' has no limit '{what}'; {nearest(what, limits)}")
    return Figure(limit.value, limit.unit, 0.0, limit.source, {})


def _missing(dataset: Dataset, row: str, column: str) -> str:
    rows: Iterable[str] = dict.fromkeys(each.row for each in dataset.measurements)
    if row not in rows:
        return f"dataset '{dataset.name}' has no row '{row}'; {nearest(row, rows)}"
    columns = [each.column for each in dataset.measurements if each.row == row]
    return f"row '{row}' of dataset '{dataset.name}' has no column '{column}'; {nearest(column, columns)}"
