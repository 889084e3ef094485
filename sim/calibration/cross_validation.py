"""Cross-validation of a fit: errors on fitted and on held-out figures, beside those of baselines."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from sim.calibration.confidence import certainty
from sim.calibration.problem import Problem
from sim.calibration.slopes import slopes
from sim.calibration.solve import Solution, opened, solve
from sim.calibration.splits import Split, folds
from sim.calibration.walk import Place
from sim.data.baselines import Baseline, baselines
from sim.data.dataset import Dataset
from sim.data.fitted import CROSSED, IN_SAMPLE, Errors, ErrorsWithBaselines, Moved
from sim.engine.statistics.estimates import Series, percentile_95

BAND = 1.645
"""Half-width of a 90 % band, in standard deviations."""

Stage = Callable[[str], None]
"""Called with the name of each stage when it begins."""


@dataclass(frozen=True)
class Unseen:
    """Predictions of the figures that ``split`` holds out, in their order there.

    Attributes:
        deviations: standard deviations of the logarithms of the figures about ``predicted``.
        simulated: number of simulation runs, without pilot runs.
    """

    split: Split
    predicted: Series
    deviations: Series
    simulated: int


@dataclass(frozen=True)
class Held:
    """Predictions of held-out figures: medians and 90 % bands, by index of the figure."""

    predicted: dict[int, float]
    low: dict[int, float]
    high: dict[int, float]

    @classmethod
    def of(cls, unseen: Sequence[Unseen]) -> Held:
        """Collect the predictions of ``unseen``."""
        predicted: dict[int, float] = {}
        low: dict[int, float] = {}
        high: dict[int, float] = {}
        for each in unseen:
            half = np.exp(BAND * each.deviations)
            predicted |= dict(zip(each.split.held_out, each.predicted.tolist(), strict=True))
            low |= dict(zip(each.split.held_out, (each.predicted / half).tolist(), strict=True))
            high |= dict(zip(each.split.held_out, (each.predicted * half).tolist(), strict=True))
        return cls(predicted, low, high)

    def coverage(self, published: Series) -> float | None:
        """Share of the figures inside their bands; None if none was held out."""
        if not self.predicted:
            return None
        return statistics.fmean(self.low[each] <= published[each] <= self.high[each] for each in self.predicted)


def cross_validate(problem: Problem, on_stage: Stage) -> Held:
    """Fit without each fold in turn, each time from the centres of the priors, and predict it."""
    return Held.of(hold_out(problem, folds(problem.runs), problem.centre, on_stage))


def hold_out(problem: Problem, splits: Sequence[Split], start: Series, on_stage: Stage) -> list[Unseen]:
    """Fit the figures that each split shows, from ``start`` to the end, and predict the others.

    Fits are independent; each runs in one of the processes of ``problem``. Values and slopes of each figure at the
    common start are computed once.
    """
    opening = opened(problem, start).of(problem.alone())
    fits = iter(problem.map(_without, splits, repeat(opening)))
    unseen = []
    for split in splits:
        on_stage(split.name)
        unseen.append(next(fits))
        problem.simulated += unseen[-1].simulated
    return unseen


def _without(split: Split, opening: Place) -> Unseen:
    problem = opening.problem
    before = problem.simulated
    fit = solve(problem, split.seen, opening.point, opening)
    predicted = problem.predict([fit.point], split.held_out, fit.lengths)[0]
    residual_slopes = slopes(problem, fit.point, predicted, split.held_out, fit.lengths)
    deviations = band_deviations(problem, fit, residual_slopes / problem.weights[list(split.held_out), None])
    return Unseen(split, predicted, deviations, problem.simulated - before)


def band_deviations(problem: Problem, solution: Solution, log_slopes: Series) -> Series:
    """Deviations of the logarithms of held-out figures with these ``log_slopes``, shape (figures, free)."""
    confidence = certainty(problem, solution)
    variance = np.einsum("ij,jk,ik->i", log_slopes, confidence.covariance, log_slopes) + confidence.scatter**2
    return np.asarray(np.sqrt(variance), dtype=np.float64)


def compare(
    problem: Problem, dataset: Dataset, solution: Solution, crossed: Sequence[Unseen], moved: Sequence[Unseen]
) -> dict[str, ErrorsWithBaselines]:
    """Errors of the system and of all baselines: in sample, cross-validated (``crossed``), after each transfer."""
    everything = tuple(range(len(problem.figures)))
    held = Held.of(crossed).predicted
    comparisons = {
        IN_SAMPLE: beside_baselines(
            problem, dataset, [Split(IN_SAMPLE, everything, everything)], solution.predicted
        )
    }
    if crossed:
        predicted = np.array([held[index] for index in everything])
        comparisons[CROSSED] = beside_baselines(
            problem, dataset, [each.split for each in crossed], predicted, Held.of(crossed)
        )
    return comparisons | {each.split.name: moved_beside_baselines(problem, dataset, each) for each in moved}


def moved_beside_baselines(problem: Problem, dataset: Dataset, unseen: Unseen) -> ErrorsWithBaselines:
    """Compare the predictions of a transfer with the baselines, and record them."""
    compared = beside_baselines(problem, dataset, [unseen.split], unseen.predicted, Held.of([unseen]))
    return compared.model_copy(update={"moved": said_of(problem, unseen)})


def said_of(problem: Problem, unseen: Unseen) -> dict[str, Moved]:
    """Prediction of each held-out figure, by cell."""
    each = zip(unseen.split.held_out, unseen.predicted.tolist(), unseen.deviations.tolist(), strict=True)
    return {
        problem.figures[index].cell: Moved(predicted=value, deviation=deviation)
        for index, value, deviation in each
    }


def beside_baselines(
    problem: Problem, dataset: Dataset, splits: Sequence[Split], predicted: Series, held: Held | None = None
) -> ErrorsWithBaselines:
    """Compare ``predicted``, of the held-out figures in their order in the table, with the baselines.

    Args:
        held: their bands, if the figures were held out.
    """
    held_out = sorted(index for split in splits for index in split.held_out)
    published = problem.published[held_out]
    baseline_errors = {}
    machine = dataset.machines.setting if dataset.machines else None
    for baseline in baselines(dataset.shape, machine) if dataset.shape else ():
        values = {index: value for split in splits for index, value in _of_baseline(problem, baseline, split)}
        baseline_errors[baseline.name] = errors(np.array([values[index] for index in held_out]), published)
    inside = held.coverage(problem.published) if held else None
    return ErrorsWithBaselines(system=errors(predicted, published), baselines=baseline_errors, inside=inside)


def _of_baseline(problem: Problem, baseline: Baseline, split: Split) -> Iterator[tuple[int, float]]:
    """Yield predictions of held-out figures by curves through the others: one curve for each measure.

    A measure without visible figures gets the curve of all, for want of a better one.
    """
    for measure in dict.fromkeys(problem.figures[index].measure for index in split.held_out):
        alike = [index for index in split.seen if problem.figures[index].measure == measure] or list(split.seen)
        curve = baseline.fit([problem.settings[index] for index in alike], problem.published[alike])
        for index in split.held_out:
            if problem.figures[index].measure == measure:
                yield index, curve(problem.settings[index])


def errors(predicted: Series, published: Series) -> Errors:
    """Mean, median, 95th percentile and worst of |predicted / published - 1|."""
    off = sorted(np.abs(predicted / published - 1.0).tolist())
    middle, most = statistics.median(off), percentile_95(off)
    return Errors(figures=len(off), mean=statistics.fmean(off), median=middle, worst=off[-1], p95=most)
