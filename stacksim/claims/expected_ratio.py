"""A ratio or a change as a model expects it: both sides predicted with common random numbers."""

from __future__ import annotations

import math

from sim.decision.compare import compare
from sim.decision.difference import Difference
from sim.decision.probability import NORMAL
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction.misses import expected_miss
from sim.prediction.uncertainty import comparable
from sim.system.case import Case
from sim.system.derivation import REPEATS
from sim.system.parameters import DEVIATIONS
from stacksim.claims.claim import Claim, Number
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.likelihood import Likely
from stacksim.claims.number import KINDS
from stacksim.claims.predicted import likely, loosely, predicted
from stacksim.claims.reading import Reading, reading

DEAREST = 500_000
"""Steps of one run above which the sides are predicted separately: a comparison takes sixty runs of each."""


def _any(name: str) -> Number:
    """A number of the kind ``name`` with any value."""
    return Number(0.0, math.inf, KINDS[name].unit, "")


def expected_ratio(claim: Claim, about: ClaimedCase, options: RunOptions) -> Likely | str:
    """The distribution of measurements of the ratio in ``claim``, or text that says why no model has one.

    Raises:
        StacksimError: one of both sides has no answer.
    """
    than, other = claim.comparison, ClaimedCase.other(claim)
    if than is None or other is None:
        return "nothing is said of what it is compared with"
    if other.case == about.case:
        return "both sides of the comparison are the same to the model; say which setting differs"
    theirs, ours = (reading(than.of, _any(than.of), claim, each) for each in (other, about))
    if theirs is None or ours is None:
        return f"{than.of} is no answer of the model"
    if together := _together(other.case, about.case, (theirs, ours), options):
        return together
    mine, their = (likely(each.case, options, read.measure) for each, read in ((about, ours), (other, theirs)))
    if isinstance(mine, str):
        return mine
    if isinstance(their, str):
        return their
    return ours.likely(mine).over(theirs.likely(their))


def other_side(claim: Claim, options: RunOptions) -> float | None:
    """The model's number for the other side, in SI; None if it has none.

    Raises:
        StacksimError: the other side has no answer.
    """
    other, compared = ClaimedCase.other(claim), claim.comparison
    read = reading(compared.of, _any(compared.of), claim, other) if other and compared else None
    return read.of(predicted(other.case, options, read.measure).answers) if other and read else None


def _together(a: Case, b: Case, read: tuple[Reading, Reading], options: RunOptions) -> Likely | None:
    """The ratio with common random numbers; None if the sides are too costly or too different for that."""
    measure, scale = read[0].measure, read[1].scale / read[0].scale
    steps = [predicted(case, options, measure).result.steps for case in (a, b)]
    if max(steps) > DEAREST or read[1].measure != measure or read[1].amount or not comparable(options):
        return None
    try:
        comparison = compare(a, b, loosely(options, measure, finite=a.scenario.model.finite))
    except InputError:  # such as throughputs of two units
        return None
    difference = next((each for each in comparison.differences if each.name == measure), None)
    off = max(expected_miss(case, measure) for case in (a, b))
    return _likely(difference, scale, off) if difference and difference.ratio.value > 0.0 else None


def _likely(difference: Difference, scale: float, off: float) -> Likely:
    """The ratio in ``difference``, with the spread by simulation, parameters and run-to-run variation.

    Args:
        off: standard deviation of the logarithm of the model's error.
    """
    ratio, band = difference.ratio, difference.band
    ends = band.ratio if band else (ratio.low, ratio.high)
    quantile = DEVIATIONS if band else NORMAL.inv_cdf(0.5 + 0.5 * ratio.confidence)
    own = math.hypot(off, math.sqrt(2.0) * REPEATS)
    below, above = (math.hypot(abs(math.log(end / ratio.value)) / quantile, own) for end in ends)
    return Likely(ratio.value * scale, below, above)
