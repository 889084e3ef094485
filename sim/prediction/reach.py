"""Errors of fits by reach: inside the measured settings, along an axis, and on another machine."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sim.data.fitted import CROSSED, Errors, Fitted
from sim.engine.statistics.estimates import percentile_95
from sim.prediction.transfers import best_curve, fit_of, placed
from sim.system.system import System

Where = Literal["inside", "along", "elsewhere"]
"""Distance of figures from those fitted: between them (folds), at values of a setting left out (along an
axis), and on a machine that was left out, except for its anchors."""


REACHES: Mapping[Where, str] = {
    "inside": "inside what was measured (folds)",
    "along": "along an axis (values left out)",
    "elsewhere": "to another machine (left out)",
}
"""Labels for the reader."""

LEAST = 1e-6
"""Least error: files of fits have six digits."""


@dataclass(frozen=True)
class Reach:
    """Absolute errors of all fits for figures that they had not seen, as shares.

    Attributes:
        by_summary: number of figures from older files, which have median, 95th percentile and worst
            of a split alone, between which errors are taken to lie (`spread`).
        inside: share of the figures in their 90 % bands; None if not recorded.
        baseline_median, baseline_p95: of the curve without mechanism that is best in each split, pooled the same
            way, as files have summaries of curves alone; None without any.
        better: number of splits in which the fit's median is no larger than that of any curve.
        splits: number of splits that have a curve.
    """

    where: Where
    figures: int
    by_summary: int
    median: float
    p95: float
    worst: float
    inside: float | None
    baseline_median: float | None
    baseline_p95: float | None
    better: int
    splits: int


@dataclass(frozen=True)
class _Split:
    """Errors of a fit for figures that it had not seen.

    Attributes:
        own: absolute errors, one for each figure.
        inside: number of figures in their bands; None if not recorded.
        curve: errors of the best curve; None without one.
        better: True if the fit's median is no larger than the curve's.
        known: True if the file has the prediction of each figure.
    """

    own: Sequence[float]
    inside: float | None
    curve: Errors | None
    better: bool
    known: bool = True


def reach(systems: Iterable[System]) -> Iterator[Reach]:
    """Errors of the fits of all ``systems``, by reach.

    Systems that are further structures of another are left out: they were fitted to the same figures.
    """
    fits = [fitted for system in systems if not system.rival_of and (fitted := fit_of(system))]
    for where in get_args(Where):
        if splits := [_split(fitted, name) for fitted in fits for name in _names(fitted, where)]:
            yield _pooled(where, splits)


def _names(fitted: Fitted, where: Where) -> Sequence[str]:
    """Names of the errors of that kind in the file of a fit."""
    if where == "inside":
        return [CROSSED] if fitted.held_out and CROSSED in fitted.errors else []
    return [*fitted.along(), *fitted.axes()] if where == "along" else fitted.elsewhere()


def _split(fitted: Fitted, name: str) -> _Split:
    errors = fitted.errors[name]
    _, curve = best_curve(errors.baselines)
    better = curve is not None and errors.system.median <= curve.median
    if name == CROSSED:
        inside = None if fitted.coverage is None else fitted.coverage * len(fitted.held_out)
        return _Split(_errors(fitted, fitted.held_out), inside, curve, better)
    if errors.moved:
        own = _errors(fitted, {cell: said.predicted for cell, said in errors.moved.items()})
        return _Split(own, sum(each.inside for each in placed(fitted, name)), curve, better)
    inside = None if errors.inside is None else errors.inside * errors.system.figures
    return _Split(spread(errors.system), inside, curve, better, known=False)


def _errors(fitted: Fitted, predicted: Mapping[str, float]) -> list[float]:
    measured = {each.cell: each.measured for each in fitted.figures}
    return [abs(value / measured[cell] - 1.0) for cell, value in predicted.items()]


def spread(errors: Errors) -> list[float]:
    """Sorted list of as many errors as ``errors`` summarises, with its median, 95th percentile and worst.

    They are interpolated: linearly from 0 to the median, and in logarithms above it, as large errors are few.
    """
    last = errors.figures - 1
    known = [(last / 2, errors.median), (math.ceil(0.95 * errors.figures) - 1, errors.p95), (last, errors.worst)]
    places, quantiles = zip(*((place, error) for place, error in known if error is not None), strict=True)
    below = np.arange(errors.figures // 2)
    above = np.arange(errors.figures // 2, errors.figures)
    lower = errors.median * (below + 0.5) / (last / 2 + 0.5)
    upper = np.exp(np.interp(above, places, np.log(np.maximum(quantiles, LEAST))))
    return [*lower.tolist(), *upper.tolist()]


def _pooled(where: Where, splits: Sequence[_Split]) -> Reach:
    own = sorted(error for each in splits for error in each.own)
    curves = sorted(error for each in splits if each.curve for error in spread(each.curve))
    banded = [(each.inside, len(each.own)) for each in splits if each.inside is not None]
    return Reach(
        where=where,
        figures=len(own),
        by_summary=sum(len(each.own) for each in splits if not each.known),
        median=statistics.median(own),
        p95=percentile_95(own),
        worst=own[-1],
        inside=sum(inside for inside, _ in banded) / sum(of for _, of in banded) if banded else None,
        baseline_median=statistics.median(curves) if curves else None,
        baseline_p95=percentile_95(curves) if curves else None,
        better=sum(each.better for each in splits),
        splits=sum(each.curve is not None for each in splits),
    )
