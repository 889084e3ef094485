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
from typing import Any, Literal

from sim.model.demands import capacity
from sim.model.identical import common_names
from sim.model.model import Model
from sim.model.once import once_for_each
from sim.model.places import Lock, Place, Pool, Station
from sim.model.steps import Await, Custom, Gather, Hold, Path, Step
from sim.model.workloads import Open, Workload
from sim.result import Bound, PlaceResult, Result
from sim.units.text import figure_text

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
        allowed = f"{figure_text(self.allows * amount, unit)}: {self.reached:.0%} reached"
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
            inside = held.get(place)
            working = inside.working(used, places) if inside else used
            shares[place.name] = min(used, max(least[place], working))
    return shares


@dataclass(frozen=True)
class _Inside:
    """What is known of the holders of one place before a run.

    Attributes:
        told: whether how many wait inside says how many work there. Shared holders of a lock overlap, so that the
            time for which it is held does not say how many more it has room for.
        tokens: the most that one of them holds.
        capacity: of the place.
        waited: the names of the places inside.
        gates: the names of the gates at which they may be gathered.
    """

    told: bool
    tokens: int
    capacity: int
    waited: tuple[str, ...]
    gates: tuple[str, ...]

    @classmethod
    def of(cls, place: Place, holds: list[Hold], kinds: StepKinds) -> _Inside:
        """That of ``holds`` of ``place``, with steps of these ``kinds`` inside."""
        shared = isinstance(place, Lock) and not all(hold.exclusive for hold in holds)
        return cls(
            told=not shared and not any(kind in (Gather, Custom) for kind, _ in kinds),
            tokens=max(hold.tokens for hold in holds),
            capacity=capacity(place),
            waited=tuple({waited.name: None for _, waited in kinds if waited}),
            gates=tuple(gate.name for kind, gate in kinds if kind is Await and gate),
        )

    def working(self, used: float, places: Mapping[str, PlaceResult]) -> float:
        """The share of the place, ``used`` so much, whose holders certainly wait for nothing; 0 if not told."""
        if not self.told:
            return 0.0
        waiting = fsum(places[name].queue for name in self.waited)
        gathered = fsum(places[name].utilisation for name in self.gates)
        return used - self.tokens * (waiting + gathered) / self.capacity


@once_for_each
def _held(model: Model) -> dict[Place, _Inside]:
    """What is known of the holders of each place that is held."""
    holds: dict[Place, list[Hold]] = {}
    for step in model.steps():
        if isinstance(step, Hold):
            holds.setdefault(step.held, []).append(step)
    kinds_of: dict[int, StepKinds] = {}
    return {
        place: _Inside.of(place, here, StepKinds().union(*(_step_kinds(hold.steps, kinds_of) for hold in here)))
        for place, here in holds.items()
    }


def _step_kinds(path: Path, kinds_of: dict[int, StepKinds]) -> StepKinds:
    """Kinds of the steps on ``path``, each with its place; ``kinds_of`` keeps those inside shared steps."""
    kinds: set[tuple[type[Step], Place | None]] = set()
    for step in path:
        kinds.add((type(step), step.place))
        if step.inner:
            if id(step) not in kinds_of:
                kinds_of[id(step)] = StepKinds().union(*(_step_kinds(inner, kinds_of) for inner in step.inner))
            kinds |= kinds_of[id(step)]
    return StepKinds(kinds)
