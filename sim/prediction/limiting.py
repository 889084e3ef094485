"""What limits a case: the judgement of its run, and whether the place comes with each client.

The model of one user cannot tell his own file from a lock that all share. The system can: built for two users, as
many use that file as before, and twice as many the lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sim.analytic.bounds import bounds_of
from sim.errors import StacksimError
from sim.model.places import Buffer, Gate, Place
from sim.model.symmetry import Symmetry
from sim.model.uses import uses
from sim.model.workloads import Closed, Workload
from sim.result import Result
from sim.simulation.limits import Limit, limit_of
from sim.simulation.options import ANALYTIC
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.settings import Count


def limit_in(case: Case, result: Result) -> Limit:
    """What limits throughput in the run of ``case``.

    A place that no more clients share under any setting that brings more clients is a part of each client's path;
    and one that the only client holds nearly always limits if more of them had to wait for it.
    """
    analytic = result.engine == ANALYTIC
    scenario = case.folded[0] if analytic else case.scenario

    def shared(alone: Place) -> bool:
        return _all_of(_waited_for(twice, alone.name) for twice in _with_more_clients(case))

    limit = limit_of(scenario.model, result, case.folded[1] if analytic else None, shared)
    if limit.kind != "place" or limit.place is None:
        return limit
    place = scenario.model.places[scenario.model.row_of[limit.place]]
    first = bounds_of(scenario.model).first[place].name
    own = _all_of(_brought(case.folded, twice.folded, first) for twice in _with_more_clients(case))
    return replace(limit, kind="path") if own else limit


def _all_of(found: Iterator[bool]) -> bool:
    """Whether all of at least one are."""
    return next(found, False) and all(found)


def _waited_for(case: Case, name: str) -> bool:
    """Whether clients of ``case`` may have to wait for the pool or lock of that ``name``."""
    holding = uses(case.scenario.model).holding
    return any(place.name == name and not how.free for place, how in holding.items())


Folded = tuple[Scenario, Symmetry]


def _with_more_clients(case: Case) -> Iterator[Case]:
    """``case`` with twice the value of each setting that brings the watched group more clients."""
    clients = _clients(case.folded)
    for setting in case.system.settings:
        value = case.settings[setting.name]
        if not isinstance(setting, Count) or value < 1:
            continue
        try:
            twice = Case.of(case.system, {**case.settings, setting.name: 2 * value})
            more = _clients(twice.folded) > clients
        except StacksimError:
            continue  # not allowed, or no such model
        if more:
            yield twice


def _brought(once: Folded, twice: Folded, name: str) -> bool:
    """Whether the place of that ``name`` comes with the clients: with more of them no more share it."""
    return 0.0 < _sharing(twice, name) <= _sharing(once, name)


def _clients(model: Folded) -> int:
    scenario, folded = model
    watched = ((each, copies) for each, copies in folded.workloads if each.group == scenario.watch)
    return sum(copies * each.clients for each, copies in watched if isinstance(each, Closed))


def _sharing(model: Folded, name: str) -> float:
    """Clients of the watched group at the place of that ``name``, or for whom others use it; 0 if it is absent."""
    scenario, folded = model
    row = scenario.model.row_of.get(name)
    return 0.0 if row is None else _through(model, folded.representative[scenario.model.places[row]], {})


def _through(model: Folded, place: Place, known: dict[Place, float]) -> float:
    """Clients at ``place``; or else those whom its users meet at buffers and gates. ``known`` ends all circles."""
    if place not in known:
        known[place] = 0.0
        scenario, folded = model
        users = [
            (user, copies * folded.fan_out[user.name, place] / folded.copies[place])
            for user, copies in folded.workloads
            if (user.name, place) in folded.fan_out
        ]
        known[place] = sum(
            times * user.clients
            for user, times in users
            if user.group == scenario.watch and isinstance(user, Closed)
        ) or sum(times * _met(model, user, known) for user, times in users)
    return known[place]


def _met(model: Folded, user: Workload, known: dict[Place, float]) -> float:
    met = (place for name, place in model[1].fan_out if name == user.name and isinstance(place, Buffer | Gate))
    return max((_through(model, place, known) for place in met), default=0.0)
