"""The fit to a measurement, and its errors on unseen figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from typing_extensions import TypedDict

from sim.calibration.calibrate import Calibration
from sim.calibration.design import Advice, advise
from sim.data.baselines.best import Best, best
from sim.data.dataset import Dataset, Measurement
from sim.data.fitted import Fitted, FittedFigure, ToldFigure
from sim.data.importers import read
from sim.engine.errors import printable
from sim.engine.simulation.options import RunOptions
from sim.prediction.jobs import shape_of
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.report import case_of
from sim.prediction.uncertainty import PredictionInterval
from sim.system.system import System
from stacksim.measuring.candidate import OF_THROUGHPUT, TRUSTED, Candidate, Means, refitted
from stacksim.measuring.results import PERCENTILES, TABLES

TIE = 0.01
"""Smallest reported advantage of a curve over the fit: a percentage point."""

_OF_PERCENTILES = RunOptions(precision=0.02, answers=("mean", "p50", "p99"))


class TestedRecord(TypedDict):
    """An unseen figure, its prediction and band in MB/s."""

    row: str
    measured: float
    predicted: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class Tested:
    """An unseen figure with its prediction, both in MB/s.

    Attributes:
        band: 90 % prediction interval.
    """

    figure: Measurement
    predicted: float
    band: PredictionInterval

    @property
    def error(self) -> float:
        """Predicted / measured - 1."""
        return self.predicted / self.figure.value - 1.0

    @property
    def inside(self) -> bool:
        """True if the figure lies in its band."""
        return self.band.low <= self.figure.value <= self.band.high

    def record(self) -> TestedRecord:
        """Record for JSON."""
        figure = self.figure
        return {
            "row": figure.row,
            "measured": figure.value,
            "predicted": self.predicted,
            "error": self.error,
            "low": self.band.low,
            "high": self.band.high,
        }


@dataclass(frozen=True)
class Fit:
    """A fit to measured jobs.

    Attributes:
        text: the stack file.
        fitted: the result of ``calibration``, with the figures of ``tested`` and warnings.
        system: the stack with the fitted parameters.
        tested: held-out figures, by the name of their table.
        percentiles: latency percentiles by fio with their predictions, by answer, none of them fitted; empty
            without fio.
        advice: the measurements that would narrow predictions most.
        missed: root mean square of its logarithmic errors on fitted figures, each predicted by a fit without it.
        rejected: the other stacks with their fits.
        curve: the best simple curve through the fitted figures; None if they are too few.
        by_curve: its median error on held-out figures, by the name of the table.
    """

    text: str
    calibration: Calibration
    fitted: Fitted
    system: System
    tested: dict[str, tuple[Tested, ...]]
    percentiles: dict[str, tuple[FittedFigure, ...]]
    advice: tuple[Advice, ...]
    missed: float
    rejected: tuple[Candidate, ...]
    curve: Best | None
    by_curve: dict[str, float]


def median_error(tested: Sequence[Tested | FittedFigure]) -> float:
    """The median of absolute errors, as a share."""
    return statistics.median(abs(each.error) for each in tested)


def fit(folder: Path, texts: Sequence[str], means: Means, notes: Sequence[str] = ()) -> Fit:
    """Fit each of the stack files ``texts`` to the figures for it in ``folder``, and keep the best.

    The best misses cross-validated figures least. Held-out figures have no part in that, so that they judge the
    winner, and the curve beside it, fairly.

    Args:
        notes: on the runs, which warn whoever predicts with the fit.

    Raises:
        InputError: an unusable table; an absurd fit.
    """
    candidates = [Candidate.of(text, folder, means) for text in texts]
    kept, *rejected = sorted(candidates, key=lambda each: each.missed)
    means.on_stage("what was held out")
    system = refitted(kept.system, kept.calibration.fitted)
    apart = {each: folder / f"{each}.csv" for each in TABLES[1:]}
    tables = {each: read(path, kept.system, {}) for each, path in apart.items() if path.exists()}
    tested = {each: _tested(table, system) for each, table in tables.items()}
    percentiles, told = _percentiles(folder / f"{PERCENTILES}.csv", system)
    curve = _curve(kept.system, read(folder / f"{TABLES[0]}.csv", kept.system, {}))
    by_curve = {name: _missed_by(curve, kept.system, table) for name, table in tested.items() if curve}
    fitted = _with(
        kept.calibration.fitted,
        tested,
        percentiles,
        told,
        [*_beaten(curve, tested, by_curve), *map(printable, notes)],
    )
    means.on_stage("which measurements would help most")
    problem, point = kept.calibration.problem, kept.calibration.solution.point
    advice = advise(problem, point, kept.calibration.certainty.covariance, kept.scatter)
    return Fit(
        text=kept.text,
        calibration=kept.calibration,
        fitted=fitted,
        system=refitted(kept.system, fitted),
        tested=tested,
        percentiles=percentiles,
        advice=tuple(advice),
        missed=kept.missed,
        rejected=tuple(rejected),
        curve=curve,
        by_curve=by_curve,
    )


def _with(
    fitted: Fitted,
    tested: Mapping[str, tuple[Tested, ...]],
    percentiles: Mapping[str, tuple[FittedFigure, ...]],
    told: tuple[ToldFigure, ...],
    beaten: Sequence[str],
) -> Fitted:
    """Copy of ``fitted`` with held-out errors and warnings, for later prediction intervals."""
    of_tables = (FittedFigure.of(each.figure, each.predicted) for table in tested.values() for each in table)
    unseen = (*of_tables, *(each for figures in percentiles.values() for each in figures))
    warnings = (*fitted.warnings, *_untrusted({**tested, **percentiles}), *beaten)
    return fitted.model_copy(update={"unseen": unseen, "told": told, "warnings": warnings})


def _untrusted(unseen: Mapping[str, Sequence[Tested | FittedFigure]]) -> Iterator[str]:
    for name, figures in unseen.items():
        missed = median_error(figures)
        if missed > TRUSTED:
            yield f"{name.replace('-', ' ')}: missed by {missed:.0%} in the median; predictions are no better"


def _curve(system: System, seen: Dataset) -> Best | None:
    """The curve with the least leave-one-out error on ``seen`` figures; None if they are too few."""
    settings = [case_of(system, each).settings for each in seen.measurements]
    return best(shape_of(system), settings, np.array([each.value for each in seen.measurements]))


def _missed_by(curve: Best, system: System, tested: Sequence[Tested]) -> float:
    """Median absolute error of ``curve`` on figures, as a share."""
    figures = (each.figure for each in tested)
    return statistics.median(
        abs(curve.says(case_of(system, each).settings) / each.value - 1.0) for each in figures
    )


def _beaten(
    curve: Best | None, tested: Mapping[str, tuple[Tested, ...]], by_curve: Mapping[str, float]
) -> Iterator[str]:
    """Yield a warning for each table of held-out figures that a simple curve predicts better."""
    for name, missed in by_curve.items():
        ours = median_error(tested[name])
        if curve and ours > missed + TIE:
            yield (
                f"{name.replace('-', ' ')}: {curve.name} of the fitted jobs misses by {missed:.0%} in the median, "
                f"this stack by {ours:.0%}; it lacks a mechanism, has one too many, or the runs were disturbed"
            )


def _percentiles(path: Path, system: System) -> tuple[dict[str, tuple[FittedFigure, ...]], tuple[ToldFigure, ...]]:
    """Percentiles in the table ``path`` with predictions of the fitted ``system``, one run a job.

    Returned separately: percentiles of jobs whose times are constants in the model, which has none for them.
    """
    predicted: dict[str, list[FittedFigure]] = {}
    told: list[ToldFigure] = []
    jobs: dict[tuple[tuple[str, str], ...], Prediction] = {}
    for figure in read(path, system, {}).measurements if path.exists() else ():
        if figure.conditions not in jobs:
            jobs[figure.conditions] = predict_case(case_of(system, figure), _OF_PERCENTILES)
        answer = jobs[figure.conditions].answers[figure.measure]
        if answer.why:
            told.append(ToldFigure.of(figure))
        else:
            predicted.setdefault(figure.measure, []).append(FittedFigure.of(figure, answer.estimate.value))
    return {measure: tuple(figures) for measure, figures in predicted.items()}, tuple(told)


def _tested(dataset: Dataset, system: System) -> tuple[Tested, ...]:
    return tuple(_one_tested(figure, system) for figure in dataset.measurements)


def _one_tested(figure: Measurement, system: System) -> Tested:
    prediction = predict_case(case_of(system, figure), OF_THROUGHPUT, intervals=True)
    return Tested(figure, prediction.value(figure.measure), prediction.intervals[figure.measure])
