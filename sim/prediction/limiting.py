"""What limits a case: the judgement of its run, and whether the place comes with each client.

The model of one user cannot tell his own file from a lock that all share. The system can: built for two users, it
has one file more, and the same lock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from sim.errors import StacksimError
from sim.model.model import Model
from sim.model.workloads import Closed
from sim.result import Result
from sim.simulation.limits import Limit, limit_of
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.settings import Count


def limit_in(case: Case, scenario: Scenario, result: Result) -> Limit:
    """What limits throughput in the run of ``scenario``, which was built of ``case``.

    A place of which there are more under every setting that brings more clients is a part of each client's path.
    """
    limit = limit_of(scenario.model, result)
    if limit.kind != "place" or limit.place is None:
        return limit
    kind = _kind(limit.place)
    before = _kinds(scenario.model)[kind]
    more = [_kinds(model)[kind] > before for model in _with_more_clients(case, scenario)]
    return replace(limit, kind="path") if more and all(more) else limit


def _with_more_clients(case: Case, scenario: Scenario) -> Iterator[Model]:
    """The model under twice the value of each setting that brings the watched group more clients."""
    clients = _clients(scenario, scenario.model)
    for setting in case.system.settings:
        value = case.settings[setting.name]
        if not isinstance(setting, Count) or value < 1:
            continue
        try:
            twice = Case.of(case.system, {**case.settings, setting.name: 2 * value}).scenario
        except StacksimError:
            continue  # not allowed, or no such model
        if _clients(twice, twice.model) > clients:
            yield twice.model


def _clients(scenario: Scenario, model: Model) -> int:
    watched = (each for each in model.workloads if each.group == scenario.watch)
    return sum(each.clients for each in watched if isinstance(each, Closed))


def _kinds(model: Model) -> Counter[str]:
    """How many places there are of each name without its numbers."""
    return Counter(_kind(place.name) for place in model.places)


def _kind(name: str) -> str:
    return re.sub(r"\d+", "*", name)
