"""A model, and what to read off it in the terms of a system."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sim.model.model import Model
from sim.result import Result
from sim.statistics import intervals
from sim.statistics.estimates import Estimate

CONFIDENCE, WELL = 0.95, 0.05
"""Of the interval of an answer that only parts of a run tell, and up to which half-width it counts as known."""


@dataclass(frozen=True)
class Measure:
    """An answer beside throughput: its unit, and how it is read off what a simulation found."""

    unit: str
    read: Callable[[Result], Estimate]


@dataclass(frozen=True)
class Answer:
    """One answer of a system, in ``unit``."""

    estimate: Estimate
    unit: str


@dataclass(frozen=True)
class Scenario:
    """A model, and what to read off it.

    Attributes:
        watch: the group of workloads whose throughput is the answer.
        amount: how many ``unit``-seconds one walk stands for: walks/s × amount = throughput in ``unit``.
        unit: of the answer, such as MB/s.
        measures: further answers, by name; ``throughput`` and ``elapsed`` (of a finite job) need no entry.
        replaced: settings that have no effect here, and what a heading says in place of their values.
    """

    model: Model
    watch: str
    amount: float
    unit: str
    measures: Mapping[str, Measure] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of each answer, by measure."""
        elapsed = {"elapsed": "s"} if self.model.finite else {}
        return {"throughput": self.unit, **elapsed, **{name: each.unit for name, each in self.measures.items()}}

    def answers(self, found: Result) -> dict[str, Answer]:
        """Everything that ``found`` says in the system's terms, by measure."""
        answers = {"throughput": Answer(found.throughput.scaled(self.amount), self.unit)}
        if found.elapsed:
            answers["elapsed"] = Answer(found.elapsed, "s")
        return answers | {name: Answer(_read(each, found), each.unit) for name, each in self.measures.items()}


def _read(measure: Measure, found: Result) -> Estimate:
    """What ``measure`` says of ``found``; where it knows no interval, the parts of the run tell one."""
    read = measure.read(found)
    if not (math.isnan(read.low) and len(found.parts) > 1):
        return read
    parts = np.array([measure.read(each).value for each in found.parts])
    told = intervals.ratio(parts, np.ones(len(parts)), CONFIDENCE, runs=found.elapsed is not None).estimate
    if found.elapsed is None:  # the whole run says it better than the mean of its parts
        told = replace(
            told,
            value=read.value,
            low=read.value + told.low - told.value,
            high=read.value + told.high - told.value,
        )
    return told.marked(known=told.precision <= WELL or told.low == told.high)
