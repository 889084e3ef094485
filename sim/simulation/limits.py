"""What limits throughput: a place that is full, the path of each client, or the load that is offered.

A place can limit only by what it is needed for. A station is needed while it serves. A pool or lock is needed
while it is held, less the time that its holders wait inside for something else: a pool that is full because its
holders queue elsewhere does not limit. How long holders wait inside is not recorded, only how many clients wait at
each place on average. So all who wait at the places inside are taken off, whoever they are, and what is left is a
lower bound. Another lower bound is the time that the steps inside take without waiting; the larger one counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any, Literal, Self

from sim.model.demands import capacity
from sim.model.identical import common_names
from sim.model.model import Model
from sim.model.once import once_for_each
from sim.model.places import Lock, Place, Pool, Station
from sim.model.steps import Await, Custom, Gather, Hold, Path, Step
from sim.model.workloads import Open, Workload
from sim.result import Bound, PlaceResult, Result

SATURATED = 0.9
"""A place limits throughput if it is needed for this share of the time or more; below, latency limits it."""

Kind = Literal["place", "path", "load"]

StepKinds = frozenset[tuple[type[Step], Place | None]]
"""Kinds of steps, each with its place."""

NO_PLACE = {"path": "each client's own path", "load": "the load offered"}
"""What limits throughput where no place does, in words."""


@dataclass(frozen=True)
class Limit:
    """Why throughput is not higher.

    Attributes:
        kind: ``place`` if a place is full; ``path`` if none is, and each client takes as long as its own path;
            ``load`` if all that arrives is served, so that throughput is the load offered.
        place: the place that is needed most; None if only delays are needed.
        family: the common name of that place and the places identical to it.
        identical: how many those are, the place itself included.
        allows: requests per second of the watched group if that place were always in use.
        reached: the share of that which is reached.
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
        """What stands behind *limited by*; a request stands for ``amount`` ``unit``-seconds."""
        allowed = f"{self.allows * amount:.4g} {unit}: {self.reached:.0%} reached"
        several = f" ({self.identical} identical)" if self.identical > 1 else ""
        if self.kind == "place":
            return f"{self.family}{several}, which allows {allowed}"
        nearest = f"; the nearest place, {self.family}{several}, would allow {allowed}" if self.place else ""
        return f"{NO_PLACE[self.kind]}{nearest}"

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``predict --json``."""
        return {"kind": self.kind, "place": self.place, "alike": self.identical, "reached": self.reached}


def lowest_bounds(result: Result) -> tuple[Bound, ...]:
    """The bounds of places, the lowest first; of identical places the lowest, under their common name."""
    names = common_names(bound.place for bound in result.limits)
    families: dict[str, Bound] = {}
    for bound in result.limits:
        families.setdefault(names[bound.place], Bound(names[bound.place], bound.throughput))
    return tuple(families.values())


def limit_of(model: Model, result: Result) -> Limit:
    """What limits the watched group of ``model`` in the run of ``result``."""
    workloads = [workload for workload in model.workloads if workload.group == result.watched]
    bound = result.bound
    if bound is None:
        return Limit("load" if all(isinstance(workload, Open) for workload in workloads) else "path")
    reached = min(1.0, result.throughput.value / bound.throughput)
    kind = result.places[bound.place].kind
    names = common_names(name for name, place in result.places.items() if place.kind == kind)
    family = names[bound.place]
    return Limit(
        kind=_kind(workloads, reached),
        place=bound.place,
        family=family,
        identical=sum(name == family for name in names.values()),
        allows=bound.throughput,
        reached=reached,
    )


def _kind(workloads: list[Workload], reached: float) -> Kind:
    """What limits ``workloads`` when the place that is needed most has ``reached`` this share of its bound."""
    if all(isinstance(load, Open) and load.count is None and load.arrivals.rate for load in workloads):
        return "load"  # endless: were it more than a place allows, there would be no steady state
    if reached >= SATURATED:
        return "place"
    return "load" if all(isinstance(load, Open) for load in workloads) else "path"


def needs(model: Model, least: Mapping[Place, float], places: Mapping[str, PlaceResult]) -> dict[str, float]:
    """The share of its servers, tokens or time for which each place of ``model`` is needed, by its name.

    Args:
        least: a lower bound of the same: the mean demand of paths, without waiting.
        places: the results of all places, by name.
    """
    held = _held(model)
    shares = {}
    for place in model.places:
        used = places[place.name].utilisation
        if isinstance(place, Station):
            shares[place.name] = used
        elif isinstance(place, Pool | Lock):
            holds = held.get(place, _NO_HOLDS)
            shares[place.name] = min(used, max(least[place], _working(place, holds, places)))
    return shares


@once_for_each
def _held(model: Model) -> dict[Place, _Holds]:
    """The holds of each place that is held."""
    holds: dict[Place, list[Hold]] = {}
    for step in model.steps():
        if isinstance(step, Hold):
            holds.setdefault(step.held, []).append(step)
    kinds_of: dict[int, StepKinds] = {}
    return {
        place: _Holds.of(here, StepKinds().union(*(_step_kinds(hold.steps, kinds_of) for hold in here)))
        for place, here in holds.items()
    }


@dataclass(frozen=True)
class _Holds:
    """All holds of one place.

    Attributes:
        tokens: the most that one of them takes; 0 without any.
        exclusive: whether all of them are.
        told: whether it can be told what holders wait for.
        waits_at: the names of the places of all steps inside.
        gathered_at: the names of the gates among them where holders wait to be woken.
    """

    tokens: int
    exclusive: bool
    told: bool
    waits_at: tuple[str, ...]
    gathered_at: tuple[str, ...]

    @classmethod
    def of(cls, holds: list[Hold], inside: StepKinds) -> Self:
        """``holds``, with the kinds of the steps inside them."""
        return cls(
            tokens=max((hold.tokens for hold in holds), default=0),
            exclusive=all(hold.exclusive for hold in holds),
            told=not any(kind in (Gather, Custom) for kind, _ in inside),
            waits_at=tuple({waited.name for _, waited in inside if waited}),
            gathered_at=tuple(gate.name for kind, gate in inside if kind is Await and gate),
        )


_NO_HOLDS = _Holds.of([], StepKinds())


def _step_kinds(path: Path, kinds_of: dict[int, StepKinds]) -> StepKinds:
    """Kinds of the steps on ``path``, each with its place; ``kinds_of`` keeps those of shared steps."""
    for step in path:
        if not step.inner:
            kinds_of[id(step)] = frozenset(((type(step), step.place),))
        elif id(step) not in kinds_of:
            inner = StepKinds().union(*(_step_kinds(inner_path, kinds_of) for inner_path in step.inner))
            kinds_of[id(step)] = inner | {(type(step), step.place)}
    return StepKinds().union(*(kinds_of[id(step)] for step in path))


def _working(place: Pool | Lock, holds: _Holds, places: Mapping[str, PlaceResult]) -> float:
    """The share of ``place`` that is certainly in use by holders who wait for nothing; 0 if that cannot be told.

    Shared holders of a lock overlap, so that the time for which it is held does not say how many more it has room
    for.
    """
    if not holds.told or (isinstance(place, Lock) and not holds.exclusive):
        return 0.0
    waiting = fsum([places[name].queue for name in holds.waits_at])
    gathered = fsum([places[name].utilisation for name in holds.gathered_at])
    return places[place.name].utilisation - holds.tokens * (waiting + gathered) / capacity(place)
