"""Detection of two states of a model: it stays in each for a while, with very different throughput.

If requests gather to be served together, one service decides who comes to the next, and so a split
by chance may last. It shows in counters of short windows of a few runs: with other random numbers, and with
parameters as far off as a fit or their ranges allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sim.engine.errors import StacksimError
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.steps import Gather, distinct_steps
from sim.engine.model.workloads import Closed
from sim.engine.result import Result
from sim.engine.simulation.fixed_length import MOST_STEPS
from sim.engine.simulation.options import Progress, Run, RunOptions
from sim.engine.statistics.answers import ANSWERS, NARROWER
from sim.engine.units.text import number_text, time_text
from sim.prediction.parallel import side_by_side
from sim.prediction.prediction_record import StatesRecord, finite
from sim.prediction.uncertainty import draws_of
from sim.system.case import Case
from sim.system.scenario import Scenario

TURNS = 4
"""Length of a window in mean latencies: long enough for many requests, short beside a state that matters."""

MOST_WINDOWS = 800
"""Largest number of windows of a run."""

OWN, OTHERS = MOST_STEPS // 2, MOST_STEPS // 8
"""Largest steps of a run with the own parameters, and of one with others."""

SEEDS = 4

APIECE = 4
"""Every fourth draw of a fit, and of ranges, is run: a fourth of the cost of a band."""

APART = 1.25
"""Least ratio of the rates of two states."""

NEAR = 0.1
"""Windows within this distance of the dividing rate, as a logarithm, count as between the states."""

_BETWEEN = 0.2
"""Largest number of windows between two states, as a share of those in the rarer one."""

_CLOSE = 0.05
"""Relative tolerance of an answer against the mean of both states, whose shares are known no better."""

_FEWEST = 8
"""Least number of windows in the rarer state."""

_LONGER = 2.0
"""Factor by which a burst may last longer with other random numbers or parameters."""


@dataclass(frozen=True)
class States:
    """The throughput in either state, in the unit of the system.

    Attributes:
        low_share: share of the time in the slower state; nan if only other values of parameters show both.
        stay_s: mean duration of a stay in the rarer state, in seconds.
    """

    low: float
    high: float
    low_share: float
    stay_s: float

    @property
    def mean(self) -> float:
        """Throughput in the long run over both states; nan if the share of each is not known."""
        return self.low_share * self.low + (1.0 - self.low_share) * self.high

    def both(self) -> str:
        """Both rates as text."""
        return f"{number_text(self.low)} or {number_text(self.high)}"

    def words(self, unit: str) -> str:
        """Both rates and the share of each, as text."""
        both = f"{self.both()} {unit}"
        if math.isnan(self.low_share):
            return f"{both}, under values of parameters that are as likely"
        rarer = "slower" if self.low_share <= 0.5 else "faster"  # noqa: PLR2004
        seconds = time_text(self.stay_s)
        return f"{both}: {self.low_share:.0%} of the time in the slower one; {seconds} at a time in the {rarer}"

    def record(self) -> StatesRecord:
        """The JSON record; an unknown share is None."""
        return {"low": self.low, "high": self.high, "low_share": finite(self.low_share), "stay_s": self.stay_s}


def one_alone(result: Result, states: States, amount: float) -> Result:
    """``result``, marked as not known if its run was in one state only, or changed too seldom."""
    group = result.groups[result.watched]
    if abs(group.throughput.value * amount / states.mean - 1.0) <= _CLOSE:
        return result
    warning = (
        f"not known well enough: in the long run about {number_text(states.mean)}, as there are two states, "
        f"which a run as short as this one does not weigh; ask for {NARROWER}"
    )
    unknown = group.marked(dict.fromkeys(ANSWERS, False))
    return replace(result, groups={**result.groups, result.watched: unknown}, warnings=(*result.warnings, warning))


def states_of(
    case: Case, result: Result, progress: Progress | None = None, *, drawn: bool = True
) -> States | None:
    """The two states of ``case``, with ``result``; None if it is in one.

    Only endless closed loads that gather somewhere are tested: no others keep a split made by chance.

    Args:
        drawn: also try other values of parameters, as far off as a fit or their ranges allow.
    """
    scenario = case.scenario
    if result.elapsed or not _gathers(scenario):
        return None
    seeds = range(result.seed, result.seed + SEEDS)
    own = side_by_side([partial(_windows, scenario, result, seed, OWN) for seed in seeds], progress)
    if states := _states(own, scenario.amount):
        return states
    draws = [values for part in draws_of(case.system.parameters) for values in part[::APIECE]] if drawn else []
    for rates in side_by_side([partial(_under, case, values, result) for values in draws], progress):
        if rates and (states := _states([rates], scenario.amount)):
            return States(states.low, states.high, math.nan, states.stay_s)
    return None


def _gathers(scenario: Scenario) -> bool:
    model = scenario.model
    watched = [each for each in model.workloads if each.group == scenario.watch]
    steps = distinct_steps(each.path for each in model.workloads)
    return (
        all(isinstance(each, Closed) and not each.timed for each in watched)
        and sum(each.clients for each in watched if isinstance(each, Closed)) > 1
        and any(isinstance(step, Gather) for step in steps)
    )


@dataclass(frozen=True)
class _Rates:
    """Requests/s in each window of a run, shape (windows,), and the length of a window in seconds."""

    rates: NDArray[np.float64]
    window_s: float


def _under(case: Case, values: dict[str, float], result: Result, look: Progress | None = None) -> _Rates | None:
    try:
        return _windows(case.changed(values), result, result.seed, OTHERS, look)
    except StacksimError:
        return None


def _windows(scenario: Scenario, result: Result, seed: int, most: int, _look: Progress | None = None) -> _Rates:
    """Rates of a run in windows of a few latencies, after a warm-up of one window, or of a whole burst."""
    latency_s = result.groups[result.watched].latency.mean.value
    window_s = TURNS * latency_s
    steps = result.steps / result.measured_s * window_s
    count = max(_FEWEST, min(MOST_WINDOWS, int(most / max(1.0, steps))))
    engine = Run(scenario.model, scenario.watch, RunOptions(seed=seed)).start()
    if result.bursts:
        engine.advance(round(_LONGER * result.warmup_s * NANOSECONDS_PER_SECOND))
    watched = [number for number, each in enumerate(scenario.model.workloads) if each.group == scenario.watch]
    completed = engine.completed(round(window_s * NANOSECONDS_PER_SECOND), count + 1)[:, watched].sum(axis=1)
    return _Rates(np.diff(completed) / window_s, window_s)


def _states(runs: list[_Rates], amount: float) -> States | None:
    """The two states shown by windows of ``runs`` of the same model; None if there is one."""
    window_s = runs[0].window_s
    logs = np.log(np.maximum(np.concatenate([run.rates for run in runs]), 0.5 / window_s))
    between = _between(logs)
    if between is None:
        return None
    high = logs > between
    rarer = min(high.mean(), 1.0 - high.mean())
    ends = [np.diff((np.log(np.maximum(run.rates, 0.5 / window_s)) > between).astype(int)) for run in runs]
    changes = sum(int(np.count_nonzero(each)) for each in ends)
    if changes > rarer * (1.0 - rarer) * len(logs):  # independent windows change twice as often
        return None
    levels = (math.exp(float(np.median(logs[part]))) * amount for part in (~high, high))
    low, top = levels
    if top < APART * low:
        return None
    stay_s = float(rarer * len(logs) * window_s / max(1.0, changes / 2))
    return States(low, top, float(1.0 - high.mean()), stay_s)


def _between(logs: NDArray[np.float64]) -> float | None:
    """The logarithm of a rate that divides ``logs`` with the fewest windows near it; None if they do not split."""
    division = min(_divisions(np.sort(logs)), default=None)
    return division[1] if division and division[0] <= _BETWEEN else None


def _divisions(ordered: NDArray[np.float64]) -> Iterator[tuple[float, float]]:
    """Windows near each rate, as a share of those on its rarer side, and the rate."""
    for rate in np.arange(ordered[0] + NEAR, ordered[-1] - NEAR, NEAR / 4.0):
        low, middle, high = np.searchsorted(ordered, (rate - NEAR, rate, rate + NEAR))
        rarer = min(middle, len(ordered) - middle)
        if rarer >= _FEWEST:
            yield (high - low) / rarer, float(rate)
