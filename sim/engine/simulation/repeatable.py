"""Facts of a model that decide which spans of a run may be repeated: thresholds, amounts, endless loads."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.engine.model.addresses import Replayed
from sim.engine.model.distributions import PerItem, variance
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.model.steps import Delay, IfAny, Lookup, Path, Put, Take, Use, iter_steps
from sim.engine.model.workloads import Closed, Open, Periodic, Poisson, Workload


def thresholds(model: Model, buffer: Buffer) -> list[int]:
    """Levels at which something changes: ends, watermarks, what an `IfAny` tests, a `Take` or `Put` waits for."""
    steps = list(model.steps())
    tested = {step.least for step in steps if isinstance(step, IfAny) and step.at == buffer}
    taken = {step.amount for step in steps if isinstance(step, Take) and step.buffer == buffer}
    put = {buffer.capacity - step.amount for step in steps if isinstance(step, Put) and step.buffer == buffer}
    marks = {buffer.low, buffer.high} if buffer.watermarked else set()
    return sorted({0, buffer.capacity} | tested | marks | taken | put)


def amounts(model: Model, buffer: Buffer) -> list[int]:
    """Amounts that are put into ``buffer``, or taken out of it, at a time; 1 if none are."""
    moved = [step.amount for step in model.steps() if isinstance(step, Put | Take) and step.buffer == buffer]
    return moved or [1]


def grain(model: Model, buffer: Buffer) -> int:
    """The largest amount of which all puts into ``buffer`` and takes out of it are multiples."""
    return math.gcd(*amounts(model, buffer))


def apart(model: Model, buffer: Buffer) -> int:
    """Distance that the level of ``buffer`` moves if each client puts or takes once."""
    moved = [
        (each.clients if isinstance(each, Closed) else 1, step.amount)
        for each in model.workloads
        for step in iter_steps(each.path)
        if isinstance(step, Put | Take) and step.buffer == buffer
    ]
    return sum(clients * amount for clients, amount in moved)


def kinds(workloads: Sequence[Workload]) -> NDArray[np.int64]:
    """A number for each workload, shape (workloads,): those with equal paths have the same."""
    numbers: dict[Path, int] = {}
    return np.array([numbers.setdefault(each.path, len(numbers)) for each in workloads])


def scatter(model: Model) -> float:
    """The largest squared coefficient of variation of any time, at least 1: so many times the requests tell it."""
    times = [step.time for step in model.steps() if isinstance(step, Use | Delay)]
    drawn = [each.fixed if isinstance(each, PerItem) else each for each in times]
    drawn += [each.think for each in model.workloads if isinstance(each, Closed) and each.think]
    return max([1.0, *(variance(each) / each.mean**2 for each in drawn if each.mean > 0.0)])


def repeatable(model: Model) -> bool:
    """True if the load of ``model`` has no end, and its arrivals and addresses no given order."""
    return all(map(_endless, model.workloads)) and not any(
        isinstance(step, Lookup) and isinstance(step.addresses, Replayed) for step in model.steps()
    )


def _endless(workload: Workload) -> bool:
    if isinstance(workload, Closed):
        return workload.count is None and workload.stop_s is None
    return (
        isinstance(workload, Open) and isinstance(workload.arrivals, Poisson | Periodic) and workload.count is None
    )
