"""The limit of throughput: a place, the path of each client, or the offered load; and bounds by places.

Three things are distinguished. What a run has *seen*: how much of a place was in use, and who waited. What a place
*allows*: a bound that holds whatever else changes (`sim.engine.analytic.bounds`), so that a place has none if the
model does not determine its demand. And what *limits*: twice the clients would get no more.

The run shows which place is needed nearly always (`sim.engine.simulation.seen`). Unless a place has no time
left, more clients are tried (`sim.engine.simulation.more_clients`): by a brief run of the same system with twice
as many, or else by the analytic engine, whose ratio is far more accurate than either throughput.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from sim.engine.model.identical import common_names
from sim.engine.model.model import Model
from sim.engine.model.places import Place, Role
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.model.workloads import Open
from sim.engine.result import Bound, PlaceResult, Result
from sim.engine.simulation.more_clients import NO_MORE, MoreClients
from sim.engine.simulation.seen import SATURATED, Seen
from sim.engine.units.text import figure_text, number_text

PERCENT = 0.01
"""Shares that differ by less are printed as one."""

Kind = Literal["place", "path", "load"]

State = Literal["saturated", "throttled", "latency-bound", "not saturated"]

_HELPS = {
    "station": "more or faster {0}",
    "pool": "more of {0}, or a shorter use of each",
    "lock": "a shorter hold of {0}",
}
"""Relief of a kind of place; of a buffer it depends on who empties and who fills it."""

_USED = {"buffer": "filled", "cache": "filled", "lock": "held"}
"""Words for the use of a kind of place; others are in use. A held lock may let in more who share it."""


@dataclass(frozen=True)
class Limit:
    """Why throughput is not higher.

    Attributes:
        kind: ``place`` if more clients would get no more because of a place; ``path`` if none is saturated, and
            each client takes as long as its own path; ``load`` if all that arrives is served, so that throughput
            is the load offered.
        place: the place that limits, or else the one nearest to it; None if requests use only delays.
        family: the common name of that place and the places identical to it.
        identical: number of identical places, including the place itself.
        allows: requests per second of the watched group that the place allows, whatever else changes; 0 if
            their demand may change, too, or if a run that was cut short has seen more.
        reached: the share of the place that is needed.
        used: word for that share of the place: in use, held or filled if the run shows it; or else ``needed``,
            with the share that was seen.
        throughput: requests per second of the watched group.
        beyond: the place that keeps more clients from getting more, though present clients hardly need it.
        brought_by: settings whose increase adds clients that have such a place of their own.
        role: what the place is to a reader (`sim.engine.model.places.Place`).
        place_kind: its kind, such as ``station``.
        own: True if that place is needed nearly always, but each client has one of its own.
        waiting: mean number of requests that wait for it.
        gaining, idle: what the settings that add clients count, such as ``jobs``, with and without a gain; both
            empty if that is not known.
    """

    kind: Kind
    place: str | None = None
    family: str = ""
    identical: int = 0
    allows: float = 0.0
    reached: float = 0.0
    used: str = "needed"
    throughput: float = 0.0
    beyond: str = ""
    brought_by: tuple[str, ...] = ()
    gaining: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    role: Role = "resource"
    place_kind: str = ""
    own: bool = False
    waiting: float = 0.0

    @property
    def state(self) -> State:
        """The kind of limit in the words of the field."""
        if self.kind == "place":
            return "throttled" if self.role == "throttle" else "saturated"
        return "latency-bound" if self.kind == "path" else "not saturated"

    @property
    def short(self) -> str:
        """Text for a column of a table."""
        nearest = f"{self.family}{marked(self.role)}, {self.reached:.0%}"
        if self.kind == "place":
            return f"{self.state}: {nearest}"
        return f"{self.state} ({nearest})" if self.place else self.state

    def words(self, amount: float, unit: str) -> str:
        """The limit as text; throughput is printed as requests per second times ``amount``, in ``unit``."""
        several = f" ({self.identical} identical)" if self.identical > 1 else ""
        place = f"{self.family}{marked(self.role)}{several}, {self.reached:.0%} {self.used}"
        if self.kind == "place":
            tight = self.allows and self.throughput >= SATURATED * self.allows
            allows = f", allows {figure_text(self.allows * amount, unit)}" if tight else ""
            counted = self.role == "throttle" and math.isfinite(self.waiting)
            waits = f"; {number_text(self.waiting, 3)} requests wait" if counted else ""
            return f"{self.state}: {place}{allows}{waits}"
        if self.own:
            return f"{self.state}: each client waits for a place of its own: {place}"
        return f"{self.without_place}{f'; busiest resource: {place}' if self.place else ''}"

    @property
    def without_place(self) -> str:
        """The limit in words, if it is no place."""
        if self.kind == "load":
            return f"{self.state}: the offered load is served"
        return f"{self.state}: each client waits for its own request"

    @property
    def helps(self) -> str:
        """Measures that would raise throughput, as far as the limit itself says."""
        if self.kind == "load":
            return "more load: nothing is saturated"
        if self.kind == "path":
            return self._shorter
        if self.brought_by:
            return f"more {' or '.join(self.brought_by)}, as each brings its own"
        if self.role == "stand-in":
            return f"not known: {self.family} stands in for an unknown mechanism"
        if self.role == "throttle":
            return f"a higher limit of {self.family}"
        return _HELPS.get(self.place_kind, "").format(self.family)

    @property
    def relieved(self) -> bool:
        """True if `helps` relieves the limiting place alone, so that bounds by the others stay."""
        return self.kind == "place" and not self.brought_by and self.role != "stand-in"

    @property
    def _shorter(self) -> str:
        """Measures for clients of which each waits for its own request."""
        shorter = "a shorter time per request"
        gaining = self.gaining or (() if self.idle else ("clients",))
        more = f"more {' or '.join(gaining)}, or {shorter}" if gaining else shorter
        limited = f", limited by {self.beyond}" if self.beyond else ""
        return f"{more}; not more {' or '.join(self.idle)}{limited}" if self.idle else more


def marked(role: Role) -> str:
    """Mark after the name of a place that only stands in for something."""
    return " (stand-in)" if role == "stand-in" else ""


def used_words(kind: str) -> str:
    """Word for the use of a place of this ``kind``: in use, held, or filled."""
    return _USED.get(kind, "in use")


def _used_of(seen: PlaceResult, reached: float) -> str:
    """Word for the share ``reached`` of a place: used, or needed if another share is in use."""
    if abs(seen.utilisation - reached) < PERCENT:
        return used_words(seen.kind)
    seen_too = f", {seen.utilisation:.0%} {used_words(seen.kind)}" if math.isfinite(seen.utilisation) else ""
    return f"needed{seen_too}"


def limit_of(
    model: Model, result: Result, folded: Symmetry | None = None, more: MoreClients | None = None
) -> Limit:
    """The limit of the watched group of ``model`` in the run of ``result``.

    Args:
        folded: the lumped model, if ``result`` is of a larger system than ``model``.
        more: predictions for more clients; by default by the analytic engine.
    """
    folded = folded if folded and folded.scaled_from else symmetry(model)
    more = more or MoreClients(folded, result.watched)
    seen = Seen(model, result, folded)
    opened = all(isinstance(workload, Open) for workload in seen.watched)
    if all(isinstance(load, Open) and load.count is None and load.arrivals.rate for load in seen.watched):
        # Endless: were it more than a place allows, there were no steady state.
        return _limit(seen, "load", seen.nearest)
    place = seen.full
    if place and more.bring(place):
        return replace(_limit(seen, "path", place), own=True, gaining=more.adding())
    beyond, twice = "", None
    if not (place and seen.certain(place)) and (twice := more.twice()):
        place = None if twice.gain >= NO_MORE else place or seen.crowding(twice.place)
        beyond = twice.place if twice.gain < NO_MORE and twice.place else ""
    if place is None and (alone := seen.held_alone()) and more.share(alone):
        place = alone
    if place:
        return replace(_limit(seen, "place", place), brought_by=more.brought_by(place))
    gaining, idle = more.gaining(twice)
    path = _limit(seen, "load" if opened else "path", seen.nearest)
    return replace(path, beyond=beyond, gaining=gaining, idle=idle)


def nearest_place(model: Model, result: Result) -> str | None:
    """Name of the place that limits by ``result``, or else of the one nearest to it."""
    seen = Seen(model, result, symmetry(model))
    place = seen.full or seen.nearest
    return place.name if place else None


def _limit(seen: Seen, kind: Kind, place: Place | None) -> Limit:
    """The limit of ``kind`` at or near ``place``."""
    throughput = seen.result.throughput.value
    if place is None:
        return Limit(kind, throughput=throughput)
    counted = seen.at(place)
    names = common_names(name for name, each in seen.result.places.items() if each.kind == counted.kind)
    family = names[place.name]
    bound = next((each for each in seen.result.limits if each.place == seen.first[place].name), None)
    reached = min(1.0, seen.needs.get(place, 1.0))
    held = seen.uses.holding.get(place)
    if kind == "place" and held and (held.free or held.mixed):
        reached = counted.utilisation  # by others, too, who share it
    return Limit(
        kind=kind,
        place=place.name,
        family=family,
        identical=sum(name == family for name in names.values()),
        allows=bound.throughput if bound and not _only_seen(bound, seen.result) else 0.0,
        reached=reached,
        used=_used_of(counted, reached),
        throughput=throughput,
        role=place.role,
        place_kind=counted.kind,
        waiting=seen.waiting_at(place),
    )


def _only_seen(bound: Bound, result: Result) -> bool:
    """True if ``bound`` was raised to a throughput that is not known."""
    return not result.throughput.known and bound.throughput <= result.throughput.value
