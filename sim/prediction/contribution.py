"""Check of contributed measurements: are they complete and consistent?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.data.arithmetic import Disagreement, contradictions, disagreements
from sim.data.contribution.folder import is_contribution, read_folder
from sim.data.contribution.meta import META, read_meta
from sim.data.contribution.written import package_files
from sim.data.dataset import Dataset, Measurement
from sim.data.package import DESCRIPTOR, DataPackage
from sim.data.packages import contributions
from sim.engine.errors import InputError, shown
from sim.engine.units.text import number_text
from sim.prediction.report import case_of
from sim.system.installed import find, in_file, installed
from sim.system.settings import Values
from sim.system.system import System

WORST = 3
"""Largest number of disagreeing answers that get a line each."""

Place = Callable[[Measurement], str]
"""Returns the position of a figure, for a message."""


@dataclass(frozen=True)
class Checked:
    """Result of a check.

    Attributes:
        datasets: all that could be read, without unreadable figures.
        problems: one line each: the place, the value found, the values allowed.
        unknown: datasets of systems that are not installed, so that their conditions could not be checked.
    """

    datasets: tuple[Dataset, ...]
    problems: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    def __add__(self, other: Checked) -> Checked:
        return Checked(
            self.datasets + other.datasets, self.problems + other.problems, self.unknown + other.unknown
        )


def check(path: Path) -> Checked:
    """Check a contribution, a data package with the contributions in it, or the one table ``path`` of a package.

    Raises:
        InputError: ``path`` is none of these.
    """
    if is_contribution(path):
        return _contribution(path)
    folder = path if path.is_dir() else path.parent
    if not (folder / DESCRIPTOR).is_file():
        raise InputError(f"no {META} and no {DESCRIPTOR} in '{shown(folder)}'; name a folder that has one of them")
    try:
        package = DataPackage(folder)
    except InputError as refusal:
        return Checked((), (str(refusal),))
    if not path.is_dir():
        return _package(package, _names_of(package, path))
    return sum(map(_contribution, contributions(path)), start=_package(package, package.names()))


def _names_of(package: DataPackage, table: Path) -> list[str]:
    """The datasets of ``package`` in the file ``table``."""
    names = [name for name in package.names() if package.table(name).resolve() == table.resolve()]
    if not names:
        raise InputError(f"{table} is in no entry of {table.parent / DESCRIPTOR}; add one, with its name as path")
    return names


def _package(package: DataPackage, names: Sequence[str]) -> Checked:
    """The tables ``names`` of a data package."""
    datasets: list[Dataset] = []
    refusals: list[InputError] = []
    for name in names:
        try:
            datasets.append(package.read(name, refusals.append))
        except InputError as refusal:
            refusals.append(refusal)
    problems = [str(refusal) for refusal in refusals]
    for dataset in datasets:
        system = _known_system(dataset, problems)
        table = package.table(dataset.name)
        problems += faults(dataset, system, str(table), _at_line(table))
    unknown = tuple(each.name for each in datasets if not in_file(each.system) and each.system not in installed())
    return Checked(tuple(datasets), tuple(problems), unknown)


def _at_line(table: Path) -> Place:
    return lambda figure: f"{table}, line {figure.line}"


def _known_system(dataset: Dataset, problems: list[str]) -> System | None:
    """The system of ``dataset``, or None; a file that describes none is added to ``problems``."""
    if not in_file(dataset.system) and dataset.system not in installed():
        return None
    try:
        return find(dataset.system)
    except InputError as refusal:
        problems.append(str(refusal))
        return None


def _contribution(folder: Path) -> Checked:
    """Check a contribution; if it was added before, also compare its table with its files."""
    refusals: list[InputError] = []
    try:
        dataset = read_folder(folder, refusals.append)
    except InputError as refusal:
        return Checked((), (str(refusal),))
    problems = [str(refusal) for refusal in refusals]
    if not (problems or dataset.measurements):
        problems.append(f"{folder} has no figure that system '{dataset.system}' answers; bring one that it does")
    problems += faults(
        dataset,
        find(dataset.system),
        str(folder),
        lambda figure: f"{folder / figure.table}, line {figure.line}",
    )
    if not problems:
        problems += (_stale if (folder / DESCRIPTOR).exists() else _in_the_way)(folder, dataset)
    return Checked((dataset,), tuple(dict.fromkeys(problems)))


def _stale(folder: Path, dataset: Dataset) -> Iterator[str]:
    """Generated files of the package that differ from those they were made from."""
    for path in _other(folder, dataset):
        yield f"{path} is not what the other files say; take the folder out, and add the contribution again"


def _in_the_way(folder: Path, dataset: Dataset) -> Iterator[str]:
    """Contributed files in whose place others would be generated."""
    for path in _other(folder, dataset):
        if os.path.lexists(path):
            yield f"{path} is where a file is made of the others; rename it, or the contribution in its {META}"


def _other(folder: Path, dataset: Dataset) -> Iterator[Path]:
    """Paths at which the package's files differ from those generated from the others."""
    for name, content in package_files(read_meta(folder), dataset).items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            yield path


def faults(dataset: Dataset, system: System | None, where: str, place: Place) -> Iterator[str]:
    """Problems of readable figures of ``dataset``; without a ``system``, by arithmetic alone.

    Args:
        where: prefix of lines on several figures; ``place(figure)`` is that of lines on one.
    """
    if system:
        for figure in dataset.predicted():
            yield from (f"{place(figure)}: {fault}" for fault in _fault(system, figure))
    for figure, why in contradictions(dataset.predicted()):
        yield f"{place(figure)}: {figure.measure} is {number_text(figure.value, 6)} {figure.unit}, but {why}"
    yield from _apart(list(disagreements(dataset.predicted(), dataset.scatter)), where, place)


def _apart(found: Sequence[Disagreement], where: str, place: Place) -> Iterator[str]:
    """Lines on runs that disagree: one for each of the worst, and one for the conditions of all others."""
    worst_first = sorted(found, key=lambda each: -each.apart)
    for each in worst_first[:WORST]:
        other = each.other
        yield f"{place(other)}: {other.measure} is {number_text(other.value, 6)} {other.unit}, but {each}"
    others: dict[str, list[str]] = {}
    for each in worst_first[WORST:]:
        others.setdefault(each.first.row, []).append(each.first.measure)
    if others:
        named = "; ".join(f"{row} ({', '.join(measures)})" for row, measures in others.items())
        what = "add what differs, or measure again on a quiet machine"
        yield f"{where}: runs disagree under {len(others)} conditions, too; {what}: {named}"


def _fault(system: System, figure: Measurement) -> Iterator[str]:
    """Why ``figure`` is no answer of ``system``, or which ceiling it exceeds."""
    try:
        case = case_of(system, figure)
    except InputError as refusal:
        yield str(refusal).partition(f"line {figure.line}")[2].lstrip(": ")
        return
    yield from _above(system, case.settings, figure)


def _above(system: System, settings: Values, figure: Measurement) -> Iterator[str]:
    """Lines on ceilings of the hardware, as the conditions state it, that ``figure`` exceeds."""
    for ceiling in system.limits(settings):
        if ceiling.measure == figure.measure and figure.value - figure.half_width > ceiling.most:
            most = f"{number_text(ceiling.most, 6)} {figure.unit} ({ceiling.why})"
            value = f"{number_text(figure.value, 6)} {figure.unit}"
            yield f"{figure.measure} is {value}; allowed: at most {most}; fix the figure"
