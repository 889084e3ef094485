"""Laws that every simulated result must keep, whatever the distributions: the utilisation law and Little's law."""

from __future__ import annotations

import math

from sim.engine.analytic.bounds import bounds_of
from sim.engine.errors import LawError
from sim.engine.model.distributions import Constant
from sim.engine.model.model import Model
from sim.engine.model.steps import Fork, distinct_steps
from sim.engine.model.workloads import Closed
from sim.engine.result import Bound, GroupResult, Result
from sim.engine.statistics.answers import NARROWER

DEVIATIONS = 3.0
"""Tolerance for noise, in half-widths of a 95 % interval: about six standard deviations, more than chance."""

FEW = 60.0
"""Tolerance for an interval from few replications: Student's t of four exceeds it once in a million."""

ROUNDING = 0.001
"""Relative error of a mean time because the clock counts whole nanoseconds."""


def checked(model: Model, result: Result) -> Result:
    """Return ``result`` if it keeps the laws.

    Raises:
        LawError: a throughput above its bound, or Little's law broken, beyond statistical noise.
    """
    if not result.throughput.known:
        return result  # perhaps not a steady state, as the result itself says
    if any(workload.timed for workload in model.workloads):
        return result  # a timetable has no long run
    bounds = bounds_of(model)
    unwaited = any(
        isinstance(step, Fork) and step.leaves
        for step in distinct_steps(needs.workload.path for needs in bounds.needs)
    )
    for name, group in result.groups.items():
        if not (model.finite and unwaited):  # a job ends before branches that nobody waits for have ended
            bound = bounds.upper(name, result.measured_s)
            if _least(group, result) > bound.throughput * (1.0 + ROUNDING):
                if not (_thinks_vary(model, name) and bound == bounds.every(name)[0]):
                    raise _impossible(name, group, bound, result)
                return _lucky(name, group, bound, result)
        if not model.finite:
            _check_little(name, group)
    return result


def _lucky(name: str, group: GroupResult, bound: Bound, result: Result) -> Result:
    """``result``, marked as not known: its clients had too few of their long think times."""
    return result.unknown(
        f"group '{name}' completed {group.throughput.value:.6g} requests/s, more than its "
        f"clients can in the long run, {bound.throughput:.6g}: their longest thinks have come too seldom; ask for "
        f"{NARROWER}"
    )


def _impossible(name: str, group: GroupResult, bound: Bound, result: Result) -> LawError:
    return LawError(
        f"internal error: group '{name}' completes {group.throughput.value:.6g} requests/s (at least "
        f"{_least(group, result):.6g}), but {bound.place} allows {bound.throughput:.6g}; please report the model"
    )


def _thinks_vary(model: Model, group: str) -> bool:
    """True if think times of clients of ``group`` are random."""
    thinks = (each.think for each in model.workloads if isinstance(each, Closed) and each.group == group)
    return not all(think is None or isinstance(think, Constant) for think in thinks)


def _least(group: GroupResult, result: Result) -> float:
    """Least long-run throughput of ``group`` that is consistent with the run.

    Requests that began before the window may exceed a bound: they used part of their places' time before it,
    and are completed in it.
    """
    throughput = group.throughput
    begun = 0.0 if result.elapsed else (2.0 * group.population + group.in_flight + 1.0) / result.measured_s
    noise = (FEW if result.elapsed else DEVIATIONS) * (throughput.high - throughput.value)
    return throughput.value - noise - begun


def _check_little(name: str, group: GroupResult) -> None:
    """Compare the mean number of requests on their way with throughput × mean latency.

    Requests cut off at either end of the window count in one of them only. A request that waits for work which
    no longer comes counts in the first only: that is no steady state, and its rate is not known.
    """
    rate, mean = group.throughput, group.latency.mean
    if not (group.completed and rate.known) or not math.isfinite(rate.high + mean.high):
        return
    law = rate.value * mean.value
    noise = DEVIATIONS * (law * (rate.precision + mean.precision))
    cut = (group.in_flight + group.population + 1.0) / math.sqrt(group.completed) * max(1.0, law)
    if abs(group.population - law) > noise + cut + ROUNDING * law:
        raise LawError(
            f"internal error: group '{name}' has {group.population:.6g} requests on their way, and by Little's "
            f"law {law:.6g}; please report the model"
        )
