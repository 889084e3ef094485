"""What a model has and a run has hardly met: rare requests, branches and times, and traces not yet at their end.

No statistic of a run shows what has not happened in it. The model does: it says how often an event will come and
how much it matters. So nothing counts as known before all that matters is likely to have come several times.

An event that keeps a place busy for ``w`` seconds and comes ``r`` times a second takes the share r w of the place
from all other requests. On average it makes each of them wait for r w² / 2 seconds: r w is the probability of
finding it at work, and w / 2 what is left of it then.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sim.model.addresses import Replayed
from sim.model.demands import capacity, min_time_s, weighed
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
"""Times that a rare event is expected to come before it counts as met: ten expected are 3 to 17 by chance."""

SMALL = 0.5
"""An event matters if it changes an answer by more than this share of what the answer may be off by."""

ENDLESS = 1e9
"""A loop of so many rounds is taken to have no end; its steps are counted for one round."""


@dataclass(frozen=True)
class Effect:
    """What an event does each time that it comes.

    Attributes:
        time_s: how long it takes at most, without queueing.
        work_s: for how long it keeps each station, pool and lock busy.
        moves: whether it changes buffers or gates, whose effect on other requests no time expresses.
    """

    time_s: float
    work_s: Mapping[Place, float]
    moves: bool = False


@dataclass(frozen=True)
class Rare:
    """An event that is rare.

    Attributes:
        row: of its workload.
        often: how many times it comes in one request of that workload, on average.
        wanted: how many times it has to come.
        effect: finds what it does, which takes a while; None if it matters in any case.
        nested: whether another event holds it, too, so that they do not add up.
    """

    name: str
    row: int
    often: float
    wanted: float
    effect: Callable[[], Effect] | None = None
    nested: bool = False


class RareEvents:
    """Everything rare in one model that concerns the watched workloads, those in ``rows``."""

    def __init__(self, model: Model, rows: Sequence[int], precision: float) -> None:
        self._workloads, self._watched = model.workloads, set(rows)
        self._min_s = model.min_times_s
        self.share_limit = SMALL * precision
        self.wait_limit_s = SMALL * tolerances(precision)["mean"] * min(self._min_s[row] for row in rows)
        connected = _connected(model, rows)
        self._rare = [
            event for row in connected for event in _rare(model.workloads[row], row, passes=not model.finite)
        ]
        self._rounds = [] if model.finite else [row for row in connected if not model.workloads[row].timed]
        self._timed = [] if model.finite else [row for row in connected if model.workloads[row].timed]

    def own_limit_s(self, row: int) -> float:
        """Seconds that may be added to a request of the workload in ``row``; any number if it is not watched."""
        return self.share_limit * self._min_s[row] if row in self._watched else math.inf

    def missing(self, completed: Series, steps: Series, seconds: float) -> str | None:
        """What has come too seldom, in words; None if nothing has.

        Args:
            completed: requests that each workload completed, shape (workloads,).
            steps: steps that each workload took, shape (workloads,).
            seconds: the time in which they did.
        """
        for row in self._rounds:
            workload = self._workloads[row]
            if completed[row] < OFTEN and steps[row] < OFTEN * _steps_of(workload.path):
                rate = completed[row] / seconds if completed[row] else _rate_at_most(workload)
                if row in self._watched or self._disturbs(effect_of(workload.path), rate):
                    return f"{workload} has come round {completed[row]:.0f} times only"
        unseen = _Disturbance(self)
        for event in self._rare:
            expected = event.often * completed[event.row]
            if expected < event.wanted and unseen.matters_with(event, max(expected, event.often) / seconds):
                return f"{event.name}: about {expected:.2g} expected so far"
        return None

    def changing(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """What has come too seldom between ``edges`` of an endless run, or a timetable that began or ended."""
        now_s = snapshots.seconds(-1)
        for row in self._timed:
            workload = self._workloads[row]
            if isinstance(workload, Closed):
                for verb, at_s in (("starts", workload.start_s), ("stops", workload.stop_s or 0.0)):
                    if now_s < OFTEN * at_s:
                        return f"{workload} {verb} at {at_s:g} s only, of {now_s:.3g} s"
        seconds = snapshots.window(edges[0], edges[-1]).now_ns / NANOSECONDS_PER_SECOND
        return self.missing(snapshots.growth("completed", edges), snapshots.growth("steps", edges), seconds)

    def _disturbs(self, effect: Effect, rate: float) -> bool:
        """Whether what comes ``rate`` times a second may change the answers of those who share its places."""
        return _Disturbance(self).by(effect, rate)


class _Disturbance:
    """What several rare events do together to the watched requests: a thousand of them add up."""

    def __init__(self, limits: RareEvents) -> None:
        self._limits = limits
        self._own_s: dict[int, float] = defaultdict(float)
        self._taken: dict[Place, float] = defaultdict(float)
        self._wait_s: dict[Place, float] = defaultdict(float)

    def matters_with(self, event: Rare, rate: float) -> bool:
        """Whether ``event``, ``rate`` times a second, and those before may change an answer too much."""
        if event.effect is None:
            return True
        if event.nested:
            return _Disturbance(self._limits).matters_with(replace(event, nested=False), rate)
        effect = event.effect()
        limit_s = self._limits.own_limit_s(event.row)
        self._own_s[event.row] += event.often * effect.time_s
        return self._own_s[event.row] > limit_s or self.by(effect, rate)

    def by(self, effect: Effect, rate: float) -> bool:
        """The same, for those who share its places."""
        if effect.moves:
            return True
        for place, work_s in effect.work_s.items():
            share = rate * work_s / capacity(place)
            self._taken[place] += share
            self._wait_s[place] += share * work_s / 2.0
        limits = self._limits
        return any(self._taken[place] > limits.share_limit for place in effect.work_s) or any(
            self._wait_s[place] > limits.wait_limit_s for place in effect.work_s
        )


def effect_of(path: Path) -> Effect:
    """What one request on ``path`` does on average; at most, where only the state of the run decides."""
    time_s, moves = 0.0, False
    work_s: dict[Place, float] = {}
    for step, often in _steps_often(path, 1.0):
        moves |= isinstance(step, Put | Take | Await | Gather | Wake)
        if isinstance(step, Use | Delay):
            time_s += often * step.time.mean
        if isinstance(step, Use):
            work_s[step.station] = work_s.get(step.station, 0.0) + often * step.time.mean
        elif isinstance(step, Hold):
            work_s[step.held] = work_s.get(step.held, 0.0) + often * effect_of(step.steps).time_s
    return Effect(time_s, work_s, moves)


def _connected(model: Model, rows: Sequence[int]) -> list[int]:
    """The workloads that share places with those in ``rows``, directly or by way of others."""
    visited = [places_of(workload.path) for workload in model.workloads]
    connected, places = set(rows), set().union(*(visited[row] for row in rows))
    while more := {row for row, here in enumerate(visited) if row not in connected and here & places}:
        connected |= more
        places |= set().union(*(visited[row] for row in more))
    return sorted(connected)


def _rate_at_most(workload: Workload) -> float:
    """The most requests per second of a workload that has not completed any."""
    match workload:
        case Open(arrivals=Poisson(per_second)):
            return per_second
        case Open(arrivals=Periodic(interval_s)):
            return 1.0 / interval_s
        case Closed():
            cycle_s = min_time_s(workload.path) + (workload.think.mean if workload.think else 0.0)
            return workload.clients / cycle_s if cycle_s else math.inf
    return math.inf


def _rare(workload: Workload, row: int, *, passes: bool) -> Iterator[Rare]:
    """Rare branches and times of ``workload``, and ``passes`` through replayed addresses."""
    for step, often in _steps_often(workload.path, 1.0):
        if isinstance(step, Choose):
            for share, branch in step.options:
                if share:
                    name = f"branches of {workload} with a probability of {share:g} have to come {OFTEN:g} times"
                    yield Rare(name, row, often * share, OFTEN, partial(effect_of, branch))
        elif isinstance(step, Use | Delay):
            yield from _times(workload, row, step, often)
        elif passes and isinstance(step, Lookup) and isinstance(step.addresses, Replayed):
            length = len(step.addresses.addresses)
            yield Rare(f"{workload} looks {length} replayed addresses up in {step.cache}", row, often, length)


def _times(workload: Workload, row: int, step: Use | Delay, often: float) -> Iterator[Rare]:
    """The longest of the recorded times that ``step`` may take, and longer and longer tails of them."""
    for min_s, mean_s, share in _tails(step.time):
        name = f"times from {min_s:g} s on, of {workload}, have to come {OFTEN:g} times: one in {1 / share:.3g}"
        work_s: dict[Place, float] = {step.station: mean_s} if isinstance(step, Use) else {}
        yield Rare(name, row, often * share, OFTEN, partial(Effect, mean_s, work_s), nested=True)


def _tails(time: Time) -> Iterator[tuple[float, float, float]]:
    """The tails of 1, 2, 4, … distinct values of a recorded time: least value, mean, and share of each."""
    if isinstance(time, PerItem):
        yield from _tails(time.fixed)
    elif isinstance(time, Empirical):
        values, counts = (column[::-1] for column in np.unique(np.array(time.values), return_counts=True))
        numbers, sums = np.cumsum(counts), np.cumsum(values * counts)
        for last in 2 ** np.arange(len(values).bit_length()) - 1:
            yield float(values[last]), float(sums[last] / numbers[last]), float(numbers[last] / numbers[-1])


def _steps_often(path: Path, often: float) -> Iterator[tuple[Step, float]]:
    """Every step of ``path`` with how often it is taken; at most, where only the state of the run decides."""
    for step in path:
        yield step, often
        for share, inner in weighed(step, 1.0):
            yield from _steps_often(inner, often * share)


def _steps_of(path: Path) -> float:
    """Steps of one request on ``path``, all branches included; of a loop without end, one round."""
    total = 0.0
    for step in path:
        rounds = step.times if isinstance(step, Repeat) and step.times < ENDLESS else 1
        total += 1.0 + rounds * sum(_steps_of(inner) for inner in step.inner)
    return total
