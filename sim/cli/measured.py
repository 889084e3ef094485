"""Measurements for a command: published datasets, or a user's own file or folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.data.dataset import Dataset
from sim.data.importers import fio_jobs, read, tools
from sim.data.importers.figures import dataset
from sim.data.importers.fio_options import NoSettingError
from sim.engine.errors import InputError, shown
from sim.prediction import report
from sim.system.settings import pairs
from sim.system.stack.build import Stack
from sim.system.stack.job import job_of
from sim.system.system import System

FILES = (".csv", ".json", ".txt", ".lst", ".log", ".html", ".out")
"""Suffixes of files of measurements; no dataset has such a name."""


def published(names: Sequence[str]) -> list[Dataset]:
    """The datasets ``names``; all if none is named.

    Raises:
        InputError: one is not known, or is a file.
    """
    for name in names:
        if name.endswith(FILES):
            raise InputError(
                f"'{shown(name)}' is no dataset but a file; say what it measures: --system SYSTEM, or a stack file"
            )
    return report.datasets(names)


def of(words: Sequence[str], system: System) -> list[Dataset]:
    """Measurements of ``system``: one file or folder; for a rival structure, also published datasets.

    Raises:
        InputError: as for ``own``; or a dataset of another system.
    """
    if not system.rival_of or any("=" in word or "." in word or Path(word).exists() for word in words):
        return [own(words, system)]
    datasets = published(words)
    for each in datasets:
        if system.measured_as != each.system:
            raise InputError(f"dataset '{each.name}' is about {each.system}, not {shown(system.name)}")
    return datasets


def held_against(words: Sequence[str], system: System) -> tuple[System, list[Dataset]]:
    """The system and its measurements, as ``of``; jobs without equivalent settings become the stack's load.

    Raises:
        InputError: as for ``of``; or an option of fio that ``--job`` refuses, too.
    """
    try:
        return system, of(words, system)
    except NoSettingError:
        path = Path(next(word for word in words if "=" not in word))
        if not isinstance(system.build, Stack) or path.suffix.lower() != ".json" or tools.tool_of(path):
            raise
    with_jobs, *_ = job_of(system, path, kind="fio").systems  # of several groups the reader refuses the others
    given = pairs(word for word in words if "=" in word)
    return with_jobs, [dataset(path.stem, fio_jobs.readings(path), with_jobs, given)]


def own(words: Sequence[str], system: System) -> Dataset:
    """Measurements of ``system`` in the one file or folder among ``words``; other words are common settings.

    Raises:
        InputError: there is no file, several, or an unusable one.
    """
    paths = [word for word in words if "=" not in word]
    if len(paths) != 1:
        raise InputError(
            f"{len(paths)} files are given ({', '.join(map(shown, paths))}); with --system give one file or folder"
        )
    return read(Path(paths[0]), system, pairs(word for word in words if "=" in word))
