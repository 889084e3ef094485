"""Bounds by a model that no measurement can exceed, for any parameter values within their own bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.engine.analytic.bounds import Bounds
from sim.engine.errors import InputError
from sim.engine.model.model import Model
from sim.engine.model.steps import Fork, iter_steps
from sim.engine.model.symmetry import symmetry
from sim.engine.result import Bound as PlaceBound
from sim.system.case import Case
from sim.system.derivation import REPEATS
from sim.system.parameters import Parameter
from stacksim.claims.reading import Reading
from stacksim.claims.verdict import Bound

FIXED = ("published", "set")
"""Bases of parameters that have one value: stated by a source, or set by the user."""

SURELY = 3.0
"""Standard deviations by which one run may exceed a place's mean rate."""

_SHORTEST_S = 1e-9
"""Seconds of a measurement if not stated: buffers may have held all of it."""


def model_bound(case: Case, reading: Reading, measured_s: float | None) -> Bound | None:
    """The tightest bound by the model of ``case`` that the claimed number exceeds; None if it exceeds none.

    Args:
        measured_s: seconds of the measurement; None: not stated.
    """
    if reading.measure != "throughput":
        return None
    amount = case.scenario.amount
    claimed = _claimed(reading) / (reading.scale * amount)
    passed = [*_ceilings(case, claimed * amount), *_places(case, claimed, measured_s or _SHORTEST_S)]
    tightest = min(passed, key=lambda each: each.throughput, default=None)
    return _bound(tightest, reading, amount) if tightest else None


def _claimed(reading: Reading) -> float:
    """Least answer that the claimed number can mean."""
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
    """The place, or the clients, that cannot reach ``claimed`` with the best values of all parameters."""
    limits = _Limits(case, measured_s)
    lowest = limits.under({})
    if lowest is None or claimed <= lowest.throughput:
        return
    best = limits.best(lowest.place)
    if best is not None and claimed > best * math.exp(SURELY * REPEATS):
        yield PlaceBound(lowest.place, best)


def _leaves(model: Model) -> bool:
    """True if ``model`` leaves work behind that nobody waits for: it may not have reached a place yet."""
    steps = (step for each in model.workloads for step in iter_steps(each.path))
    return any(isinstance(step, Fork) and step.leaves for step in steps)


@dataclass(frozen=True)
class _Limits:
    """Bounds of ``case`` with other parameter values."""

    case: Case
    measured_s: float

    def under(self, values: Mapping[str, float], place: str | None = None) -> PlaceBound | None:
        """The bound by ``place``, or the lowest of all; None if no model has these ``values``."""
        try:
            scenario = self.case.changed(values)
        except InputError:
            return None
        clients, *places = Bounds(symmetry(scenario.model)).every(scenario.watch, self.measured_s)
        every = [clients] if _leaves(scenario.model) else [clients, *places]
        named = [each for each in every if place in (None, each.place)]
        return min(named, key=lambda bound: bound.throughput, default=None)

    def best(self, place: str) -> float | None:
        """The highest bound that ``place`` can have; None if it is not known.

        Demands are monotone in each parameter, so that each is optimised separately.
        """
        ends = {entry.name: self._best_end(entry, place) for entry in self.case.system.parameters.entries}
        changed = {name: end for name, end in ends.items() if end is not None}
        bound = self.under(changed, place)
        return bound.throughput if bound else None

    def _best_end(self, entry: Parameter, place: str) -> float | None:
        """The end of the range of ``entry`` at which ``place`` allows most; None if it makes no difference."""
        if entry.basis in FIXED or entry.low == entry.high:
            return None
        allowed: dict[float, float] = {}
        for end in (entry.value, entry.low, entry.high):
            bound = self.under({entry.name: end}, place)
            if bound:
                allowed[end] = bound.throughput
        best = max(allowed, key=lambda end: allowed[end], default=entry.value)
        return None if best == entry.value else best
