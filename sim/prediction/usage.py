"""Share of each place in use or filled; identical places are counted together."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType

from sim.engine.model.identical import common_names
from sim.engine.result import PlaceResult, Result
from sim.engine.simulation.limits import used_words

NOWHERE_ELSE: Mapping[str, str] = MappingProxyType({})
"""Requests wait at the place that serves them."""

WAITED_FOR = 0.005
"""Mean number of waiting requests from which a place is waited for."""


@dataclass(frozen=True)
class Usage:
    """Identical places, whose names differ in numbers alone.

    Attributes:
        name: their common name.
        count: number of places.
        mean, busiest: share of servers or tokens in use, of the time a lock is held, of a capacity filled; nan for
            a gate, of which nothing can be full.
        waiting: mean number of waiting clients per place.
        batch: clients per batch of a gate, else None.
    """

    name: str
    kind: str
    count: int
    mean: float
    busiest: float
    waiting: float
    batch: float | None

    def words(self, value: float) -> str:
        """The share ``value`` of such a place, or the batches of a gate, as text."""
        if self.batch is not None:
            return f"{self.batch:.3g} a batch"
        return f"{value:.1%} {used_words(self.kind)}"


def share(place: PlaceResult) -> float:
    """The share of ``place`` in use or filled; nan for a gate, whose utilisation counts clients."""
    return math.nan if place.kind == "gate" else place.utilisation


def usages(
    result: Result, most: int, without: Container[str] = (), paced: Mapping[str, str] = NOWHERE_ELSE
) -> list[Usage]:
    """``most`` places: first those waited for, then the busiest; then gates. Those without a value are left out.

    Args:
        without: names of places to leave out; identical ones are left out only if all are among them.
        paced: buffers at which requests wait for a place, by its name.
    """
    families: dict[tuple[str, str], list[str]] = {}
    for kind in dict.fromkeys(place.kind for place in result.places.values()):
        names = common_names(name for name, place in result.places.items() if place.kind == kind)
        for name, family in names.items():
            families.setdefault((family, kind), []).append(name)
    shown = {key: names for key, names in families.items() if not all(name in without for name in names)}
    rows = [_usage(*key, [_place(result, name, paced) for name in names]) for key, names in shown.items()]
    used = [usage for usage in rows if not math.isnan(usage.busiest)]
    gates = [usage for usage in rows if usage.batch]
    return sorted(used, key=_rank)[:most] + gates


def _place(result: Result, name: str, paced: Mapping[str, str]) -> PlaceResult:
    """The place ``name``, with those that wait for it at the buffer that it refills."""
    place = result.places[name]
    return replace(place, queue=place.queue + result.places[paced[name]].queue) if name in paced else place


def _rank(usage: Usage) -> tuple[bool, bool, float]:
    """Order of places: a cache that is full, and that nobody waits for, says little."""
    return usage.waiting < WAITED_FOR, usage.kind in ("buffer", "cache"), -usage.busiest


def _usage(name: str, kind: str, places: list[PlaceResult]) -> Usage:
    shares = [share(place) for place in places]
    return Usage(
        name=name,
        kind=kind,
        count=len(places),
        mean=fmean(shares),
        busiest=max(shares),
        waiting=fmean(place.queue for place in places),
        batch=_mean(place.batch for place in places if place.batch is not None),
    )


def _mean(batches: Iterable[float]) -> float | None:
    values = list(batches)
    return fmean(values) if values else None
