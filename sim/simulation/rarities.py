"""What is rare in a model: branches that are seldom taken, long times among those recorded, replayed addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sim.model.addresses import Replayed
from sim.model.along import HowOften
from sim.model.demands import weighed
from sim.model.distributions import Empirical, PerItem, Time
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
    Step,
    Take,
    Use,
    Wake,
    distinct_steps,
)
from sim.statistics.estimates import Series

OFTEN = 10.0
"""Times that a rare event is expected to come before it counts as met: ten expected are 3 to 17 by chance."""


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
        walk: the number of the walk that it belongs to.
        step: the number of the step at which it comes.
        share: how many times it comes when that step is taken.
        wanted: how many times it has to come.
        effect: finds what it does, which takes a while; None if it matters in any case.
        nested: whether another event holds it, too, so that they do not add up.
    """

    name: str
    walk: int
    step: int
    share: float
    wanted: float
    effect: Callable[[], Effect] | None = None
    nested: bool = False


class Walk:
    """The paths of workloads that are answered together.

    Attributes:
        rows: of the workloads.
        own_limit_s: seconds that may be added to a request of theirs; any number if they are not watched.
        mean: how often each step is taken by one request, on average over the workloads.
    """

    def __init__(self, model: Model, rows: Sequence[int], own_limit_s: float) -> None:
        self.workloads = [model.workloads[row] for row in rows]
        self.rows, self.own_limit_s = list(rows), own_limit_s
        self.often = HowOften([each.path for each in self.workloads])
        self.mean = self.often.of(np.ones(len(rows))) / len(rows)

    def taken(self, completed: Series) -> Series:
        """How often each step was taken, by so many requests of each workload of the model."""
        return self.often.of(completed[self.rows])

    def whose(self, step: int) -> str:
        """Who takes a step, for a person."""
        owner = self.often.owners[step]
        return f"group '{self.workloads[0].group}'" if owner is None else str(self.workloads[owner])


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


def rare_in(walk: Walk, number: int) -> Iterator[Rare]:
    """Rare branches and times of ``walk``, which has this number."""
    for row, step in enumerate(walk.often.steps):
        if isinstance(step, Choose):
            for share, branch in step.options:
                if share:
                    which = f"with a probability of {share:g} have to come {OFTEN:g} times"
                    name = f"branches of {walk.whose(row)} {which}"
                    yield Rare(name, number, row, share, OFTEN, partial(effect_of, branch))
        elif isinstance(step, Use | Delay):
            for min_s, mean_s, share in _tails(step.time):
                which = f"have to come {OFTEN:g} times: one in {1 / share:.3g}"
                name = f"times from {min_s:g} s on, of {walk.whose(row)}, {which}"
                work_s: dict[Place, float] = {step.station: mean_s} if isinstance(step, Use) else {}
                yield Rare(name, number, row, share, OFTEN, partial(Effect, mean_s, work_s), nested=True)


def replaying(model: Model, rows: Iterable[int]) -> list[int]:
    """Those of the workloads in ``rows`` that look recorded addresses up."""

    def replays(steps: Iterable[Step]) -> bool:
        return any(isinstance(step, Lookup) and isinstance(step.addresses, Replayed) for step in steps)

    if not replays(model.steps()):
        return []
    return [row for row in rows if replays(distinct_steps([model.workloads[row].path]))]


def passes(walk: Walk, number: int) -> Iterator[Rare]:
    """Passes through replayed addresses, from the first to the last."""
    for row, step in enumerate(walk.often.steps):
        if isinstance(step, Lookup) and isinstance(step.addresses, Replayed):
            length = len(step.addresses.addresses)
            yield Rare(
                f"{walk.whose(row)} looks {length} replayed addresses up in {step.cache}", number, row, 1.0, length
            )


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
