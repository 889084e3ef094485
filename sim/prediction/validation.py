"""Errors of the models, failures first: a summary of a report that hides none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.data.dataset import Dataset
from sim.prediction.cells import Cell, Summary, summarise
from sim.prediction.contribution import faults
from sim.prediction.report import Report, system_of
from sim.prediction.roles import COUNTED_AS
from sim.system.system import System

BAD = 0.20
"""Error from which a figure is a failure, whatever its role."""

Band = tuple[float, float]
"""Prediction interval at 90 %, in the unit of the figure."""

Bands = Mapping[tuple[str, str, str], Band]
"""Known bands by dataset, row and column of a figure."""


@dataclass(frozen=True)
class Failure:
    """A figure that its model misses by more than ``BAD``, or that lies outside its ``band``."""

    cell: Cell
    band: Band | None


@dataclass(frozen=True)
class Line:
    """The figures of one role in a dataset.

    Attributes:
        role: the role as which they count.
        inside: number of figures in their band, and number with a band.
        sources: publishers or measurers.
    """

    dataset: str
    role: str
    summary: Summary
    inside: tuple[int, int]
    sources: str


@dataclass(frozen=True)
class Validation:
    """All failures, the worst first; a line for each role in each dataset; problems of the data.

    Attributes:
        problems: lines of `stacksim data check` on the datasets.
    """

    failures: tuple[Failure, ...]
    lines: tuple[Line, ...]
    problems: tuple[str, ...]


def validation(
    report: Report, about: Sequence[Dataset], bands: Bands | None = None, *, refitted: System | None = None
) -> Validation:
    """Validation of ``report`` on the datasets ``about``.

    Args:
        refitted: the system used in place of the one of its name.
    """
    known = bands or {}
    failures = [Failure(cell, _band(cell, known)) for cell in report.cells if _fails(cell, known)]
    problems = [fault for dataset in about for fault in _faults(dataset, refitted)]
    return Validation(
        tuple(sorted(failures, key=lambda each: -abs(each.cell.error))),
        tuple(line for dataset in about for line in _lines(dataset, report.cells, known)),
        tuple(problems),
    )


def _faults(dataset: Dataset, refitted: System | None) -> Iterator[str]:
    where = f"dataset '{dataset.name}'"
    return faults(dataset, system_of(dataset, refitted), where, lambda figure: f"{where} line {figure.line}")


def _lines(dataset: Dataset, cells: Iterable[Cell], bands: Bands) -> Iterator[Line]:
    of_dataset = [cell for cell in cells if cell.dataset == dataset.name]
    for role in COUNTED_AS:
        if of_role := [cell for cell in of_dataset if cell.counted_as == role]:
            banded = [cell for cell in of_role if _band(cell, bands)]
            inside = sum(1 for cell in banded if not _outside(cell, bands))
            yield Line(
                dataset.name, role, summarise(role, of_role), (inside, len(banded)), "; ".join(dataset.sources)
            )


def _fails(cell: Cell, bands: Bands) -> bool:
    return abs(cell.error) > BAD or _outside(cell, bands)


def _outside(cell: Cell, bands: Bands) -> bool:
    band = _band(cell, bands)
    return band is not None and not band[0] <= cell.published <= band[1]


def _band(cell: Cell, bands: Bands) -> Band | None:
    return bands.get((cell.dataset, cell.row, cell.column))
