"""Rare events of a model that a run has hardly met: requests, branches and times, and unfinished traces.

No statistic of a run shows what has not happened in it. The model does: it says how often an event will come and
how much it matters. So nothing counts as known before all events that matter should have come several times.

An event that keeps a place busy for ``w`` seconds and comes ``r`` times a second takes the share r w of the place
from all other requests. On average it makes each of them wait for r w² / 2 seconds: r w is the probability of
finding it at work, and w / 2 its mean remaining time then.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sim.engine.model.along import Along, HowOften
from sim.engine.model.demands import capacity, min_time_s
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND, Empirical, Gamma, Lognormal, variance
from sim.engine.model.model import Model
from sim.engine.model.places import Place
from sim.engine.model.steps import Path, Repeat, Step
from sim.engine.model.workloads import Closed, Open, Periodic, Poisson, Workload
from sim.engine.simulation.rarities import (
    OFTEN,
    Effect,
    Rare,
    Rarities,
    effect_of,
    may_be_rare,
    passes,
    rarities,
    replays,
)
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.statistics.answers import tolerances
from sim.engine.statistics.estimates import Series

SMALL = 0.5
"""An event matters if it changes an answer by more than this share of the answer's tolerance."""

ENDLESS = 1e9
"""A loop of this many rounds counts as endless; its steps are counted for one round."""


class RareEvents:
    """Rare events of one model that concern the watched workloads ``rows``.

    Attributes:
        connected: rows of all workloads that share places with those, directly or through others.
    """

    def __init__(self, model: Model, rows: Sequence[int], precision: float) -> None:
        self._workloads, self._watched = model.workloads, set(rows)
        self._min_s = model.min_times_s
        self.share_limit = SMALL * precision
        self.wait_limit_s = SMALL * tolerances(precision)["mean"] * min(self._min_s[row] for row in rows)
        connected = self.connected = _connected(model, rows)
        self._rare = list(_rare_steps(model, connected, may_be_rare, rarities))
        if not model.finite:
            self._rare += _rare_steps(model, connected, replays, passes)
        self._rounds = [] if model.finite else [row for row in connected if not model.workloads[row].timed]
        self._timed = [] if model.finite else [row for row in connected if model.workloads[row].timed]
        self._thinking = {} if model.finite else dict(_long_thinks(model, connected))

    def own_limit_s(self, row: int) -> float:
        """Seconds that may be added to a request of the workload in ``row``; infinite if it is not watched."""
        return self.share_limit * self._min_s[row] if row in self._watched else math.inf

    def missing(self, completed: Series, steps: Series, seconds: float) -> str | None:
        """The first event that has come too seldom, in words; None if there is none.

        Args:
            completed: requests completed by each workload, shape (workloads,).
            steps: steps taken by each workload, shape (workloads,).
            seconds: simulated time of these requests.
        """
        for row in self._rounds:
            workload = self._workloads[row]
            if completed[row] < OFTEN and steps[row] < OFTEN * _steps_of(workload.path):
                rate = completed[row] / seconds if completed[row] else _rate_at_most(workload)
                if row in self._watched or self._disturbs(effect_of(workload.path), rate):
                    return f"{workload} has come round {completed[row]:.0f} times only"
        return self.unseen(completed, seconds)

    def unseen(self, completed: Series, seconds: float, asleep: Container[int] = ()) -> str | None:
        """The first rare branch or time that has come too seldom, in words; None if there is none.

        Args:
            asleep: rows of workloads that only wait, and come to no branch.
        """
        unseen = _Disturbance(self)
        for step in self._rare:
            if step.row in asleep:
                continue
            if event := unseen.matters_with(step, taken := float(completed[step.row]) * step.often, seconds):
                name = event.name(str(self._workloads[step.row]))
                return f"{name}: about {event.share * taken:.2g} expected so far"
        return None

    def changing(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, an event too seldom between ``edges`` of an endless run, or a timetable's begin or end."""
        now_s = snapshots.seconds(-1)
        for row in self._timed:
            workload = self._workloads[row]
            if isinstance(workload, Closed):
                for verb, at_s in (("starts", workload.start_s), ("stops", workload.stop_s or 0.0)):
                    if now_s < OFTEN * at_s:
                        return f"{workload} {verb} at {at_s:g} s only, of {now_s:.3g} s"
        for row, left_s in self._thinking.items():
            if now_s < OFTEN * left_s:
                return f"{self._workloads[row]} has {left_s:.3g} s of a think left at any time, of {now_s:.3g} s"
        seconds = snapshots.window(edges[0], edges[-1]).now_ns / NANOSECONDS_PER_SECOND
        return self.missing(snapshots.growth("completed", edges), snapshots.growth("steps", edges), seconds)

    def _disturbs(self, effect: Effect, rate: float) -> bool:
        """True if ``effect`` at ``rate`` per second may change the answers of requests that share its places."""
        return _Disturbance(self).by(effect, rate)


def _long_thinks(model: Model, rows: Iterable[int]) -> Iterator[tuple[int, float]]:
    """Row and mean remaining think time, seconds, of workloads with more than exponential variation.

    At any time it is E[T²] / 2 E[T] (the inspection paradox): for so long clients remember that all began with a
    request, and this exceeds a mean think time if a few thinks make up most of the time.
    """
    for row in rows:
        workload = model.workloads[row]
        if isinstance(workload, Closed) and isinstance(workload.think, Gamma | Lognormal | Empirical):
            think = workload.think
            left_s = (variance(think) / think.mean + think.mean) / 2.0 if think.mean else 0.0
            if left_s > think.mean:
                yield row, left_s


class _Disturbance:
    """Combined effect of several rare events on the watched requests: a thousand of them add up."""

    def __init__(self, limits: RareEvents) -> None:
        self._limits = limits
        self._own_s: dict[int, float] = defaultdict(float)
        self._taken: dict[Place, float] = defaultdict(float)
        self._wait_s: dict[Place, float] = defaultdict(float)

    def matters_with(self, step: RareStep, taken: float, seconds: float) -> Rare | None:
        """The first rare event of ``step``, ``taken`` times in ``seconds``, that may change an answer.

        Its effect adds to that of all events before; None if there is none.
        """
        if step.rarities.least * taken >= step.rarities.wanted:
            return None
        for event in step.rarities.events:
            expected, often = event.share * taken, event.share * step.often
            if expected < step.rarities.wanted and self.matters(
                event, step.row, often, max(expected, often) / seconds
            ):
                return event
        return None

    def matters(self, event: Rare, row: int, often: float, rate: float) -> bool:
        """True if one ``event``, with all before, may change an answer.

        Args:
            row: the workload that meets it.
            often: mean number of events per request.
            rate: events per second.
        """
        if event.effect is None:
            return True
        if event.nested:
            return _Disturbance(self._limits).matters(replace(event, nested=False), row, often, rate)
        effect = event.effect()
        self._own_s[row] += often * effect.time_s
        return self._own_s[row] > self._limits.own_limit_s(row) or self.by(effect, rate)

    def by(self, effect: Effect, rate: float) -> bool:
        """True if ``effect`` at ``rate`` per second, with all before, may change answers at its places."""
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


@dataclass(frozen=True)
class RareStep:
    """A step with rare events, taken ``often`` times on average by a request of the workload in ``row``."""

    row: int
    often: float
    rarities: Rarities


def _rare_steps(
    model: Model, rows: Iterable[int], kind: Callable[[Step], bool], read: Callable[[Step], Rarities | None]
) -> Iterator[RareStep]:
    """Steps of this ``kind`` in the workloads ``rows``; shared steps are read once."""
    how_often, known = HowOften(kind), dict[int, Rarities | None]()
    for row in rows:
        for key, (step, often) in how_often.of(model.workloads[row].path).items():
            if key not in known:
                known[key] = read(step)
            if rare := known[key]:
                yield RareStep(row, often, rare)


def _connected(model: Model, rows: Sequence[int]) -> list[int]:
    """Workloads that share places with those in ``rows``, directly or through others."""
    if len(rows) == len(model.workloads):
        return sorted(rows)
    along = Along[Place](lambda step: () if step.place is None else (step.place,))
    visited = [along.of(workload.path) for workload in model.workloads]
    connected, places = set(rows), set[Place]().union(*(visited[row] for row in rows))
    while more := {row for row, here in enumerate(visited) if row not in connected and here & places}:
        connected |= more
        places |= set().union(*(visited[row] for row in more))
    return sorted(connected)


def _rate_at_most(workload: Workload) -> float:
    """Largest requests/s of a workload that has not completed any."""
    match workload:
        case Open(arrivals=Poisson(per_second)):
            return per_second
        case Open(arrivals=Periodic(interval_s)):
            return 1.0 / interval_s
        case Closed():
            cycle_s = min_time_s(workload.path) + (workload.think.mean if workload.think else 0.0)
            return workload.clients / cycle_s if cycle_s else math.inf
    return math.inf


def _steps_of(path: Path) -> float:
    """Steps of one request on ``path``, including all branches; of an endless loop, one round."""
    known: dict[int, float] = {}

    def along(path: Path) -> float:
        return sum(map(of, path))

    def of(step: Step) -> float:
        if id(step) not in known:
            rounds = step.times if isinstance(step, Repeat) and step.times < ENDLESS else 1
            known[id(step)] = 1.0 + rounds * sum(map(along, step.inner))
        return known[id(step)]

    return along(path)
