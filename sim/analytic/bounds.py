"""Bounds that hold for any such model, whatever its distributions: what no throughput can exceed.

The utilisation law bounds it by every place: walks a second times what a walk needs of the place are no more
than its servers. Little's law bounds it by the clients: no walk is quicker than without any queueing
(asymptotic bounds: Muntz and Wong, "Asymptotic properties of closed queueing network models", 1974; Denning
and Buzen, "The operational analysis of queueing network models", ACM Computing Surveys 10 (1978)). Both sides
of a buffer move the same, so that what the other side needs counts too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sim.model.demands import capacity, demands_s, least_time_s, net
from sim.model.places import Place
from sim.model.steps import Custom, Path, iter_steps
from sim.model.symmetry import Symmetry
from sim.model.workloads import Closed, Open, Workload
from sim.result import Bound


@dataclass(frozen=True)
class Needs:
    """What all walks of alike workloads need of alike places, server-seconds a walk, and what they move."""

    workload: Workload
    copies: int
    places: dict[Place, float]
    moved: dict[Place, float]


class Bounds:
    """The bounds of one model, folded.

    Attributes:
        needs: of each of its workloads.
    """

    def __init__(self, folded: Symmetry) -> None:
        self._folded = folded
        self.needs = [_needs(workload, copies, folded) for workload, copies in folded.workloads]

    def upper(self, group: str, measured_s: float = math.inf) -> Bound:
        """The most walks a second that ``group`` can complete in the long run, and what says so.

        Args:
            measured_s: the time over which it is measured: what a buffer holds may have been put before, or be
                taken after.
        """
        mine = [each for each in self.needs if each.workload.group == group]
        found = [Bound(_names(mine), sum(map(_unhindered, mine)))]
        found += _by_places(mine, self.needs, self._folded, measured_s)
        return min(found, key=lambda bound: bound.throughput)


def _names(mine: list[Needs]) -> str:
    return f"the clients of '{mine[0].workload.name}'"


def _needs(workload: Workload, copies: int, folded: Symmetry) -> Needs:
    places: dict[Place, float] = {}
    for place, seconds in demands_s(workload.path).items():
        first = folded.representative[place]
        places[first] = places.get(first, 0.0) + seconds
    return Needs(workload, copies, places, _moved(workload.path, folded))


def _unhindered(needs: Needs) -> float:
    """Walks a second if nobody ever waited."""
    workload = needs.workload
    if isinstance(workload, Open):
        return needs.copies * (workload.arrivals.rate or math.inf)
    think_s = workload.think.mean if isinstance(workload, Closed) and workload.think else 0.0
    custom = any(isinstance(step, Custom) for step in iter_steps(workload.path))
    least_s = think_s + (0.0 if custom else least_time_s(workload.path))
    clients = workload.clients if isinstance(workload, Closed) else math.inf
    return needs.copies * clients / least_s if least_s > 0.0 else math.inf


def _by_places(mine: list[Needs], needs: list[Needs], folded: Symmetry, measured_s: float) -> Iterator[Bound]:
    """A bound by every place that all of the group need, if only for what is behind a buffer."""
    reached = [_behind(each, mine, needs, measured_s) for each in mine]
    for place in dict.fromkeys(place for asked, _ in reached for place in asked):
        least = min(asked.get(place, 0.0) for asked, _ in reached)
        if least > 0.0:
            servers = folded.copies[place] * capacity(place) + sum(slack.get(place, 0.0) for _, slack in reached)
            yield Bound(place.name, servers / least)


def _behind(
    mine: Needs, group: list[Needs], needs: list[Needs], measured_s: float
) -> tuple[dict[Place, float], dict[Place, float]]:
    """What a walk of ``mine`` needs, and what moves the same through its buffers; what these may even out."""
    asked, slack = dict(mine.places), dict.fromkeys(mine.places, 0.0)
    for other, buffer in _others(mine, group, needs):
        amount, taken = mine.moved[buffer], other.moved[buffer]
        held = getattr(buffer, "capacity", 0) / abs(taken) + _begun(other.workload)
        for place, seconds in other.places.items():
            asked[place] = asked.get(place, 0.0) + abs(amount / taken) * seconds
            if seconds and math.isfinite(measured_s):
                slack[place] = slack.get(place, 0.0) + held * other.copies * seconds / measured_s
    return asked, slack


def _others(mine: Needs, group: list[Needs], needs: list[Needs]) -> Iterator[tuple[Needs, Place]]:
    """Each other side of the buffers of ``mine``, once, by one buffer; none that all of ``group`` may share."""
    known = [id(each) for each in group]
    for buffer, amount in mine.moved.items():
        others = [each for each in needs if each is not mine and buffer in each.moved]
        if len(others) != 1 or id(others[0]) in known or not others[0].moved[buffer] * amount < 0.0:
            continue
        if not any(others[0].moved.keys() & each.moved.keys() for each in group if each is not mine):
            known.append(id(others[0]))
            yield others[0], buffer


def _begun(workload: Workload) -> float:
    """Walks that may have moved something and need the rest of their places later."""
    return workload.clients if isinstance(workload, Closed) else math.inf


def _moved(path: Path, folded: Symmetry) -> dict[Place, float]:
    """Net amount put into each buffer in a walk; nothing is known of one that a look-up or IfAny decides."""
    found: dict[Place, float] = {}
    for buffer, amount in net(path).items():
        first = folded.representative[buffer]
        found[first] = found.get(first, 0.0) + amount
    return {place: amount for place, amount in found.items() if amount}
