"""Least squares with the simulation in the loop, and the analytic engine between its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.calibration.problem import Lengths, Problem
from sim.calibration.walk import Place, walk
from sim.engine.statistics.estimates import Series

MAX_STEPS = 20
"""Largest number of steps, for each of the two run lengths."""

ROUGH, ENOUGH = 0.01, 1e-4
"""Least gain of a step or a walk, as a share of the cost: with rough runs, and with final ones."""

NEAR = 0.01
"""Change of logarithms below which the analytic engine's extrapolation replaces a new simulation."""

NOISE = 0.01
"""Share by which a step may raise the cost: the size of a run's noise."""

REACH = 1.0
"""The longest step between two simulations, in deviations of the priors, until one fails."""


@dataclass(frozen=True)
class Solution:
    """Result of a fit.

    Attributes:
        point: logarithms of the free parameters, shape (free,).
        cost: half the sum of robust squares, priors included.
        predicted: predictions at ``point`` of each fitted figure, shape (seen,).
        jacobian: Jacobian of the residuals of the fitted figures at ``point``, shape (seen, free).
        lengths: lengths of the final runs.
    """

    point: Series
    cost: float
    seen: tuple[int, ...]
    predicted: Series
    jacobian: Series
    lengths: Lengths


def solve(problem: Problem, seen: Sequence[int], start: Series, opening: Place | None = None) -> Solution:
    """Fit the figures ``seen``, from ``start``.

    Residuals of figures count by soft L1, so that an outlier does not distort all others; so does the pull of the
    priors. Once rough runs gain no more, run lengths are estimated again, and the fit goes on with runs that are
    long enough.

    Args:
        opening: values and slopes of all figures at ``start``, to share between fits; computed here if None.

    Raises:
        InputError: the simulated value of a figure at the start is not finite and above 0.
    """
    seen = tuple(seen)
    begun = opening.only(seen) if opening else opened(problem, start, seen)
    rough = _descend(begun, ROUGH, roughly=True)
    end = _descend(Place.at(problem, rough.point, seen, problem.lengths(rough.point)), ENOUGH)
    return Solution(end.point, end.cost, seen, np.exp(end.logs), end.jacobian, end.lengths)


def opened(problem: Problem, start: Series, seen: Sequence[int] | None = None) -> Place:
    """The starting place of fits, with rough runs: of the figures ``seen``, or of all."""
    chosen = range(len(problem.figures)) if seen is None else seen
    return Place.at(problem, np.clip(start, problem.low, problem.high), tuple(chosen), problem.first_lengths)


def starts(problem: Problem, count: int) -> list[Series]:
    """The centre of the priors, then points drawn from them (within the bounds), always the same."""
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.standard_normal((count - 1, len(problem.free))) / problem.prior_weights
    return [problem.centre, *(np.clip(problem.centre + each, problem.low, problem.high) for each in drawn)]


def _descend(at: Place, enough: float, *, roughly: bool = False) -> Place:
    """Walk and simulate in turn, until a walk gains too little, or is too short for a new simulation.

    If ``roughly``, also stop once a walk ends within its reach. A walk that fails is halved, and each success
    doubles the reach again.
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
