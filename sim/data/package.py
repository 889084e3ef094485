"""Published measurements, read from a folder that is a Frictionless Data Package: one figure a row.

Unusable entries are refused in one line: file, line, column, the entry and the allowed values.
Format: https://specs.frictionlessdata.io/tabular-data-package/
"""

from __future__ import annotations

import csv
import io
import stat
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from sim.data.dataset import Dataset, Measurement
from sim.data.descriptor import Column, Package, Schema, faults
from sim.engine.errors import InputError, nearest, shown
from sim.system.complaints import complaint
from sim.system.installed import in_file

DESCRIPTOR = "datapackage.json"
"""File that makes a folder a data package."""

Refused = Callable[[InputError], None]
"""Callback for a figure that cannot be used."""


def raised(refusal: InputError) -> None:
    """Raise ``refusal``: nothing is skipped."""
    raise refusal


class DataPackage:
    """The data sets of a ``folder``; an unusable entry in its files raises InputError (one line)."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / DESCRIPTOR
        resources = _parsed(Package, self._file).resources
        self._resources = {resource.name: resource for resource in resources}
        if len(self._resources) < len(resources):
            names = [resource.name for resource in resources]
            raise InputError(f"{self._file}, resources are {names}; allowed: each name once; rename one")

    def names(self) -> tuple[str, ...]:
        """Return the names of the data sets, in the order of the descriptor."""
        return tuple(self._resources)

    def about(self, system: str) -> tuple[str, ...]:
        """Return the names of the data sets that calibrate ``system``."""
        return tuple(name for name, resource in self._resources.items() if resource.system == system)

    def table(self, name: str) -> Path:
        """Return the file of the data set ``name``."""
        return self._beside(self._resources[name].path)

    def read(self, name: str, refused: Refused = raised) -> Dataset:
        """Return the data set ``name`` with every cell checked.

        Args:
            refused: called for each unusable figure, which is skipped, and for each role that names no figure.

        Raises:
            InputError: no data set has this name, or an entry is unusable and ``refused`` is not given.
        """
        if name not in self._resources:
            raise InputError(
                f"{self._file}, no data set is named '{shown(name)}'; {nearest(name, self._resources)}"
            )
        resource = self._resources[name]
        schema = _parsed(Schema, self._beside(resource.schema_path))
        path = self._beside(resource.path)
        refusals: list[InputError] = []
        figures = tuple(_measurements(path, name, schema.columns, refusals.append))
        if not refusals:  # else a role may name a figure that was refused
            refusals += [InputError(f"{self._file}, {fault}") for fault in faults(resource, figures)]
        for refusal in refusals:
            refused(refusal)
        return Dataset(
            name=name,
            title=resource.title,
            system=self._system(resource.system),
            measurements=figures,
            unpredicted=resource.unpredicted,
            comparisons=resource.comparisons,
            restated=resource.restated,
            for_fit=resource.for_fit,
            never_fitted=resource.never_fitted,
            transfers=resource.transfers,
            machines=resource.machines,
            shape=resource.shape,
            scatter=resource.scatter,
            sources=tuple(each.title for each in resource.sources),
        )

    def _system(self, name: str) -> str:
        """The system ``name``; for one in a file, with the path of that file."""
        return str(self._beside(name)) if in_file(name) else name

    def _beside(self, path: str) -> Path:
        file = self._file.parent / path
        if not file.resolve().is_relative_to(self._file.parent.resolve()):
            raise InputError(f"{self._file}, path is '{shown(path)}'; allowed: a file in the same folder")
        return file


_Parsed = TypeVar("_Parsed", bound=BaseModel)


def _parsed(kind: type[_Parsed], path: Path) -> _Parsed:
    try:
        return kind.model_validate_json(read_text(path))
    except ValidationError as error:
        raise InputError(f"{path}, {complaint(error, kind)}; fix this entry") from None


def _measurements(
    path: Path, dataset: str, columns: tuple[Column, ...], refused: Refused
) -> Iterator[Measurement]:
    (_, header), *rows = read_rows(path) or [(1, [])]
    names = [column.name for column in columns]
    for number, (written, wanted) in enumerate(zip_longest(header, names, fillvalue="nothing"), 1):
        if written != wanted:
            raise InputError(f"{path}, line 1, column {number} is '{shown(written)}'; the schema says {wanted!r}")
    if not rows:
        raise InputError(f"{path}, line 2 is absent; allowed: at least one row; is the file cut short?")
    lines: dict[tuple[str, str], int] = {}
    for line, cells in rows:
        try:
            figure = _measurement(f"{path}, line {line}", line, cells, dataset, columns)
        except InputError as refusal:
            refused(refusal)
            continue
        key = (figure.row, figure.column)
        if lines.setdefault(key, line) != line:
            twice = f"{path}, line {line} has the key {shown(key)} of line {lines[key]}; take one out"
            refused(InputError(twice))
        else:
            yield figure


def _measurement(
    place: str, line: int, cells: list[str], dataset: str, columns: tuple[Column, ...]
) -> Measurement:
    if len(cells) != len(columns):
        raise InputError(f"{place} has {len(cells)} cells; allowed: {len(columns)}; is the file cut short?")
    texts = {column.name: text for column, text in zip(columns, cells, strict=True)}
    try:
        figure = Measurement.model_validate({"dataset": dataset, "line": line, **texts})
    except ValidationError as error:
        raise InputError(f"{place}, column {complaint(error, Measurement)}; fix this cell") from None
    for column, text in zip(columns, cells, strict=True):
        if fault := column.rules.fault(text, getattr(figure, column.name)):
            raise InputError(f"{place}, column {column.name} is '{shown(text)}'; {fault}; fix this cell")
    return figure


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of a CSV file, each row with the number of its line; InputError as for ``read_text``."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        return [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; is a quote left open?") from None


MOST_MIB = 64
"""Largest file that is read whole, in MiB: ten thousand times the 6 KiB that fio writes for a job."""


def check_size(path: Path) -> None:
    """Refuse a file larger than any table or result; InputError."""
    if (size := path.stat().st_size) > MOST_MIB << 20:
        raise InputError(
            f"{path} has {size / (1 << 20):.0f} MiB; allowed: up to {MOST_MIB} MiB a file; bring results, not logs"
        )


def read_text(path: Path) -> str:
    """All of a UTF-8 file; InputError with path and line if it is no such file, or too large."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe may wait for ever
            raise InputError(f"{path} is {'a folder' if path.is_dir() else 'no regular file'}; name a file")
        check_size(path)
        return path.read_bytes().decode("utf-8-sig")  # spreadsheets begin with a byte-order mark
    except UnicodeDecodeError as error:
        line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
        raise InputError(f"{path}, line {line} has the byte {byte:#04x}; save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; put the file there") from None
