"""What limits throughput: a place, the path of each client, or the load that is offered; and what places allow.

Three things are told apart. What a run has *seen*: how much of a place was in use, and who waited. What a place
*allows*: a bound that holds whatever else changes (`sim.analytic.bounds`), so that a place of which the model does
not say for certain what requests need has none. And what *limits*: twice the clients would get no more.

A place limits if it is needed nearly always. A station is needed while it serves, a pool or lock while it is held,
unless its holders wait for work; but of what a gathered batch shares only half counts, as twice the clients make
it at most twice as large. Where what serves the holders, or what they wait for, is needed nearly always, too, that
one limits. Where none of this is seen, most clients may still wait in one place: for what comes out of a buffer,
or for a lock that readers share. Unless a place has no time left, the analytic engine is asked what twice the
clients would get; it is believed, for that ratio is known far better than either throughput.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any, Literal

from sim.analytic.bounds import Bounds, bounds_of
from sim.model.demands import capacity
from sim.model.identical import common_names
from sim.model.model import Model
from sim.model.places import Buffer, Gate, Place, Station
from sim.model.symmetry import Symmetry, symmetry
from sim.model.uses import uses
from sim.model.workloads import Open
from sim.result import PlaceResult, Result
from sim.simulation.more_clients import NO_MORE, MoreClients
from sim.units.text import figure_text

SATURATED = 0.9
"""A place limits throughput if it is needed for this share of the time or more, as far as a run tells."""

MOST = 0.5
"""The share of all requests under way that wait at a place which limits, where its use does not tell."""

NEARLY = 0.75
"""The same where there is no doubt, so that nobody is asked what more clients would get."""

SOME = 0.1
"""The share that waits somewhere from which on it is a queue."""

NO_ROOM = 1.0 / NO_MORE
"""A place that is needed for this share of the time or more gives them less than that for certain."""

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


def limit_of(
    model: Model, result: Result, folded: Symmetry | None = None, more: MoreClients | None = None
) -> Limit:
    """What limits the watched group of ``model`` in the run of ``result``.

    Args:
        folded: what is identical, where ``result`` is of more of everything than ``model`` has.
        more: what is known of more clients; by default what the analytic engine says.
    """
    folded = folded if folded and folded.scaled_from else symmetry(model)
    more = more or MoreClients(folded, result.watched)
    seen = _Seen(model, result, folded)
    opened = all(isinstance(workload, Open) for workload in seen.watched)
    if all(isinstance(load, Open) and load.count is None and load.arrivals.rate for load in seen.watched):
        # Endless: were it more than a place allows, there were no steady state.
        return seen.limit("load", seen.nearest)
    place = seen.full
    if place and more.bring(place):
        return seen.limit("path", place)
    if not (place and seen.certain(place)) and (twice := more.twice()):
        place = None if twice.gain >= NO_MORE else place or seen.beyond(twice.place)
    if place is None and (alone := seen.held_alone()) and more.share(alone):
        place = alone
    if place:
        return seen.limit("place", place)
    return seen.limit("load" if opened else "path", seen.nearest)


def nearest_place(model: Model, result: Result) -> str | None:
    """The place that limits as far as ``result`` tells, or else the one nearest to it."""
    seen = _Seen(model, result, symmetry(model))
    place = seen.full or seen.nearest
    return place and place.name


class _Seen:
    """What a run has seen of the places that matter to the watched group."""

    def __init__(self, model: Model, result: Result, folded: Symmetry) -> None:
        self._model, self._result, self._uses, self._folded = model, result, uses(model), folded
        self._bounds = Bounds(folded) if folded.scaled_from else bounds_of(model)
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

    @cached_property
    def full(self) -> Place | None:
        """The place that limits as far as a run tells, if one does."""
        place = self._saturated() or self._paced() or self._crowded()
        return place and self._drained(place)

    def certain(self, place: Place) -> bool:
        """Whether more clients cannot have more: some place has no time left, or nearly all wait at ``place``.

        Of several places that are identical others may have nothing to do.
        """
        alone = self._folded.copies.get(place, 1) == 1
        return max(self.needs.values(), default=0.0) >= NO_ROOM or (
            alone and self._waiting.get(place, 0.0) >= NEARLY
        )

    def beyond(self, name: str | None) -> Place | None:
        """What keeps more clients from having more: the place of that ``name``, or where most wait or need it."""
        if name in self._model.row_of:
            return self._place(name)
        if self._free:  # they might bring more of what they share now
            return None
        if self._waiting:
            return self._most_waited_for()
        nearest = self.nearest
        return nearest if nearest and self.needs[nearest] >= MOST else None

    def held_alone(self) -> Place | None:
        """The pool or lock, held nearly always, for which only twice the clients would wait; the innermost."""
        alone = [each for each in self._free if self._doubled(each) > capacity(each)]
        full = [each for each in alone if self._used(each) >= NO_ROOM]
        return min(full, key=lambda place: len(self._inside(place)), default=None)

    def _saturated(self) -> Place | None:
        """The place that is needed nearly always; of several, where most wait."""
        nearly = [place for place, need in self.needs.items() if need >= SATURATED]
        return max(nearly, key=lambda place: (round(self.needs[place], 2), self._seen(place).queue), default=None)

    def _drained(self, place: Place) -> Place:
        """``place``, or what is needed nearly always inside it, or for what most who hold it wait."""
        known = {place}
        while inner := self._inner(place, known):
            known.add(inner)
            place = inner
        return place

    def _inner(self, place: Place, known: set[Place]) -> Place | None:
        inside = [each for each in self._inside(place) if each in self.needs and each not in known]
        inner = max(inside, key=lambda each: self.needs[each], default=None)
        at_work = round(self._at_work(place), 2)
        least = MOST if at_work < MOST else max(SATURATED, at_work)
        return inner if inner and round(self.needs[inner], 2) >= least else None

    def _at_work(self, place: Place) -> float:
        """The share of ``place`` that is needed by holders who wait nowhere inside, if each visits all that is there."""
        how = self._uses.holding.get(place) or self._uses.windows.get(place)
        if how is None:
            return 1.0
        inside = [each for each in self._inside(place) if not isinstance(each, Gate)]
        visits = Counter[Place]()
        for each in inside:
            visits[self._first[each]] += self._seen(each).visits * self._for_each(place, each)
        holds = self._seen(place).visits
        waiting = fsum(
            self._seen(each).queue * self._for_each(place, each) * min(1.0, holds / visits[self._first[each]])
            for each in inside
            if self._seen(each).queue
        )
        return self.needs.get(place, 1.0) - waiting * how.tokens / how.full

    def _for_each(self, place: Place, inner: Place) -> float:
        """Places that ``inner`` stands for, for each that ``place`` stands for."""
        copies = self._folded.copies
        return copies[inner] / copies[place] if self._folded.scaled_from else 1.0

    def _paced(self) -> Place | None:
        """A buffer whose other side is as fast as its own path lets it be."""
        rate = self._result.throughput.value
        for bound in self._bounds.paced(self._result.watched):
            if rate >= SATURATED * bound.throughput:
                return self._place(bound.place)
        return None

    def _crowded(self) -> Place | None:
        """The place at which most of the requests under way are held up."""
        most = [each for each, share in self._waiting.items() if share >= MOST and self._waited_for(each)]
        return max(most, key=lambda place: self._waiting[place], default=None)

    def _most_waited_for(self) -> Place:
        """Where most of the requests under way wait; at a buffer that others empty or fill if nowhere else."""
        kept = {each for each in self._waiting if not isinstance(each, Buffer) or each in self._uses.windows}
        return max(kept or self._waiting, key=lambda place: self._waiting[place])

    @cached_property
    def _waiting(self) -> dict[Place, float]:
        """The share of the requests under way that wait at a place, and those identical to it, where some do."""
        queues = ((each, self._seen(each).queue) for each in self._places if not isinstance(each, Gate))
        shares = {each: queue * self._folded.copies.get(each, 0) / self._population for each, queue in queues}
        return {each: share for each, share in shares.items() if share >= SOME}

    @cached_property
    def _free(self) -> list[Place]:
        """Pools and locks for which nobody can ever wait: more clients may bring more of them along."""
        return [each for each in self._places if (how := self._uses.holding.get(each)) and how.free]

    def _doubled(self, place: Place) -> float:
        """Tokens of ``place`` that all clients can want at once if the watched group has twice as many."""
        more = fsum(self._uses.wanted[each.name].get(place, 0.0) for each in self.watched)
        return self._uses.holding[place].most + more

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
        if holding is None or holding.free or place in self._uses.batched:
            return False
        return not self._only_read(place)

    def _need(self, place: Place) -> float:
        """The share of the servers, tokens or time of ``place`` that is needed; none where more get by."""
        holding = self._uses.holding.get(place)
        around = holding and (holding.free or (holding.asked and not self._seen(place).queue))
        return 0.0 if around or self._only_read(place) else self._used(place)

    def _only_read(self, place: Place) -> bool:
        """Whether the watched group always shares the lock ``place``: however many, it lets them in together."""
        own = (each.places for each in self._bounds.needs if each.workload.group == self._result.watched)
        holding = self._uses.holding.get(place)
        return holding is not None and holding.mixed and not any(self._first[place] in places for places in own)

    def _used(self, place: Place) -> float:
        """The same even if nobody can ever wait there."""
        seen, holding, window = self._seen(place), self._uses.holding.get(place), self._uses.windows.get(place)
        used, batched = seen.utilisation, place in self._uses.batched
        if window:
            return 0.0 if batched else min(1.0, window.used(used))
        if math.isnan(used) or (holding and (holding.mixed or (batched and holding.gates))):
            return min(self._shares.get(self._first[place], 0.0), 1.0 if math.isnan(used) else used)
        shared, of = self._shared(place), capacity(place)
        if isinstance(place, Station):
            return used - 0.5 * min(used, shared / of)  # a batch that gathers others counts with each of them
        if holding is None:
            return 0.0
        idle = fsum(self._seen(inner).queue for inner in holding.idle if not self._full(inner))
        known = shared + of * self._shares.get(self._first[place], 0.0)
        saved = 0.5 * shared / known if shared else 0.0  # who holds it waits for all of a batch, or for each
        return min(1.0, (1.0 - saved) * (used * of - idle * holding.tokens) / holding.full)

    def _shared(self, place: Place) -> float:
        """Servers or tokens of ``place`` in use for what batches share, at most: whoever gathers, it is one."""
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
