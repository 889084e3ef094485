"""Measured against predicted figures of datasets, with a summary of errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from sim.data.dataset import SCATTER, Dataset, Measurement
from sim.data.packages import in_folder, is_folder, packages
from sim.engine.display import Shown
from sim.engine.errors import InputError, ModelError, nearest, shown
from sim.engine.simulation.options import ANALYTIC, FINEST, RunOptions
from sim.engine.statistics.answers import THROUGHPUT
from sim.engine.units.text import number_text
from sim.prediction.cells import Cell, Summary, SummaryRecord, summarise
from sim.prediction.ledger import firsts
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.prediction_record import fields_of, finite
from sim.prediction.reach import Reach, reach
from sim.prediction.repeats import repeats
from sim.prediction.roles import SATURATED, Role, figures_per_parameter, role_of
from sim.prediction.sweep import OnProgress, predict_all
from sim.prediction.transfers import Transfer, transfers
from sim.system.case import Case
from sim.system.installed import find, systems
from sim.system.scenario import LATENCIES, at_place
from sim.system.system import System


@dataclass(frozen=True)
class Unpredicted:
    """A measured figure without a prediction, and the reason."""

    dataset: str
    row: str
    column: str
    published: float
    unit: str
    reason: str


class ReportRecord(TypedDict):
    """Figures beside predictions, and summaries of their errors; fields as of ``Report``."""

    cells: list[Cell]
    summary: list[SummaryRecord]
    unpredicted: list[Unpredicted]
    warnings: list[str]
    notes: list[str]
    transfers: list[Transfer]
    reach: list[Reach]


@dataclass(frozen=True)
class Report(Shown):
    """All predicted figures, those that are not predicted, and a summary for each dataset with a predicted one.

    Attributes:
        warnings: why the fits behind the predictions are not to be trusted, one line each.
        own: True if the figures are a user's own measurements, not published ones.
        notes: for own figures, what was concluded about their conditions, and parts of the load that the model
            leaves out, one line each.
        transfers: errors of the fits behind the predictions for figures beyond those fitted.
        reach: errors of all fits together: inside the measured settings, along an axis, to another machine.
    """

    cells: tuple[Cell, ...]
    summary: tuple[Summary, ...]
    unpredicted: tuple[Unpredicted, ...] = ()
    warnings: tuple[str, ...] = ()
    own: bool = False
    notes: tuple[str, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    reach: tuple[Reach, ...] = ()

    @property
    def called(self) -> str:
        """The word for the figures beside predictions."""
        return "measured" if self.own else "published"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each figure beside its prediction."""
        return map(asdict, self.cells)

    def record(self) -> ReportRecord:
        """The JSON of ``report --json``, a stable interface; unknown values are None."""
        return {
            "cells": [fields_of(each) for each in self.cells],
            "summary": [each.record() for each in self.summary],
            "unpredicted": [fields_of(each) for each in self.unpredicted],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "transfers": [fields_of(each) for each in self.transfers],
            "reach": [fields_of(each) for each in self.reach],
        }


def datasets(names: Sequence[str]) -> list[Dataset]:
    """The datasets ``names``, or all of all installed systems if empty; a folder stands for those in it."""
    folders = dict.fromkeys(each.data_package for each in systems().values() if each.data_package)
    package_of = {name: each for folder in folders for each in packages(Path(folder)) for name in each.names()}
    by_name: dict[str, Dataset] = {}
    for name in names or package_of:
        if name not in package_of and not is_folder(Path(name)):
            raise InputError(f"no dataset '{shown(name)}'; {nearest(name, package_of)}")
        for dataset in [package_of[name].read(name)] if name in package_of else in_folder(Path(name)):
            if dataset.name in by_name:
                raise InputError(f"dataset '{dataset.name}' is given twice; give it once")
            by_name[dataset.name] = dataset
    return list(by_name.values())


def system_of(dataset: Dataset, refitted: System | None) -> System:
    """The system of ``dataset``: ``refitted`` if it has that name, else the installed one."""
    if refitted and refitted.measured_as == dataset.system:
        return refitted
    installed = find(dataset.system)  # of a file, which has another name than the system in it
    return refitted if refitted and refitted.name == installed.name else installed


def report(
    about: Sequence[Dataset],
    options: RunOptions,
    on_progress: OnProgress | None = None,
    *,
    refitted: System | None = None,
) -> Report:
    """Predict every figure of the datasets ``about`` under its measured conditions.

    Args:
        refitted: used in place of the installed system of its name.
    """
    cases = _Cases()
    systems_of = {dataset.name: system_of(dataset, refitted) for dataset in about}
    figures = [
        (cases.of(dataset, systems_of[dataset.name], figure), figure)
        for dataset in about
        for figure in dataset.predicted()
    ]
    dataset_of = {dataset.name: dataset for dataset in about}
    refused = _refused(cases.distinct, options) if options.engine == ANALYTIC else {}
    taken = {key: case for key, case in cases.distinct.items() if key not in refused}
    predictions = _predictions(taken, figures, _precisions(about, options), options, on_progress)
    reasons = [refused.get(key) or _unknown(predictions[key], figure) for key, figure in figures]
    explained = list(zip(figures, reasons, strict=True))
    held = [(predictions[key], figure) for (key, figure), reason in explained if not reason]
    told = {name: figures_per_parameter(system.parameters, name) for name, system in systems_of.items()}
    cells = tuple(
        _cell(prediction, dataset_of[figure.dataset], figure, told[figure.dataset]) for prediction, figure in held
    )
    cells += tuple(cell for dataset in about for cell in _comparisons(dataset, cells))
    unpredicted = tuple(each for dataset in about for each in _unpredicted(dataset))
    unpredicted += tuple(_without(figure, reason) for (_, figure), reason in explained if reason)
    summary = tuple(_summaries(about, told, cells))
    systems_once = {dataset.system: systems_of[dataset.name] for dataset in about}
    warnings = [warning for system in systems_once.values() for warning in system.parameters.warnings]
    warnings += [line for prediction, figure in held for line in _above(prediction, figure)]
    own = all(dataset.own for dataset in about)
    notes = dict.fromkeys(remark for dataset in about for remark in dataset.remarks)
    notes |= dict.fromkeys(note for prediction, _ in held for note in prediction.notes if own)
    shipped = () if own or refitted else tuple(systems_once.values())
    moved, reached = tuple(transfers(shipped)), tuple(reach(shipped))
    return Report(cells, summary, unpredicted, tuple(warnings), own, tuple(notes), moved, reached)


_Key = tuple[str, tuple[tuple[str, Any], ...]]
"""A system's name, and a value for each of its settings."""


class _Cases:
    """Cases of a report, each built once: several figures may be answers of one run."""

    def __init__(self) -> None:
        self.distinct: dict[_Key, Case] = {}

    def of(self, dataset: Dataset, system: System, figure: Measurement) -> _Key:
        """Key of the case of ``figure``; refused before the long work if it cannot be compared with its answer."""
        case = _conditions(system, figure)
        key = (dataset.system, tuple(case.settings.items()))
        check_answer(self.distinct.setdefault(key, case), figure)
        return key


def _predictions(
    cases: Mapping[_Key, Case],
    figures: Iterable[tuple[_Key, Measurement]],
    precisions: Mapping[str, float],
    options: RunOptions,
    on_progress: OnProgress | None,
) -> dict[_Key, Prediction]:
    """Predictions of all cases, whose runs watch only the latencies that are compared."""
    watched = {key: set(THROUGHPUT) for key in cases}
    precision = dict.fromkeys(cases, options.precision)
    for key, figure in figures:
        if key in cases:
            precision[key] = min(precision[key], precisions[figure.dataset])
            if figure.measure in LATENCIES:
                watched[key].add(figure.measure)
    optioned = {
        key: replace(options, answers=tuple(sorted(watched[key])), precision=precision[key]) for key in cases
    }
    alike = list(dict.fromkeys(optioned.values()))
    keys = sorted(cases, key=lambda key: alike.index(optioned[key]))
    runs = predict_all(
        [cases[key] for key in keys], [optioned[key] for key in keys], limits=False, on_progress=on_progress
    )
    return dict(zip(keys, runs, strict=True))


def _precisions(about: Iterable[Dataset], options: RunOptions) -> dict[str, float]:
    """Precision of runs by dataset: finer in proportion if its figures scatter less than usual."""
    return {each.name: max(FINEST, options.precision * min(1.0, each.scatter / SCATTER)) for each in about}


def _above(prediction: Prediction, figure: Measurement) -> Iterator[str]:
    """A line if ``figure`` is more throughput than the published limit of a place."""
    least = figure.value - figure.half_width if figure.measure == "throughput" else 0.0
    for bound in prediction.result.limits:
        most = bound.throughput * prediction.amount
        if least > most and (source := _published(prediction, bound.place)):  # this builds the model once more
            allowed = f"{bound.place} lets {number_text(most)} {figure.unit} through ({source})"
            fix = "is it other hardware, or does a cache stand above it?"
            yield f"{_place(figure)}: {number_text(figure.value)} {figure.unit}, and {allowed}; {fix}"
            return


def _published(prediction: Prediction, place: str) -> str | None:
    """Source of the limit of ``place``; None if it is not published."""
    return at_place(prediction.case.scenario.published, place)


def _unknown(prediction: Prediction, figure: Measurement) -> str | None:
    """Why ``prediction`` has no answer for ``figure``; None if it has one."""
    if figure.measure in LATENCIES and math.isnan(prediction.answers[figure.measure].estimate.value):
        if why := prediction.answers[figure.measure].why:
            return f"{figure.measure} is {why}"
        return f"{prediction.result.engine} engine: it does not know the {LATENCIES[figure.measure]}"
    return None


def _unpredicted(dataset: Dataset) -> Iterator[Unpredicted]:
    for figure in dataset.measurements:
        if reason := dataset.why_unpredicted(figure):
            yield _without(figure, reason)


def _without(figure: Measurement, reason: str) -> Unpredicted:
    return Unpredicted(figure.dataset, figure.row, figure.column, figure.value, figure.unit, reason)


def _refused(cases: Mapping[_Key, Case], options: RunOptions) -> dict[_Key, str]:
    """Why the analytic engine cannot solve a model, by case; found in milliseconds."""
    reasons = {}
    for key, case in cases.items():
        try:
            predict_case(case, options)
        except ModelError as error:
            reasons[key] = f"analytic engine: {error}"
    return reasons


def _summaries(
    about: Iterable[Dataset], told: Mapping[str, float | None], cells: Iterable[Cell]
) -> Iterator[Summary]:
    """Summaries of datasets that have any of ``cells``; ``told``: figures per parameter."""
    for dataset in about:
        if of_dataset := [each for each in cells if each.dataset == dataset.name]:
            yield replace(
                summarise(dataset.name, of_dataset),
                figures_per_parameter=told[dataset.name],
                repeats=repeats(dataset.predicted()),
            )


def case_of(system: System, figure: Measurement) -> Case:
    """The case of ``figure``; refused before the long work if it cannot be compared with its answer."""
    case = _conditions(system, figure)
    check_answer(case, figure)
    return case


def _conditions(system: System, figure: Measurement) -> Case:
    try:
        return Case.of(system, dict(figure.conditions))
    except InputError as error:
        raise InputError(f"{_place(figure)}: {error}") from error


def check_answer(case: Case, figure: Measurement) -> None:
    """Refuse a ``figure`` that is no answer of ``case``, or in another unit."""
    system = case.system
    try:
        units = case.scenario.units
    except InputError as error:
        raise InputError(f"{_place(figure)}: {error}") from error
    if figure.measure not in units:
        raise InputError(
            f"{_place(figure)}: system '{system.name}' has no measure '{figure.measure}'; "
            f"{nearest(figure.measure, units)}"
        )
    if units[figure.measure] != figure.unit:
        raise InputError(
            f"{_place(figure)} is in {figure.unit}, but system '{system.name}' predicts {figure.measure} in "
            f"{units[figure.measure]}"
        )


def _place(figure: Measurement) -> str:
    return f"dataset '{figure.dataset}' line {figure.line}"


def _cell(prediction: Prediction, dataset: Dataset, figure: Measurement, told: float | None) -> Cell:
    """``figure`` with its prediction; ``told``: figures per parameter of its dataset."""
    system = prediction.case.system
    role = role_of(system, dataset, figure)
    answer = prediction.answers[figure.measure].estimate
    restated = dataset.why_restated(figure) if role == "restated" else None
    cell = _beside(
        figure, answer.value, (finite(answer.low), finite(answer.high)), role, _held_out(system, figure), restated
    )
    if role == "predicted" and system.data_package:
        return replace(cell, first=firsts(system.data_package).get((cell.dataset, cell.row, cell.column)))
    return replace(cell, restated_by_fit=role == "fitted" and told is not None and told <= SATURATED)


def _beside(
    figure: Measurement,
    predicted: float,
    interval: tuple[float | None, float | None],
    role: Role,
    held_out: float | None,
    restated: str | None,
) -> Cell:
    """A cell of ``figure`` and its prediction."""
    return Cell(
        dataset=figure.dataset,
        row=figure.row,
        column=figure.column,
        measure=figure.measure,
        published=figure.value,
        unit=figure.unit,
        predicted=predicted,
        low=interval[0],
        high=interval[1],
        error=predicted / figure.value - 1.0,
        role=role,
        held_out=held_out,
        restated=restated,
    )


COMPARED = "compares two figures of the table"


def _comparisons(dataset: Dataset, cells: Iterable[Cell]) -> Iterator[Cell]:
    """Cells of figures of ``dataset`` that compare two others, from the predictions of both."""
    predicted = {f"{cell.row}/{cell.column}": cell.predicted for cell in cells if cell.dataset == dataset.name}
    for figure in dataset.measurements:
        compared = dataset.comparison(figure)
        if compared and {compared.of, compared.to} <= predicted.keys():
            value = compared.value(predicted[compared.of], predicted[compared.to])
            yield _beside(figure, value, (None, None), "restated", None, COMPARED)


def _held_out(system: System, figure: Measurement) -> float | None:
    """Error for ``figure`` of the fit that had not seen it; None if it was not fitted."""
    predicted = system.parameters.held_out.get(figure.cell)
    return None if predicted is None else predicted / figure.value - 1.0
