"""What no measurement can pass, as a model has it: whatever values its parameters may have within their bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.analytic.bounds import Bounds
from sim.decision.claims.reading import Reading
from sim.decision.claims.verdict import Bound
from sim.errors import InputError
from sim.model.model import Model
from sim.model.steps import Fork, iter_steps
from sim.model.symmetry import symmetry
from sim.result import Bound as PlaceBound
from sim.system.case import Case
from sim.system.derivation import REPEATS
from sim.system.parameters import Parameter

FIXED = ("published", "set")
"""Bases of values that are what they are: a source, or the user, says so."""

SURELY = 3.0
"""Standard deviations by which one run may exceed what a place allows on average."""

_SHORTEST_S = 1e-9
"""Seconds measured where nobody says: all may have been what buffers held."""


def model_bound(case: Case, reading: Reading, measured_s: float | None) -> Bound | None:
    """The bound that the claimed number passes by the model of ``case``; None where it passes none.

    Args:
        measured_s: for how long was measured; None: nobody says.
    """
    if reading.measure != "throughput":
        return None
    amount = case.scenario.amount
    claimed = _claimed(reading) / (reading.scale * amount)
    passed = [*_ceilings(case, claimed * amount), *_places(case, claimed, measured_s or _SHORTEST_S)]
    tightest = min(passed, key=lambda each: each.throughput, default=None)
    return _bound(tightest, reading, amount) if tightest else None


def _claimed(reading: Reading) -> float:
    """The least answer that the claimed number can mean."""
    number = reading.number
    if reading.amount is None:
        return number.low
    return reading.amount / number.high if number.high else math.inf


def _bound(passed: PlaceBound, reading: Reading, amount: float) -> Bound:
    value = passed.throughput * amount * reading.scale
    value = value if reading.amount is None else reading.amount / value
    return Bound(passed.place, value, reading.number.unit, reading.number.value / value)


def _ceilings(case: Case, claimed: float) -> Iterator[PlaceBound]:
    """Published rates of the hardware that ``claimed``, in the system's unit, exceeds."""
    for each in case.system.limits(case.settings):
        if each.measure == "throughput" and claimed > each.most:
            yield PlaceBound(each.why, each.most / case.scenario.amount)


def _places(case: Case, claimed: float, measured_s: float) -> Iterator[PlaceBound]:
    """The place, or the clients, that do not reach ``claimed`` with the best values of all parameters."""
    limits = _Limits(case, measured_s)
    lowest = limits.under({})
    if lowest is None or claimed <= lowest.throughput:
        return
    best = limits.best(lowest.place)
    if best is not None and claimed > best * math.exp(SURELY * REPEATS):
        yield PlaceBound(lowest.place, best)


def _leaves(model: Model) -> bool:
    """Whether work is left behind that nobody waits for: what was measured may not have come to a place yet."""
    steps = (step for each in model.workloads for step in iter_steps(each.path))
    return any(isinstance(step, Fork) and step.leaves for step in steps)


@dataclass(frozen=True)
class _Limits:
    """The bounds of ``case`` under other values of parameters."""

    case: Case
    measured_s: float

    def under(self, values: Mapping[str, float], place: str | None = None) -> PlaceBound | None:
        """The bound by ``place``, or the lowest one; None where there is no such model."""
        try:
            scenario = self.case.changed(values)
        except InputError:
            return None
        clients, *places = Bounds(symmetry(scenario.model)).every(scenario.watch, self.measured_s)
        every = [clients] if _leaves(scenario.model) else [clients, *places]
        named = [each for each in every if place in (None, each.place)]
        return min(named, key=lambda bound: bound.throughput, default=None)

    def best(self, place: str) -> float | None:
        """The highest bound that ``place`` can have; None where that is not known.

        A demand grows or falls with each parameter, whatever the others are: their best ends are found one by one.
        """
        ends = {entry.name: self._best_end(entry, place) for entry in self.case.system.parameters.entries}
        changed = {name: end for name, end in ends.items() if end is not None}
        bound = self.under(changed, place)
        return bound.throughput if bound else None

    def _best_end(self, entry: Parameter, place: str) -> float | None:
        """The end of the bounds of ``entry`` at which ``place`` allows most; None where it makes no difference."""
        if entry.basis in FIXED or entry.low == entry.high:
            return None
        allowed: dict[float, float] = {}
        for end in (entry.value, entry.low, entry.high):
            bound = self.under({entry.name: end}, place)
            if bound:
                allowed[end] = bound.throughput
        best = max(allowed, key=lambda end: allowed[end], default=entry.value)
        return None if best == entry.value else best
