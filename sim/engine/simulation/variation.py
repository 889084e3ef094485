"""Sources of variation in request times: distributions with a source, assumed ones, or queueing alone.

A percentile of a model is valid for a real system only if the times that make it up vary there as they do
in the model. So the time that requests spend at each place is classified by the services there: who waits, waits
for these; who waits for a lock, pool, gate or buffer, for the work behind it. With arrivals that are random,
or recorded, waiting varies as they do; of closed clients with random think times, it does so for the share of
their time in which they think: at a saturated place clients hardly think, and services alone decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from sim.engine.model.along import Along
from sim.engine.model.demands import capacity, weighed
from sim.engine.model.distributions import Constant, Distribution, PerItem
from sim.engine.model.identical import common_names
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Buffer, Gate, Place, Station
from sim.engine.model.steps import Delay, Fork, Hold, Path, Step, Use
from sim.engine.model.workloads import Closed, Open, Periodic, Workload
from sim.engine.result import Result

MOST = 0.5
"""Share of the time of requests that decides the status of their percentiles."""

_EITHER = 0.5
"""Weight of each of two paths between which only a run decides."""

_NAMED = 3
"""Largest number of places named."""

_DELAYS = "delays"
"""Name of times that pass at no place."""

Kind = Literal["constant", "assumed", "known"]
"""Variation of a time: none; a distribution without a source; one with a source, or arrivals."""

Kinds = dict[tuple[Kind, str], float]
"""Time by kind and name of the place that serves it; the name is empty for no place."""


VARY = "give them a variation, or a measured distribution"
"""Remedy for constant times, if a layer takes such a number."""


@dataclass(frozen=True)
class Variation:
    """Shares of the time of a request by source of variation, which add up to one.

    Attributes:
        places: places that serve the constant time, or if that is not most, the time of assumed distributions;
            those with most of it first.
        compared: publisher of percentiles that those of the model were compared with, which then are known
            whatever they rest on; empty if there is none.
    """

    constant: float
    assumed: float
    known: float
    places: tuple[str, ...] = ()
    compared: str = ""

    @property
    def modelled(self) -> bool:
        """True if percentiles are more than the result of queueing with constant times."""
        return bool(self.compared) or self.constant <= MOST

    @property
    def sourced(self) -> bool:
        """True if percentiles rest on measured or published distributions, or on arrivals."""
        return bool(self.compared) or self.known >= MOST

    @property
    def status(self) -> str:
        """Status of percentiles."""
        return "known" if self.sourced else "assumed" if self.modelled else "not modelled"

    @property
    def words(self) -> str:
        """Deficiency of percentiles and its remedy, as text; empty if there is none."""
        if self.sourced:
            return ""
        names = ", ".join(self.places)
        if self.modelled:
            return f"assumed: no source says how times of {names} vary"
        return f"not modelled: times of {names} are constants; {VARY}"


def variation_of(model: Model, result: Result, watched: str) -> Variation:
    """Variation of the times of requests of the group ``watched`` in the simulation of ``result``."""
    reading, workloads = _reading(model), [each for each in model.workloads if each.group == watched]
    served, waited, group = Kinds(), Kinds(), result.groups[watched]
    for workload in workloads:
        passing = {key: each for key, each in reading.times.of(request(workload)).items() if not key[1]}
        _add(served, passing, group.throughput.value / len(workloads))
    handed_on = dict[Place, float]()
    for place in reading.places(watched):
        seen, behind = result.places[place.name], reading.behind(place, watched)
        if isinstance(place, Gate | Buffer):
            handed_on[place] = seen.queue + (seen.utilisation if isinstance(place, Gate) else 0.0)
            continue
        if isinstance(place, Station):
            _share_out(served, seen.utilisation * capacity(place), behind)
        _share_out(waited, seen.queue, behind)
    # at a gate or buffer both sides may wait: requests do for the time they spend nowhere else (Little's law)
    left = max(0.0, group.population - fsum(served.values()) - fsum(waited.values()))
    for place, queue in handed_on.items():
        if queue:
            share = queue / fsum(handed_on.values())
            _share_out(waited, left * share, reading.behind(place, watched))
    if all(isinstance(each, Open) and not isinstance(each.arrivals, Periodic) for each in workloads):
        arriving, share = Kinds({("known", ""): 1.0}), 1.0
    else:
        arriving = _thinking(workloads, group.throughput.value)
        thinking = fsum(arriving.values())
        share = thinking / (thinking + group.population) if thinking else 0.0
    _share_out(served, share * fsum(waited.values()), arriving)
    _add(served, waited, 1.0 - share)
    return _variation(served)


def _thinking(workloads: Sequence[Workload], rate: float) -> Kinds:
    """Mean number of thinking clients, for random think times."""
    total = Kinds()
    for think in (each.think for each in workloads if isinstance(each, Closed)):
        if think and not isinstance(think, Constant):
            _add(total, {(_kind(think), ""): think.mean}, rate / len(workloads))
    return total


def request(workload: Workload) -> Path:
    """The steps of ``workload`` that count in its latency."""
    return workload.path[workload.begins :] if isinstance(workload, Closed) else workload.path


def _share_out(total: Kinds, amount: float, kinds: Kinds) -> None:
    """Add ``amount`` to ``total``, in proportion to ``kinds``."""
    whole = fsum(kinds.values())
    for key, part in kinds.items():
        if part:
            total[key] = total.get(key, 0.0) + amount * part / whole


def _variation(times: Kinds) -> Variation:
    total = fsum(times.values())
    if not total > 0.0:
        return Variation(0.0, 0.0, 1.0)
    constant, assumed, known = (
        fsum(amount for (kind, _), amount in times.items() if kind == each) / total
        for each in ("constant", "assumed", "known")
    )
    blame = "constant" if constant > MOST else "assumed"
    blamed = {name: amount for (kind, name), amount in times.items() if kind == blame}
    names = common_names(filter(None, blamed))
    families = dict[str, float]()
    for name, amount in blamed.items():
        family = names.get(name, _DELAYS)
        families[family] = families.get(family, 0.0) + amount
    return Variation(constant, assumed, known, tuple(sorted(families, key=lambda each: -families[each])[:_NAMED]))


class _Times:
    """Mean times along paths, by kind; a shared step is read once."""

    def __init__(self) -> None:
        self._known: dict[int, Kinds] = {}

    def of(self, path: Path) -> Kinds:
        """Mean times of all services and delays of one request on ``path``, by kind."""
        total = Kinds()
        for step in path:
            if id(step) not in self._known:
                self._known[id(step)] = self._read(step)
            _add(total, self._known[id(step)], 1.0)
        return total

    def _read(self, step: Step) -> Kinds:
        if isinstance(step, Use | Delay):
            return own_times(step)
        total = Kinds()
        for often, inner in weighed(step, _EITHER):
            _add(total, self.of(inner), often)
        return total


def _add(total: Kinds, kinds: Kinds, times: float) -> None:
    for key, amount in kinds.items():
        total[key] = total.get(key, 0.0) + times * amount


def own_times(step: Use | Delay) -> Kinds:
    """Mean time of one step, by kind."""
    name = step.station.name if isinstance(step, Use) else ""
    each = step.time.each if isinstance(step.time, PerItem) else 0.0
    drawn = step.time.fixed if isinstance(step.time, PerItem) else step.time
    kinds: Kinds = {("constant", name): each}
    _add(kinds, {(_kind(drawn), name): drawn.mean}, 1.0)
    return kinds


def _kind(drawn: Distribution) -> Kind:
    return "constant" if isinstance(drawn, Constant) else "known" if drawn.source else "assumed"


class _Reading:
    """Times of a model known before it is run: along its paths, and inside its places."""

    def __init__(self, model: Model) -> None:
        self.times = _Times()
        self._inside: dict[Place, Kinds] = {}
        self._by_group: dict[Place, dict[str, Kinds]] = {}
        visited: dict[str, set[Place]] = {}
        for step in model.steps():
            if isinstance(step, Use):
                _add(self._inside.setdefault(step.station, {}), own_times(step), 1.0)
            elif isinstance(step, Hold):
                _add(self._inside.setdefault(step.held, {}), self.times.of(step.steps), 1.0)
        met, waited_for = Along[Place](_own_place), Along[Place](_own_place, _waited_for)
        for workload in model.workloads:
            for place in met.of(workload.path):
                if isinstance(place, Gate | Buffer):
                    groups = self._by_group.setdefault(place, {})
                    _add(groups.setdefault(workload.group, {}), self.times.of(workload.path), 1.0)
            visited.setdefault(workload.group, set()).update(waited_for.of(request(workload)))
        # in the order of the model: that of a set differs from run to run, and with it the last digits of sums
        self._places = {group: [each for each in model.places if each in own] for group, own in visited.items()}

    def places(self, group: str) -> Sequence[Place]:
        """Places that requests of ``group`` visit before they are done."""
        return self._places[group]

    def behind(self, place: Place, group: str) -> Kinds:
        """Times of the work that requests of ``group`` wait for at ``place``; at gates and buffers, of others."""
        groups = self._by_group.get(place, {})
        others = [kinds for name, kinds in groups.items() if name != group] or list(groups.values())
        total = dict(self._inside.get(place, {}))
        for kinds in others:
            _add(total, kinds, 1.0)
        return total


_reading = once_for_each(_Reading)


def _own_place(step: Step) -> tuple[Place, ...]:
    return () if step.place is None else (step.place,)


def _waited_for(step: Step) -> tuple[Path, ...]:
    return () if isinstance(step, Fork) and not step.wait else step.inner
