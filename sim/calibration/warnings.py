"""When a fit must not be trusted: nonsense is refused, what weakens it becomes a warning that stays with it."""

from __future__ import annotations

import numpy as np

from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.errors import InputError
from sim.statistics.estimates import Series

NONSENSE = 2.0
"""By what factor figures are missed in the mean (2 and 1/2 alike) by a fit that is refused: an error of 100 %."""

BAD = 1.25
"""By what factor they are missed by one that is warned of: as much as a curve without mechanism would."""


def refuse_nonsense(problem: Problem, solution: Solution) -> None:
    """Refuse a fit that misses its figures by a factor of ``NONSENSE`` in the mean.

    Raises:
        InputError: one line that names the worst figure.
    """
    missed = _missed(problem, solution)
    if missed.mean() <= NONSENSE:
        return
    worst = int(np.argmax(missed))
    figure = problem.figures[solution.seen[worst]]
    raise InputError(
        f"the best fit misses the figures by a factor of {missed.mean():.3g} in the mean; allowed: up to "
        f"{NONSENSE:g}; the worst is {figure.cell}, {figure.value:g} {figure.unit}, where "
        f"{solution.predicted[worst]:.3g} {figure.unit} is simulated; mend figures, units or "
        "settings, or fit another system"
    )


def cautions(problem: Problem, solution: Solution) -> tuple[str, ...]:
    """What every reader of the fit, and of predictions by it, has to know, a line each."""
    found = []
    figures, free = len(solution.seen), len(problem.free)
    if figures <= free:
        found.append(
            f"too few figures: {figures} for {free} free parameters; most of them stay where they were assumed to "
            "be, and other conditions than those measured are a guess; measure more"
        )
    missed = float(_missed(problem, solution).mean())
    if missed > BAD:
        found.append(
            f"bad fit: figures are missed by {missed - 1.0:.0%} in the mean; the system, its settings or the "
            "figures are not what they are taken for"
        )
    ends = zip(
        problem.free, problem.values(solution.point).values(), problem.at_bound(solution.point), strict=True
    )
    reached = [f"{each.name} ({value:.4g} {each.unit})" for each, value, bound in ends if bound]
    if reached:
        found.append(
            f"bounds are reached by {', '.join(reached)}: the figures want them beyond what is known of the "
            "parts; look for what else makes them so"
        )
    return tuple(found)


def _missed(problem: Problem, solution: Solution) -> Series:
    """By what factor each figure is missed, at least 1, whichever is the larger."""
    logs = np.log(solution.predicted / problem.published[list(solution.seen)])
    return np.asarray(np.exp(np.abs(logs)))
