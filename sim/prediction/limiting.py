"""The limit of a case: by its run, and by whether each client brings the place along.

A model of one user cannot distinguish the user's own file from a lock shared by all. The system can: built for
two users, the file has as many users as before, and the lock twice as many.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.engine.errors import StacksimError
from sim.engine.model.places import Buffer, Gate, Place
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.model.uses import uses
from sim.engine.model.workloads import Closed, Workload
from sim.engine.result import Result
from sim.engine.simulation.limits import Limit, limit_of, nearest_place
from sim.engine.simulation.more_clients import NO_MORE, MoreClients, Twice
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.simulation.simulate import run
from sim.engine.statistics.answers import THROUGHPUT
from sim.engine.statistics.estimates import Estimate
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.settings import Count

PRECISION = 0.02
"""Precision of a run that tests whether more clients get more."""

FURTHER = 5
"""Doublings beyond twice the clients that are tried if twice as many get no more."""

FEW, PART = 2_000_000, 4
"""Largest steps of that run, two tenths of a second, or a quarter of the steps of the case if that is more."""


def limit_in(case: Case, result: Result, *, late: bool = False) -> Limit:
    """The limit of throughput in the run of ``case``.

    A place not shared by more clients, whichever setting adds clients, is a part of each client's path;
    a place that the only client holds nearly always is the limit if more clients would have to wait for it.

    Args:
        late: True if the run was in a state that short ones do not reach: more clients are then computed.
    """
    analytic = result.engine == ANALYTIC
    scenario, folded = case.folded if analytic else (case.scenario, symmetry(case.scenario.model))
    more = (_MoreUsers if analytic or late else _RunWithMore)(case, folded, result)
    return limit_of(scenario.model, result, folded, more)


class _MoreUsers(MoreClients):
    """More clients, by the settings of a system that add them."""

    def __init__(self, case: Case, folded: Symmetry, result: Result) -> None:
        super().__init__(folded, result.watched)
        self._case, self._result = case, result
        self._built: dict[str, Case] = {}
        self._others = _with_more_clients(case)

    def _cases(self) -> Iterator[tuple[str, Case]]:
        """Each setting that adds clients to the watched group, and the case with twice its value, built once."""
        yield from self._built.items()
        for name, case in self._others:
            self._built[name] = case
            yield name, case

    def bring(self, place: Place) -> bool:
        """True if no more of them share ``place``, under any such setting."""
        return _all_of(self._brought(place, twice) for _, twice in self._cases())

    def brought_by(self, place: Place) -> tuple[str, ...]:
        """The settings under which no more of them share ``place``."""
        return tuple(name for name, twice in self._cases() if self._brought(place, twice))

    def adding(self) -> tuple[str, ...]:
        """Names of what settings that add clients count."""
        return tuple(self._noun(name) for name, _ in self._cases())

    def _noun(self, name: str, values: str = "") -> str:
        """Name of what the setting ``name`` counts, with ``values`` of it."""
        counted = "requests in flight" if self._setting(name).means == "depth" else name
        told = " ".join(([] if counted == name else [name]) + ([values] if values else []))
        return f"{counted} ({told})" if told else counted

    def _setting(self, name: str) -> Count:
        return next(each for each in self._case.system.settings if each.name == name and isinstance(each, Count))

    def share(self, place: Place) -> bool:
        """True if some of them may have to wait for ``place``, under every such setting."""
        return _all_of(_waited_for(twice, place.name) for _, twice in self._cases())

    def _brought(self, place: Place, twice: Case) -> bool:
        return _brought(self._case.folded, twice.folded, self._folded.representative[place].name)


class _RunWithMore(_MoreUsers):
    """More clients, whose throughput is measured by a brief run."""

    def __init__(self, case: Case, folded: Symmetry, result: Result) -> None:
        super().__init__(case, folded, result)
        self._ran: dict[str, Twice | None] = {}

    def twice(self) -> Twice | None:
        """Gain under the setting that gains least; by the analytic engine if a run is not conclusive."""
        least: Twice | None = None
        for name, case in self._cases():
            twice = self._run(name, case)
            if twice is None or twice.gain < NO_MORE:
                return twice or super().twice()
            least = min(least or twice, twice, key=lambda each: each.gain)
        return least or super().twice()

    def gaining(self, twice: Twice | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of what settings count, by runs; where twice as many clients gain nothing, of still more."""
        found = {name: self._run(name, case) for name, case in self._cases()}
        if not found or None in found.values():
            return super().gaining(twice)
        gaining, idle = [], []
        for name, once in found.items():
            if once and once.gain >= NO_MORE:
                gaining.append(self._noun(name))
                continue
            tried, gains = self._further(name)
            gaining += [self._noun(name, f"from {gains}")] if gains else []
            idle.append(self._noun(name, f"up to {tried}"))
        return tuple(gaining), tuple(idle)

    def _further(self, name: str) -> tuple[int, int | None]:
        """The largest value of a setting that is known to gain nothing, and the next one if that gains.

        Tried are doubles of the double, as far as the setting's range and brief runs go.
        """
        tried, most = 2 * self._case.settings[name], self._setting(name).high
        for _ in range(FURTHER):
            value = min(2 * tried, most)
            gain = self._gain(name, value) if value > tried else None
            if gain is None:
                break
            if gain.low >= NO_MORE:
                return tried, value
            tried = value
        return tried, None

    def _gain(self, name: str, value: int) -> Estimate | None:
        """Gain under this value of a setting; None if that is not allowed, or a brief run cannot decide it."""
        try:
            case = Case.of(self._case.system, {**self._case.settings, name: value})
            gain = self._briefly(case).throughput.scaled(case.scenario.amount / self._rate)
        except StacksimError:
            return None
        return gain if gain.low >= NO_MORE or gain.high < NO_MORE else None

    def _run(self, name: str, case: Case) -> Twice | None:
        """Twice the clients by the setting ``name``, run once."""
        if name not in self._ran:
            self._ran[name] = self._brief(case)
        return self._ran[name]

    def _brief(self, case: Case) -> Twice | None:
        try:
            result = self._briefly(case)
        except StacksimError:
            return None
        if not result.throughput.known:
            return None
        gain = result.throughput.value * case.scenario.amount / self._rate
        return Twice(gain, nearest_place(case.scenario.model, result))

    def _briefly(self, case: Case) -> Result:
        steps = max(FEW, self._result.steps // PART)
        brief = RunOptions(precision=PRECISION, answers=THROUGHPUT, max_steps=steps)
        return run(case.scenario.model, brief, watch=case.scenario.watch)

    @property
    def _rate(self) -> float:
        """Throughput of the case, in the unit of its answer."""
        return self._result.throughput.value * self._case.scenario.amount


def _all_of(found: Iterator[bool]) -> bool:
    """True if there is at least one, and all are true."""
    return next(found, False) and all(found)


def _waited_for(case: Case, name: str) -> bool:
    """True if clients of ``case`` may have to wait for the pool or lock ``name``."""
    holding = uses(case.scenario.model).holding
    return any(place.name == name and not how.free for place, how in holding.items())


Folded = tuple[Scenario, Symmetry]


def _with_more_clients(case: Case) -> Iterator[tuple[str, Case]]:
    """Name and case for each setting whose doubling adds clients to the watched group."""
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
            yield setting.name, twice


def _brought(once: Folded, twice: Folded, name: str) -> bool:
    """True if clients bring the place ``name`` along: with more of them no more share it."""
    return 0.0 < _sharing(twice, name) <= _sharing(once, name)


def _clients(model: Folded) -> int:
    scenario, folded = model
    watched = ((each, copies) for each, copies in folded.workloads if each.group == scenario.watch)
    return sum(copies * each.clients for each, copies in watched if isinstance(each, Closed))


def _sharing(model: Folded, name: str) -> float:
    """Clients of the watched group at the place ``name``, or for whom others use it; 0 if it is absent."""
    scenario, folded = model
    row = scenario.model.row_of.get(name)
    return 0.0 if row is None else _through(model, folded.representative[scenario.model.places[row]], {})


def _through(model: Folded, place: Place, known: dict[Place, float]) -> float:
    """Clients at ``place``, or else those whom its users meet at buffers and gates; ``known`` breaks cycles."""
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
