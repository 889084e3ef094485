"""How far models missed figures that they were not made from: the error to expect of the next one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from sim.data.misses import FILE, RIVALS, lines
from sim.prediction.extrapolation import apart, beyond, extrapolated
from sim.statistics.answers import QUANTILES
from sim.statistics.student_t import quantile
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.system import System

MISSED = 0.115
"""Deviation of the logarithm by which models miss at large: root mean square over all answers of ``FILE``, each of
which counts once however many figures it has, 0.110; and a little more, so that the furthest miss of all, beside
the others of its answer, is no less likely than one in 1,000. Of systems that were fitted to figures of their kind
alone it was 0.09; `exadata`, put together from data sheets, is missed further, as stacks of users may be."""

WEIGHT = 2
"""Figures that a deviation from elsewhere counts like, beside those of the answer itself; equation (1) of
docs/dev/fitting.md has the same. So a single figure that was met exactly, or missed by far, does not decide."""

BEYOND = 1.5
"""How much further models miss under conditions that nobody measured: errors of fits after the transfers that
their datasets name, over those of cross-validation; root mean square over fits, each of which counts once. It
holds where no fit of the system was moved, and beside those that were."""

STANDS_FOR = {
    "mean": ("throughput", "elapsed"),
    "throughput": ("elapsed",),
    "elapsed": ("throughput",),
}
"""An answer of which nobody published a figure is missed as another one that says the same: requests in flight are
the product of throughput and mean latency (Little's law), and a job is what its throughput moves in its time."""

Misses = Mapping[str, tuple[float, ...]]
"""By answer: the logarithm of predicted over published for each figure that had no part in its prediction."""


def expected_miss(case: Case, measure: str) -> float:
    """By how much the next measurement of ``measure`` misses the answer to ``case``; see ``next_miss``."""
    system = case.system
    return next_miss(misses_of(system), system.parameters.scatter, measure, moved_misses(case))


def moved_misses(case: Case) -> Misses | None:
    """Misses of fits that were moved as far as ``case`` is from what was measured; None where it is not beyond.

    To another machine, where the setting that says which is new, alone or beside another; else along a setting.
    """
    if not beyond(case):
        return None
    parameters = case.system.parameters
    alone = {each.setting for each in extrapolated(case)}
    new = alone | {name for each in apart(case) for name in each.settings}
    return parameters.missed_elsewhere if parameters.machine in new else parameters.missed_along


def misses_at(case: Case, measure: str) -> tuple[float, ...]:
    """The misses of ``measure`` that stand for those of ``case``."""
    within, moved = of_answer(misses_of(case.system), measure), moved_misses(case)
    if moved is None:
        return within
    return of_answer(moved, measure) or tuple(BEYOND * each for each in within)


def one_sided(case: Case, percentile: str, miss: float) -> tuple[float, float]:
    """The share of ``miss`` below the answer, and above it: what a model lacks makes slow requests slower.

    On each side by the squares of the misses that lie there, beside as many of the expectation: as far on both
    where as much lies on the one as on the other.
    """
    known = misses_of(case.system).get(percentile, ())
    beside = WEIGHT * MISSED**2 / 2.0
    below, above = (beside + sum(max(0.0, sign * each) ** 2 for each in known) for sign in (1.0, -1.0))
    low, high = (miss * math.sqrt(2.0 * side / (below + above)) for side in (below, above))
    return low, high


def next_miss(known: Misses, scatter: float, measure: str, moved: Misses | None = None) -> float:
    """Half of the 90 % band of logarithms in which the next miss of ``measure`` lies, in normal deviations.

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
    """The misses of ``measure``, or of another answer that says the same; none where nobody published either."""
    return next((known[name] for name in (measure, *STANDS_FOR.get(measure, ())) if known.get(name)), ())


def misses_of(system: System) -> Misses:
    """Of figures that ``system`` predicted, and of those that its fit met without having seen them."""
    own, held_out = predicted(system), system.parameters.missed
    return {name: (*own.get(name, ()), *held_out.get(name, ())) for name in {**own, **held_out}}


def deviation(misses: Iterable[float], beside: float = MISSED) -> float:
    """The deviation that these ``misses`` show, beside the one that is expected without them."""
    squares = [each * each for each in misses]
    return math.sqrt((WEIGHT * beside**2 + sum(squares)) / (WEIGHT + len(squares)))


def predicted(system: System) -> Misses:
    """Of figures that no parameter of ``system`` was made from, by answer.

    Another structure of a system of which nothing else is known misses them as that system does.
    """
    if not system.data_package:
        return {}
    own = _lines_of(system.data_package / RIVALS).get(system.name)
    return own or _lines_of(system.data_package / FILE).get(system.measured_as, {})


@cache
def _lines_of(path: Path) -> Mapping[str, Misses]:
    """Misses by system, then by answer."""
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    for line in lines(path):
        of_system = found.setdefault(line["system"], {})
        of_system[line["measure"]] = (*of_system.get(line["measure"], ()), float(line["miss"]))
    return found
