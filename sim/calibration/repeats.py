"""Repeats of a fit with other seeds and first guesses, to measure the random part of its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sim.calibration.cross_validation import Held, Stage, errors, hold_out
from sim.calibration.problem import Problem
from sim.calibration.solve import starts
from sim.calibration.splits import Split
from sim.data.fitted import CROSSED, IN_SAMPLE
from sim.engine.statistics.estimates import Series

Repeats = dict[str, tuple[float, ...]]
"""Mean error of each repeat, by the name of the errors."""


def repeats_of(
    problem: Problem,
    first: Mapping[str, float],
    count: int,
    crossed: Sequence[Split],
    moves: Sequence[Split],
    on_stage: Stage,
) -> Repeats:
    """Mean errors of ``count`` complete fits: the ``first``, and repeats of it.

    Repeat n has seed n and the nth first guess drawn from the priors in each of its fits: of all figures, without
    each fold of ``crossed``, and without the figures that each of ``moves`` holds out.
    """
    made = [first]
    for number, start in enumerate(starts(problem, count)[1:], start=2):
        on_stage(f"repeat {number} of {count}")
        made.append(_repeat(problem.seeded(number), start, crossed, moves, on_stage))
    return {name: tuple(each[name] for each in made) for name in first}


def _repeat(
    problem: Problem, start: Series, crossed: Sequence[Split], moves: Sequence[Split], on_stage: Stage
) -> dict[str, float]:
    everything = tuple(range(len(problem.figures)))
    whole, *unseen = hold_out(
        problem, [Split(IN_SAMPLE, everything, everything), *crossed, *moves], start, on_stage
    )
    held = Held.of(unseen[: len(crossed)]).predicted
    predicted_of = {
        IN_SAMPLE: (everything, whole.predicted),
        **({CROSSED: (everything, np.array([held[index] for index in everything]))} if crossed else {}),
        **{each.split.name: (each.split.held_out, each.predicted) for each in unseen[len(crossed) :]},
    }
    return {
        name: errors(predicted, problem.published[list(figures)]).mean
        for name, (figures, predicted) in predicted_of.items()
    }
