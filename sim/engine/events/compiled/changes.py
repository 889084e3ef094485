"""Comparison of two models of one shape: changes of times, and of the capacities of places."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.engine.events.compiled.parts import gap_of, varying
from sim.engine.model.distributions import Time
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer, Place, Pool, Station
from sim.engine.model.steps import Choose, Delay, Path, Step, Use
from sim.engine.model.workloads import Closed, Open, Workload

_INSIDE = frozenset({"steps", "branches", "options", "hit", "miss", "some", "none", "time"})
"""Fields of steps that are compared separately."""


@dataclass(frozen=True)
class Changes:
    """The numbers that differ.

    Attributes:
        times: new value of each changed time of a place or workload, by its name and old value.
        places: places with changed numbers, by their index.
    """

    times: Mapping[tuple[str, Time], Time] = field(default_factory=dict)
    places: Mapping[int, Place] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """True if anything differs."""
        return bool(self.times or self.places)


def changes(old: Model, new: Model) -> Changes | None:
    """Changed numbers from ``old`` to ``new``; None if anything else differs, or one time became two."""
    if old is new:
        return Changes()
    if len(old.workloads) != len(new.workloads) or len(old.places) != len(new.places):
        return None
    if not all(map(_alike, old.places, new.places)):
        return None
    comparison = _Comparison()
    if not all(map(comparison.workload, old.workloads, new.workloads)):
        return None
    return Changes(
        {key: time for key, time in comparison.times.items() if key[1] != time},
        {index: its for index, (mine, its) in enumerate(zip(old.places, new.places, strict=True)) if mine != its},
    )


def _alike(one: object, other: object) -> bool:
    """True if two fields are equal, or places of one name and kind that differ only in numbers.

    Caches of another capacity do not qualify: the size of their directory changes the program.
    """
    if one == other:
        return True
    if not (isinstance(one, Station | Pool | Buffer) and isinstance(other, Place)):
        return False
    return type(one) is type(other) and one.name == other.name


_Delays = dict[tuple[int, int], tuple[Time, Time]]
"""The time of each delay in both models, by identity."""


class _Comparison:
    """Comparison step by step: every method returns True if only numbers differ, and collects times.

    Attributes:
        _compared: pairs of compared steps, by identity, as a path may have one step in thousands of
            places; with the delays in each, whose times belong to the workload of the path.
        _delays: delays of the path that is being compared.
        _became: new time of each delay, by the identity of the step, as workloads may share its code.
    """

    def __init__(self) -> None:
        self.times: dict[tuple[str, Time], Time] = {}
        self._compared: dict[tuple[int, int], _Delays] = {}
        self._delays: _Delays = {}
        self._became: dict[int, Time] = {}

    def workload(self, one: Workload, other: Workload) -> bool:
        if type(one) is not type(other):
            return False
        names = (each.name for each in dataclasses.fields(one) if each.name not in ("path", "think"))
        if any(getattr(one, name) != getattr(other, name) for name in names):
            return False
        match one, other:
            case Closed(think=None), Closed(think=None):
                pass
            case Closed(think=mine), Closed(think=its):
                if mine is None or its is None or not self._time(str(one), mine, its):
                    return False
            case Open(), Open():
                gap = gap_of(one.arrivals)
                if gap and not self._time(str(one), gap, gap):
                    return False
        self._delays = {}
        if not self._path(one.path, other.path):
            return False
        return all(self._time(str(one), mine, its) for mine, its in self._delays.values())

    def _path(self, one: Path, other: Path) -> bool:
        return len(one) == len(other) and all(map(self._once, one, other))

    def _once(self, one: Step, other: Step) -> bool:
        """Compare two steps, unless they were compared before."""
        both = id(one), id(other)
        if both not in self._compared:
            around, self._delays = self._delays, {}
            if not self._step(one, other):
                return False
            self._compared[both], self._delays = self._delays, around
        self._delays |= self._compared[both]
        return True

    def _step(self, one: Step, other: Step) -> bool:
        kind = type(one)
        if kind is not type(other):
            return False
        for name in _compared(kind):
            mine, its = getattr(one, name), getattr(other, name)
            if mine is not its and not _alike(mine, its):
                return False
        if isinstance(one, Use) and isinstance(other, Use):
            return self._time(str(one.station), one.time, other.time)
        if isinstance(one, Delay) and isinstance(other, Delay):
            if self._became.setdefault(id(one), other.time) != other.time:
                return False
            self._delays[id(one.time), id(other.time)] = one.time, other.time
        if isinstance(one, Choose) and isinstance(other, Choose) and _shares(one) != _shares(other):
            return False
        mine, its = one.inner, other.inner
        return len(mine) == len(its) and all(map(self._path, mine, its))

    def _time(self, owner: str, one: Time, other: Time) -> bool:
        """True if both draw from one stream, or neither draws, and ``one`` has not changed to anything else."""
        mine, its = varying(one), varying(other)
        alike = mine is its or (mine is not None and its is not None and mine.standard == its.standard)
        return alike and self.times.setdefault((owner, one), other) == other


def _shares(step: Choose) -> list[float]:
    return [share for share, _ in step.options]


_COMPARED: dict[type, tuple[str, ...]] = {}


def _compared(kind: type) -> tuple[str, ...]:
    """Fields of a step that are neither steps nor times."""
    if kind not in _COMPARED:
        _COMPARED[kind] = tuple(each.name for each in dataclasses.fields(kind) if each.name not in _INSIDE)
    return _COMPARED[kind]
