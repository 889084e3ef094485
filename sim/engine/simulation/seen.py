"""Observations of a run on the places that matter to one group: use, waiting, and what is waited for.

A place limits if it is needed nearly always. A station is needed while it serves, a pool or lock while it is held,
unless its holders wait for work; of time shared by a gathered batch only half counts, as twice the clients make
the batch at most twice as large. A place inside, which serves the holders or makes them wait, is the limit if it
is needed nearly always, too, or if most of them wait there: threads are all busy, and memory is full of dirty
data, because a disk is busy. Otherwise most clients may still wait in one place: for what comes out
of a buffer, or for a lock that readers share.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from math import fsum

from sim.engine.analytic.bounds import Bounds, bounds_of
from sim.engine.model.demands import capacity
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer, Gate, Place, Station
from sim.engine.model.symmetry import Symmetry
from sim.engine.model.uses import paced_by, uses
from sim.engine.result import PlaceResult, Result
from sim.engine.simulation.more_clients import NO_MORE

SATURATED = 0.9
"""Share of the time from which a place that is needed limits throughput, by the run."""

MOST = 0.5
"""Share of all requests in flight that wait at a place which limits, if its use does not decide; of the time
for which a place is needed, from which twice the clients need all of it; or of holders who wait inside."""

NEARLY = 0.75
"""Share of waiting requests beyond doubt, so that more clients need not be tried."""

SOME = 0.1
"""Share of requests waiting at a place from which they count as a queue."""

NO_ROOM = 1.0 / NO_MORE
"""Share of the time from which a needed place certainly gives twice the clients less than ``NO_MORE``."""


class Seen:
    """Observations of a run on the places that matter to the watched group."""

    def __init__(self, model: Model, result: Result, folded: Symmetry) -> None:
        self._model, self.result, self.uses, self._folded = model, result, uses(model), folded
        self._bounds = Bounds(folded) if folded.scaled_from else bounds_of(model)
        self.watched = [each for each in model.workloads if each.group == result.watched]
        self._places = self._met()
        self.needs = {place: need for place in self._places if (need := self._need(place)) > 0.0}

    @property
    def nearest(self) -> Place | None:
        """The place that is needed most, internal ones apart; None if no place is needed."""
        told = (place for place in self.needs if place.role != "internal")
        return max(told, key=lambda place: self.needs[place], default=None)

    @cached_property
    def full(self) -> Place | None:
        """The place that limits by the run; None if there is none."""
        place = self._saturated() or self._paced() or self._crowded()
        return place and self._drained(place)

    def certain(self, place: Place) -> bool:
        """True if more clients cannot get more: some place has no time left, or nearly all wait at ``place``.

        Of several identical places others may be idle.
        """
        alone = self._folded.copies.get(place, 1) == 1
        return max(self.needs.values(), default=0.0) >= NO_ROOM or (
            alone and self._waiting.get(place, 0.0) >= NEARLY
        )

    def crowding(self, name: str | None) -> Place | None:
        """The place that keeps more clients from getting more, if needed most of the time or already waited for.

        Args:
            name: the place nearest to limiting twice the clients; None if only their throughput is known.
        """
        if name:
            place = self.named(name) if name in self._model.row_of else None
            return place if place and (place in self._waiting or self._pressure(place) >= MOST) else None
        if self._free:  # more clients may come with more such places
            return None
        if self._waiting:
            return self._most_waited_for()
        nearest = self.nearest
        return nearest if nearest and self.needs[nearest] >= MOST else None

    def held_alone(self) -> Place | None:
        """The innermost pool or lock, held nearly always, for which only twice the clients would wait."""
        alone = [each for each in self._free if self._doubled(each) > capacity(each)]
        full = [each for each in alone if self._used(each) >= NO_ROOM]
        return min(full, key=lambda place: len(self._inside(place)), default=None)

    def _saturated(self) -> Place | None:
        """The place that is needed nearly always; of several, the one where most wait."""
        nearly = [place for place, need in self.needs.items() if need >= SATURATED]
        return max(nearly, key=lambda place: (round(self.needs[place], 2), self.at(place).queue), default=None)

    def _drained(self, place: Place) -> Place:
        """``place``, or the place inside that is needed nearly always, or for which most of its holders wait."""
        known = {place}
        while inner := self._inner(place, known):
            known.add(inner)
            place = inner
        return place

    def _inner(self, place: Place, known: set[Place]) -> Place | None:
        needs = {each: self._pressure(each) for each in self._beyond(place) - known}
        inner = max(needs, key=lambda each: (round(needs[each], 2), each.name), default=None)
        at_work = round(self._at_work(place), 2)
        least = max(SATURATED if place in self.needs and at_work >= MOST else MOST, at_work)
        return inner if inner and round(needs[inner], 2) >= least else None

    def _pressure(self, place: Place) -> float:
        """Share of ``place`` that is needed; of a buffer, the relative speed of its other side."""
        return self.needs.get(place, self._drains.get(place, 0.0))

    def _beyond(self, place: Place) -> frozenset[Place]:
        """Places visited by holders of ``place`` meanwhile, or by those who empty or fill it."""
        inside = {place} | self._inside(place)
        sides = (
            self.uses.all[each.name]
            for each in self._model.workloads
            for buffer in inside & self._drains.keys()
            if each not in self.watched and buffer in self.uses.all[each.name]
        )
        return frozenset(inside.union(*sides))

    @cached_property
    def _drains(self) -> dict[Place, float]:
        """Speed of the other side of each buffer, as a share of what its own path allows."""
        rate = self.result.throughput.value
        paced = self._bounds.paced(self.result.watched)
        return {self.named(each.place): rate / each.throughput for each in paced}

    def _at_work(self, place: Place) -> float:
        """Share of ``place`` that is needed without holders who wait inside, if each visits all places there.

        Of a buffer that others fill or empty: their speed, as a share of what their own path allows.
        """
        how = self.uses.holding.get(place) or self.uses.windows.get(place)
        if how is None:
            return self._drains.get(place, 1.0)
        lone = how.full == 1  # then branches of the one holder may queue inside, except at buffers
        inside = [
            each
            for each in self._inside(place)
            if isinstance(each, Buffer) or not (lone or isinstance(each, Gate))
        ]
        holds = self._each(place) * self.at(place).visits
        visits = dict.fromkeys((self.first[each] for each in inside), 0.0)
        for each in inside:
            visits[self.first[each]] += self._each(each) * self.at(each).visits
        waiting = 0.0
        for each in inside:
            visitors = visits[self.first[each]]
            holders = 1.0 if isinstance(each, Buffer) or visitors <= holds else holds / visitors
            waiting += holders * self._each(each) * self.at(each).queue
        return self.needs.get(place, 1.0) - waiting / self._each(place) * how.tokens / how.full

    def _each(self, place: Place) -> float:
        """Number of places for which ``place`` of the model stands."""
        first = self.first[place]
        return self._folded.copies[first] / self._identical[first]

    @cached_property
    def _identical(self) -> Counter[Place]:
        """Number of identical places of the model, by the first of them."""
        return Counter(self.first[place] for place in self._model.places)

    def _paced(self) -> Place | None:
        """A buffer whose other side is as fast as its own path allows; None if there is none."""
        return next((place for place, share in self._drains.items() if share >= SATURATED), None)

    def _crowded(self) -> Place | None:
        """The place that holds up most of the requests in flight; None if there is none."""
        most = [each for each, share in self._waiting.items() if share >= MOST and self._waited_for(each)]
        return max(most, key=lambda place: self._waiting[place], default=None)

    def _most_waited_for(self) -> Place:
        """The place where most requests in flight wait; a buffer that others empty or fill only if no other."""
        kept = {each for each in self._waiting if not isinstance(each, Buffer) or each in self.uses.windows}
        return max(kept or self._waiting, key=lambda place: self._waiting[place])

    @cached_property
    def _waiting(self) -> dict[Place, float]:
        """Share of the requests in flight that wait at a place, and those identical to it, if not negligible."""
        queues = ((each, self.at(each).queue) for each in self._places if not isinstance(each, Gate))
        shares = {each: queue * self._folded.copies.get(each, 0) / self._population for each, queue in queues}
        return {each: share for each, share in shares.items() if share >= SOME}

    @cached_property
    def _free(self) -> list[Place]:
        """Pools and locks for which no request can ever wait: more clients may bring more of them along."""
        return [each for each in self._places if (how := self.uses.holding.get(each)) and how.free]

    def waiting_at(self, place: Place) -> float:
        """Mean number of requests that wait for ``place``; of a pace, those that wait at what it refills."""
        refilled = paced_by(self._model).get(place.name)
        return self.at(place).queue + (self.result.places[refilled].queue if refilled else 0.0)

    def _doubled(self, place: Place) -> float:
        """Tokens of ``place`` that all clients can want at once if the watched group is doubled."""
        more = fsum(self.uses.wanted[each.name].get(place, 0.0) for each in self.watched)
        return self.uses.holding[place].most + more

    @property
    def _population(self) -> float:
        return max(1.0, self.result.groups[self.result.watched].population)

    def named(self, name: str) -> Place:
        """The place ``name``."""
        return self._model.places[self._model.row_of[name]]

    def at(self, place: Place) -> PlaceResult:
        """The counted record of ``place``."""
        return self.result.places[place.name]

    def _full(self, buffer: Place) -> bool:
        """True if requests that wait at ``buffer`` want to put, not to take, perhaps only above a watermark."""
        least = max(self._middle(buffer), buffer.high / buffer.capacity) if isinstance(buffer, Buffer) else 0.5
        return self.at(buffer).utilisation >= least

    def _middle(self, buffer: Buffer) -> float:
        """Mean level, as a share, between that of a buffer whose takers wait and that of one whose putters wait.

        While takers wait for an amount, the level rises from 0 to it; while putters wait, it falls by theirs.
        Where as much is put as taken at once, the middle is a half; where all is taken at once, three quarters.
        """
        put, taken = (max(amounts, default=0) for amounts in self.uses.moves[buffer])
        return 0.5 + 0.25 * (taken - put) / buffer.capacity

    def _inside(self, place: Place) -> frozenset[Place]:
        """Places visited by holders of ``place``, or users of a window, except those held around it."""
        if held := self.uses.holding.get(place):
            return held.inside - {place}
        if window := self.uses.windows.get(place):
            around = {each for each, how in self.uses.holding.items() if place in how.inside}
            return window.inside - {place} - around
        return frozenset()

    def _waited_for(self, place: Place) -> bool:
        """True if requests that wait at ``place`` are held up there: neither idle nor left behind."""
        if place in self._model.unwaited:
            return False
        if isinstance(place, Buffer):
            sides = {self.uses.puts_first.get((each.name, place)) for each in self.watched}
            return place not in self.uses.batched and place not in self.uses.windows and self._full(place) in sides
        holding = self.uses.holding.get(place)
        if holding is None or holding.free or place in self.uses.batched:
            return False
        return not self._only_read(place)

    def _need(self, place: Place) -> float:
        """Share of the servers, tokens or time of ``place`` that is needed; 0 if more requests pass freely."""
        holding = self.uses.holding.get(place)
        around = holding and (holding.free or (holding.asked and not self.at(place).queue))
        return 0.0 if around or self._only_read(place) else self._used(place)

    def _only_read(self, place: Place) -> bool:
        """True if the watched group only shares the lock ``place``, which then lets any number in."""
        own = (each.places for each in self._bounds.needs if each.workload.group == self.result.watched)
        holding = self.uses.holding.get(place)
        return holding is not None and holding.mixed and not any(self.first[place] in places for places in own)

    def _used(self, place: Place) -> float:
        """Share of ``place`` that is needed, even if no request can ever wait there."""
        seen, holding, window = self.at(place), self.uses.holding.get(place), self.uses.windows.get(place)
        used, batched = seen.utilisation, place in self.uses.batched
        if window:
            return 0.0 if batched else min(1.0, window.used(used))
        if math.isnan(used) or (holding and (holding.mixed or (batched and holding.gates))):
            return min(self._shares.get(self.first[place], 0.0), 1.0 if math.isnan(used) else used)
        shared, of = self._shared(place), capacity(place)
        if isinstance(place, Station):
            return used - 0.5 * min(used, shared / of)  # a batch that gathers others counts with each of them
        if holding is None:
            return 0.0
        idle = fsum(self.at(inner).queue for inner in holding.idle if not self._full(inner))
        known = shared + of * self._shares.get(self.first[place], 0.0)
        saved = 0.5 * shared / known if shared else 0.0  # holders wait for a whole batch, or for each of it
        return min(1.0, (1.0 - saved) * (used * of - idle * holding.tokens) / holding.full)

    def _shared(self, place: Place) -> float:
        """Servers or tokens of ``place`` in use for work shared by whole batches; the largest of all gatherers."""
        most: dict[Gate, float] = {}
        for each in self.uses.batches:
            most[each.gate] = max(most.get(each.gate, 0.0), each.demands.get(place, 0.0))
        return fsum(self._batches_per_s(gate) * demand for gate, demand in most.items())

    def _batches_per_s(self, gate: Gate) -> float:
        seen = self.at(gate)
        return seen.visits / seen.batch if seen.batch else 0.0

    @cached_property
    def _shares(self) -> dict[Place, float]:
        rates = {name: group.throughput.value for name, group in self.result.groups.items()}
        return self._bounds.shares(rates, self.uses.batchers)

    @cached_property
    def first(self) -> dict[Place, Place]:
        """The first of identical places, which stands for all."""
        return self._bounds.first

    def _met(self) -> list[Place]:
        """Places visited by watched requests, and by those for whom they wait."""
        own = self.uses.waited if self._model.finite else self.uses.all
        new = set().union(*(own[each.name] for each in self.watched))
        met: set[Place] = set()
        while new:
            met |= new
            behind = (
                self._behind(place) for place in new if isinstance(place, Gate) or self.at(place).queue > 0.0
            )
            new = set().union(*behind) - met
        return [place for place in self._model.places if place in met]

    def _behind(self, place: Place) -> Iterable[Place]:
        """Places visited by those for whom a request at ``place`` waits."""
        if isinstance(place, Buffer | Gate):
            return set().union(*(each for each in self.uses.all.values() if place in each))
        return self._inside(place)
