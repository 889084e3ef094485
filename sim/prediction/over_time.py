"""Prediction over time: burst, lasting rate, lowest part, stalls and saw-teeth, from a system's start on.

All answers are read off one run of the model (`sim.engine.simulation.over_time`) by ``answers_over_time``; goals,
growth and failures over time use the same. Intervals are those of ``predict``: runs under draws of the parameters,
and the model's errors. Nobody has published figures over time, so that the error of throughput is taken for rates
and times, that of percentiles for percentiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sim.engine import checks
from sim.engine.analytic.bounds import bounds_of
from sim.engine.display import Shown
from sim.engine.errors import DeadlockError, InputError, NoSteadyStateError
from sim.engine.result import Result
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions, part_of
from sim.engine.simulation.over_time import APART, OverTime, over_time, p99_of
from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import duration_text
from sim.prediction.bands import banded
from sim.prediction.caveats import Caveats, caveats_of
from sim.prediction.misses import expected_miss
from sim.prediction.over_time_words import unsettled
from sim.prediction.prediction import Prediction, prediction_of
from sim.prediction.uncertainty import OF_RUN, PredictionInterval, comparable, intervals_around
from sim.system.case import Case
from sim.system.scenario import CONFIDENCE as SURE
from sim.system.scenario import UNKNOWN, Answer, Scenario

SHORTEST_S, LONGEST_S = 1e-3, 3.2e8
"""Shortest and longest time: a millisecond, and some ten years."""

PARTS, FEWEST = 200_000, 10
"""Most parts of an answer unless another resolution is given, and fewest."""

WHOLE = (3600.0, 60.0, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
"""Lengths of a part in seconds, of which the one nearest to a second is taken that gives neither too few nor too
many parts."""

LONGER, FEW = 10, 10_000_000
"""Factor on the steps of the run, and steps beyond, after which a draw is given up."""

LOWEST = {"lowest_second": 1.0, "lowest_minute": 60.0, "lowest_hour": 3600.0}
"""Answers on the part with the least throughput, and its length in seconds."""

_RATES = ("throughput", "burst", "sustained", "lowest", *LOWEST)
_TIMES = ("burst_length", "period")
_PERCENTILES = ("p99", "p99_burst", "p99_sustained")


@dataclass(frozen=True)
class Span:
    """The time that an answer covers, and the length of its parts: by default a second, or what suits the time."""

    seconds: float
    resolution_s: float | None = None

    def __post_init__(self) -> None:
        seconds = checks.number("time", self.seconds, low=SHORTEST_S, high=LONGEST_S, unit=" s")
        object.__setattr__(self, "seconds", seconds)
        if self.resolution_s is not None:
            ends = seconds / PARTS, seconds / FEWEST
            checks.number("resolution", self.resolution_s, low=ends[0], high=ends[1], unit=" s")

    @property
    def part_s(self) -> float:
        """Length of a part in seconds."""
        if self.resolution_s is not None:
            return self.resolution_s
        near = [each for each in WHOLE if self.seconds / PARTS <= each <= self.seconds / FEWEST]
        return next((each for each in (1.0, 60.0, *near) if each in near), self.seconds / FEWEST)

    @property
    def lowest(self) -> str:
        """The answer on the lowest part of this resolution."""
        return next((name for name, length_s in LOWEST.items() if length_s == self.part_s), "lowest")

    def units(self, scenario: Scenario) -> dict[str, str]:
        """The unit of each answer, by measure; answers on parts longer than the time are left out."""
        longer = {name for name, length_s in LOWEST.items() if not self.part_s <= length_s <= self.seconds}
        rates = dict.fromkeys([name for name in _RATES if name not in longer], scenario.unit)
        return rates | dict.fromkeys((*_TIMES, "mean", *_PERCENTILES), "s") | {"stalled": "%"}


@dataclass(frozen=True)
class PredictionOverTime(Shown):
    """Predicted performance of a system over time.

    Attributes:
        case: the system and its settings.
        span: the time asked for.
        amount: throughput in ``unit`` for one watched request per second.
        record: rates and levels in each part.
        answers: burst, sustained rate and so on, by measure (``Span.units``).
        intervals: the prediction interval of each answer; empty if they were not asked for.
        unsettled: why the time is too short to tell what lasts, and which time would tell; empty if it suffices.
        end: prediction of the state in which the time ends, with its limit; None if no request ends in it.
        begin: prediction of the state in the burst; None without one, and where what seems to limit it is behind
            a level that the burst fills.
    """

    case: Case
    span: Span
    unit: str
    amount: float
    record: OverTime
    answers: Mapping[str, Answer]
    intervals: Mapping[str, PredictionInterval] = field(default_factory=dict)
    unsettled: tuple[str, ...] = ()
    end: Prediction | None = None
    begin: Prediction | None = None
    seed: int = 1

    @property
    def system(self) -> str:
        """Name of the system."""
        return self.case.system.name

    @property
    def shown(self) -> Mapping[str, str]:
        """The settings, and the parameters that were set, as text."""
        return self.end.shown if self.end else self.case.shown

    @property
    def at_end(self) -> Prediction:
        """The prediction of the state in which the time ends.

        Raises:
            NoSteadyStateError: no request ends in it.
        """
        if self.end is None:
            raise NoSteadyStateError(f"after {duration_text(self.record.seconds)} no request ends any more")
        return self.end

    @property
    def caveats(self) -> Caveats:
        """Caveats of the answers."""
        return self.end.caveats if self.end else caveats_of(self.case, (), None)

    @property
    def levels(self) -> list[str]:
        """Names of the levels that a user knows."""
        places = self.case.scenario.model.places
        return [each.name for each in places if each.name in self.record.levels and each.role != "internal"]

    def value(self, measure: str) -> float:
        """The value of an answer, in its own unit.

        Raises:
            InputError: no such answer.
        """
        return self.answers[checks.known("answer", measure, self.answers)].estimate.value

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each part: its begin, throughput, mean latency, and levels at its end."""
        record = self.record
        for number, rate in enumerate(record.rates.tolist()):
            yield {
                "begin_s": number * record.resolution_s,
                "throughput": rate * self.amount,
                "unit": self.unit,
                "mean_s": float(record.latencies_s[number]),
                **{name: float(record.levels[name][number + 1]) for name in self.levels},
            }


def units_of(case: Case, over: Span | None) -> Mapping[str, str]:
    """The unit of each answer to ``case`` by measure: of those over time, or else of those in the long run."""
    return over.units(case.scenario) if over else case.scenario.units


def answers_over_time(scenario: Scenario, span: Span, record: OverTime) -> dict[str, Answer]:
    """The answers of ``record`` in the system's terms, by measure; percentiles of constants have no value."""
    burst, cycle = record.burst, record.cycle
    lasts = Estimate(record.seconds, record.seconds, math.inf, SURE)
    rates = {
        "throughput": record.mean,
        "burst": burst.rate if burst else math.nan if record.trend > 0.0 else record.sustained,
        "sustained": record.sustained,
        "lowest": record.lowest,
        **{name: _lowest(record, length_s) for name, length_s in LOWEST.items()},
    }
    ended = np.nansum(record.rates * record.latencies_s), record.rates.sum()
    values = {name: _single(rate * scenario.amount) for name, rate in rates.items()}
    values |= {
        "burst_length": _single(burst.end_s) if burst else lasts,
        "mean": _single(float(ended[0] / ended[1]) if ended[1] else math.nan),
        "stalled": _single(100.0 * record.stalled),
    }
    if cycle:
        low, high = (cycle.period_s + sign * cycle.spread_s for sign in (-1, 1))
        values["period"] = Estimate(cycle.period_s, low, high, SURE)
    phases = record.phases
    parts = {"p99": phases, "p99_burst": phases[:1] if burst else phases, "p99_sustained": phases[bool(burst) :]}
    values |= {name: _single(p99_of(of)) for name, of in parts.items()}
    whys = {"period": "" if cycle else "no saw-tooth"} | dict.fromkeys(
        _PERCENTILES, _not_modelled(scenario, record)
    )
    return {
        name: Answer(UNKNOWN if whys.get(name) else values[name], unit, why=whys.get(name, ""))
        for name, unit in span.units(scenario).items()
    }


def _lowest(record: OverTime, length_s: float) -> float:
    """Least rate of any whole part of ``length_s``; nan if the record has none."""
    parts = round(length_s / record.resolution_s)
    count = len(record.rates) // parts if parts else 0
    return float(record.rates[: count * parts].reshape(count, parts).mean(axis=1).min()) if count else math.nan


def _single(value: float | None) -> Estimate:
    """The value of one run, which has no interval; not known without a value."""
    return UNKNOWN if value is None or math.isnan(value) else Estimate(value, math.nan, math.nan, SURE)


def _not_modelled(scenario: Scenario, record: OverTime) -> str:
    """Reason why percentiles have no value; empty if they have one."""
    variation = scenario.variation(record.end) if record.end else None
    return variation.words if variation and not variation.modelled else ""


def predict_over_time(
    case: Case,
    span: Span,
    options: RunOptions,
    progress: Progress | None = None,
    *,
    intervals: bool = True,
) -> PredictionOverTime:
    """Run the model of ``case`` from its start on for the time of ``span``.

    Args:
        intervals: compute prediction intervals, which takes 17 or 33 runs more.

    Raises:
        InputError: the analytic engine, or a load that ends by itself.
        DeadlockError: all processes wait for each other.
    """
    scenario = case.scenario
    if options.engine == ANALYTIC:
        raise InputError("engine is 'analytic', and answers over time are simulated; choose engine auto")
    if scenario.model.finite:
        raise InputError(f"the load of {case.system.name} ends by itself here; ask for it without a time")
    drawn = intervals and comparable(options)
    record = _run(scenario, span, options, options.max_steps, part_of(progress, 0.0, OF_RUN if drawn else 1.0))
    answers = answers_over_time(scenario, span, record)
    drawn = drawn and record.steps < options.max_steps
    why = tuple(unsettled(scenario.model, record, span.seconds))
    if why:
        answers |= {name: _unknown(answers[name]) for name in ("sustained", "p99_sustained", "period")}
        if not record.burst:  # at least so long, and nobody knows how much longer
            length = answers["burst_length"]
            answers["burst_length"] = replace(length, estimate=replace(length.estimate, known=False))
    opened = _opened(case, span, options, answers, record, part_of(progress, OF_RUN, 1.0)) if drawn else {}
    band = opened.get("burst" if why and not record.burst else "sustained")
    end = _state(case, scenario, record.end, record.sustained, band)
    begin = None
    if burst := record.burst:
        early = _run(scenario, Span(max(SHORTEST_S, burst.end_s / 2.0)), options, options.max_steps)
        begin = _state(case, scenario, early.end, burst.rate, opened.get("burst"))
    answers |= {
        name: replace(answers[name], most=state.answers["throughput"].most)
        for name in _RATES
        if name in answers and (state := (begin or end) if name in ("throughput", "burst") else end)
    }
    if begin and record.burst and not _limits(scenario, begin, record.burst.rate):
        begin = None
    bands = {
        name: _band(case, name, answers, each) for name, each in opened.items() if answers[name].estimate.known
    }
    return PredictionOverTime(
        case, span, scenario.unit, scenario.amount, record, answers, bands, why, end, begin, options.seed
    )


def _run(
    scenario: Scenario,
    span: Span,
    options: RunOptions,
    max_steps: int,
    progress: Progress | None = None,
    *,
    end: bool = True,
) -> OverTime:
    return over_time(
        scenario.model,
        span.seconds,
        resolution_s=span.part_s,
        watch=scenario.watch,
        seed=options.seed,
        engine=options.engine,
        max_steps=max_steps,
        end=end,
        progress=progress,
    )


def _unknown(answer: Answer) -> Answer:
    estimate = answer.estimate
    return replace(answer, estimate=replace(estimate, low=math.nan, high=math.nan, known=False))


def _state(
    case: Case, scenario: Scenario, result: Result | None, rate: float, opened: PredictionInterval | None
) -> Prediction | None:
    """The prediction of a state; ``opened`` is the interval by parameters of its ``rate`` in requests a second."""
    if result is None:
        return None
    by_parameters = {"throughput": opened.scaled(result.throughput.value / rate)} if opened and rate else {}
    return replace(prediction_of(case, scenario, result, by_parameters), late=True)


def _limits(scenario: Scenario, begin: Prediction, rate: float) -> bool:
    """False if the place that seems to limit the burst is one that requests do not need at its ``rate``."""
    bounds = {each.place: each.throughput for each in bounds_of(scenario.model).allowed(scenario.watch)}
    place = begin.limit.place if begin.limit.kind == "place" else None
    return place is None or bounds.get(place, 0.0) >= (1.0 - APART) * rate


def _opened(
    case: Case,
    span: Span,
    options: RunOptions,
    answers: Mapping[str, Answer],
    record: OverTime,
    progress: Progress | None,
) -> dict[str, PredictionInterval]:
    """Interval of each answer by draws of the parameters; an answer that is 0 in some has their ends."""
    seen: list[dict[str, float]] = []
    most = min(options.max_steps, LONGER * record.steps + FEW)

    def under(values: Mapping[str, float]) -> dict[str, float] | None:
        try:
            scenario = case.changed(values)
            drawn = _run(scenario, span, options, most, end=False)
        except (InputError, DeadlockError):
            return None
        if drawn.seconds < record.seconds / 2.0:  # of more than that, what is there tells enough for an interval
            return None
        found = answers_over_time(scenario, span, drawn)
        seen.append({name: each.estimate.value for name, each in found.items()})
        return seen[-1]

    lasting = set() if record.burst else {"burst_length"}
    estimates = {name: each.estimate for name, each in answers.items() if not math.isnan(each.estimate.value)}
    estimates = {name: each for name, each in estimates.items() if name not in lasting}
    opened = intervals_around(estimates, case.system.parameters, under, progress)
    for name, interval in opened.items():
        drawn = [each[name] for each in seen if not math.isnan(each[name])]
        if drawn and min(drawn) <= 0.0 < max(drawn):
            opened[name] = replace(interval, low=min(drawn), high=max(drawn))
    return opened


def _band(case: Case, name: str, answers: Mapping[str, Answer], opened: PredictionInterval) -> PredictionInterval:
    """The band of an answer: its interval by parameters, widened by the model's errors."""
    answer = answers[name]
    if name == "stalled":
        return opened.within(0.0, 100.0, answer.estimate.value)
    like = "p99" if name in _PERCENTILES else "mean" if name == "mean" else "throughput"
    own = like if name not in _TIMES else name
    return banded(case, {"throughput": answers["throughput"], own: answer}, own, opened, expected_miss(case, like))
