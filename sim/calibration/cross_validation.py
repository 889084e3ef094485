"""Cross-validation of a fit: errors on figures that it saw and on figures held out, beside those of baselines."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sim.calibration.baselines import Baseline, baselines
from sim.calibration.confidence import certainty
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution, solve
from sim.calibration.splits import Split, folds, transfers
from sim.data.dataset import Dataset
from sim.data.fitted import Comparison, Errors
from sim.statistics.estimates import Series

IN_SAMPLE = "in sample"

BAND = 1.645
"""Half-width of a 90 % band, in standard deviations."""

Stage = Callable[[str], None]
"""Called with the name of each stage when it begins."""


@dataclass(frozen=True)
class Held:
    """Predictions of held-out figures: medians and 90 % bands, by index of the figure."""

    predicted: dict[int, float]
    low: dict[int, float]
    high: dict[int, float]

    def coverage(self, published: Series) -> float:
        """Share of the figures inside their bands."""
        return statistics.fmean(self.low[each] <= published[each] <= self.high[each] for each in self.predicted)


def cross_validate(problem: Problem, solution: Solution, on_stage: Stage) -> Held:
    """Fit without each fold in turn and predict it.

    The Jacobian of the whole fit serves all of them: a ninth less of the data moves the solution little, and the
    residuals at each step are simulated exactly.
    """
    predicted: dict[int, float] = {}
    low: dict[int, float] = {}
    high: dict[int, float] = {}
    for split in folds(problem.runs):
        on_stage(f"cross-validation, {split.name}")
        seen, held = list(split.seen), list(split.held_out)
        fit = solve(problem, seen, solution.point, jacobian=solution.jacobian[seen])
        medians = problem.predict([fit.point], held)[0]
        slopes = solution.jacobian[held] / problem.weights[held, None]
        half = BAND * band_deviations(problem, fit, slopes)
        for index, median, width in zip(held, medians, half, strict=True):
            predicted[index] = float(median)
            low[index], high[index] = (float(median * np.exp(sign * width)) for sign in (-1.0, 1.0))
    return Held(predicted, low, high)


def band_deviations(problem: Problem, solution: Solution, slopes: Series) -> Series:
    """Deviations of the logarithms of held-out figures with these ``slopes``, shape (figures, free)."""
    confidence = certainty(problem, solution)
    variance = np.einsum("ij,jk,ik->i", slopes, confidence.covariance, slopes) + confidence.scatter**2
    return np.asarray(np.sqrt(variance), dtype=np.float64)


def compare(
    problem: Problem, dataset: Dataset, solution: Solution, held: Held, on_stage: Stage
) -> dict[str, Comparison]:
    """Errors of the system and of all baselines: in sample, cross-validated, and after each transfer."""
    everything = tuple(range(len(problem.figures)))
    crossed = folds(problem.runs)
    comparisons = {
        IN_SAMPLE: _compare(problem, dataset, [Split(IN_SAMPLE, everything, everything)], solution.predicted),
        "cross-validated": _compare(problem, dataset, crossed, np.array([held.predicted[i] for i in everything])),
    }
    for split in transfers(dataset, problem.figures):
        on_stage(split.name)
        moved = solve(problem, split.seen, problem.centre)
        predicted = problem.predict([moved.point], split.held_out)[0]
        comparisons[split.name] = _compare(problem, dataset, [split], predicted)
    return comparisons


def _compare(problem: Problem, dataset: Dataset, splits: Sequence[Split], predicted: Series) -> Comparison:
    """Compare ``predicted``, of the held-out figures in their order in the table, with the baselines."""
    held_out = sorted(index for split in splits for index in split.held_out)
    published = problem.published[held_out]
    baseline_errors = {}
    for baseline in baselines(dataset.shape) if dataset.shape else ():
        values = {index: value for split in splits for index, value in _of_baseline(problem, baseline, split)}
        baseline_errors[baseline.name] = errors(np.array([values[index] for index in held_out]), published)
    return Comparison(system=errors(predicted, published), baselines=baseline_errors)


def _of_baseline(problem: Problem, baseline: Baseline, split: Split) -> Iterator[tuple[int, float]]:
    """What a curve through the figures seen says of those held out: one curve for each measure.

    A measure of which none was seen gets the curve of all, for want of a better one.
    """
    for measure in dict.fromkeys(problem.figures[index].measure for index in split.held_out):
        alike = [index for index in split.seen if problem.figures[index].measure == measure] or list(split.seen)
        curve = baseline.fit([problem.settings[index] for index in alike], problem.published[alike])
        for index in split.held_out:
            if problem.figures[index].measure == measure:
                yield index, curve(problem.settings[index])


def errors(predicted: Series, published: Series) -> Errors:
    """Mean, median and worst of |predicted / published - 1|."""
    off = np.abs(predicted / published - 1.0).tolist()
    return Errors(figures=len(off), mean=statistics.fmean(off), median=statistics.median(off), worst=max(off))
