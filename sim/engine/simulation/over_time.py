"""Rate, latency and levels of a model over time, from its start on: bursts, stalls and saw-teeth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sim.engine import checks
from sim.engine.events.registry import engine as create
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.fast_forward import MOST_STEPS, FastForward
from sim.engine.simulation.last_state import Moving, last_state, moving
from sim.engine.simulation.options import Progress
from sim.engine.simulation.regime import SAME, Regime
from sim.engine.statistics.histogram import Counts, percentile_ns

Series = NDArray[np.float64]

APART = 0.1
"""Share by which the rates of two phases differ; otherwise they are one."""

STALLED = 0.1
"""A part of the time whose rate is below this share of the mean counts as stalled."""

NOISE = 6.0
"""Standard deviations of the requests in a part by which those of a saw-tooth differ at least."""

SURE = 3.0
"""Standard deviations by which the rates of two thirds of the time differ, if there is a trend."""

STILL = 1e-3
"""Share of its range by which the mean of a level may differ between two halves of the cycles."""

SHORT = 8
"""A phase may be as short as a part of the answer divided by this: a burst is over before its first part is."""

WIDE = 100.0
"""Range of a level that rises and falls, at least: a smaller one may be chance."""

ENOUGH, ALIKE = 8, 0.1
"""Fewest whole cycles that stand for those to come, and the share of their mean by which their lengths differ."""

CYCLES, PARTS = 3, 4
"""Fewest whole cycles that make a period, and fewest parts of the answer in one: noise has neither."""


@dataclass(frozen=True)
class Phase:
    """A span in which the rate stays about equal.

    Attributes:
        rate: requests per second.
        counts: latencies of its requests, by bin of the histogram.
    """

    begin_s: float
    end_s: float
    rate: float
    counts: Counts = field(repr=False, compare=False)

    @property
    def p99_s(self) -> float | None:
        """Latency that 99 of 100 of its requests do not exceed, in seconds; None if none ended."""
        return p99_of([self])


@dataclass(frozen=True)
class Cycle:
    """A saw-tooth: its period in seconds, and half the width of its interval at 95 %; lowest and highest rate."""

    period_s: float
    spread_s: float
    low: float
    high: float


@dataclass(frozen=True)
class OverTime:
    """Rates and levels of a run, resolved in equal parts.

    Attributes:
        resolution_s: length of a part in seconds.
        rates: requests that the watched group completes per second in each part, shape (parts,).
        latencies_s: their mean latency in each part, shape (parts,); NaN where none ended.
        levels: the level of each buffer at the edges of the parts, by its name, shape (parts + 1,).
        phases: spans of about equal rate, in order.
        simulated_s: time that was simulated event by event; the rest repeats it.
        steps: steps simulated.
        moving: levels that still rise or fall at the end, towards a threshold; none of a saw-tooth.
        warming: True if a cache still fills at the end.
        end: the state at the end, by some windows more; None if it was not asked for, or no request ends in it.
    """

    resolution_s: float
    rates: Series
    latencies_s: Series
    levels: Mapping[str, Series]
    phases: tuple[Phase, ...]
    simulated_s: float
    steps: int
    moving: tuple[Moving, ...] = ()
    warming: bool = False
    end: Result | None = None

    @property
    def seconds(self) -> float:
        """The time that it covers; less than was asked for if the steps allowed did not suffice."""
        return len(self.rates) * self.resolution_s

    @property
    def mean(self) -> float:
        """Requests per second over all the time."""
        return float(self.rates.mean())

    @property
    def lowest(self) -> float:
        """Requests per second in the part with the fewest."""
        return float(self.rates.min())

    @property
    def stalled(self) -> float:
        """Share of the time in which hardly a request is completed."""
        return float((self.rates < STALLED * self.mean).mean())

    @property
    def burst(self) -> Phase | None:
        """The first phase, if the rate falls after it; None if it lasts."""
        if len(self.phases) < 2 or self.sustained > (1.0 - APART) * self.phases[0].rate:  # noqa: PLR2004
            return None
        return self.phases[0]

    @property
    def _later(self) -> Series:
        """Rates after the first phase, or all if there is no other."""
        later = self.rates[round(self.phases[0].end_s / self.resolution_s) :]
        return later if len(later) else self.rates

    @cached_property
    def _thirds(self) -> tuple[Series, Series]:
        """Rates in the last third of the time after the first phase, and in the third before; in whole cycles."""
        later = self._later
        starts = _whole_cycles(later, self.resolution_s)
        edges = np.arange(len(later) + 1) if starts is None else starts
        third = max(1, (len(edges) - 1) // 3)
        first, middle = edges[max(0, len(edges) - 1 - 2 * third)], edges[len(edges) - 1 - third]
        return later[middle : edges[-1]], later[first:middle] if first < middle else later[middle : edges[-1]]

    @cached_property
    def trend(self) -> float:
        """Change of the rate from one of these thirds to the last one, as a share; 0 if it may be chance."""
        last, before = self._thirds
        change = last.mean() - before.mean()
        chance = SURE * np.sqrt(last.var() / len(last) + before.var() / len(before))
        return float(change / before.mean()) if abs(change) > SAME * before.mean() + chance else 0.0

    @cached_property
    def sustained(self) -> float:
        """Requests per second that last: in both thirds, or, with a trend, in the last one."""
        last, before = self._thirds
        return float((last if self.trend else np.concatenate([before, last])).mean())

    @property
    def teeth(self) -> int:
        """Times that the rate rises through its middle after the first phase, regularly or not."""
        return len(_rises(self._later, self.resolution_s))

    @property
    def last_rise_s(self) -> float:
        """Time of the last of these rises; 0 without one."""
        rises = _rises(self._later, self.resolution_s)
        return float(len(self.rates) - len(self._later) + rises[-1]) * self.resolution_s if len(rises) else 0.0

    @cached_property
    def repeats(self) -> NDArray[np.int64] | None:
        """Parts in which cycles begin, if they are so regular that they stand for those to come; else None.

        They are those of a saw-tooth; or else of a level that rises and falls, if no other level is on its way.
        """
        later = len(self.rates) - len(self._later)
        starts = _rises(self._later, self.resolution_s) + later
        if len(starts):
            return starts if _regular(starts) else None
        levels = [] if self.moving or self.warming else [each[later + 1 :] for each in self.levels.values()]
        found = (_begins(each, WIDE) + later for each in levels)
        return next((each for each in found if _regular(each) and self._steady(each)), None)

    def _steady(self, starts: NDArray[np.int64]) -> bool:
        """True if the rate, and each level, is in the first half of the cycles what it is in the second."""
        cycles = range(len(starts) - 1)
        for values in (self.rates, *self.levels.values()):
            means = np.array([values[starts[each] : starts[each + 1]].mean() for each in cycles])
            first, second = means[: len(means) // 2], means[len(means) // 2 :]
            chance = SURE * np.sqrt(first.var() / len(first) + second.var() / len(second))
            if abs(first.mean() - second.mean()) > chance + STILL * np.ptp(values):
                return False
        return True

    def repeated(self, parts: int) -> OverTime:
        """The record of ``parts`` parts, whose whole cycles are repeated after what is there."""
        starts = self.repeats
        if starts is None:
            return self
        first, last = int(starts[0]), int(starts[-1])
        at = np.concatenate([np.arange(last), first + np.arange(parts - last) % (last - first)])
        span_s = (last - first) * self.resolution_s
        begin_s, end_s = first * self.resolution_s, last * self.resolution_s
        middles = [(each.begin_s + each.end_s) / 2.0 for each in self.phases]
        kept = [each for each, middle in zip(self.phases, middles, strict=True) if middle < end_s]
        cycles = [each for each, middle in zip(self.phases, middles, strict=True) if begin_s <= middle < end_s]
        phases = kept + [
            replace(each, begin_s=each.begin_s + shift_s, end_s=each.end_s + shift_s)
            for shift_s in (span_s * np.arange(1, -(-(parts - last) // (last - first)) + 1)).tolist()
            for each in cycles
            if each.begin_s + shift_s < parts * self.resolution_s
        ]
        return replace(
            self,
            rates=self.rates[at],
            latencies_s=self.latencies_s[at],
            levels={name: np.concatenate([each[at], each[at[-1:] + 1]]) for name, each in self.levels.items()},
            phases=tuple(phases),
        )

    @cached_property
    def cycle(self) -> Cycle | None:
        """The saw-tooth after the first phase, if there is one."""
        starts = _whole_cycles(self._later, self.resolution_s)
        if starts is None:
            return None
        lengths = np.diff(starts) * self.resolution_s
        spread = 1.96 * lengths.std(ddof=1) / np.sqrt(len(lengths)) + self.resolution_s / len(lengths)
        body = self._later[starts[0] : starts[-1]]
        return Cycle(float(lengths.mean()), float(spread), float(body.min()), float(body.max()))


def over_time(
    model: Model,
    seconds: float,
    *,
    resolution_s: float | None = None,
    watch: str | None = None,
    seed: int = 1,
    engine: str = "auto",
    skip: bool = True,
    max_steps: int = MOST_STEPS,
    end: bool = False,
    progress: Progress | None = None,
) -> OverTime:
    """Run ``model`` from its start for ``seconds``.

    Args:
        resolution_s: length of a part of the answer: by default a second, or a 200th of a shorter time.
        watch: the group whose rate is told, by default the first workload's.
        skip: let alike spans stand for each other (see ``fast_forward``); if False, simulate every event.
        max_steps: steps after which the run ends, whatever time is left.
        end: look at the state at the end, too.
        progress: called now and then with the share of the time that is done.

    Example:
        ```python
        from sim import Buffer, Closed, Model, Put, Station, Take, Use, over_time

        cache, disk = Buffer("cache", capacity=1_000_000), Station("disk")
        users = Closed("users", clients=4, path=[Use(Station("controller"), 1e-5), Put(cache, 1)])
        destage = Closed("destage", clients=1, path=[Take(cache, 1), Use(disk, 2.5e-5)])
        answer = over_time(Model([users, destage]), seconds=600.0)
        print(answer.burst)  # 100,000 requests a second for 16.7 s
        print(answer.sustained)  # 40,000 a second
        ```

    Raises:
        DeadlockError: all processes wait for each other.
        InputError: a time or resolution that is not allowed.
    """
    seconds = checks.number("time to simulate", seconds, low=1e-6, high=4e9)
    if resolution_s is None:
        resolution_s = min(1.0, seconds / 200.0)
    resolution_s = checks.number("resolution", resolution_s, low=seconds / 1e6, high=seconds)
    group = checks.known("group to watch", model.groups[0] if watch is None else watch, model.groups)
    part_ns = max(1, round(resolution_s * NANOSECONDS_PER_SECOND))
    rows, number = model.rows(group), model.groups.index(group)
    run = FastForward(create(engine)(model, seed), model, rows=rows, group=number, longest_ns=part_ns, skip=skip)
    end_ns = round(seconds * NANOSECONDS_PER_SECOND)
    run.run(end_ns, max_steps, progress, lambda: _read_off(run, part_ns).repeats is not None)
    answer = _read_off(run, part_ns)
    if run.now_ns < end_ns:
        answer = answer.repeated(end_ns // part_ns)
    return replace(answer, end=last_state(run, model, group, seed)) if end else answer


def _read_off(run: FastForward, part_ns: int) -> OverTime:
    """The record of ``run`` in parts of ``part_ns``."""
    resolution_s = part_ns / NANOSECONDS_PER_SECOND
    edges = np.arange(max(1, run.now_ns // part_ns) + 1) * float(part_ns)
    times = np.concatenate(run.edges_ns)
    completed, latency_ns = (
        np.diff(np.interp(edges, times, np.concatenate(each))) for each in (run.completed, run.latency_ns)
    )
    levels = np.concatenate(run.levels)
    with np.errstate(invalid="ignore", divide="ignore"):
        latencies_s = np.where(completed > 0.0, latency_ns / completed, np.nan) / NANOSECONDS_PER_SECOND
    by_name = {each.name: np.interp(edges, times, levels[:, row]) for row, each in enumerate(run.buffers)}
    answer = OverTime(
        resolution_s,
        completed / resolution_s,
        latencies_s,
        by_name,
        tuple(_phases(run.regimes, part_ns // SHORT)),
        run.simulated_ns / NANOSECONDS_PER_SECOND,
        run.steps,
        warming=run.warming,
    )
    if answer.cycle:
        return answer
    return replace(answer, moving=tuple(moving(run.thresholds, by_name, resolution_s)))


def p99_of(phases: Iterable[Phase]) -> float | None:
    """Latency that 99 of 100 requests of ``phases`` do not exceed, in seconds; None if none ended."""
    counts = np.sum([each.counts for each in phases], axis=0)
    return percentile_ns(counts, 0.99) / NANOSECONDS_PER_SECOND if counts.sum() else None


def _phases(regimes: list[Regime], shortest_ns: int) -> list[Phase]:
    """Phases of at least ``shortest_ns``: regimes of about equal rate are one, and short ones join the next."""
    joined: list[list[Regime]] = []
    for regime in (each for each in regimes if each.end_ns > each.begin_ns):
        last = joined[-1] if joined else None
        if last and (_length(last) < shortest_ns or abs(_rate([regime]) - _rate(last)) <= APART * _rate(last)):
            last.append(regime)
        else:
            joined.append([regime])
    return [_phase(each) for each in joined]


def _length(regimes: list[Regime]) -> int:
    return regimes[-1].end_ns - regimes[0].begin_ns


def _rate(regimes: list[Regime]) -> float:
    return float(sum(each.completed for each in regimes)) * NANOSECONDS_PER_SECOND / _length(regimes)


def _phase(regimes: list[Regime]) -> Phase:
    counts = np.zeros_like(regimes[0].histogram)
    for each in regimes:  # those that were repeated count as often as they were
        counts += np.round(each.histogram * (each.completed / max(1, each.histogram.sum()))).astype(np.int64)
    begin, end = (each / NANOSECONDS_PER_SECOND for each in (regimes[0].begin_ns, regimes[-1].end_ns))
    return Phase(begin, end, _rate(regimes), counts)


def _whole_cycles(rates: Series, resolution_s: float) -> NDArray[np.int64] | None:
    """Where cycles begin, if the rate rises and falls regularly."""
    starts = _rises(rates, resolution_s)
    lengths = np.diff(starts)
    regular = len(starts) > CYCLES and lengths.mean() >= PARTS and lengths.std() <= lengths.mean() / 2.0
    return starts if regular else None


def _rises(rates: Series, resolution_s: float) -> NDArray[np.int64]:
    """Parts in which the rate rises through its middle, having been low before, by more than chance."""
    chance = NOISE * np.sqrt(rates.mean() / resolution_s)  # of as many requests at random (Poisson)
    return _begins(rates, max(APART * rates.mean(), chance))


def _begins(values: Series, wide: float) -> NDArray[np.int64]:
    """Parts in which ``values`` rise through their middle, having been low before; none if they are less wide."""
    if len(values) < 2 * CYCLES:
        return np.zeros(0, dtype=np.int64)
    low, high = np.quantile(values, [0.02, 0.98])
    if high - low <= wide:
        return np.zeros(0, dtype=np.int64)
    state = np.where(values > high - (high - low) / 3.0, 1, np.where(values < low + (high - low) / 3.0, -1, 0))
    seen = np.flatnonzero(state)
    return np.array([b for a, b in pairwise(seen) if state[a] < 0 < state[b]], dtype=np.int64)


def _regular(starts: NDArray[np.int64]) -> bool:
    """True if there are enough cycles, and all of about the same length."""
    lengths = np.diff(starts)
    if len(lengths) < ENOUGH or lengths.min() < PARTS:
        return False
    return bool(np.ptp(lengths) <= max(2.0, ALIKE * lengths.mean()))
