"""Bounds by places, independent of all others, and names of places and groups to leave out of output."""

from __future__ import annotations

from dataclasses import replace

from sim.engine.analytic.bounds import bounds_of
from sim.engine.model.identical import common_names
from sim.engine.model.model import Model
from sim.engine.model.places import Role
from sim.engine.model.uses import paced_by, refills, uses
from sim.engine.result import Bound, Result


def lowest_bounds(result: Result, amount: float = 1.0) -> tuple[Bound, ...]:
    """Bounds by places, the lowest first; of identical places the lowest, under their common name.

    Bounds are in requests per second times ``amount``.
    """
    names = common_names(bound.place for bound in result.limits)
    families: dict[str, Bound] = {}
    for bound in result.limits:
        families.setdefault(names[bound.place], Bound(names[bound.place], bound.throughput * amount))
    return tuple(families.values())


def allowed(model: Model, group: str, least: float) -> tuple[Bound, ...]:
    """Bound of ``group`` by each place, whatever else changes, the lowest first, in requests per second.

    Each is at least the estimate ``least`` of a run: services that happened to be short may raise the estimate
    above the long-run bound, and no bound is below an observed rate. Places for which no request
    can ever wait are left out: clients bring them along.
    """
    free, bounds = _free(model), bounds_of(model).allowed(group)
    return tuple(
        replace(each, throughput=max(each.throughput, least)) for each in bounds if each.place not in free
    )


def hidden_levels(model: Model) -> frozenset[str]:
    """Names of places that no user knows: internal ones, except those that count the use of credits."""
    return frozenset(each.name for each in model.places if each.role == "internal") - {*paced_by(model).values()}


def internals(model: Model) -> frozenset[str]:
    """Names of places without information for a reader: internal ones, signals, those where none can ever wait."""
    internal = {place.name for place in model.places if place.role == "internal"}
    return _free(model) | internal | {place.name for place in uses(model).signals}


def roles_of(model: Model) -> dict[str, Role]:
    """Roles of places, by name and by the common name of identical ones; ordinary resources are left out."""
    names = common_names(place.name for place in model.places)
    special = [place for place in model.places if place.role != "resource"]
    return {name: place.role for place in special for name in (place.name, names[place.name])}


def refilling(model: Model) -> frozenset[str]:
    """Groups of clients that only move the level of a buffer at a pace, as a token bucket is refilled."""
    return frozenset(model.groups) - {each.group for each in model.workloads if not refills(each)}


def _free(model: Model) -> frozenset[str]:
    return frozenset(place.name for place, how in uses(model).holding.items() if how.free)
