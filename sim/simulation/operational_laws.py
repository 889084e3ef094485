"""What every simulated result is held against: laws that hold for any such model, whatever its distributions."""

from __future__ import annotations

import math

from sim.analytic.bounds import Bounds
from sim.errors import LawError
from sim.model.model import Model
from sim.model.steps import Fork, iter_steps
from sim.model.symmetry import symmetry
from sim.result import Bound, GroupResult, Result

DEVIATIONS = 3.0
"""Half-widths of a 95 % interval, about six standard deviations: chance does not reach so far."""

FEW = 60.0
"""The same, of an interval from few replications: Student's t with four of them goes beyond once in a million."""

ROUNDING = 0.001
"""The clock counts whole nanoseconds, so that a mean time may be a little off."""


def checked(model: Model, result: Result) -> Result:
    """Return ``result`` if it keeps the laws.

    Raises:
        LawError: a throughput above its bound, or Little's law broken, beyond statistical noise.
    """
    if not result.throughput.known:
        return result  # perhaps not a steady state, and the reader is told so
    if any(workload.timed for workload in model.workloads):
        return result  # what is measured is a part of a timetable, and no long run
    folded = symmetry(model)
    bounds = Bounds(folded)
    unwaited = any(
        isinstance(step, Fork) and not step.wait for each, _ in folded.workloads for step in iter_steps(each.path)
    )
    for name, group in result.groups.items():
        if not (model.finite and unwaited):  # an elapsed time does not wait for what is left behind
            _check_bound(bounds.upper(name, result.measured_s), name, group, result)
        if not model.finite:
            _check_little(name, group)
    return result


def _check_bound(limit: Bound, name: str, group: GroupResult, result: Result) -> None:
    """Walks that began before the window and ended in it needed a part of their places' time before it."""
    found = group.throughput
    begun = 0.0 if result.elapsed else (2.0 * group.population + group.in_flight + 1.0) / result.measured_s
    noise = (FEW if result.elapsed else DEVIATIONS) * (found.high - found.value)
    least = found.value - noise - begun
    if least > limit.throughput * (1.0 + ROUNDING):
        raise LawError(
            f"internal error: group '{name}' completes {found.value:.6g} walks/s (at least {least:.6g}), but "
            f"{limit.place} allows {limit.throughput:.6g}; please report the model"
        )


def _check_little(name: str, group: GroupResult) -> None:
    """Walks on their way = walks a second × seconds a walk, but for those cut off at both ends of the window."""
    rate, mean = group.throughput, group.latency.mean
    if not group.completed or not math.isfinite(rate.high + mean.high):
        return
    law = rate.value * mean.value
    noise = DEVIATIONS * (law * (rate.precision + mean.precision))
    cut = (group.in_flight + group.population + 1.0) / math.sqrt(group.completed) * max(1.0, law)
    if abs(group.population - law) > noise + cut + ROUNDING * law:
        raise LawError(
            f"internal error: group '{name}' has {group.population:.6g} walks on their way, and by Little's law "
            f"{law:.6g}; please report the model"
        )
