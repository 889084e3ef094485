"""Laws that every simulated result must keep, whatever the distributions: the utilisation law and Little's law."""

from __future__ import annotations

import math

from sim.analytic.bounds import Bounds
from sim.errors import LawError
from sim.model.model import Model
from sim.model.steps import Fork, distinct_steps
from sim.model.symmetry import symmetry
from sim.result import Bound, GroupResult, Result

DEVIATIONS = 3.0
"""Noise that is allowed, in half-widths of a 95 % interval: about six standard deviations, more than chance."""

FEW = 60.0
"""The same for an interval from few replications: Student's t of four exceeds it once in a million."""

ROUNDING = 0.001
"""Share by which a mean time may be off because the clock counts whole nanoseconds."""


def checked(model: Model, result: Result) -> Result:
    """Return ``result`` if it keeps the laws.

    Raises:
        LawError: a throughput above its bound, or Little's law broken, beyond statistical noise.
    """
    if not result.throughput.known:
        return result  # perhaps not a steady state, as the result itself says
    if any(workload.timed for workload in model.workloads):
        return result  # what is measured is part of a timetable, not a long run
    folded = symmetry(model)
    bounds = Bounds(folded)
    unwaited = any(
        isinstance(step, Fork) and step.leaves
        for step in distinct_steps(workload.path for workload, _ in folded.workloads)
    )
    for name, group in result.groups.items():
        if not (model.finite and unwaited):  # a job ends before branches that nobody waits for have ended
            _check_bound(bounds.upper(name, result.measured_s), name, group, result)
        if not model.finite:
            _check_little(name, group)
    return result


def _check_bound(limit: Bound, name: str, group: GroupResult, result: Result) -> None:
    """Compare throughput with its bound, which requests that began before the window may exceed.

    They needed a part of their places' time before it, and are completed in it.
    """
    throughput = group.throughput
    begun = 0.0 if result.elapsed else (2.0 * group.population + group.in_flight + 1.0) / result.measured_s
    noise = (FEW if result.elapsed else DEVIATIONS) * (throughput.high - throughput.value)
    least = throughput.value - noise - begun
    if least > limit.throughput * (1.0 + ROUNDING):
        raise LawError(
            f"internal error: group '{name}' completes {throughput.value:.6g} requests/s (at least {least:.6g}), "
            f"but {limit.place} allows {limit.throughput:.6g}; please report the model"
        )


def _check_little(name: str, group: GroupResult) -> None:
    """Compare the mean number of requests on their way with throughput × mean latency.

    Requests that are cut off at either end of the window count in one of them only.
    """
    rate, mean = group.throughput, group.latency.mean
    if not group.completed or not math.isfinite(rate.high + mean.high):
        return
    law = rate.value * mean.value
    noise = DEVIATIONS * (law * (rate.precision + mean.precision))
    cut = (group.in_flight + group.population + 1.0) / math.sqrt(group.completed) * max(1.0, law)
    if abs(group.population - law) > noise + cut + ROUNDING * law:
        raise LawError(
            f"internal error: group '{name}' has {group.population:.6g} requests on their way, and by Little's "
            f"law {law:.6g}; please report the model"
        )
