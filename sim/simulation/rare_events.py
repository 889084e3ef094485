"""What the model has and a run has hardly met: rare requests, rare branches and times, a trace not yet at its end.

No statistic of the run tells what has not happened in it. But the model says how often it will, and how much it
matters: so nothing counts as known before everything that matters is likely to have come several times.

An event that keeps a place busy for ``w`` seconds, ``r`` times a second, takes the share r w of it from all
others, and lets each of them wait for r w² / 2 seconds on average (what is left of it, as they find it).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.model.addresses import Replayed
from sim.model.demands import capacity, least_time_s, weighed
from sim.model.distributions import NANOSECONDS_PER_SECOND, Empirical, PerItem, Time
from sim.model.model import Model
from sim.model.places import Place
from sim.model.steps import (
    Await,
    Choose,
    Delay,
    Gather,
    Hold,
    Lookup,
    Path,
    Put,
    Repeat,
    Step,
    Take,
    Use,
    Wake,
    places_of,
)
from sim.model.workloads import Closed, Open, Periodic, Poisson, Workload
from sim.simulation.snapshots import Snapshots
from sim.statistics.answers import tolerances
from sim.statistics.estimates import Series

OFTEN = 10.0
"""Times that a rare event has to come: ten are 3 to 17 by chance."""

SMALL = 0.5
"""Of what an answer may be off by: an event that changes it by less does not matter."""

ENDLESS = 1e9
"""Rounds of a loop that no run comes to the end of: what is in it comes round instead."""


@dataclass(frozen=True)
class Effect:
    """What something does each time that it happens.

    Attributes:
        time_s: what it takes at most, without queueing.
        work_s: for how long it keeps each station, pool and lock busy.
        moves: whether it changes buffers, caches or gates, which act on others in ways that no time tells.
    """

    time_s: float
    work_s: Mapping[Place, float]
    moves: bool = False


@dataclass(frozen=True)
class Rare:
    """What comes ``often`` times a request of the workload in ``row``, and has to come ``wanted`` times."""

    name: str
    row: int
    often: float
    wanted: float
    effect: Effect | None = None
    """None: it matters whatever it takes."""


class RareEvents:
    """Everything rare in one model, as far as it concerns the workloads in ``rows``, which are watched."""

    def __init__(self, model: Model, rows: Sequence[int], precision: float) -> None:
        self._workloads, self._watched = model.workloads, set(rows)
        self._precision, self._tolerance = precision, tolerances(precision)["mean"]
        self._least_s = [least_time_s(each.path) for each in model.workloads]
        self._shortest_s = min(self._least_s[row] for row in rows)
        connected = _connected(model, rows)
        self._rare = [
            each for row in connected for each in _rare(model.workloads[row], row, passes=not model.finite)
        ]
        self._rounds = [] if model.finite else [row for row in connected if not model.workloads[row].timed]
        self._timed = [] if model.finite else [row for row in connected if model.workloads[row].timed]
        self._wanted_steps = {row: OFTEN * _steps_of(model.workloads[row].path) for row in self._rounds}
        self._effects = {row: effect_of(model.workloads[row].path) for row in self._rounds}

    def missing(self, completed: Series, steps: Series, seconds: float) -> str | None:
        """What has come too seldom, or None.

        Args:
            completed: requests of each workload, shape (workloads,).
            steps: that they took, likewise.
            seconds: in which they did.
        """
        for row in self._rounds:
            if completed[row] < OFTEN and steps[row] < self._wanted_steps[row]:
                rate = completed[row] / seconds if completed[row] else _rate_at_most(self._workloads[row])
                if row in self._watched or self._disturbs(self._effects[row], rate):
                    return f"{self._workloads[row]} has come round {completed[row]:.0f} times only"
        for each in self._rare:
            expected = each.often * completed[each.row]
            if expected < each.wanted and self._matters(each, max(expected, each.often) / seconds):
                return f"{each.name}: about {expected:.2g} expected so far"
        return None

    def changing(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """The same, of an endless run between ``edges``; and whether a timetable has just begun or ended."""
        now_s = snapshots.taken[-1].now_ns / NANOSECONDS_PER_SECOND
        for row in self._timed:
            workload = self._workloads[row]
            if isinstance(workload, Closed):
                for verb, at_s in (("starts", workload.start_s), ("stops", workload.stop_s or 0.0)):
                    if now_s < OFTEN * at_s:
                        return f"{workload} {verb} at {at_s:g} s only, of {now_s:.3g} s"
        seconds = snapshots.window(edges[0], edges[-1]).now_ns / NANOSECONDS_PER_SECOND
        return self.missing(snapshots.growth("completed", edges), snapshots.growth("steps", edges), seconds)

    def _matters(self, event: Rare, rate: float) -> bool:
        """Whether an event that comes ``rate`` times a second may change an answer by what counts."""
        if event.effect is None:
            return True
        own_s = event.often * event.effect.time_s
        if event.row in self._watched and own_s > SMALL * self._precision * self._least_s[event.row]:
            return True
        return self._disturbs(event.effect, rate)

    def _disturbs(self, effect: Effect, rate: float) -> bool:
        """The same, for those who share its places."""
        if effect.moves:
            return True
        for place, work_s in effect.work_s.items():
            taken = rate * work_s / capacity(place)
            wait_s = taken * work_s / 2.0
            if taken > SMALL * self._precision or wait_s > SMALL * self._tolerance * self._shortest_s:
                return True
        return False


def effect_of(path: Path) -> Effect:
    """What one walk of ``path`` does on average, at most where only the state of the run decides."""
    time_s, moves = 0.0, False
    work_s: dict[Place, float] = {}
    for step, often in _taken(path, 1.0):
        moves |= isinstance(step, Put | Take | Await | Gather | Wake | Lookup)
        if isinstance(step, Use | Delay):
            time_s += often * step.time.mean
        if isinstance(step, Use):
            work_s[step.station] = work_s.get(step.station, 0.0) + often * step.time.mean
        elif isinstance(step, Hold):
            work_s[step.held] = work_s.get(step.held, 0.0) + often * effect_of(step.steps).time_s
    return Effect(time_s, work_s, moves)


def _connected(model: Model, rows: Sequence[int]) -> list[int]:
    """The workloads that share places with those in ``rows``, or with others that do."""
    places = [places_of(each.path) for each in model.workloads]
    found, reached = set(rows), set().union(*(places[row] for row in rows))
    while more := {row for row, mine in enumerate(places) if row not in found and mine & reached}:
        found |= more
        reached |= set().union(*(places[row] for row in more))
    return sorted(found)


def _rate_at_most(workload: Workload) -> float:
    """Requests a second of a workload that has not completed one."""
    match workload:
        case Open(arrivals=Poisson(per_second)):
            return per_second
        case Open(arrivals=Periodic(interval_s)):
            return 1.0 / interval_s
        case Closed():
            cycle_s = least_time_s(workload.path) + (workload.think.mean if workload.think else 0.0)
            return workload.clients / cycle_s if cycle_s else math.inf
    return math.inf


def _rare(workload: Workload, row: int, *, passes: bool) -> Iterator[Rare]:
    """Branches and times, and ``passes`` through traces of addresses."""
    for step, often in _taken(workload.path, 1.0):
        if isinstance(step, Choose):
            for share, branch in step.options:
                if share:
                    name = f"branches of {workload} with a probability of {share:g} have to come {OFTEN:g} times"
                    yield Rare(name, row, often * share, OFTEN, effect_of(branch))
        elif isinstance(step, Use | Delay):
            yield from _times(workload, row, step, often)
        elif passes and isinstance(step, Lookup) and isinstance(step.addresses, Replayed):
            length = len(step.addresses.addresses)
            yield Rare(f"{workload} looks {length} replayed addresses up in {step.cache}", row, often, length)


def _times(workload: Workload, row: int, step: Use | Delay, often: float) -> Iterator[Rare]:
    """The longest of the recorded times that a step may take, and of more and more of them together."""
    for least_s, mean_s, share in _tails(step.time):
        name = f"times from {least_s:g} s on, of {workload}, have to come {OFTEN:g} times: one in {1 / share:.3g}"
        work_s: dict[Place, float] = {step.station: mean_s} if isinstance(step, Use) else {}
        yield Rare(name, row, often * share, OFTEN, Effect(mean_s, work_s))


def _tails(time: Time) -> Iterator[tuple[float, float, float]]:
    """The 1, 2, 4, … longest distinct values of a recorded time: the least of them, their mean and their share."""
    if isinstance(time, PerItem):
        yield from _tails(time.fixed)
    elif isinstance(time, Empirical):
        values, counts = (each[::-1] for each in np.unique(np.array(time.values), return_counts=True))
        numbers, sums = np.cumsum(counts), np.cumsum(values * counts)
        for last in 2 ** np.arange(len(values).bit_length()) - 1:
            yield float(values[last]), float(sums[last] / numbers[last]), float(numbers[last] / numbers[-1])


def _taken(path: Path, often: float) -> Iterator[tuple[Step, float]]:
    """Every step of ``path`` with how often it is taken, at most, where only simulation can tell."""
    for step in path:
        yield step, often
        for share, inner in weighed(step, 1.0):
            yield from _taken(inner, often * share)


def _steps_of(path: Path) -> float:
    """Steps of one walk of ``path``, all branches; of a loop without end, one round."""
    total = 0.0
    for step in path:
        rounds = step.times if isinstance(step, Repeat) and step.times < ENDLESS else 1
        total += 1.0 + rounds * sum(_steps_of(inner) for inner in step.inner)
    return total
