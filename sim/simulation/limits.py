"""What limits throughput: a place that is full, each client's own path, or the load that is offered.

A place can limit only by what it is needed for. A station is needed while it serves. A pool or lock is needed
while it is held, less what its holders wait inside for something else: a full pool whose holders queue elsewhere
is not what limits. How long they wait inside is not recorded, only how many wait at each place on average, so
that all who wait at the places inside are taken off: what is left is a lower bound, and so is the time that the
steps inside take without waiting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any, Literal

from sim.model.demands import capacity
from sim.model.identical import common_names
from sim.model.model import Model
from sim.model.places import Lock, Place, Pool, Station
from sim.model.steps import Await, Custom, Gather, Hold, Path, Step
from sim.model.workloads import Open, Workload
from sim.result import PlaceResult, Result

SATURATED = 0.9
"""A place that is needed for so much of the time limits throughput; below, latency does."""

Kind = Literal["place", "path", "load"]

Taken = frozenset[tuple[type[Step], Place | None]]
"""Kinds of steps, each with its place."""

_NO_PLACE = {"path": "each client takes as long as its own path", "load": "what arrives is served"}


@dataclass(frozen=True)
class Limit:
    """Why throughput is not higher.

    Attributes:
        kind: ``place`` is full; or no place is, and each client takes as long as its own ``path``; or what arrives
            is served, so that throughput is the ``load`` offered.
        place: the place that is needed most, by which it is nearest to a limit; None if only delays are needed.
        family: the common name of it and the places like it.
        identical: how many those are.
        allows: watched walks a second with that place always in use.
        reached: which share of that is reached.
    """

    kind: Kind
    place: str | None = None
    family: str = ""
    identical: int = 0
    allows: float = 0.0
    reached: float = 0.0

    @property
    def short(self) -> str:
        """For a column of a table."""
        nearest = f"{self.family}, {self.reached:.0%}"
        if self.kind == "place":
            return nearest
        return f"{self.kind} ({nearest})" if self.place else self.kind

    def words(self, amount: float, unit: str) -> str:
        """A line for a person; a walk stands for so many ``unit``-seconds."""
        allowed = f"{self.allows * amount:.4g} {unit}: {self.reached:.0%} reached"
        several = f" ({self.identical} alike)" if self.identical > 1 else ""
        if self.kind == "place":
            return f"{self.family}{several} allows {allowed}"
        nearest = f"; the nearest, {self.family}{several}, would allow {allowed}" if self.place else ""
        return f"no place is needed all the time: {_NO_PLACE[self.kind]}{nearest}"

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``predict --json``."""
        return {"kind": self.kind, "place": self.place, "alike": self.identical, "reached": self.reached}


def limit_of(model: Model, result: Result) -> Limit:
    """What limits the watched group of ``model``, of which ``result`` was found."""
    loads = [each for each in model.workloads if each.group == result.watched]
    bound = result.bound
    if bound is None:
        return Limit("load" if all(isinstance(each, Open) for each in loads) else "path")
    reached = min(1.0, result.throughput.value / bound.throughput)
    kind = result.places[bound.place].kind
    names = common_names(name for name, place in result.places.items() if place.kind == kind)
    family = names[bound.place]
    return Limit(
        kind=_kind(loads, reached),
        place=bound.place,
        family=family,
        identical=sum(name == family for name in names.values()),
        allows=bound.throughput,
        reached=reached,
    )


def _kind(loads: list[Workload], reached: float) -> Kind:
    if all(isinstance(each, Open) and each.count is None and each.arrivals.rate for each in loads):
        return "load"  # endless: were it more than a place allows, there would be no steady state
    if reached >= SATURATED:
        return "place"
    return "load" if all(isinstance(each, Open) for each in loads) else "path"


def needs(model: Model, least: Mapping[Place, float], found: Mapping[str, PlaceResult]) -> dict[str, float]:
    """The share of its servers, tokens or time for which each place of ``model`` is needed, by its name.

    Args:
        least: the same as a lower bound, of what paths need on average without waiting.
        found: what was found of each place.
    """
    holds: dict[Place, list[Hold]] = {}
    for step in model.steps():
        if isinstance(step, Hold):
            holds.setdefault(step.held, []).append(step)
    taken: dict[int, Taken] = {}
    shares = {}
    for place in model.places:
        used = found[place.name].utilisation
        if isinstance(place, Station):
            shares[place.name] = used
        elif isinstance(place, Pool | Lock):
            mine = holds.get(place, [])
            inside = Taken().union(*(_taken(hold.steps, taken) for hold in mine))
            shares[place.name] = min(used, max(least[place], _working(place, mine, inside, found)))
    return shares


def _taken(path: Path, known: dict[int, Taken]) -> Taken:
    """Kinds of the steps on ``path``, each with its place; shared steps are looked at once."""
    for step in path:
        if id(step) not in known:
            within = Taken().union(*(_taken(each, known) for each in step.inner))
            known[id(step)] = within | {(type(step), step.place)}
    return Taken().union(*(known[id(step)] for step in path))


def _working(place: Pool | Lock, holds: list[Hold], inside: Taken, found: Mapping[str, PlaceResult]) -> float:
    """The share in use for certain by holders who wait for nothing; 0 if that cannot be told.

    Shared holders of a lock overlap, so that the time for which it is held says nothing of how many more it has
    room for.
    """
    shared = isinstance(place, Lock) and not all(hold.exclusive for hold in holds)
    if shared or any(kind in (Gather, Custom) for kind, _ in inside):
        return 0.0
    waiting = fsum(found[each.name].queue for each in {each for _, each in inside} if each)
    gathered = fsum(found[each.name].utilisation for kind, each in inside if kind is Await and each)
    tokens = max((hold.tokens for hold in holds), default=0)
    return found[place.name].utilisation - tokens * (waiting + gathered) / capacity(place)
