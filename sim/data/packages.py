"""Folders of measurements: data packages, contributions, and the contributions that were added to a package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sim.data.dataset import Dataset
from sim.data.package import DESCRIPTOR, DataPackage

CONTRIBUTIONS = "contributions"


def packages(folder: Path) -> Iterator[DataPackage]:
    """The package in ``folder``, then its contributions, by name."""
    yield DataPackage(folder)
    yield from map(DataPackage, contributions(folder))


def contributions(folder: Path) -> list[Path]:
    """Folders of the contributions in ``folder``, by name; unfinished ones begin with a dot and are left out."""
    folders = (each.parent for each in (folder / CONTRIBUTIONS).glob(f"*/{DESCRIPTOR}"))
    return sorted(each for each in folders if not each.name.startswith("."))


def is_folder(path: Path) -> bool:
    """True if ``path`` is a contribution or a data package."""
    from sim.data.contribution.folder import is_contribution  # lazily: importers, and stack files

    return is_contribution(path) or (path / DESCRIPTOR).is_file()


def in_folder(path: Path) -> list[Dataset]:
    """The dataset of a contribution, or those of a data package; InputError for the first fault."""
    from sim.data.contribution.folder import is_contribution, read_folder  # lazily: importers, and stack files

    if is_contribution(path):
        return [read_folder(path)]
    package = DataPackage(path)
    return [package.read(name) for name in package.names()]
