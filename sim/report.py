"""Published against predicted: every cell of a dataset, and how far off the whole is."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from sim.data import DataPackage, Dataset, Measurement
from sim.errors import InputError, nearest
from sim.prediction import Choices, Prediction
from sim.settings import Values, complete
from sim.sweep import Done, predict_all
from sim.system import System, find, systems

Role = Literal["predicted", "fitted", "input"]
"""Whether a figure was used: not at all; to derive or fit a parameter; or it is a parameter."""


@dataclass(frozen=True)
class Cell:
    """One published figure and what the simulation says; ``error`` is predicted / published - 1."""

    dataset: str
    row: str
    column: str
    published: float
    unit: str
    predicted: float
    low: float
    high: float
    error: float
    role: Role


@dataclass(frozen=True)
class Summary:
    """Absolute errors of ``cells`` cells, as fractions: mean, median and worst."""

    dataset: str
    cells: int
    mape: float
    median: float
    worst: float


@dataclass(frozen=True)
class Report:
    """All cells, and a summary for each dataset."""

    cells: tuple[Cell, ...]
    summary: tuple[Summary, ...]

    def record(self) -> dict[str, Any]:
        """The stable interface of ``report --json``. What is not known is None."""
        return {"cells": [_known(each) for each in self.cells], "summary": [_known(each) for each in self.summary]}


def _known(each: Cell | Summary) -> dict[str, Any]:
    """An interval that no run could give is nan, which JSON has not."""
    items = asdict(each).items()
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in items}


def datasets(names: Sequence[str]) -> list[Dataset]:
    """The datasets ``names``, or all of all installed systems if none is named."""
    folders = dict.fromkeys(system.data_package for system in systems().values())
    known = {name: folder for folder in folders for name in DataPackage(folder).names()}
    for name in names:
        if name not in known:
            raise InputError(f"no dataset '{name}'; {nearest(name, known)}")
        if names.count(name) > 1:
            raise InputError(f"dataset '{name}' is given twice; give it once")
    return [DataPackage(Path(known[name])).read(name) for name in names or known]


def report(asked: Sequence[Dataset], choices: Choices, done: Done | None = None) -> Report:
    """Predict every figure of the datasets ``asked`` from its published conditions."""
    figures = [(dataset.system, each) for dataset in asked for each in dataset.measurements]
    wanted = [(name, _settings(find(name), figure)) for name, figure in figures]
    predictions = predict_all(wanted, choices, done=done)
    cells = tuple(
        _cell(find(name), figure, found) for (name, figure), found in zip(figures, predictions, strict=True)
    )
    per_dataset = [[each for each in cells if each.dataset == dataset.name] for dataset in asked]
    return Report(cells, tuple(summarise(each) for each in per_dataset))


def summarise(cells: Iterable[Cell]) -> Summary:
    """Mean, median and worst absolute error of ``cells`` (of one dataset, at least one)."""
    kept = list(cells)
    errors = [abs(cell.error) for cell in kept]
    return Summary(kept[0].dataset, len(kept), statistics.fmean(errors), statistics.median(errors), max(errors))


def _settings(system: System, figure: Measurement) -> Values:
    """What to ask ``system``; refused before the long work if its answer could not be compared with ``figure``."""
    place = f"dataset '{figure.dataset}' line {figure.line}"
    try:
        settings = complete(system.settings, dict(figure.conditions))
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    unit = system.build(settings, system.parameters).unit
    if unit != figure.unit:
        raise InputError(f"{place} is in {figure.unit}, but system '{system.name}' predicts {unit}")
    return settings


def _cell(system: System, figure: Measurement, found: Prediction) -> Cell:
    return Cell(
        dataset=figure.dataset,
        row=figure.row,
        column=figure.column,
        published=figure.value,
        unit=figure.unit,
        predicted=found.throughput.value,
        low=found.throughput.low,
        high=found.throughput.high,
        error=found.throughput.value / figure.value - 1.0,
        role=_role(system, figure),
    )


def _role(system: System, figure: Measurement) -> Role:
    cell = f"{figure.dataset}/{figure.row}/{figure.column}"
    return "fitted" if any(cell in parameter.cells for parameter in system.parameters.entries) else "predicted"
