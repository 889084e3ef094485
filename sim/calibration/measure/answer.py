"""The fit to what was measured, and how well it predicts what it has not seen."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.calibration.calibrate import Calibration, calibrate
from sim.calibration.cross_validation import Stage
from sim.calibration.design import Advice, advise
from sim.calibration.measure.choice import system_of
from sim.calibration.measure.results import PERCENTILES, TABLES
from sim.data.baselines.best import Best, best
from sim.data.dataset import Dataset, Measurement
from sim.data.fitted import Fitted, FittedFigure, ToldFigure
from sim.data.importers import read
from sim.prediction.jobs import shape_of
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.report import case_of
from sim.prediction.uncertainty import PredictionInterval
from sim.simulation.options import RunOptions
from sim.system.system import System

TRUSTED = 0.12
"""A median error of held-out jobs above which predictions are said not to be trusted."""

TIE = 0.01
"""How much better a curve has to be before that is said: a percentage point."""

_OPTIONS = RunOptions(precision=0.01, answers=("throughput",))
_OF_PERCENTILES = RunOptions(precision=0.02, answers=("p50", "p99"))


@dataclass(frozen=True)
class Tested:
    """A figure that the fit has not seen, and what it predicts of it, both in MB/s.

    Attributes:
        band: where nine of ten measurements lie, as far as the fit knows.
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
        """Whether the figure lies in its band."""
        return self.band.low <= self.figure.value <= self.band.high

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
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
        fitted: what ``calibration`` found, with the figures of ``tested`` and where it must not be trusted.
        system: the stack with what was ``fitted``.
        tested: what was held out, by the name of its table.
        percentiles: by answer, what fio says of latencies and what the fit, which has seen none, predicts; empty
            without fio.
        advice: the measurements that would narrow predictions most.
        rejected: titles of other stacks that were fitted, and the scatter of the same figures about each.
        curve: the best simple curve through the figures that were fitted; None of too few.
        by_curve: how far it misses what was held out, the median by the name of the table.
    """

    text: str
    calibration: Calibration
    fitted: Fitted
    system: System
    tested: dict[str, tuple[Tested, ...]]
    percentiles: dict[str, tuple[FittedFigure, ...]]
    advice: tuple[Advice, ...]
    rejected: tuple[tuple[str, float], ...]
    curve: Best | None
    by_curve: dict[str, float]


def median_error(tested: Sequence[Tested | FittedFigure]) -> float:
    """The median of absolute errors, as a share."""
    return statistics.median(abs(each.error) for each in tested)


def fit(folder: Path, texts: Sequence[str], workers: Executor | None, command: str, on_stage: Stage) -> Fit:
    """Fit each of the stack files ``texts`` to the figures in ``folder`` that are for it, and keep one.

    It is the one about which these figures scatter least; those held out, which it then predicts, have no say.

    Raises:
        InputError: a table that cannot be used; a fit that is nonsense.
    """
    candidates = [_Candidate.of(text, folder, workers, command, on_stage) for text in texts]
    kept, *rejected = sorted(candidates, key=lambda each: each.scatter)
    on_stage("what was held out")
    system = _refitted(kept.system, kept.calibration.fitted)
    apart = {each: folder / f"{each}.csv" for each in TABLES[1:]}
    tables = {each: read(path, kept.system, {}) for each, path in apart.items() if path.exists()}
    tested = {each: _tested(table, system) for each, table in tables.items()}
    percentiles, told = _percentiles(folder / f"{PERCENTILES}.csv", system)
    curve = _curve(kept.system, read(folder / f"{TABLES[0]}.csv", kept.system, {}))
    by_curve = {name: _missed_by(curve, kept.system, table) for name, table in tested.items() if curve}
    fitted = _with(kept.calibration.fitted, tested, percentiles, told, [*_beaten(curve, tested, by_curve)])
    on_stage("which measurements would help most")
    problem, point = kept.calibration.problem, kept.calibration.solution.point
    advice = advise(problem, point, kept.calibration.certainty.covariance, kept.scatter)
    others = tuple((each.system.title, each.scatter) for each in rejected)
    system = _refitted(kept.system, fitted)
    return Fit(
        kept.text, kept.calibration, fitted, system, tested, percentiles, tuple(advice), others, curve, by_curve
    )


@dataclass(frozen=True)
class _Candidate:
    """A stack file and the fit of it."""

    text: str
    system: System
    calibration: Calibration

    @classmethod
    def of(cls, text: str, folder: Path, workers: Executor | None, command: str, on_stage: Stage) -> _Candidate:
        """Fit the stack file ``text`` to the figures in ``folder``."""
        system = system_of(text)
        seen = read(folder / f"{TABLES[0]}.csv", system, {})
        calibration = calibrate(
            [seen], first_guesses=1, workers=workers, command=command, on_stage=on_stage, system=system
        )
        return cls(text, system, calibration)

    @property
    def scatter(self) -> float:
        """How far figures lie from it that its parameters do not follow, as a share."""
        return self.calibration.certainty.scatter


def _with(
    fitted: Fitted,
    tested: Mapping[str, tuple[Tested, ...]],
    percentiles: Mapping[str, tuple[FittedFigure, ...]],
    told: tuple[ToldFigure, ...],
    beaten: Sequence[str],
) -> Fitted:
    """``fitted``, from which every later prediction knows how far it missed what it had not seen."""
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
    """The curve that says best of each figure that was ``seen`` what the others tell; None of too few."""
    settings = [case_of(system, each).settings for each in seen.measurements]
    return best(shape_of(system), settings, np.array([each.value for each in seen.measurements]))


def _missed_by(curve: Best, system: System, tested: Sequence[Tested]) -> float:
    """Median of absolute errors of what ``curve`` says of figures, as a share."""
    figures = (each.figure for each in tested)
    return statistics.median(
        abs(curve.says(case_of(system, each).settings) / each.value - 1.0) for each in figures
    )


def _beaten(
    curve: Best | None, tested: Mapping[str, tuple[Tested, ...]], by_curve: Mapping[str, float]
) -> Iterator[str]:
    """Where a simple curve says more than the fit of what was held out."""
    for name, missed in by_curve.items():
        ours = median_error(tested[name])
        if curve and ours > missed + TIE:
            yield (
                f"{name.replace('-', ' ')}: {curve.name} of the fitted jobs misses by {missed:.0%} in the median, "
                f"this stack by {ours:.0%}; it lacks a mechanism, or has one too many"
            )


def _percentiles(path: Path, system: System) -> tuple[dict[str, tuple[FittedFigure, ...]], tuple[ToldFigure, ...]]:
    """What the table ``path`` says, if it is there, beside what the fitted ``system`` predicts: a run a job.

    Apart from these are those of jobs whose times are constants in the model, which says nothing of percentiles.
    """
    found: dict[str, list[FittedFigure]] = {}
    told: list[ToldFigure] = []
    jobs: dict[tuple[tuple[str, str], ...], Prediction] = {}
    for figure in read(path, system, {}).measurements if path.exists() else ():
        if figure.conditions not in jobs:
            jobs[figure.conditions] = predict_case(case_of(system, figure), _OF_PERCENTILES)
        answer = jobs[figure.conditions].answers[figure.measure]
        if answer.why:
            told.append(ToldFigure.of(figure))
        else:
            found.setdefault(figure.measure, []).append(FittedFigure.of(figure, answer.estimate.value))
    return {measure: tuple(figures) for measure, figures in found.items()}, tuple(told)


def _refitted(system: System, fitted: Fitted) -> System:
    return replace(system, parameters=fitted.parameters_from(system.parameters))


def _tested(dataset: Dataset, system: System) -> tuple[Tested, ...]:
    return tuple(_one_tested(figure, system) for figure in dataset.measurements)


def _one_tested(figure: Measurement, system: System) -> Tested:
    prediction = predict_case(case_of(system, figure), _OPTIONS, intervals=True)
    return Tested(figure, prediction.value(figure.measure), prediction.intervals[figure.measure])
