"""The readings of a contribution: a table, and output files of fio or dd as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sim.data.importers import csv, dd, fio, tools
from sim.data.importers.figures import Reading
from sim.data.package import Refused
from sim.engine.errors import InputError, shown
from sim.system.system import System

TABLE, RESULTS = "figures.csv", "results"


def readings(folder: Path, system: System, refused: Refused) -> Iterator[Reading]:
    """Yield all readings of the contribution in ``folder``, in the order of its files.

    Args:
        refused: called for each unusable line of the table and each unusable file of results.
    """
    table, results = folder / TABLE, folder / RESULTS
    if not table.exists() and not results.is_dir():
        refused(InputError(f"{folder} has neither {TABLE} nor a folder {RESULTS}; put what was measured there"))
    if table.exists():
        yield from _kept(table, csv.readings(table, system, refused), refused)
    if results.is_dir():
        files = [*_files(results, {}, refused)]
        if not files:
            refused(InputError(f"{results} is empty; put one fio or dd output file per measurement there"))
        for file, stated in files:
            yield from _kept(file, _stated(file, system, stated), refused)


def _kept(file: Path, found: Iterator[Reading], refused: Refused) -> Iterator[Reading]:
    """Yield the readings ``found`` in ``file`` up to the first unusable one, which is ``refused``."""
    try:
        yield from found
    except InputError as refusal:
        refused(refusal)
    except RecursionError:
        refused(InputError(f"{file} is nested too deep; is it what fio wrote?"))


def _files(folder: Path, stated: Mapping[str, str], refused: Refused) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """Yield every file below ``folder``, with the settings that its folder names state."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if not path.name.isprintable():
            refused(
                InputError(
                    f"{folder / shown(path.name)} has a character in its name that cannot be shown; rename it"
                )
            )
        elif not path.is_dir():
            yield path, stated
        elif "=" in path.name:
            try:
                yield from _files(path, {**stated, **dd.settings_in(path)}, refused)
            except InputError as refusal:
                refused(refusal)
        else:
            yield from _files(path, stated, refused)


def _stated(file: Path, system: System, stated: Mapping[str, str]) -> Iterator[Reading]:
    """Yield the readings of ``file``, completed by the settings that its folder names state."""
    for reading in _found(file, system):
        twice = next((name for name in stated if name in reading.settings), None)
        if twice:
            raise InputError(
                f"{reading.place}: {twice} is '{shown(reading.settings[twice])}', yet its folder states "
                f"{twice}={stated[twice]}; leave one out"
            )
        yield replace(reading, settings={**stated, **reading.settings})


def _found(file: Path, system: System) -> Iterator[Reading]:
    """The readings of ``file``, whichever tool wrote it."""
    if tool := tools.tool_of(file):
        return tools.readings(file, tool, system)
    return fio.answers(file, system) if file.suffix.lower() == ".json" else dd.readings(file)
