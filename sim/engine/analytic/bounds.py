"""Upper bounds of throughputs, for any distributions: equation 29 of docs/dev/analytic.md.

Every place bounds the throughput by the utilisation law: throughput times demand is no more than its servers.
The clients bound it by Little's law: no request is faster than without queueing (asymptotic bounds: Muntz and
Wong, "Asymptotic properties of closed queueing network models", 1974; Denning and Buzen, "The operational
analysis of queueing network models", ACM Computing Surveys 10 (1978)). Both sides of a buffer move the same, so
that the demands of the other side count too. A client that gathers a batch serves each client of it, so the time
for an item counts for each client that waits at the gate.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sim.engine.model.demands import (
    Demands,
    awaits_of,
    capacity,
    demands_of,
    items_of,
    min_times_of,
    nets_of,
    per_item,
    waited_demands_of,
)
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Place
from sim.engine.model.steps import Custom, distinct_steps
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.model.workloads import Closed, Open, Workload
from sim.engine.result import Bound


@dataclass(frozen=True)
class Needs:
    """Demands of identical workloads.

    Attributes:
        places: server-seconds per request, by place.
        waited: ``places`` without branches that nobody waits for, which a job may leave undone.
        items: the part of ``places`` that depends on the size of a batch that the request gathers.
        awaited: clients per request that wait at each gate to be gathered.
        moved: net amount put per request, by buffer.
        least_s: least seconds of a request; 0 if a custom step may take none.
    """

    workload: Workload
    copies: int
    places: dict[Place, float]
    waited: dict[Place, float]
    items: dict[Place, float]
    awaited: dict[Place, float]
    moved: dict[Place, float]
    least_s: float


class Bounds:
    """The bounds of one lumped model.

    Attributes:
        needs: the demands of each of its workloads.
    """

    def __init__(self, folded: Symmetry) -> None:
        self._folded = folded
        self.needs = _needs(folded)

    @cached_property
    def _per_item(self) -> dict[Place, Demands]:
        """Seconds of each place for one client of a batch, by gate: the least over all who gather."""
        by_gate = per_item(workload.path for workload, _ in self._folded.workloads)
        first = self._folded.representative
        least: dict[Place, Demands] = {}
        for gate, batches in by_gate.items():
            for batch in batches:
                here = _of_first(batch, self._folded)
                before = least.get(first[gate], here)
                least[first[gate]] = {place: min(s, here[place]) for place, s in before.items() if place in here}
        return least

    def upper(self, group: str, measured_s: float = math.inf) -> Bound:
        """Upper bound of the requests per second of ``group`` in the long run, and its place.

        Args:
            measured_s: seconds over which throughput is measured; the content of a buffer may have been put
                before, or be taken later.
        """
        return min(self.every(group, measured_s), key=lambda bound: bound.throughput)

    def every(self, group: str, measured_s: float = math.inf) -> list[Bound]:
        """Bounds by the clients of ``group``, first, and by each place that all of them need."""
        of_group = [each for each in self.needs if each.workload.group == group]
        bounds = [Bound(_names(of_group), sum(map(_unhindered, of_group)))]
        return [*bounds, *_by_places(of_group, self.needs, self._folded, measured_s)]

    def allowed(self, group: str) -> list[Bound]:
        """Long-run bounds of ``group`` by each place, the lowest first, independent of other places.

        They hold for any load and any size of batches, and for any frequency of branches that the model does not
        determine. For jobs, work that others do for them later does not count.
        """
        of_group = [each for each in self.needs if each.workload.group == group]
        if any(each.workload.timed for each in self.needs):
            return []
        if any(each.workload.count is not None for each in self.needs):
            demands = [each.waited for each in of_group]
        else:
            demands = [
                self._with_batches(each, _behind(each, of_group, self.needs, math.inf)[0]) for each in of_group
            ]
        return sorted(_limited(demands, self._folded), key=lambda bound: bound.throughput)

    def paced(self, group: str) -> Iterator[Bound]:
        """Bounds of ``group`` by the other side of each buffer, if that never waits and is as fast as its path."""
        of_group = [each for each in self.needs if each.workload.group == group]
        for own in of_group if len(of_group) == 1 else ():
            for other, buffer in _others(own, of_group, self.needs):
                yield Bound(buffer.name, _unhindered(other) * abs(other.moved[buffer] / own.moved[buffer]))

    @property
    def first(self) -> dict[Place, Place]:
        """The first of identical places, which stands for all."""
        return self._folded.representative

    def shares(self, rates: Mapping[str, float], batchers: Collection[str]) -> dict[Place, float]:
        """Least share of each place that requests need, at these ``rates`` of the groups.

        Args:
            batchers: workloads that gather batches, for which only the time for each item counts.
        """
        total: dict[Place, float] = {}
        for group, rate in rates.items():
            fixed = [
                self._with_batches(each, {} if each.workload.name in batchers else dict(each.places))
                for each in self.needs
                if each.workload.group == group
            ]
            for place in fixed[0]:
                seconds = rate * min(demands.get(place, 0.0) for demands in fixed)
                total[place] = total.get(place, 0.0) + seconds / self._folded.copies[place] / capacity(place)
        return total

    def _with_batches(self, own: Needs, demands: Demands) -> Demands:
        """``demands`` with the work for each client of ``own`` that waits to be gathered."""
        for gate, clients in own.awaited.items():
            for place, seconds in self._per_item.get(gate, {}).items():
                more = clients * seconds - own.items.get(place, 0.0)  # its own batch may be of these
                demands[place] = demands.get(place, 0.0) + max(0.0, more)
        return demands


@once_for_each
def bounds_of(model: Model) -> Bounds:
    """Bounds of ``model``, cached."""
    return Bounds(symmetry(model))


def _names(of_group: list[Needs]) -> str:
    return f"the clients of '{of_group[0].workload.name}'"


@once_for_each
def _needs(folded: Symmetry) -> list[Needs]:
    """Needs of each workload; shared sub-paths are read once."""
    paths = [workload.path for workload, _ in folded.workloads]
    read = zip(
        folded.workloads,
        demands_of(paths),
        waited_demands_of(paths),
        items_of(paths),
        awaits_of(paths),
        nets_of(paths),
        min_times_of(paths),
        strict=True,
    )
    return [
        Needs(
            workload,
            copies,
            _of_first(demands, folded),
            _of_first(waited, folded),
            _of_first(items, folded),
            _of_first(awaited, folded),
            {place: amount for place, amount in _of_first(moved, folded).items() if amount},
            0.0 if any(isinstance(step, Custom) for step in distinct_steps([workload.path])) else least_s,
        )
        for (workload, copies), demands, waited, items, awaited, moved, least_s in read
    ]


def _of_first(amounts: Demands, folded: Symmetry) -> Demands:
    """Amounts with those of identical places summed at the first."""
    summed: Demands = {}
    for place, amount in amounts.items():
        first = folded.representative[place]
        summed[first] = summed.get(first, 0.0) + amount
    return summed


def _unhindered(needs: Needs) -> float:
    """Requests per second without any waiting."""
    workload = needs.workload
    if isinstance(workload, Open):
        return needs.copies * (workload.arrivals.rate or math.inf)
    think_s = workload.think.mean if isinstance(workload, Closed) and workload.think else 0.0
    min_s = think_s + needs.least_s
    clients = workload.clients if isinstance(workload, Closed) else math.inf
    return needs.copies * clients / min_s if min_s > 0.0 else math.inf


def _by_places(of_group: list[Needs], needs: list[Needs], folded: Symmetry, measured_s: float) -> Iterator[Bound]:
    """Bounds by all places of which every workload of the group has a demand, on either side of a buffer."""
    reached = [_behind(each, of_group, needs, measured_s) for each in of_group]
    return _limited([demands for demands, _ in reached], folded, [slack for _, slack in reached])


def _limited(by_workload: Sequence[Demands], folded: Symmetry, slacks: Sequence[Demands] = ()) -> Iterator[Bound]:
    """Bounds by all places of which a request of any workload has a demand, with the slack by buffers."""
    for place in dict.fromkeys(place for demands in by_workload for place in demands):
        least = min(demands.get(place, 0.0) for demands in by_workload)
        if least > 0.0:
            servers = folded.copies[place] * capacity(place) + sum(slack.get(place, 0.0) for slack in slacks)
            yield Bound(place.name, servers / least)


def _behind(
    own: Needs, group: list[Needs], needs: list[Needs], measured_s: float
) -> tuple[dict[Place, float], dict[Place, float]]:
    """Demands of a request of ``own`` and of the other sides of its buffers; and the slack by buffers."""
    demands, slack = dict(own.places), dict.fromkeys(own.places, 0.0)
    for other, buffer in _others(own, group, needs):
        amount, taken = own.moved[buffer], other.moved[buffer]
        held = getattr(buffer, "capacity", 0) / abs(taken) + _begun(other.workload)
        for place, seconds in other.places.items():
            demands[place] = demands.get(place, 0.0) + abs(amount / taken) * seconds
            if seconds and math.isfinite(measured_s):
                slack[place] = slack.get(place, 0.0) + held * other.copies * seconds / measured_s
    return demands, slack


def _others(own: Needs, group: list[Needs], needs: list[Needs]) -> Iterator[tuple[Needs, Place]]:
    """Each other side of the buffers of ``own``, once, with one buffer, without sides that ``group`` may share."""
    known = [id(each) for each in group]
    for buffer, amount in own.moved.items():
        others = [each for each in needs if each is not own and buffer in each.moved]
        if len(others) != 1 or id(others[0]) in known or not others[0].moved[buffer] * amount < 0.0:
            continue
        if not any(others[0].moved.keys() & each.moved.keys() for each in group if each is not own):
            known.append(id(others[0]))
            yield others[0], buffer


def _begun(workload: Workload) -> float:
    """Number of requests that may have moved something, and use the rest of their places later."""
    return workload.clients if isinstance(workload, Closed) else math.inf
