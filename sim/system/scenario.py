"""A model, and how to read a system's answers off its result."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from sim.engine import checks
from sim.engine.errors import InputError
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.options import ANALYTIC
from sim.engine.simulation.variation import Variation, variation_of
from sim.engine.statistics import intervals
from sim.engine.statistics.answers import ANSWERS, QUANTILES, THROUGHPUT
from sim.engine.statistics.estimates import Estimate, point
from sim.system.sample import Sample

CONFIDENCE, WELL = 0.95, 0.05
"""Confidence of an interval from parts of a run, and the largest half-width of a converged answer."""

LATENCIES = {name: f"{name} latency" for name in ANSWERS if name not in THROUGHPUT}
"""Measures of the latency of the watched group, in seconds, with their names in text."""

UNKNOWN = replace(point(math.nan), known=False)
"""Estimate without a value."""

WHOLE = Sample()
"""Sample that is the whole job."""


@dataclass(frozen=True)
class Measure:
    """An answer beside throughput: its unit, how it is read off a result, and its upper bound.

    Attributes:
        of_throughput: True if it is proportional to throughput, and bounded with it.
        varies: False if it is deterministic: settings and parameters alone determine it.
        percentile_of: the group of whose latency it is a percentile; else empty.
    """

    unit: str
    read: Callable[[Result], Estimate]
    most: float = math.inf
    of_throughput: bool = False
    varies: bool = True
    percentile_of: str = ""

    @classmethod
    def of_whole(cls, read: Callable[[Result], Estimate]) -> Measure:
        """A share of a whole, in per cent."""
        return cls("%", read, most=100.0)

    @classmethod
    def fixed(cls, unit: str, value: float) -> Measure:
        """A measure that settings and parameters alone determine."""
        return cls(unit, lambda _result: Estimate(value, value, value, CONFIDENCE), varies=False)


@dataclass(frozen=True)
class Answer:
    """One answer of a system, in ``unit``; measurements cannot exceed ``most``.

    Attributes:
        why: reason for withholding the model's value; empty if it has a value.
        by: source of the value other than the model: a curve through measured jobs; else empty.
    """

    estimate: Estimate
    unit: str
    most: float = math.inf
    why: str = ""
    by: str = ""


@dataclass(frozen=True)
class Scenario:
    """A model, and how to read answers off its result.

    Attributes:
        watch: the group of workloads whose throughput is the answer.
        amount: factor from requests/s to ``unit``: requests/s × amount = throughput.
        unit: unit of throughput, such as MB/s.
        measures: further answers, by name; ``throughput``, ``elapsed`` (of a finite job) and latency (``mean``,
            ``p50``, ``p95``, ``p99``) need no entry.
        replaced: settings without effect here, with the text that replaces their values in a heading.
        published: source of the limit of a place, by words in its name and by its ending.
        line_rates: published line rate of a place over the model's capacity, by words in its name and by its
            ending.
        ceiling: largest throughput, in ``unit``, that the load requests, such as the pace of a job.
        sample: the part of a finite job that ``model`` simulates. A request and ``amount`` then stand for such a
            part; times are those of the whole job.
        warnings: warnings for readers of any answer, one line each.
        notes: simplifications of the model for this load, one line each.
        compared: source of published percentiles of latency that the system's were compared with; without one,
            percentiles are answered only where times vary by a distribution.
    """

    model: Model
    watch: str
    amount: float
    unit: str
    measures: Mapping[str, Measure] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[tuple[str, str], str] = field(default_factory=dict)
    line_rates: Mapping[tuple[str, str], float] = field(default_factory=dict)
    ceiling: float = math.inf
    sample: Sample = WHOLE
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    compared: str = ""

    def __post_init__(self) -> None:
        checks.number("amount", self.amount, low=0.0)
        if not self.amount:
            raise InputError("amount is 0; allowed: a finite number above 0")
        for name in self.measures:
            if name in LATENCIES:
                raise InputError(f"a measure is named '{name}', as the {LATENCIES[name]} is; rename it")

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of each answer, by measure."""
        elapsed = {"elapsed": "s"} if self.model.finite else {}
        own = {name: each.unit for name, each in self.measures.items()}
        return {"throughput": self.unit, **dict.fromkeys(LATENCIES, "s"), **elapsed, **own}

    @property
    def in_parts(self) -> bool:
        """True if batch records are needed to estimate a measure's interval."""
        return any(each.varies for each in self.measures.values())

    def variation(self, result: Result, group: str = "") -> Variation | None:
        """Sources of variation of a request's time; None for the analytic engine, which has no percentiles.

        Args:
            group: another group than the watched one.
        """
        if result.engine == ANALYTIC:
            return None
        return replace(variation_of(self.model, result, group or result.watched), compared=self.compared)

    def modelled(self, result: Result, group: str) -> bool:
        """True if percentiles of ``group`` are more than those of constants."""
        variation = self.variation(result, group)
        return variation is not None and variation.modelled

    def latencies(self, result: Result, group: str) -> dict[str, Estimate]:
        """Mean and percentiles of the latency of ``group``; percentiles of constants alone have no value."""
        latency = vars(result.groups[group].latency)
        if self.modelled(result, group):
            return dict(latency)
        return {name: UNKNOWN if name in QUANTILES else each for name, each in latency.items()}

    def answers(self, result: Result) -> dict[str, Answer]:
        """All answers that ``result`` has in the system's terms, by measure.

        Percentiles of constants alone have no value.
        """
        answers, percentiles = self.model_answers(result), self._percentiles(result)
        variations = {group: self.variation(result, group) for group in percentiles.values()}
        for name, group in percentiles.items():
            if (variation := variations[group]) and not variation.modelled:
                answers[name] = Answer(UNKNOWN, answers[name].unit, why=variation.words)
        return answers

    def own_estimates(self, result: Result) -> dict[str, Estimate]:
        """The system's own answers in ``result``, except those without a value in any run."""
        answers = self.answers(result)
        return {name: answers[name].estimate for name in self.measures if not answers[name].why}

    def _percentiles(self, result: Result) -> dict[str, str]:
        """Answers that are percentiles, with the group of their latency."""
        own = {name: each.percentile_of for name, each in self.measures.items() if each.percentile_of}
        return {**dict.fromkeys(QUANTILES, result.watched), **own}

    def model_answers(self, result: Result) -> dict[str, Answer]:
        """All answers with the model's percentiles, even if its times are constants."""
        rate, latency = result.throughput.scaled(self.amount), result.groups[result.watched].latency
        most = self._most(result)
        answers = {"throughput": Answer(self.sample.widened(rate), self.unit, most)}
        answers |= {name: Answer(self.sample.time(each), "s") for name, each in vars(latency).items()}
        if result.elapsed:
            answers["elapsed"] = Answer(self.sample.time(result.elapsed), "s")
        times = most / rate.value if rate.value else math.inf
        for name, each in self.measures.items():
            estimate = _read(each, result)
            answers[name] = _own(each, estimate.marked(known=result.judged.get(name, estimate.known)), times)
        return answers

    def _most(self, result: Result) -> float:
        """Largest throughput, in ``unit``: the load's, or the lowest line rate's."""
        rates = (
            ((at_place(self.line_rates, name) or 0.0, name) for name in result.places) if self.line_rates else ()
        )
        times = (
            times / used for times, name in rates if times and (used := result.places[name].utilisation) > 0.0
        )
        return min(self.ceiling, self.amount * result.throughput.value * min(times, default=math.inf))


Known = TypeVar("Known")


def at_place(known: Mapping[tuple[str, str], Known], place: str) -> Known | None:
    """The entry of ``known`` for ``place``, by words in its name and its ending; None if there is none."""
    for (words, end), value in known.items():
        if f" {words} " in f" {place} " and f" {place}".endswith(f" {end}" if end else ""):
            return value
    return None


def _own(measure: Measure, estimate: Estimate, times: float) -> Answer:
    """The answer of ``measure``, if throughput may be up to ``times`` its value."""
    most = min(measure.most, times * estimate.value) if measure.of_throughput else measure.most
    return Answer(estimate, measure.unit, most)


def _read(measure: Measure, result: Result) -> Estimate:
    """Value of ``measure`` in ``result``; if it has no interval, with one from the parts of the run."""
    estimate = measure.read(result)
    if not isinstance(estimate, Estimate):
        raise InputError(
            f"a measure in {measure.unit} is {checks.quoted(estimate)}; allowed: an Estimate: point(…)"
        )
    if not (math.isnan(estimate.low) and len(result.parts) > 1):
        return estimate
    parts = np.array([measure.read(part).value for part in result.parts])
    of_parts = intervals.ratio(parts, np.ones(len(parts)), CONFIDENCE, runs=result.elapsed is not None).estimate
    if result.elapsed is None:  # the whole run's value is better than the mean of its parts
        of_parts = replace(
            of_parts,
            value=estimate.value,
            low=estimate.value + of_parts.low - of_parts.value,
            high=estimate.value + of_parts.high - of_parts.value,
        )
    if parts.min() >= 0.0:
        of_parts = of_parts.not_below_zero()
    return of_parts.marked(known=of_parts.precision <= WELL or of_parts.low == of_parts.high)
