"""What limits throughput: a place, the path of each client, or the load that is offered; and what places allow.

Three things are told apart. What a run has *seen*: how much of a place was in use, and who waited. What a place
*allows*: a bound that holds whatever else changes (`sim.analytic.bounds`), so that a place of which the model does
not say for certain what requests need has none. And what *limits*: more clients would get no more.

A place limits if it is needed nearly always. A station is needed while it serves; but of what a gathered batch
shares only half counts, as twice the clients make a batch that is at most twice as large. A pool or lock is needed
while it is held, unless its holders wait for work; where what serves them, or what they wait for, is needed nearly
always, too, that one limits. Where none of this is seen, most clients may still wait in one place: for what comes
out of a buffer, or for a lock that readers share. And where only some wait, the analytic engine is asked whether
twice the clients would get more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any, Literal

from sim.analytic.bounds import Bounds, bounds_of
from sim.errors import StacksimError
from sim.model.demands import capacity
from sim.model.identical import common_names
from sim.model.model import Model
from sim.model.places import Buffer, Gate, Place, Station
from sim.model.symmetry import Symmetry
from sim.model.uses import uses
from sim.model.workloads import Closed, Open, Workload
from sim.result import PlaceResult, Result
from sim.units.text import figure_text

SATURATED = 0.9
"""A place limits throughput if it is needed for this share of the time or more; below, latency limits it."""

MOST = 0.5
"""The share of all requests under way that wait at a place which limits, where its use does not tell."""

MIXED = 0.25
"""The same at a lock that is hardly ever free, which several readers hold at once while the others wait."""

SOME = 0.1
"""The share that waits somewhere, from which on the analytic engine is asked what twice the clients would get."""

NO_MORE = 1.05
"""Twice the clients get less than so many times as much where a place limits."""

AGREES = 0.15
"""The most by which the analytic engine misses what was seen, where it is asked about twice the clients."""

PERCENT = 0.01
"""Shares that differ by less are told as one."""

Kind = Literal["place", "path", "load"]

_USED = {"buffer": "filled", "cache": "filled", "lock": "held"}
"""What places of a kind are; the others are in use. A lock that is held may have room for more who share it."""

NO_PLACE = {"path": "latency: more clients would get more", "load": "the load offered"}
"""What limits throughput where no place does, in words."""


@dataclass(frozen=True)
class Limit:
    """Why throughput is not higher.

    Attributes:
        kind: ``place`` if more clients would get no more because of a place; ``path`` if none is saturated, and
            each client takes as long as its own path; ``load`` if all that arrives is served, so that throughput
            is the load offered.
        place: the place that limits, or else the one nearest to it; None if only delays are needed.
        family: the common name of that place and the places identical to it.
        identical: how many those are, the place itself included.
        allows: requests per second of the watched group that the place allows, whatever else changes; 0 where
            what requests need of it may change, too.
        reached: the share of the place that is needed.
        used: what that share of the place is: in use, held or filled if it was seen to be; or else ``needed``,
            with the share that was seen.
        throughput: requests per second of the watched group.
    """

    kind: Kind
    place: str | None = None
    family: str = ""
    identical: int = 0
    allows: float = 0.0
    reached: float = 0.0
    used: str = "needed"
    throughput: float = 0.0

    @property
    def short(self) -> str:
        """For a column of a table."""
        nearest = f"{self.family}, {self.reached:.0%}"
        if self.kind == "place":
            return nearest
        return f"{self.kind} ({nearest})" if self.place else self.kind

    def words(self, amount: float, unit: str) -> str:
        """What stands behind *limited by*; a request stands for ``amount`` ``unit``-seconds."""
        several = f" ({self.identical} identical)" if self.identical > 1 else ""
        place = f"{self.family}{several}, {self.reached:.0%} {self.used}"
        if self.kind == "place":
            tight = self.allows and self.throughput >= SATURATED * self.allows
            return f"{place}, which allows {figure_text(self.allows * amount, unit)}" if tight else place
        return f"{NO_PLACE[self.kind]}{f'; nearest to it: {place}' if self.place else ''}"

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``predict --json``."""
        return {"kind": self.kind, "place": self.place, "alike": self.identical, "reached": self.reached}


def used_words(kind: str) -> str:
    """What a place of this ``kind`` is for a share of the time or of its capacity: in use, held, or filled."""
    return _USED.get(kind, "in use")


def _used_of(seen: PlaceResult, reached: float) -> str:
    """What the share of a place that is ``reached`` is: used, or needed where another share is used."""
    if abs(seen.utilisation - reached) < PERCENT:
        return used_words(seen.kind)
    seen_too = f", {seen.utilisation:.0%} {used_words(seen.kind)}" if math.isfinite(seen.utilisation) else ""
    return f"needed{seen_too}"


def limit_of(model: Model, result: Result, folded: Symmetry | None = None) -> Limit:
    """What limits the watched group of ``model`` in the run of ``result``.

    Args:
        folded: what is identical, where ``result`` is of more of everything than ``model`` has.
    """
    seen = _Seen(model, result, Bounds(folded) if folded and folded.scaled_from else bounds_of(model))
    opened = all(isinstance(workload, Open) for workload in seen.watched)
    if all(isinstance(load, Open) and load.count is None and load.arrivals.rate for load in seen.watched):
        # Endless: were it more than a place allows, there were no steady state.
        return seen.limit("load", seen.nearest)
    if place := seen.limiting():
        return seen.limit("place", place)
    return seen.limit("load" if opened else "path", seen.nearest)


def held_alone(model: Model, result: Result) -> Limit | None:
    """The pool or lock, held nearly always, for which nobody waits as there are so few clients; the innermost."""
    seen = _Seen(model, result, bounds_of(model))
    place = seen.held_alone()
    return seen.limit("place", place) if place else None


class _Seen:
    """What a run has seen of the places that matter to the watched group."""

    def __init__(self, model: Model, result: Result, bounds: Bounds) -> None:
        self._model, self._result, self._uses, self._bounds = model, result, uses(model), bounds
        self.watched = [each for each in model.workloads if each.group == result.watched]
        self._places = self._met()
        self.needs = {place: need for place in self._places if (need := self._need(place)) > 0.0}

    @property
    def nearest(self) -> Place | None:
        """The place that is needed most."""
        return max(self.needs, key=lambda place: self.needs[place], default=None)

    def limit(self, kind: Kind, place: Place | None) -> Limit:
        """The limit of that ``kind``, at or near ``place``."""
        throughput = self._result.throughput.value
        if place is None:
            return Limit(kind, throughput=throughput)
        seen = self._seen(place)
        names = common_names(name for name, each in self._result.places.items() if each.kind == seen.kind)
        family = names[place.name]
        bound = next((each for each in self._result.limits if each.place == self._first[place].name), None)
        reached = min(1.0, self.needs.get(place, 1.0))
        held = self._uses.holding.get(place)
        if kind == "place" and held and (held.free or held.mixed):
            reached = seen.utilisation  # by others, too, who share it
        return Limit(
            kind=kind,
            place=place.name,
            family=family,
            identical=sum(name == family for name in names.values()),
            allows=bound.throughput if bound else 0.0,
            reached=reached,
            used=_used_of(seen, reached),
            throughput=throughput,
        )

    def limiting(self) -> Place | None:
        """The place that limits, if one does."""
        return self._saturated() or self._paced() or self._crowded() or self._of_no_use()

    def held_alone(self) -> Place | None:
        """As the function of that name."""
        held = [
            each for each in self._places if (how := self._uses.holding.get(each)) and how.free and not how.mixed
        ]
        full = [each for each in held if self._seen(each).utilisation >= SATURATED]
        return min(full, key=lambda place: len(self._inside(place)), default=None)

    def _saturated(self) -> Place | None:
        """The place that is needed nearly always, inside which nothing serves nearly always or is waited for."""
        full = [place for place, need in self.needs.items() if need >= SATURATED]
        within = {each for each in full if isinstance(each, Station) or self._seen(each).queue > 1.0 - SATURATED}
        inner = [place for place in full if not self._inside(place).intersection(within)]
        return max(
            inner or full, key=lambda place: (round(self.needs[place], 2), self._seen(place).queue), default=None
        )

    def _paced(self) -> Place | None:
        """A buffer whose other side is as fast as its own path lets it be."""
        rate = self._result.throughput.value
        for bound in self._bounds.paced(self._result.watched):
            if rate >= SATURATED * bound.throughput:
                return self._place(bound.place)
        return None

    def _crowded(self) -> Place | None:
        """The place at which most of the requests under way wait."""
        shares = {
            place: self._seen(place).queue / self._population / (MIXED if self._mixed(place) else MOST)
            for place in self._places
            if self._waited_for(place)
        }
        most = max(shares, key=lambda place: shares[place], default=None)
        return most if most and shares[most] >= 1.0 else None

    def _mixed(self, place: Place) -> bool:
        """Whether ``place`` is a lock that readers share and writers do not, and that is hardly ever free."""
        holding = self._uses.holding.get(place)
        if holding is None or not holding.mixed or any(isinstance(inner, Gate) for inner in holding.inside):
            return False  # readers that are gathered share what they wait for
        return self._seen(place).utilisation >= SATURATED

    def _of_no_use(self) -> Place | None:
        """Where most wait, if some do and twice the clients would get no more by the analytic engine."""
        waiting = {place: self._seen(place).queue for place in self._places if not isinstance(place, Gate)}
        few = sum(waiting.values()) < SOME * self._population
        if few or not _doubled_gains_nothing(self._model, self._result):
            return None
        return max(waiting, key=lambda place: waiting[place])

    @property
    def _population(self) -> float:
        return max(1.0, self._result.groups[self._result.watched].population)

    def _place(self, name: str) -> Place:
        return self._model.places[self._model.row_of[name]]

    def _seen(self, place: Place) -> PlaceResult:
        return self._result.places[place.name]

    def _full(self, buffer: Place) -> bool:
        """Whether those who wait at ``buffer`` want to put, and not to take, if only above a watermark."""
        watermark = buffer.high / buffer.capacity if isinstance(buffer, Buffer) else 0.0
        return self._seen(buffer).utilisation >= max(0.5, watermark)

    def _inside(self, place: Place) -> frozenset[Place]:
        held = self._uses.holding.get(place) or self._uses.windows.get(place)
        return held.inside - {place} if held else frozenset()

    def _waited_for(self, place: Place) -> bool:
        """Whether those who wait at ``place`` are requests that are held up there: not idle, not left behind."""
        if place in self._model.unwaited:
            return False
        if isinstance(place, Buffer):
            sides = {self._uses.puts_first.get((each.name, place)) for each in self.watched}
            return (
                place not in self._uses.batched and place not in self._uses.windows and self._full(place) in sides
            )
        holding = self._uses.holding.get(place)
        return holding is not None and not holding.free and place not in self._uses.batched

    def _need(self, place: Place) -> float:
        """The share of the servers, tokens or time of ``place`` that is needed."""
        seen, holding, window = self._seen(place), self._uses.holding.get(place), self._uses.windows.get(place)
        used, batched = seen.utilisation, place in self._uses.batched
        if (holding and (holding.free or (holding.asked and not seen.queue))) or (window and batched):
            return 0.0  # who finds it held goes another way
        if math.isnan(used) or (holding and (batched or holding.mixed)):
            return min(self._shares.get(self._first[place], 0.0), 1.0 if math.isnan(used) else used)
        if isinstance(place, Station):
            return used - 0.5 * self._shared(place) / place.servers
        if window:
            return min(1.0, window.used(used))
        if holding:
            idle = fsum(self._seen(inner).queue for inner in holding.idle if not self._full(inner))
            return min(1.0, (used * capacity(place) - idle * holding.tokens) / holding.full)
        return 0.0

    def _shared(self, place: Station) -> float:
        """Servers of ``place`` in use for what batches share, at most: whoever gathers one, it is one."""
        most: dict[Gate, float] = {}
        for each in self._uses.batches:
            most[each.gate] = max(most.get(each.gate, 0.0), each.demands.get(place, 0.0))
        return fsum(self._batches_per_s(gate) * demand for gate, demand in most.items())

    def _batches_per_s(self, gate: Gate) -> float:
        seen = self._seen(gate)
        return seen.visits / seen.batch if seen.batch else 0.0

    @cached_property
    def _shares(self) -> dict[Place, float]:
        rates = {name: group.throughput.value for name, group in self._result.groups.items()}
        return self._bounds.shares(rates, self._uses.batchers)

    @cached_property
    def _first(self) -> dict[Place, Place]:
        return self._bounds.first

    def _met(self) -> list[Place]:
        """The places that requests of the watched group visit, and where those are for whom they wait."""
        own = self._uses.waited if self._model.finite else self._uses.all
        new = set().union(*(own[each.name] for each in self.watched))
        met: set[Place] = set()
        while new:
            met |= new
            behind = (
                self._behind(place) for place in new if isinstance(place, Gate) or self._seen(place).queue > 0.0
            )
            new = set().union(*behind) - met
        return [place for place in self._model.places if place in met]

    def _behind(self, place: Place) -> Iterable[Place]:
        """The places that those visit for whom one waits at ``place``."""
        if isinstance(place, Buffer | Gate):
            return set().union(*(each for each in self._uses.all.values() if place in each))
        return self._inside(place)


def _doubled_gains_nothing(model: Model, result: Result) -> bool:
    """Whether the analytic engine says so of twice the clients of the watched group.

    Not if it cannot be asked, or says something else of the clients that there are than was seen.
    """
    watched = {id(each) for each in model.workloads if each.group == result.watched}
    holding, all_places = uses(model).holding, uses(model).all
    if model.finite or any(
        holding[place].free
        for each in model.workloads
        if id(each) in watched
        for place in all_places[each.name]
        if place in holding
    ):
        return False
    from sim.analytic.solve import solve  # lazily: most judgements do without

    try:
        once, twice = (
            solve(Model([_more(each, times) if id(each) in watched else each for each in model.workloads]))
            for times in (1, 2)
        )
    except StacksimError:
        return False
    now, then = (each.groups[result.watched].throughput for each in (once, twice))
    return abs(now / result.throughput.value - 1.0) < AGREES and then < NO_MORE * now


def _more(workload: Workload, times: int) -> Workload:
    return replace(workload, clients=times * workload.clients) if isinstance(workload, Closed) else workload
