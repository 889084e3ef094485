"""The places of an animation: their selection, order and grouping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.engine.model.identical import common_names
from sim.engine.model.model import Model
from sim.engine.model.places import Lock, Place, Pool, Station
from stacksim.animation.dots import BRANCHES, TIME, Dot

SIDE_BY_SIDE = 4
"""Largest number of identical places that are drawn separately; more are drawn as one."""


@dataclass(frozen=True)
class Row:
    """A place, or identical places drawn as one.

    Attributes:
        kind: station, lock, pool, buffer or gate; ``time`` where time passes at no place; ``branches`` where
            requests wait for those that they have forked.
        room: servers or tokens of all its places; 1 for each lock; 0 if there is no such number.
        places: the names of the places.
        band: rows of one band stand side by side.
    """

    name: str
    kind: str
    room: int
    places: tuple[str, ...]
    band: str


def rows(model: Model, dots: Sequence[Dot]) -> list[Row]:
    """The places that ``dots`` visit or hold, in the order of the path.

    Branches follow the place after which they are first waited for; time at no place comes last.
    """
    met = _met(dots)
    order = [place.name for place in model.places if place.name in met]
    for special in (TIME, BRANCHES):
        if special in met:
            before = met[special]
            order.insert(order.index(before) + 1 if before in order else 0, special)
    order.sort(key=TIME.__eq__)
    by_name = {place.name: place for place in model.places}
    return list(_grouped(order, by_name))


def _met(dots: Sequence[Dot]) -> Mapping[str, str]:
    """All visited places, each with the place that its first visitor came from."""
    met: dict[str, str] = {}
    for dot in dots:
        before = ""
        for stay in dot.stays:
            met.setdefault(stay.place, before)
            before = stay.place
        for holding in dot.holdings:
            met.setdefault(holding.held.place, "")
    return met


def _grouped(order: Sequence[str], places: Mapping[str, Place]) -> Iterator[Row]:
    names = common_names(order)
    counts = Counter(names.values())
    for band in dict.fromkeys(names[place] for place in order):
        members = [place for place in order if names[place] == band]
        if counts[band] <= SIDE_BY_SIDE:
            yield from (_row(place, [place], places, band) for place in members)
        else:
            yield _row(band, members, places, band)


def _row(name: str, members: Sequence[str], places: Mapping[str, Place], band: str) -> Row:
    kind = {TIME: "time", BRANCHES: "branches"}.get(name) or type(places[members[0]]).__name__.lower()
    room = sum(_room(places[member]) for member in members if member in places)
    return Row(name, kind, room, tuple(members), band)


def _room(place: Place) -> int:
    match place:
        case Station(_, servers):
            return servers
        case Pool(_, tokens):
            return tokens
        case Lock():
            return 1
    return 0


def used(rows: Iterable[Row]) -> dict[str, int]:
    """Row number of each place."""
    return {place: number for number, row in enumerate(rows) for place in row.places}
