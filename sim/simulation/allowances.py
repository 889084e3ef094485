"""What places allow, whatever else changes, and which places and groups tell a reader nothing."""

from __future__ import annotations

from dataclasses import replace

from sim.analytic.bounds import bounds_of
from sim.model.identical import common_names
from sim.model.model import Model
from sim.model.steps import Put, Take, Use
from sim.model.uses import uses
from sim.model.workloads import Closed, Workload
from sim.result import Bound, Result


def lowest_bounds(result: Result, amount: float = 1.0) -> tuple[Bound, ...]:
    """The bounds of places, the lowest first; of identical places the lowest, under their common name.

    A request stands for ``amount`` of the unit in which bounds are given.
    """
    names = common_names(bound.place for bound in result.limits)
    families: dict[str, Bound] = {}
    for bound in result.limits:
        families.setdefault(names[bound.place], Bound(names[bound.place], bound.throughput * amount))
    return tuple(families.values())


def allowed(model: Model, group: str, least: float) -> tuple[Bound, ...]:
    """What each place allows ``group`` whatever else changes, the lowest first, in requests per second.

    Each is at least the estimate ``least`` of a run: drawn services that were shorter than their mean carry that
    above what their place allows in the long run, and no place allows less than there was. Places for which nobody
    can ever wait are left out: they come with the clients.
    """
    free, bounds = _free(model), bounds_of(model).allowed(group)
    return tuple(
        replace(each, throughput=max(each.throughput, least)) for each in bounds if each.place not in free
    )


def internals(model: Model) -> frozenset[str]:
    """Names of places whose use tells a reader nothing: nobody can ever wait there, or they are signals."""
    return _free(model) | {place.name for place in uses(model).signals}


def refilling(model: Model) -> frozenset[str]:
    """Groups of clients who do nothing but move the level of a buffer at a pace, as a token bucket is refilled."""
    return frozenset(model.groups) - {each.group for each in model.workloads if not _refills(each)}


def _refills(workload: Workload) -> bool:
    steps = [type(step) for step in workload.path]
    return isinstance(workload, Closed) and steps in ([Use, Take], [Use, Put])


def _free(model: Model) -> frozenset[str]:
    return frozenset(place.name for place, how in uses(model).holding.items() if how.free)
