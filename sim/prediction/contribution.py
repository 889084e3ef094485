"""Measurements that somebody brings: is everything there, and does it agree with itself?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim.data.arithmetic import contradictions
from sim.data.dataset import Dataset
from sim.data.package import DataPackage
from sim.errors import InputError
from sim.prediction.report import case_of
from sim.system.installed import find, systems

DESCRIPTOR = "datapackage.json"


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes:
        datasets: those that could be read, without the figures that could not.
        problems: one line each: the place, what stands there, what is allowed.
        unknown: datasets of a system that is not installed, so that their conditions could not be checked.
    """

    datasets: tuple[Dataset, ...]
    problems: tuple[str, ...]
    unknown: tuple[str, ...]


def check(path: Path) -> Checked:
    """Check the data package in the folder ``path``, or the one table ``path`` of the package beside it.

    Raises:
        InputError: there is no data package, or nothing in it can be read.
    """
    package = DataPackage(path if path.is_dir() else path.parent)
    names = [name for name in package.names() if path.is_dir() or package.table(name).resolve() == path.resolve()]
    if not names:
        raise InputError(f"{path} is in no entry of {path.parent / DESCRIPTOR}; add one, with its name as path")
    datasets: list[Dataset] = []
    refusals: list[InputError] = []
    for name in names:
        try:
            datasets.append(package.read(name, refusals.append))
        except InputError as refusal:
            refusals.append(refusal)
    problems = [str(refusal) for refusal in refusals]
    problems += [problem for each in datasets for problem in _of(each, package.table(each.name))]
    unknown = tuple(each.name for each in datasets if each.system not in systems())
    return Checked(tuple(datasets), tuple(problems), unknown)


def _of(dataset: Dataset, table: Path) -> Iterator[str]:
    """What is wrong with figures that could be read."""
    for figure in dataset.predicted() if dataset.system in systems() else ():
        try:
            case_of(find(dataset.system), figure)
        except InputError as refusal:
            yield f"{table}, line {figure.line}: {str(refusal).partition(f'line {figure.line}')[2].lstrip(': ')}"
    for figure, why in contradictions(dataset.predicted(), dataset.scatter):
        yield f"{table}, line {figure.line}: {figure.measure} is {figure.value:g} {figure.unit}, but {why}"
