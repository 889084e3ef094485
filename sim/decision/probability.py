"""Probability that a goal is kept, given the uncertainty of simulation, parameters and scatter."""

from __future__ import annotations

import math
from statistics import NormalDist

from sim.decision.goals import Goal
from sim.engine.statistics.estimates import Estimate
from sim.prediction.uncertainty import PredictionInterval
from sim.system.parameters import DEVIATIONS

NORMAL = NormalDist()


def probability(goal: Goal, estimate: Estimate, interval: PredictionInterval | None = None) -> float:
    """The probability that a measurement keeps ``goal``; nan if the answer is not known.

    The logarithm of the answer is taken as normal on each side of its value, as in prediction intervals, with
    the noise of the simulation and the spread of ``interval`` added as independent. If structures of the system
    differ, they are weighted by their probabilities, beside which noise is neglected.
    """
    value = estimate.value
    if math.isnan(value):
        return math.nan
    if value <= 0.0 or goal.limit <= 0.0:
        return float(goal.keeps(value))  # no logarithm; such answers are counts of nothing
    if interval and not interval.least <= goal.limit <= interval.most:
        return float(goal.keeps(interval.least if goal.limit < interval.least else interval.most))
    if interval and interval.mixture:
        below = interval.mixture.share_below(goal.limit)
        return 1.0 - below if goal.at_least else below
    distance = math.log(value / goal.limit)
    deviation = math.hypot(
        noise_of(estimate, above=distance < 0.0), spread_of(interval, value, above=distance < 0.0)
    )
    if not deviation:
        return float(goal.keeps(value))
    reached = NORMAL.cdf(distance / deviation)
    return reached if goal.at_least else 1.0 - reached


def noise_of(estimate: Estimate, *, above: bool) -> float:
    """Standard deviation of the logarithm by simulation, on one side; 0 if the interval has no width."""
    end = estimate.high if above else estimate.low
    if end == estimate.value:
        return 0.0
    if math.isnan(end) or end <= 0.0:
        return 0.0 if math.isnan(end) else math.inf
    deviations = NORMAL.inv_cdf(0.5 + 0.5 * estimate.confidence)
    return abs(math.log(end / estimate.value)) / deviations if math.isfinite(end) else math.inf


def spread_of(interval: PredictionInterval | None, value: float, *, above: bool) -> float:
    """Standard deviation of the logarithm by parameters, their ranges and scatter, on one side."""
    if interval is None or interval.low <= 0.0 or interval.low == interval.high:
        return 0.0
    return abs(math.log((interval.high if above else interval.low) / value)) / DEVIATIONS
