"""Answers of a design as a function of load, each load tried once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sim.decision.scaled_load import Amount, amount_of, with_load
from sim.decision.trials import answers_of
from sim.engine.errors import NoSteadyStateError, StacksimError
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.prediction.solvers import solution
from sim.system.scenario import Answer, Scenario

MOST = 10.0
"""The largest load tried, in multiples of the present one."""


@dataclass(frozen=True)
class Point:
    """One load.

    Attributes:
        answers: by measure; empty without a steady state; None if such a load could not be tried.
    """

    load: float
    answers: Mapping[str, Answer] | None

    def value(self, measure: str) -> float:
        """The answer ``measure``; nan if there is none."""
        return self.answers[measure].estimate.value if self.answers else math.nan


@dataclass
class LoadCurve:
    """Answers of a scenario by its load, with the engine and precision of ``options``."""

    scenario: Scenario
    options: RunOptions
    amount: Amount
    _points: dict[float, Point] = field(default_factory=dict)

    @classmethod
    def of(cls, scenario: Scenario, options: RunOptions) -> LoadCurve:
        """The curve of ``scenario``.

        Raises:
            InputError: its load cannot be scaled.
        """
        return cls(scenario, options, amount_of(scenario))

    @property
    def engine(self) -> str:
        """The engine, in words."""
        return ANALYTIC if self.options.engine == ANALYTIC else "simulation"

    def load(self, times: float) -> float:
        """The present load scaled by ``times``, rounded to a whole number from 1 if it is counted."""
        value = times * self.amount.value
        return float(max(1, round(value))) if self.amount.whole else value

    def at(self, load: float) -> Point:
        """Answers under ``load``."""
        if load not in self._points:
            self._points[load] = Point(load, self._answers(load))
        return self._points[load]

    def _answers(self, load: float) -> Mapping[str, Answer] | None:
        try:
            scenario = self.scenario if load == self.amount.value else with_load(self.scenario, load)
            return answers_of(scenario, solution(scenario, self.options))
        except NoSteadyStateError:
            return {}
        except StacksimError:
            return None


def accuracy(scenario: Scenario) -> Literal["exact", "approximate", ""]:
    """Accuracy of the analytic engine for the model of ``scenario``; empty if it cannot solve it."""
    from sim.engine.analytic.solve import solve  # lazily: simulations do without

    try:
        return "exact" if solve(scenario.model).exact else "approximate"
    except StacksimError:
        return ""
