"""Import of a user's own measurements: a CSV file, a measuring tool's output, or a folder of fio or dd results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sim.data.dataset import Dataset
from sim.data.importers import csv, dd, figures, fio, tools
from sim.engine.errors import InputError
from sim.system.settings import Values
from sim.system.system import System


def read(path: Path, system: System, common: Values) -> Dataset:
    """Read measurements of a stack like ``system``; settings that no file states are ``common`` or default.

    The data set is named after ``path``, a figure after its settings and its measure. See docs/measurements.md.

    Raises:
        InputError: one line with the file and line of the first unusable entry.
    """
    name = path.resolve().name if path.is_dir() else path.stem
    return figures.dataset(name, _readings(path, system), system, common)


def _readings(path: Path, system: System) -> Iterator[figures.Reading]:
    tool = tools.tool_of(tools.split(path)[0])
    if path.is_dir():
        yield from _folder(path, system)
    elif tool:
        yield from tools.readings(path, tool, system)
    elif path.suffix.lower() == ".csv":
        yield from csv.readings(path, system)
    elif path.suffix.lower() == ".json":
        yield from fio.readings(path, system)
    else:
        names = ", ".join(each.name for each in tools.TOOLS)
        raise InputError(
            f"'{path}' is no measurement; allowed: a .csv file, a .json file of fio, what {names} wrote, or a "
            "folder of results"
        )


def _folder(folder: Path, system: System) -> Iterator[figures.Reading]:
    files = [each for each in sorted(folder.iterdir()) if not each.name.startswith(".")]
    if not files:
        raise InputError(f"'{folder}' is empty; put one dd or fio output file per measurement there")
    for file in files:
        if tool := tools.tool_of(file):
            yield from tools.readings(file, tool, system)
        else:
            yield from fio.readings(file, system) if file.suffix.lower() == ".json" else dd.readings(file)
