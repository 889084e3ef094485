"""Answers that compare two scenarios, such as "16 % faster than"; both have the same seed and engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sim.engine.result import Result
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.answers import THROUGHPUT
from sim.engine.statistics.estimates import Estimate, point
from sim.prediction.solvers import solution
from sim.system import Measure, Scenario

Read = Callable[[Result], Estimate]


@dataclass(frozen=True)
class OtherScenario:
    """A scenario to compare with, solved when a measure first needs it."""

    scenario: Scenario
    _results: dict[tuple[int, str], Result] = field(default_factory=dict, compare=False, repr=False)

    def result(self, first: Result) -> Result:
        """The result of the other scenario, with the seed and engine of the ``first``."""
        key = (first.seed, first.engine)
        if key not in self._results:
            options = RunOptions(engine=first.engine, seed=first.seed, answers=THROUGHPUT)
            self._results[key] = solution(self.scenario, options)
        return self._results[key]

    def share(self, read: Read, read_other: Read) -> Measure:
        """``read`` in per cent of ``read_other``."""
        return Measure("%", lambda result: _percent(self._ratio(result, read, read_other)))

    def saved(self, read: Read, read_other: Read) -> Measure:
        """Difference by which ``read`` is below ``read_other``, in per cent."""
        return Measure("%", lambda result: _percent(1.0 - self._ratio(result, read, read_other)))

    def added(self, read: Read, read_other: Read) -> Measure:
        """Difference by which ``read`` is above ``read_other``, in per cent."""
        return Measure("%", lambda result: _percent(self._ratio(result, read, read_other) - 1.0))

    def _ratio(self, result: Result, read: Read, read_other: Read) -> float:
        return read(result).value / read_other(self.result(result)).value


def elapsed(result: Result) -> Estimate:
    """The elapsed time of a finite job."""
    if result.elapsed is None:
        raise ValueError("the load is endless, so it has no elapsed time; give the model a count")
    return result.elapsed


def _percent(share: float) -> Estimate:
    return point(100.0 * share)
