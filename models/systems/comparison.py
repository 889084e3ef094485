"""Answers that compare two scenarios, such as "16 % faster than": the other one is solved alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sim.prediction.solvers import solution
from sim.result import Result
from sim.simulation.options import RunOptions
from sim.statistics.answers import THROUGHPUT
from sim.statistics.estimates import Estimate, point
from sim.system import Measure, Scenario

Read = Callable[[Result], Estimate]


@dataclass(frozen=True)
class Other:
    """Another scenario, solved when a measure first asks for it, with the seed and engine of the first."""

    scenario: Scenario
    _found: dict[tuple[int, str], Result] = field(default_factory=dict, compare=False, repr=False)

    def result(self, like: Result) -> Result:
        """What the other scenario does."""
        key = (like.seed, like.engine)
        if key not in self._found:
            options = RunOptions(engine=like.engine, seed=like.seed, answers=THROUGHPUT)
            self._found[key] = solution(self.scenario, options)
        return self._found[key]

    def share(self, mine: Read, its: Read) -> Measure:
        """How many per cent of ``its`` ``mine`` is."""
        return Measure("%", lambda result: _percent(_ratio(mine(result), its(self.result(result)))))

    def saved(self, mine: Read, its: Read) -> Measure:
        """By how many per cent ``mine`` is below ``its``."""
        return Measure("%", lambda result: _percent(1.0 - _ratio(mine(result), its(self.result(result)))))

    def added(self, mine: Read, its: Read) -> Measure:
        """By how many per cent ``mine`` is above ``its``."""
        return Measure("%", lambda result: _percent(_ratio(mine(result), its(self.result(result))) - 1.0))


def elapsed(result: Result) -> Estimate:
    """The elapsed time of a finite job."""
    if result.elapsed is None:
        raise ValueError("the load is endless, so it has no elapsed time; give the model a count")
    return result.elapsed


def _ratio(first: Estimate, second: Estimate) -> float:
    return first.value / second.value


def _percent(share: float) -> Estimate:
    return point(100.0 * share)
