"""Scaling of the load of a model, whatever its system.

The load is that of the watched workloads; all else (daemons, other groups) stays as it is:

- arrivals from outside: their rate is scaled;
- clients who wait for their requests: their number is scaled, each with the path of an existing one,
  spread evenly over the workloads;
- a job: the number of its requests is scaled, from the same clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sim.engine.errors import InputError
from sim.engine.model.model import Model
from sim.engine.model.workloads import Arrivals, Closed, Open, Periodic, Poisson, ReplayedTimes, Workload
from sim.system.scenario import Scenario


@dataclass(frozen=True)
class Amount:
    """The amount of load, in ``unit``: clients, requests, or arrivals/s."""

    value: float
    unit: str

    @property
    def whole(self) -> bool:
        """True if it is a whole number."""
        return self.unit != ARRIVALS


ARRIVALS, CLIENTS, REQUESTS = "arrivals/s", "clients", "requests"


def amount_of(scenario: Scenario) -> Amount:
    """The load of ``scenario``.

    Raises:
        InputError: its watched workloads have no common measure of load.
    """
    amounts = [_amount(each) for each in watched(scenario)]
    units = {each.unit for each in amounts}
    if len(units) > 1:
        raise InputError(f"the load is counted in {' and '.join(sorted(units))}, so that it cannot be scaled")
    return Amount(sum(each.value for each in amounts), units.pop())


def watched(scenario: Scenario) -> list[Workload]:
    """Workloads whose load is scaled."""
    return [each for each in scenario.model.workloads if each.group == scenario.watch]


def with_load(scenario: Scenario, value: float) -> Scenario:
    """A copy of ``scenario`` with the load ``value``, in the unit of ``amount_of``; rounded if it is counted.

    Raises:
        InputError: such a load is not possible, or the model cannot have it.
    """
    amount, loads = amount_of(scenario), watched(scenario)
    if amount.whole:
        shares = [_amount(each).value for each in loads]
        numbers = _spread(round(value), shares)
        scaled = {id(load): _counted(load, number) for load, number in zip(loads, numbers, strict=True)}
    else:
        scaled = {id(load): _arriving(load, value / amount.value) for load in loads}
    workloads = [scaled.get(id(each), each) for each in scenario.model.workloads]
    return replace(scenario, model=Model([each for each in workloads if each is not None]))


def _amount(workload: Workload) -> Amount:
    match workload:
        case Open(arrivals=arrivals):
            return Amount(_rate(workload, arrivals), ARRIVALS)
        case Closed(count=int() as count):
            return Amount(count, REQUESTS)
        case Closed(clients=clients):
            return Amount(clients, CLIENTS)
    raise InputError(f"the load of {workload} cannot be scaled")


def _rate(workload: Workload, arrivals: Arrivals) -> float:
    if isinstance(arrivals, ReplayedTimes) and arrivals.times_s[-1]:
        return len(arrivals.times_s) / arrivals.times_s[-1]
    if arrivals.rate is None:
        raise InputError(f"{workload} arrives as recorded, so that its load cannot be scaled")
    return arrivals.rate


def _spread(total: int, shares: Sequence[float]) -> list[int]:
    """``total`` in whole parts, in proportion to ``shares`` as closely as possible."""
    exact = [total * share / sum(shares) for share in shares]
    parts = [int(each) for each in exact]
    by_rest = sorted(range(len(shares)), key=lambda index: parts[index] - exact[index])
    for index in by_rest[: total - sum(parts)]:
        parts[index] += 1
    return parts


def _counted(workload: Workload, number: int) -> Workload | None:
    """``workload`` with ``number`` clients, or requests; None with none."""
    if not number or not isinstance(workload, Closed):
        return None
    return replace_closed(workload, number)


def replace_closed(workload: Closed, number: int) -> Closed:
    """``workload`` with ``number`` clients, or requests if it is a job."""
    counted = workload.count is not None
    return Closed(
        workload.name,
        workload.clients if counted else number,
        workload.path,
        begins=workload.begins,
        think=workload.think,
        count=number if counted else None,
        group=workload.group,
        start_s=workload.start_s,
        stop_s=workload.stop_s,
    )


def _arriving(workload: Workload, times: float) -> Workload:
    """``workload`` with ``times`` as many arrivals a second."""
    assert isinstance(workload, Open)  # noqa: S101  (the unit of its load says so)
    match workload.arrivals:
        case Poisson(per_second=rate):
            arrivals: Arrivals = Poisson(rate * times)
        case Periodic(interval_s=interval_s):
            arrivals = Periodic(interval_s / times)
        case ReplayedTimes(times_s=times_s):
            arrivals = ReplayedTimes([each / times for each in times_s])
        case _:
            raise InputError(f"{workload} arrives as recorded, so that its load cannot be scaled")
    return Open(workload.name, arrivals, workload.path, count=workload.count, group=workload.group)
