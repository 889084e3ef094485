"""Errors along each axis: every value of a setting is left out in turn and predicted from the others.

Full fits would take days. So each takes one Gauss-Newton step from the fit of all figures, with the slopes there,
to the optimum of the remaining figures and the priors; the figures left out are simulated there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.calibration.cross_validation import Held, Stage, Unseen, band_deviations, beside_baselines, said_of
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.calibration.splits import Split
from sim.calibration.walk import Place
from sim.data.dataset import Dataset
from sim.data.fitted import LEFT_OUT, ErrorsWithBaselines

VALUES = 4
"""Smallest number of values of a numeric axis: one is left out, and three determine a curve."""

FIGURES = 3.0
"""Smallest number of figures per fitted parameter for leaving out a quarter of the figures."""


def axes(problem: Problem) -> Iterator[tuple[str, list[Split]]]:
    """Yield the axes of the figures of ``problem``, each with a split for each of its values."""
    count = len(problem.figures)
    if count < FIGURES * len(problem.free):
        return
    for name in problem.settings[0]:
        of_figure = [settings[name] for settings in problem.settings]
        numbers = {each for each in of_figure if isinstance(each, int | float) and not isinstance(each, bool)}
        if len(numbers) >= VALUES and numbers == set(of_figure):
            yield name, [_split(name, value, of_figure) for value in sorted(numbers)]


def _split(name: str, value: float, of_figure: Sequence[float]) -> Split:
    seen, held_out = (
        tuple(index for index, each in enumerate(of_figure) if (each == value) is held) for held in (False, True)
    )
    return Split(f"{name} without {value:g}", seen, held_out)


def along_axes(
    problem: Problem, dataset: Dataset, solution: Solution, on_stage: Stage
) -> dict[str, ErrorsWithBaselines]:
    """Errors of each axis, over all of its values, beside those of the baselines of ``dataset``."""
    errors_by_axis: dict[str, ErrorsWithBaselines] = {}
    place: Place | None = None
    for name, splits in axes(problem):
        place = place or Place.at(problem, solution.point, tuple(range(len(problem.figures))), solution.lengths)
        unseen = []
        for split in splits:
            on_stage(split.name)
            unseen.append(_without(place, split))
        held = Held.of(unseen)
        predicted = np.array([held.predicted[index] for index in sorted(held.predicted)])
        errors = beside_baselines(problem, dataset, splits, predicted, held)
        said = {cell: each for moved in unseen for cell, each in said_of(problem, moved).items()}
        errors_by_axis[f"{LEFT_OUT} {name}"] = errors.model_copy(update={"moved": said})
    return errors_by_axis


def _without(place: Place, split: Split) -> Unseen:
    """Predict the figures that ``split`` holds out from the others."""
    problem, seen = place.problem, place.only(split.seen)
    point, cost = seen.best(problem.low, problem.high)
    logs = seen.logs + seen.tangent.slopes @ (point - place.point)
    fit = Solution(point, cost, split.seen, np.exp(logs), seen.jacobian, place.lengths)
    before = problem.simulated
    predicted = problem.predict([point], split.held_out, place.lengths)[0]
    deviations = band_deviations(problem, fit, place.only(split.held_out).tangent.slopes)
    return Unseen(split, predicted, deviations, problem.simulated - before)
