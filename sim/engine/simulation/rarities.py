"""Rare events of a model: branches seldom taken, long times among recorded ones, replayed addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from sim.engine.model.addresses import Replayed
from sim.engine.model.demands import weighed
from sim.engine.model.distributions import Empirical, PerItem, Time
from sim.engine.model.places import Place
from sim.engine.model.steps import Await, Choose, Delay, Gather, Hold, Lookup, Path, Put, Step, Take, Use, Wake

OFTEN = 10.0
"""Expected number of occurrences before a rare event counts as met: ten expected are 3 to 17 by chance."""


@dataclass(frozen=True)
class Effect:
    """Effect of an event, each time that it comes.

    Attributes:
        time_s: its longest duration, without queueing.
        work_s: seconds for which it keeps each station, pool and lock busy.
        moves: True if it changes buffers or gates, whose effect on other requests no time expresses.
    """

    time_s: float
    work_s: Mapping[Place, float]
    moves: bool = False


@dataclass(frozen=True)
class Rare:
    """A rare event.

    Attributes:
        name: returns its name, given that of the workload that takes the step.
        share: mean occurrences each time that the step is taken.
        effect: computes its effect, which takes a while; None if it matters in any case.
        nested: True if another event contains it, so that they do not add up.
    """

    name: Callable[[str], str]
    share: float
    effect: Callable[[], Effect] | None = None
    nested: bool = False


@dataclass(frozen=True)
class Rarities:
    """The rare events of one step.

    Attributes:
        wanted: expected occurrences that each needs.
        events: at least one.
    """

    wanted: float
    events: tuple[Rare, ...]

    @cached_property
    def least(self) -> float:
        """Mean occurrences of the rarest each time that the step is taken."""
        return min(event.share for event in self.events)


def effect_of(path: Path) -> Effect:
    """Mean effect of one request on ``path``; the largest where only the state of the run decides."""
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


def may_be_rare(step: Step) -> bool:
    """True if ``step`` may have rare events."""
    return isinstance(step, Choose) or (isinstance(step, Use | Delay) and _recorded(step.time))


def rarities(step: Step) -> Rarities | None:
    """The rare branches or times of ``step``; None if it has none."""
    events: list[Rare] = []
    if isinstance(step, Choose):
        events = [_branch(share, branch) for share, branch in step.options if share]
    elif isinstance(step, Use | Delay):
        station = step.station if isinstance(step, Use) else None
        events = [_long_time(station, *tail) for tail in _tails(step.time)]
    return Rarities(OFTEN, tuple(events)) if events else None


def _branch(share: float, branch: Path) -> Rare:
    def name(whose: str) -> str:
        return f"branches of {whose} with a probability of {share:g} have to come {OFTEN:g} times"

    return Rare(name, share, partial(effect_of, branch))


def _long_time(station: Place | None, min_s: float, mean_s: float, share: float) -> Rare:
    def name(whose: str) -> str:
        which = f"have to come {OFTEN:g} times: one in {1 / share:.3g}"
        return f"times from {min_s:g} s on, of {whose}, {which}"

    return Rare(name, share, partial(Effect, mean_s, {station: mean_s} if station else {}), nested=True)


def replays(step: Step) -> bool:
    """True if ``step`` looks up recorded addresses."""
    return isinstance(step, Lookup) and isinstance(step.addresses, Replayed)


def passes(step: Step) -> Rarities | None:
    """One pass through the replayed addresses of ``step``, from the first to the last; None if it has none."""
    if not (isinstance(step, Lookup) and isinstance(step.addresses, Replayed)):
        return None
    length, cache = len(step.addresses.addresses), step.cache
    return Rarities(length, (Rare(lambda whose: f"{whose} looks {length} replayed addresses up in {cache}", 1.0),))


def _recorded(time: Time) -> bool:
    return isinstance(time.fixed if isinstance(time, PerItem) else time, Empirical)


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
    """Steps of ``path`` with their mean frequency; the largest where only the state of the run decides."""
    for step in path:
        yield step, often
        for share, inner in weighed(step, 1.0):
            yield from _steps_often(inner, often * share)
