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
from sim.model.symmetry import Symmetry
from sim.model.workloads import Closed
from sim.result import Result
from sim.simulation.limits import Limit, limit_of
from sim.simulation.options import ANALYTIC
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.settings import Count


def limit_in(case: Case, scenario: Scenario, result: Result) -> Limit:
    """What limits throughput in the run of ``scenario``, which was built of ``case``.

    A place of which there are more under every setting that brings more clients is a part of each client's path.
    """
    analytic = result.engine == ANALYTIC
    limit = limit_of(scenario.model, result, case.folded[1] if analytic else None)
    if limit.kind != "place" or limit.place is None:
        return limit
    kind = _kind(limit.place)
    before = _kinds(*case.folded)[kind]
    more = [_kinds(*folded)[kind] > before for folded in _with_more_clients(case)]
    return replace(limit, kind="path") if more and all(more) else limit


def _with_more_clients(case: Case) -> Iterator[tuple[Scenario, Symmetry]]:
    """The folded model under twice the value of each setting that brings the watched group more clients."""
    clients = _clients(*case.folded)
    for setting in case.system.settings:
        value = case.settings[setting.name]
        if not isinstance(setting, Count) or value < 1:
            continue
        try:
            twice = Case.of(case.system, {**case.settings, setting.name: 2 * value}).folded
        except StacksimError:
            continue  # not allowed, or no such model
        if _clients(*twice) > clients:
            yield twice


def _clients(scenario: Scenario, folded: Symmetry) -> int:
    watched = ((each, copies) for each, copies in folded.workloads if each.group == scenario.watch)
    return sum(copies * each.clients for each, copies in watched if isinstance(each, Closed))


def _kinds(scenario: Scenario, folded: Symmetry) -> Counter[str]:
    """How many places there are of each name without its numbers: in a folded model one may stand for many."""
    built = Counter(folded.representative.values())
    kinds: Counter[str] = Counter()
    for place in scenario.model.places:
        first = folded.representative[place]
        kinds[_kind(place.name)] += folded.copies[first] // built[first]
    return kinds


def _kind(name: str) -> str:
    return re.sub(r"\d+", "*", name)
