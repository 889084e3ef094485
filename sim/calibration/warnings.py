"""Checks of a fit: an absurd one is refused, a weakness becomes a warning that stays with the fit."""

from __future__ import annotations

import numpy as np

from sim.calibration.cross_validation import errors
from sim.calibration.patterns import Pattern, patterns
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Series
from sim.engine.units.text import figure_text

NONSENSE = 2.0
"""Mean factor of errors (2 and 1/2 count alike) above which a fit is refused: an error of 100 %."""

BAD = 1.25
"""Mean factor of errors above which a fit gets a warning: a curve without mechanism does as well."""

SHOWN = 4
"""Largest number of named settings that errors follow, and of errors for each."""

RAREST = 1_000_000
"""Largest number in the text *in one fit of …*."""


def refuse_nonsense(problem: Problem, solution: Solution) -> None:
    """Refuse a fit whose mean error is above a factor of ``NONSENSE``.

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
        f"{NONSENSE:g}; the worst is {figure.cell}, {figure_text(figure.value, figure.unit)}, where "
        f"{figure_text(float(solution.predicted[worst]), figure.unit)} is simulated; fix figures, units or "
        "settings, or fit another system"
    )


def cautions(problem: Problem, solution: Solution, *, cross_validated: bool = True) -> tuple[str, ...]:
    """Warnings for readers of the fit and of predictions by it, a line each.

    Args:
        cross_validated: True if the fit was repeated without each fold.
    """
    warnings = []
    figures, free = len(solution.seen), len(problem.free)
    if figures <= free:
        warnings.append(
            f"too few figures: {figures} for {free} free parameters; most of them stay where they were assumed to "
            "be, and other conditions than those measured are a guess; measure more"
        )
    if not cross_validated:
        warnings.append(
            "not cross-validated: how far it misses unseen figures is not known; fit without --no-folds"
        )
    if float(_missed(problem, solution).mean()) > BAD:
        missed = errors(solution.predicted, problem.published[list(solution.seen)]).mean
        warnings.append(
            f"bad fit: figures are missed by {missed:.1%} in the mean; the system, its settings or the "
            "figures are not what they are taken for"
        )
    warnings += [_followed(each) for each in patterns(problem, solution)[:SHOWN]]
    ends = zip(
        problem.free, problem.values(solution.point).values(), problem.at_bound(solution.point), strict=True
    )
    reached = [f"{each.name} ({value:.4g} {each.unit})" for each, value, bound in ends if bound]
    if reached:
        warnings.append(
            f"bounds are reached by {', '.join(reached)}: the figures want them beyond what is known of the "
            "parts; look for what else makes them so"
        )
    return tuple(warnings)


def _followed(pattern: Pattern) -> str:
    """Warning about errors that follow a setting: size, probability, and consequence."""
    errors_at = [f"{error:+.1%} at {value}" for value, error in pattern.errors.items()]
    if len(errors_at) > SHOWN:
        errors_at = [errors_at[0], errors_at[len(errors_at) // 2], errors_at[-1]]
    return (
        f"errors of {pattern.measure} follow {pattern.setting}: {', '.join(errors_at)}; luck does that in one fit "
        f"of {min(round(1.0 / pattern.probability), RAREST):,}; a mechanism that depends on {pattern.setting} is "
        "missing, so other values of it may be missed by more"
    )


def _missed(problem: Problem, solution: Solution) -> Series:
    """Predicted / published or its inverse, whichever is larger, for each figure."""
    logs = np.log(solution.predicted / problem.published[list(solution.seen)])
    return np.asarray(np.exp(np.abs(logs)))
