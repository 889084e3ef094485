"""Rare and long service times, about which a run has no information before it has met some."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

from sim.engine.model.distributions import (
    Constant,
    Distribution,
    Empirical,
    Exponential,
    Gamma,
    Lognormal,
    PerItem,
    Time,
)
from sim.engine.model.model import Model
from sim.engine.model.steps import Delay, Hold, Use, distinct_steps
from sim.engine.model.workloads import Open

_DEVIATIONS = NormalDist().inv_cdf(0.975)


def min_completions(model: Model, tolerance: float) -> float:
    """Least completions for the mean latency of arrivals to be known to ``tolerance``, a share of it.

    The mean wait behind Poisson arrivals is proportional to E[S²] (Pollaczek and Khinchine). Its estimate from n
    services is known to ± z √((κ - 1) / n), where κ = E[S⁴] / E[S²]², and no statistic of the run itself shows it
    while the longest services have not been met. Clients of closed workloads are too few to pile up behind them.
    """
    kurtosis = max(map(kurtosis_of, _served(model)), default=1.0)
    return (kurtosis - 1.0) * (_DEVIATIONS / tolerance) ** 2


def _served(model: Model) -> Iterator[Time]:
    """Times for which clients of open workloads occupy servers, locks or tokens."""
    steps = list(distinct_steps(workload.path for workload in model.workloads if isinstance(workload, Open)))
    yield from (step.time for step in steps if isinstance(step, Use))
    held = distinct_steps(step.steps for step in steps if isinstance(step, Hold))
    yield from (step.time for step in held if isinstance(step, Delay))


def kurtosis_of(time: Time) -> float:
    """E[S⁴] / E[S²]² of a service time S; 1 for one that never varies, or is of an unknown kind."""
    match time:
        case PerItem():
            return kurtosis_of(time.fixed)
        case Exponential():
            return 6.0
        case Lognormal():
            return (1.0 + time.cv**2) ** 4
        case Gamma():
            return (time.shape + 2.0) * (time.shape + 3.0) / (time.shape * (time.shape + 1.0))
        case Empirical():
            return _kurtosis(time)
        case Constant() | Distribution():
            return 1.0


def skewness(time: Empirical) -> float:
    """E[(S - m)³] / σ³ of a recorded time S of mean m; 0 for one that never varies."""
    deviations = [value - time.mean for value in time.values]
    second = math.fsum(each * each for each in deviations) / len(deviations)
    third = math.fsum(each**3 for each in deviations) / len(deviations)
    return third / second**1.5 if second else 0.0


def _kurtosis(time: Empirical) -> float:
    squares = [value * value for value in time.values]
    second = math.fsum(squares)
    fourth = math.fsum(square * square for square in squares)
    return fourth * len(squares) / second**2 if second else 1.0
