"""The record of a fit: its content, the values allowed in it, and the parameters that a system takes from it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sim.data.dataset import Dataset, Measurement
from sim.system.complaints import form
from sim.system.parameters import Compared, Parameters

LARGEST_DEVIATION = 10.0
"""Largest deviation of a logarithm: a factor of 22,000; it overflows nowhere, and leaves a value open."""

IN_SAMPLE, CROSSED, TO_MACHINE = "in sample", "cross-validated", "to another machine"
"""Names of errors, and prefix of those of a machine left out; all others are transfers along a setting."""

LEFT_OUT = "each value left out of"
"""Prefix of the name of errors along an axis, with each value left out in turn."""

NO_TRANSFERS = (IN_SAMPLE, CROSSED)
"""Names of errors on fitted figures, or on folds of them."""

Share = Annotated[float, Field(ge=0.0)]
Above = Annotated[float, Field(gt=0.0)]
Line = Annotated[str, form(r"[^\x00-\x1f\x7f]+", "text on one line, not empty")]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="forbid")


class FittedValue(_Frozen):
    """One fitted parameter: value and 95 % interval in its unit.

    Attributes:
        at_prior: True if the data hardly narrowed its prior, though the value may have moved.
        at_bound: True if it ended at one of its physical bounds.
    """

    value: Above
    low: Above
    high: Above
    at_prior: bool
    at_bound: bool = False

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if not self.low <= self.value <= self.high:
            raise ValueError("allowed: low, value and high in this order")
        return self


class FittedFigure(_Frozen):
    """One figure: the measured value and the fit's prediction, both in ``unit``.

    Attributes:
        cell: the figure, as ``dataset/row/column``; ``row`` and ``column`` are the last two of these.
        error: predicted / measured - 1.
        conditions: settings and values as users write them; empty in older files.
    """

    cell: Line
    row: Line
    column: Line
    measure: Line
    unit: Line
    measured: Above
    predicted: Above
    error: float
    conditions: dict[Line, Line] = {}

    @classmethod
    def of(cls, figure: Measurement, predicted: float) -> Self:
        """Make the entry of ``figure`` from its measured and its ``predicted`` value."""
        return cls(
            cell=figure.cell,
            row=figure.row,
            column=figure.column,
            measure=figure.measure,
            unit=figure.unit,
            measured=figure.value,
            predicted=predicted,
            error=predicted / figure.value - 1.0,
            conditions=dict(figure.conditions),
        )


class ToldFigure(_Frozen):
    """A figure that the model does not predict, such as percentiles of constants; fields as ``FittedFigure``."""

    measure: Line
    unit: Line
    measured: Above
    conditions: dict[Line, Line]

    @classmethod
    def of(cls, figure: Measurement) -> Self:
        """Make the entry of ``figure``."""
        return cls(
            measure=figure.measure, unit=figure.unit, measured=figure.value, conditions=dict(figure.conditions)
        )


class Errors(_Frozen):
    """Absolute errors over some figures, as shares; older files lack the 95th percentile."""

    figures: int = Field(ge=1)
    mean: Share
    median: Share
    worst: Share
    p95: Share | None = None


class Moved(_Frozen):
    """Prediction of a held-out figure by a transferred fit, with the deviation of its logarithm."""

    predicted: Above
    deviation: Share


class ErrorsWithBaselines(_Frozen):
    """Errors of the system and of each baseline, over the same figures.

    Attributes:
        inside: share of the figures in their 90 % bands; None in older files, and for fitted figures.
        moved: predictions of a transfer, by cell; empty in older files.
    """

    system: Errors
    baselines: dict[str, Errors]
    inside: float | None = Field(default=None, ge=0.0, le=1.0)
    moved: dict[Line, Moved] = {}


class Fitted(_Frozen):
    """The result of a fit.

    Attributes:
        version: version of stacksim that made the fit.
        datasets: SHA-256 of the figures of each dataset, by name.
        definitions: SHA-256 of the names, bounds and priors of all parameters.
        cells: the fitted figures.
        covariance: covariance of the logarithms of the parameters, in their order.
        draws: values of the parameters that the figures leave possible, in their order, a draw each; empty in
            older files, where they are drawn from the covariance alone.
        scatter: deviation of the logarithms of measured / predicted that no parameter explains; as much wider than
            that of the residuals as few residuals leave it unknown (equation 1 of docs/dev/fitting.md).
        errors: in sample, cross-validated, and each transfer, by name.
        repeats: the same mean errors of this fit, first, and of repeats with other random numbers from other first
            guesses; empty in older files.
        held_out: what a fit that had not seen it predicts of each figure.
        coverage: share of held-out figures inside their 90 % bands; None without cross-validation.
        warnings: reasons not to trust the fit, a line each.
        figures: each fitted figure with its prediction.
        unseen: figures measured to test the fit, with predictions; their errors set the width of bands.
        told: figures that the model does not predict.
        title: title of the system; of a measured stack it names the storage. Empty in older files.
        machine: the setting that names a figure's machine; empty if machines were not left out.
    """

    system: Line
    version: Annotated[str, form(r"[0-9]{1,9}(\.[0-9]{1,9})*([a-z.+-][a-z0-9.+-]*)?", "a version, such as 0.1.0")]
    command: str
    datasets: dict[str, str] = Field(min_length=1)
    definitions: str
    cells: tuple[str, ...] = Field(min_length=1)
    parameters: dict[str, FittedValue]
    covariance: tuple[tuple[float, ...], ...]
    draws: tuple[tuple[Above, ...], ...] = ()
    scatter: float = Field(ge=0.0, le=LARGEST_DEVIATION)
    errors: dict[str, ErrorsWithBaselines]
    repeats: dict[str, tuple[Share, ...]] = {}
    held_out: dict[str, Above]
    coverage: float | None = Field(ge=0.0, le=1.0)
    warnings: tuple[Line, ...]
    figures: tuple[FittedFigure, ...]
    unseen: tuple[FittedFigure, ...] = ()
    told: tuple[ToldFigure, ...] = ()
    title: str = ""
    machine: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Require every figure that bands and the mark *untested* rest on, or bands would be too narrow."""
        cells = {each.cell for each in self.figures}
        for name, named in {
            "cells": self.cells,
            **{name: each.moved for name, each in self.errors.items()},
        }.items():
            if missing := set(named) - cells:
                raise ValueError(f"figures lacks '{min(missing)}'; allowed: all of {name}")
        return self

    def parameters_from(self, defined: Parameters, warnings: tuple[str, ...] | None = None) -> Parameters:
        """Return the parameters ``defined`` by the system with their fitted values.

        Args:
            warnings: warnings for every prediction; those of the fit if None.
        """
        entries = []
        for entry in defined.entries:
            fitted = self.parameters.get(entry.name)
            if fitted is not None:
                entry = replace(  # noqa: PLW2901  (the loop builds the new entry)
                    entry,
                    value=fitted.value,
                    interval=(fitted.low, fitted.high),
                    likely=None,  # the interval says what is known now
                    prior=entry.centre,
                    cells=self.cells,
                )
            entries.append(entry)
        order = [list(self.parameters).index(entry.name) for entry in defined.free()]
        return replace(
            defined,
            entries=tuple(entries),
            covariance=self._covariance(order),
            draws=tuple(tuple(row) for row in np.array(self.draws)[:, order].tolist()) if self.draws else (),
            scatter=self.scatter,
            warnings=self.warnings if warnings is None else warnings,
            held_out=self.held_out,
            missed=self.missed(),
            missed_along=self.missed_after(self.along()),
            missed_elsewhere=self.missed_after(self.elsewhere()),
            machine=self.machine,
            seen_under=tuple(
                dict.fromkeys(tuple(each.conditions.items()) for each in (*self.figures, *self.unseen))
            ),
            compared=tuple(self._compared()) if self.unseen else (),
        )

    def _compared(self) -> Iterator[Compared]:
        for seen, figures in ((True, self.figures), (False, self.unseen)):
            for each in figures:
                conditions = tuple(each.conditions.items())
                held_out = self.held_out.get(each.cell) if seen else each.predicted
                yield Compared(conditions, each.measure, each.unit, each.measured, each.predicted, seen, held_out)
        for told in self.told:
            yield Compared(
                tuple(told.conditions.items()), told.measure, told.unit, told.measured, None, seen=False
            )

    def missed(self) -> dict[str, tuple[float, ...]]:
        """log(predicted / measured) of held-out figures, by answer; empty in older files."""
        logs: dict[str, list[float]] = {}
        folds = [(each, self.held_out[each.cell]) for each in self.figures if each.cell in self.held_out]
        for figure, predicted in (*folds, *((each, each.predicted) for each in self.unseen)):
            logs.setdefault(figure.measure, []).append(math.log(predicted / figure.measured))
        return {measure: tuple(misses) for measure, misses in logs.items()}

    def along(self) -> list[str]:
        """Names of the transfers along a setting, on fitted machines."""
        others = (TO_MACHINE, LEFT_OUT)
        return [name for name in self.errors if name not in NO_TRANSFERS and not name.startswith(others)]

    def axes(self) -> list[str]:
        """The settings along which each value was left out in turn."""
        return [name for name in self.errors if name.startswith(LEFT_OUT)]

    def elsewhere(self) -> list[str]:
        """Names of the transfers to a machine of which only the anchors were fitted."""
        return [name for name in self.errors if name.startswith(TO_MACHINE)]

    def missed_after(self, transfers: Iterable[str]) -> dict[str, tuple[float, ...]]:
        """log(predicted / measured) of the figures of these ``transfers``, by answer."""
        figures = {each.cell: each for each in self.figures}
        logs: dict[str, list[float]] = {}
        for name in transfers:
            for cell, moved in self.errors[name].moved.items():
                figure = figures[cell]
                logs.setdefault(figure.measure, []).append(math.log(moved.predicted / figure.measured))
        return {measure: tuple(misses) for measure, misses in logs.items()}

    def correlation(self, one: str, other: str) -> float:
        """Correlation of the estimates of two parameters, -1..1; figures hardly separate the two near ±1."""
        row, column = (list(self.parameters).index(name) for name in (one, other))
        covariance = np.array(self.covariance)
        return float(covariance[row, column] / np.sqrt(covariance[row, row] * covariance[column, column]))

    def _covariance(self, order: list[int]) -> tuple[tuple[float, ...], ...]:
        """Covariance with its rows and columns in ``order``; a file may have another one."""
        return tuple(tuple(row) for row in np.array(self.covariance)[np.ix_(order, order)].tolist())

    def stale(self, defined: Parameters, datasets: Iterable[Dataset]) -> str | None:
        """Name the thing that has changed since the fit; None if nothing has."""
        if definitions_hash(defined) != self.definitions:
            return "definitions of parameters"
        hashes = {dataset.name: data_hash(dataset) for dataset in datasets}
        changed = [name for name, fitted_hash in self.datasets.items() if hashes.get(name) != fitted_hash]
        return f"dataset '{changed[0]}'" if changed else None


def definitions_hash(defined: Parameters) -> str:
    """Hash of names, priors and bounds: the starting point of a fit."""
    return _hash(repr([(each.name, each.centre, each.low, each.high, each.basis) for each in defined.entries]))


def data_hash(dataset: Dataset) -> str:
    """Hash of all figures and their conditions."""
    return _hash(repr(dataset.measurements))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
