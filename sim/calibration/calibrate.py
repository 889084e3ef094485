"""From datasets to a fitted file: fit, cross-validation, baselines, and remaining uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np

from sim.calibration.axes import along_axes
from sim.calibration.confidence import Certainty, certainty, profile
from sim.calibration.cross_validation import Held, Stage, compare, hold_out, moved_beside_baselines
from sim.calibration.draws import draws
from sim.calibration.machines import to_machines
from sim.calibration.problem import Problem
from sim.calibration.repeats import repeats_of
from sim.calibration.solve import Solution, solve, starts
from sim.calibration.splits import folds, transfers
from sim.calibration.warnings import cautions, refuse_nonsense
from sim.data.dataset import Dataset
from sim.data.fitted import ErrorsWithBaselines, Fitted, FittedFigure, FittedValue, data_hash, definitions_hash
from sim.engine.display import Shown
from sim.engine.errors import InputError
from sim.prediction.report import case_of
from sim.system.installed import find
from sim.system.stack.sizes import times_measured
from sim.system.system import System


@dataclass(frozen=True)
class Calibration(Shown):
    """A fit, its confidence and its cross-validation.

    Attributes:
        seconds: time of the quickest fit, without pilot runs.
        spread: largest / smallest value of each parameter over all equally good starts, shape (free,).
    """

    problem: Problem
    solution: Solution
    certainty: Certainty
    held: Held
    seconds: float
    spread: tuple[float, ...]
    fitted: Fitted

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each fitted parameter in SI: its value, its 95 % interval, and whether figures say anything of it."""
        for name, each in self.fitted.parameters.items():
            yield {
                "parameter": name,
                "value": each.value,
                "low": each.low,
                "high": each.high,
                "mostly its prior": each.at_prior,
            }


def calibrate(
    datasets: Sequence[Dataset],
    *,
    first_guesses: int,
    repeats: int = 1,
    cross_validated: bool = True,
    workers: Executor | None,
    command: str,
    on_stage: Stage,
    system: System | None = None,
) -> Calibration:
    """Fit the system of ``datasets`` to their figures.

    Args:
        system: replaces the installed system of its name.
        first_guesses: number of starts of the fit; the best solution is taken.
        repeats: number of fits, with folds and transfers, whose errors are reported; each after the first has
            another seed and another first guess.
        cross_validated: True to fit again without each fold, and without the figures that transfers hold out.
        on_stage: called with the name of each stage when it begins.

    Raises:
        InputError: datasets of different systems; nothing to fit, or to fit to; an absurd fit.
    """
    name = _system(datasets)
    system = find(name) if system is None else system
    figures = [figure for dataset in datasets for figure in dataset.fitted()]
    measured = {name for each in figures for name in times_measured(system, case_of(system, each).settings)}
    system = replace(system, parameters=system.parameters.to_fit(measured))
    on_stage("pilot runs")
    problem = Problem(system, figures, workers, {dataset.name: dataset.scatter for dataset in datasets})
    problem.first_lengths  # noqa: B018  (pilot runs: a stage of their own, which no fit's time includes)
    solutions, seconds = _solutions(problem, first_guesses, on_stage)
    best = min(solutions, key=lambda solution: solution.cost)
    refuse_nonsense(problem, best)
    confidence = certainty(problem, best)
    crossed = folds(problem.runs) if cross_validated else ()
    moves = transfers(datasets[0], problem.figures) if cross_validated else ()
    unseen = hold_out(problem, [*crossed, *moves], problem.centre, on_stage)
    held = Held.of(unseen[: len(crossed)])
    compared = compare(problem, datasets[0], best, unseen[: len(crossed)], unseen[len(crossed) :])
    means = {name: each.system.mean for name, each in compared.items()}
    if cross_validated:
        compared |= _other_machines(problem, datasets, on_stage)
        compared |= along_axes(problem, datasets[0], best, on_stage)
    repeated = repeats_of(problem, means, repeats, crossed, moves, on_stage)
    on_stage("intervals")
    fitted = Fitted(
        system=system.name,
        title=system.title,
        version=version("stacksim"),
        command=command,
        datasets={solution.name: data_hash(solution) for solution in datasets},
        definitions=definitions_hash(system.parameters),
        cells=tuple(figure.cell for figure in problem.figures),
        parameters=_values(problem, best, confidence, _intervals(problem, best)),
        covariance=tuple(tuple(row) for row in confidence.covariance.tolist()),
        draws=tuple(tuple(row) for row in draws(problem, best, confidence).tolist()),
        scatter=confidence.scatter,
        errors=compared,
        repeats=repeated,
        held_out={problem.figures[index].cell: value for index, value in held.predicted.items()},
        coverage=held.coverage(problem.published),
        warnings=cautions(problem, best, cross_validated=cross_validated),
        figures=_figures(problem, best),
        machine=next((each.machines.setting for each in datasets if each.machines), ""),
    )
    return Calibration(problem, best, confidence, held, seconds, _spread(solutions, best), fitted)


def _solutions(problem: Problem, first_guesses: int, on_stage: Stage) -> tuple[list[Solution], float]:
    """Solutions from each first guess, and the seconds of the quickest fit."""
    solutions: list[Solution] = []
    seconds: list[float] = []
    for number, start in enumerate(starts(problem, first_guesses), start=1):
        on_stage(f"fit {number} of {first_guesses}")
        begun = perf_counter()
        solutions.append(solve(problem, range(len(problem.figures)), start))
        seconds.append(perf_counter() - begun)
    return solutions, min(seconds)


def _other_machines(
    problem: Problem, datasets: Sequence[Dataset], on_stage: Stage
) -> dict[str, ErrorsWithBaselines]:
    """Errors on each machine that is left out in turn, by the name of that transfer."""
    return {
        moved.split.name: moved_beside_baselines(problem, dataset, moved)
        for dataset in datasets
        for moved in to_machines(problem, dataset, on_stage)
    }


def _intervals(problem: Problem, best: Solution) -> list[tuple[float, ...]]:
    """The 95 % interval of each parameter."""
    return [
        tuple(problem.value(index, edge) for edge in profile(problem, best, index))
        for index in range(len(problem.free))
    ]


def _values(
    problem: Problem, best: Solution, confidence: Certainty, intervals: Sequence[tuple[float, ...]]
) -> dict[str, FittedValue]:
    """Fitted parameters by name, with their intervals, and marks of a prior or a bound."""
    return {
        parameter.name: FittedValue(value=value, low=low, high=high, at_prior=left and not bound, at_bound=bound)
        for parameter, value, (low, high), left, bound in zip(
            problem.free,
            problem.values(best.point).values(),
            intervals,
            confidence.at_prior,
            problem.at_bound(best.point),
            strict=True,
        )
    }


def _figures(problem: Problem, solution: Solution) -> tuple[FittedFigure, ...]:
    """Each figure with its prediction by the fit."""
    return tuple(
        FittedFigure.of(figure, predicted)
        for figure, predicted in zip(problem.figures, solution.predicted.tolist(), strict=True)
    )


def _system(datasets: Sequence[Dataset]) -> str:
    """The name of the one system of all ``datasets``."""
    names = sorted({dataset.system for dataset in datasets})
    if len(names) > 1:
        raise InputError(f"datasets of systems {' and '.join(names)}; fit those of one system at a time")
    return names[0]


def _spread(solutions: Sequence[Solution], best: Solution) -> tuple[float, ...]:
    """Spread over the starts whose cost is within one of the best; others found a worse minimum."""
    points = np.array([each.point for each in solutions if each.cost <= best.cost + 1.0])
    return tuple(np.exp(points.max(axis=0) - points.min(axis=0)).tolist())
