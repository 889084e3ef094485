"""More or less of the load of a model, whatever system it is of.

The load is what the watched workloads bring; all else (daemons, other groups) stays as it is:

- arrivals from outside: so many times as many a second;
- clients who wait for their requests: so many times as many, each with the path of one of those that are there,
  spread evenly over the workloads;
- a job: so many times as many requests in all, from the same clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sim.errors import InputError
from sim.model.model import Model
from sim.model.workloads import Arrivals, Closed, Open, Periodic, Poisson, ReplayedTimes, Workload
from sim.system.scenario import Scenario


@dataclass(frozen=True)
class Amount:
    """How much load there is, in ``unit``: clients, requests, or arrivals a second."""

    value: float
    unit: str

    @property
    def whole(self) -> bool:
        """Whether it comes in whole numbers."""
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
    """The workloads whose load is scaled."""
    return [each for each in scenario.model.workloads if each.group == scenario.watch]


def with_load(scenario: Scenario, value: float) -> Scenario:
    """The same with a load of ``value``, in the unit of ``amount_of``; a whole number, where that is one.

    Raises:
        InputError: such a load cannot be, or the model cannot work with it.
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
    """``total`` in whole parts, as nearly as can be in proportion to ``shares``."""
    exact = [total * share / sum(shares) for share in shares]
    parts = [int(each) for each in exact]
    by_rest = sorted(range(len(shares)), key=lambda index: parts[index] - exact[index])
    for index in by_rest[: total - sum(parts)]:
        parts[index] += 1
    return parts


def _counted(workload: Workload, number: int) -> Workload | None:
    """``workload`` with so many clients, or requests; None with none."""
    if not number or not isinstance(workload, Closed):
        return None
    return replace_closed(workload, number)


def replace_closed(workload: Closed, number: int) -> Closed:
    """``workload`` with so many clients, or requests if it is a job."""
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
