"""Least squares with the simulation in the loop, and the analytic engine between its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.calibration.problem import Lengths, Problem
from sim.calibration.walk import Place, walk
from sim.statistics.estimates import Series

MAX_STEPS = 20
"""With the runs of each of the two lengths."""

ROUGH, ENOUGH = 0.01, 1e-4
"""Share of the cost that a step, and a walk, has to gain: with the first runs, and with those that decide."""

NEAR = 0.01
"""Of a logarithm: over so short a way the analytic engine carries what was simulated, and nothing is run again."""

NOISE = 0.01
"""Share by which a step may raise the cost, for the chance of a run is as large."""

REACH = 1.0
"""The longest step between two simulations, in deviations of the priors, until one fails."""


@dataclass(frozen=True)
class Solution:
    """Where a fit ended.

    Attributes:
        point: logarithms of the free parameters, shape (free,).
        cost: half the sum of robust squares, priors included.
        predicted: at ``point``, of each figure of the problem that was seen, shape (seen,).
        jacobian: of the residuals of the seen figures, shape (seen, free), at ``point``.
        lengths: of the runs that this was found with.
    """

    point: Series
    cost: float
    seen: tuple[int, ...]
    predicted: Series
    jacobian: Series
    lengths: Lengths


def solve(problem: Problem, seen: Sequence[int], start: Series, opening: Place | None = None) -> Solution:
    """Fit the figures ``seen``, from ``start``.

    Residuals of figures count by soft L1, so that one that nothing explains does not drag all others along; the
    pull of the priors counts the same way. Where rough runs gain no more, the time that each model has to run is
    estimated again, and the fit goes on with runs that are long enough.

    Args:
        opening: what is known of all figures at ``start``, where several fits begin; found here if None.

    Raises:
        InputError: a figure whose simulated value, where the fit begins, is not finite and above 0.
    """
    seen = tuple(seen)
    begun = opening.only(seen) if opening else opened(problem, start, seen)
    rough = _descend(begun, ROUGH, roughly=True)
    end = _descend(Place.at(problem, rough.point, seen, problem.lengths(rough.point)), ENOUGH)
    return Solution(end.point, end.cost, seen, np.exp(end.logs), end.jacobian, end.lengths)


def opened(problem: Problem, start: Series, seen: Sequence[int] | None = None) -> Place:
    """Where fits begin, with rough runs: of the figures ``seen``, or of all."""
    chosen = range(len(problem.figures)) if seen is None else seen
    return Place.at(problem, np.clip(start, problem.low, problem.high), tuple(chosen), problem.first_lengths)


def starts(problem: Problem, count: int) -> list[Series]:
    """The centre of the priors, then points drawn from them (within the bounds), always the same."""
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.standard_normal((count - 1, len(problem.free))) / problem.prior_weights
    return [problem.centre, *(np.clip(problem.centre + each, problem.low, problem.high) for each in drawn)]


def _descend(at: Place, enough: float, *, roughly: bool = False) -> Place:
    """Walk and simulate in turn, until a walk gains too little, or ends so near that a run would say the same.

    If ``roughly``, also where one ends within its reach. Of a walk that fails half is tried, and the next ones may
    be twice as long as the last.
    """
    reach = REACH
    for _ in range(MAX_STEPS):
        ahead = walk(at, reach, enough, fresh=not roughly)
        gains, within = at.cost - ahead.cost >= enough * at.cost, at.distance(ahead) < reach
        if not gains or ahead.near(at, NEAR) or (roughly and within):
            return ahead
        after = ahead.simulated()
        if after.cost <= at.cost * (1.0 + NOISE):
            at, reach = after, min(2.0 * reach, REACH)
        else:
            reach = at.distance(ahead) / 2.0
    return at
