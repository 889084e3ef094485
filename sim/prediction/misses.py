"""Errors of models for figures that they were not made from, as the error to expect of the next one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from sim.data.misses import FILE, RIVALS, lines
from sim.engine.statistics.answers import QUANTILES
from sim.engine.statistics.student_t import quantile
from sim.prediction.extrapolation import apart, beyond, extrapolated
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.system import System

MISSED = 0.115
"""Standard deviation of the logarithm of models' errors in general: root mean square over all answers of ``FILE``,
each counted once however many figures it has, is 0.110; a little more is taken, so that the largest miss, among
the others of its answer, is no less likely than one in 1,000. For systems fitted to figures of their kind
alone it was 0.09; `exadata`, built from data sheets, has larger errors, as users' stacks may have."""

WEIGHT = 2
"""Figures that a deviation from elsewhere counts like, beside those of the answer itself; equation (1) of
docs/dev/fitting.md has the same. So a single figure that was met exactly, or missed by far, does not decide."""

BEYOND = 1.5
"""Factor of models' errors under conditions never measured: errors of fits after the transfers that
their datasets name, over those of cross-validation; root mean square over fits, each counted once. It
is used alone if no fit of the system was transferred, and as a prior beside those that were."""

STANDS_FOR = {
    "mean": ("throughput", "elapsed"),
    "throughput": ("elapsed",),
    "elapsed": ("throughput",),
}
"""Substitutes for answers without published figures, which are equivalent: requests in flight are
the product of throughput and mean latency (Little's law), and a job's work that of throughput and elapsed time."""

Misses = Mapping[str, tuple[float, ...]]
"""By answer: logarithms of predicted / published for figures that had no part in their prediction."""


def expected_miss(case: Case, measure: str) -> float:
    """Expected error of the next measurement of ``measure`` in ``case``, as a logarithm; see ``next_miss``."""
    system = case.system
    return next_miss(misses_of(system), system.parameters.scatter, measure, moved_misses(case))


def moved_misses(case: Case) -> Misses | None:
    """Misses of fits transferred as far as ``case`` is from measured settings; None if it is not beyond them.

    A transfer is to another machine if the machine's setting is new, alone or in a pair; else along a setting.
    """
    if not beyond(case):
        return None
    parameters = case.system.parameters
    alone = {each.setting for each in extrapolated(case)}
    new = alone | {name for each in apart(case) for name in each.settings}
    return parameters.missed_elsewhere if parameters.machine in new else parameters.missed_along


def misses_at(case: Case, measure: str) -> tuple[float, ...]:
    """The misses of ``measure`` that apply to ``case``."""
    within, moved = of_answer(misses_of(case.system), measure), moved_misses(case)
    if moved is None:
        return within
    return of_answer(moved, measure) or tuple(BEYOND * each for each in within)


def one_sided(case: Case, percentile: str, miss: float) -> tuple[float, float]:
    """Parts of ``miss`` below and above the answer: omissions of a model make slow requests slower.

    Each side is weighted by the squares of its misses, plus half of the prior expectation: equal
    if the misses are balanced.
    """
    known = misses_of(case.system).get(percentile, ())
    beside = WEIGHT * MISSED**2 / 2.0
    below, above = (beside + sum(max(0.0, sign * each) ** 2 for each in known) for sign in (1.0, -1.0))
    low, high = (miss * math.sqrt(2.0 * side / (below + above)) for side in (below, above))
    return low, high


def next_miss(known: Misses, scatter: float, measure: str, moved: Misses | None = None) -> float:
    """Half width of the 90 % band of the next miss of ``measure``, a logarithm, in normal standard deviations.

    Equation (1) of docs/dev/intervals.md: misses of the answer, beside those of all answers of the system that are
    percentiles as it is, or are none as it is, beside the ``scatter`` about its fit, or the misses of models at
    large. With few of them the tails of Student's distribution are longer. Under conditions that nobody measured,
    where ``moved`` is given, the same of the misses after transfers, beside ``BEYOND`` times as many within.
    """
    own = of_answer(known, measure)
    # a model that meets every mean may have too short a tail
    alike = [misses for name, misses in known.items() if (name in QUANTILES) == (measure in QUANTILES)]
    within = deviation(own, deviation([each for misses in alike for each in misses], scatter or MISSED))
    near = _next(within, len(own))
    if moved is None:
        return near
    far = of_answer(moved, measure)
    return max(near, _next(deviation(far, BEYOND * within), len(far))) if far else BEYOND * near


def _next(spread: float, count: int) -> float:
    return spread * quantile(0.5 + 0.5 * CONFIDENCE, WEIGHT + count) / DEVIATIONS


def of_answer(known: Misses, measure: str) -> tuple[float, ...]:
    """The misses of ``measure``, or of an equivalent answer; empty if neither has published figures."""
    return next((known[name] for name in (measure, *STANDS_FOR.get(measure, ())) if known.get(name)), ())


def misses_of(system: System) -> Misses:
    """Misses of figures that ``system`` predicted, and of those held out of its fit."""
    own, held_out = predicted(system), system.parameters.missed
    return {name: (*own.get(name, ()), *held_out.get(name, ())) for name in {**own, **held_out}}


def deviation(misses: Iterable[float], beside: float = MISSED) -> float:
    """Standard deviation of ``misses``, with ``beside`` as prior."""
    squares = [each * each for each in misses]
    return math.sqrt((WEIGHT * beside**2 + sum(squares)) / (WEIGHT + len(squares)))


def predicted(system: System) -> Misses:
    """Misses of figures that no parameter of ``system`` was made from, by answer.

    A structure without misses of its own is taken to miss figures as the system itself does.
    """
    if not system.data_package:
        return {}
    own = _lines_of(system.data_package / RIVALS).get(system.name)
    return own or _lines_of(system.data_package / FILE).get(system.measured_as, {})


@cache
def _lines_of(path: Path) -> Mapping[str, Misses]:
    """Misses in the file ``path``, by system, then by answer."""
    misses: dict[str, dict[str, tuple[float, ...]]] = {}
    for line in lines(path):
        of_system = misses.setdefault(line["system"], {})
        of_system[line["measure"]] = (*of_system.get(line["measure"], ()), float(line["miss"]))
    return misses
