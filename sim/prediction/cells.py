"""A measured figure beside its prediction, and a summary of errors."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from typing_extensions import TypedDict

from sim.engine.statistics.estimates import percentile_95
from sim.prediction.ledger import First
from sim.prediction.prediction_record import fields_of
from sim.prediction.repeats import Repeats
from sim.prediction.roles import RESTATED_BY_FIT, Role


@dataclass(frozen=True)
class Cell:
    """One measured figure and its prediction.

    Attributes:
        published: as it was published, or measured by the user.
        low, high: 95 % interval of the prediction; None if it is not known.
        error: predicted / published - 1.
        held_out: error of a fit that had not seen the figure; None for a figure that was not fitted.
        restated: why a figure of that role tests nothing; else None.
        restated_by_fit: True if it is fitted, with about one parameter for each such figure.
        first: first recorded prediction of a predicted figure; None if no ledger has it.
    """

    dataset: str
    row: str
    column: str
    measure: str
    published: float
    unit: str
    predicted: float
    low: float | None
    high: float | None
    error: float
    role: Role
    held_out: float | None
    restated: str | None = None
    restated_by_fit: bool = False
    first: First | None = None

    @property
    def counted_as(self) -> str:
        """The role under which its error counts."""
        return RESTATED_BY_FIT if self.restated_by_fit else self.role


class SummaryRecord(TypedDict):
    """Absolute errors of the figures of a dataset, as fractions; fields as of ``Summary``."""

    dataset: str
    cells: int
    mape: float
    median: float
    p95: float
    worst: float
    figures_per_parameter: float | None
    repeats: Repeats | None


@dataclass(frozen=True)
class Summary:
    """Absolute errors of ``cells`` figures, as fractions: mean, median, 95th percentile and worst.

    Attributes:
        figures_per_parameter: of a dataset, figures for each fitted parameter; None if none is fitted.
        repeats: of a dataset, differences between repeats of a run; None if nothing was repeated.
    """

    name: str
    cells: int
    mape: float
    median: float
    p95: float
    worst: float
    figures_per_parameter: float | None = None
    repeats: Repeats | None = None

    def record(self) -> SummaryRecord:
        """The summary in the JSON of ``report --json``."""
        return {
            "dataset": self.name,
            "cells": self.cells,
            "mape": self.mape,
            "median": self.median,
            "p95": self.p95,
            "worst": self.worst,
            "figures_per_parameter": self.figures_per_parameter,
            "repeats": fields_of(self.repeats) if self.repeats else None,
        }


def summarise(name: str, cells: Iterable[Cell]) -> Summary:
    """Summary of the absolute errors of at least one of ``cells``, under a ``name``."""
    errors = sorted(abs(cell.error) for cell in cells)
    middle, most = statistics.median(errors), percentile_95(errors)
    return Summary(name, len(errors), statistics.fmean(errors), middle, most, errors[-1])
