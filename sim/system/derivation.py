"""Derivations: the numbers that derived parameters begin with, and how far these numbers move them.

Derived parameters hang together: what the rounding of a figure adds to one it takes from another, so that their
sum is still what was published. A parameter therefore follows the numbers that it was derived from, one by one, to
the first order of their logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, TypeVar

from sim.system.parameters import DEVIATIONS, Parameters
from sim.system.records import field_with, kept_in

Numbers = TypeVar("Numbers")
Values = TypeVar("Values")

REPEATS = 0.01
"""Standard deviation of what is timed or counted once, as a share of it: assumed, no source repeats a run."""


@dataclass(frozen=True)
class Input:
    """A number that a derivation begins with: its value one standard deviation down, and one up."""

    name: str
    lower: float
    upper: float


def _input(value: float, lower: float, upper: float) -> Any:
    return field_with(value, Input("", lower, upper))


def rounded(value: float, half_width: float) -> Any:
    """A field of a record of numbers: a figure that was rounded, and lies anywhere within ``half_width``."""
    deviation = half_width / math.sqrt(3.0)
    return _input(value, value - deviation, value + deviation)


def measured(value: float, half_width: float) -> Any:
    """The same of a figure that was measured in one run: the next would give another, by ``REPEATS``."""
    deviation = math.hypot(half_width / math.sqrt(3.0), REPEATS * value)
    return _input(value, value - deviation, value + deviation)


def assumed(value: float, likely: tuple[float, float]) -> Any:
    """The same of an assumption within a range; the field has the name of its parameter, with which it moves."""
    lower, upper = (value * (end / value) ** (1.0 / DEVIATIONS) for end in likely)
    return _input(value, lower, upper)


Moves = Mapping[str, tuple[Numbers, Numbers]]
"""Numbers of which one is a standard deviation lower, and higher, by its name."""


def moves(numbers: Numbers) -> dict[str, tuple[Numbers, Numbers]]:
    """The same numbers, each of its fields moved in turn."""
    fields = kept_in(type(numbers), Input, "such as elapsed_s: float = measured(38, 0.5)")

    def moved(name: str, end: float) -> Numbers:
        return replace(numbers, **{name: end})  # type: ignore[type-var]

    return {each.name: (moved(each.name, each.lower), moved(each.name, each.upper)) for each in fields}


def moves_of(parameters: Parameters[Numbers]) -> dict[str, tuple[Numbers, Numbers]]:
    """The values of ``parameters``, each of what moves them within their ranges moved in turn."""
    ranged = [entry for entry in parameters.entries if entry.likely]
    causes = dict.fromkeys(cause for entry in ranged for cause in entry.causes)

    def values(cause: str, step: float) -> Numbers:
        steps = {**dict.fromkeys(causes, 0.0), cause: step}
        return replace(parameters.values, **{entry.name: entry.moved(steps) for entry in ranged})  # type: ignore[type-var]

    return {cause: (values(cause, -1.0), values(cause, 1.0)) for cause in causes}


def follows(derive: Callable[[Numbers], float], moved: Moves[Numbers]) -> dict[str, float]:
    """How far the logarithm of what ``derive`` yields moves with each of the numbers that have an effect."""
    effects = {name: math.log(derive(upper) / derive(lower)) / 2.0 for name, (lower, upper) in moved.items()}
    return {name: effect for name, effect in effects.items() if effect}


@dataclass(frozen=True)
class Outcome:
    """What a derivation yields: a value, and how far its logarithm moves with each number; see ``Parameter``."""

    value: float
    follows: Mapping[str, float]


def outcomes(
    derive: Callable[[Values, Numbers], Mapping[str, float]], parameters: Parameters[Values], numbers: Numbers
) -> dict[str, Outcome]:
    """What ``derive`` yields from the values of other parameters and from further numbers, by name."""
    values = parameters.values
    ends = {cause: ((low, numbers), (high, numbers)) for cause, (low, high) in moves_of(parameters).items()}
    ends |= {name: ((values, low), (values, high)) for name, (low, high) in moves(numbers).items()}
    moved = {name: (derive(*lower), derive(*upper)) for name, (lower, upper) in ends.items()}
    return {
        name: Outcome(value, follows(itemgetter(name), moved)) for name, value in derive(values, numbers).items()
    }
