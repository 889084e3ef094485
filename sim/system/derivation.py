"""Derivations: the numbers that derived parameters begin with, and how far these numbers move them.

Derived parameters hang together: what the rounding of a figure adds to one it takes from another, so that their
sum is still what was published. A parameter therefore follows the numbers that it was derived from, one by one, to
the first order of their logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    """A number that a derivation begins with: its value one standard deviation down, and one up.

    Attributes:
        figures: the published figures that it is, as ``dataset/row/column``.
    """

    name: str
    lower: float
    upper: float
    figures: tuple[str, ...] = ()


def _input(value: float, lower: float, upper: float, figures: tuple[str, ...] = ()) -> Any:
    return field_with(value, Input("", lower, upper, figures))


def rounded(value: float, half_width: float, *figures: str) -> Any:
    """A field of a record of numbers: a figure that was rounded, and lies anywhere within ``half_width``."""
    deviation = half_width / math.sqrt(3.0)
    return _input(value, value - deviation, value + deviation, figures)


def measured(value: float, half_width: float, *figures: str) -> Any:
    """The same of a figure that was measured in one run: the next would give another, by ``REPEATS``."""
    deviation = math.hypot(half_width / math.sqrt(3.0), REPEATS * value)
    return _input(value, value - deviation, value + deviation, figures)


def assumed(value: float, likely: tuple[float, float]) -> Any:
    """The same of an assumption within a range; the field has the name of its parameter, with which it moves."""
    lower, upper = (value * (end / value) ** (1.0 / DEVIATIONS) for end in likely)
    return _input(value, lower, upper)


Moves = Mapping[str, tuple[Numbers, Numbers]]
"""Numbers of which one is a standard deviation lower, and higher, by its name."""


def moves(numbers: Numbers) -> dict[str, tuple[Numbers, Numbers]]:
    """The same numbers, each of its fields moved in turn."""

    def moved(name: str, end: float) -> Numbers:
        return replace(numbers, **{name: end})  # type: ignore[type-var]

    return {each.name: (moved(each.name, each.lower), moved(each.name, each.upper)) for each in _inputs(numbers)}


def _inputs(numbers: object) -> Iterator[Input]:
    return kept_in(type(numbers), Input, "such as elapsed_s: float = measured(38, 0.5)")


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


def cells(numbers: object, followed: Iterable[str]) -> tuple[str, ...]:
    """The published figures among ``numbers`` that something follows: those that a derivation touches.

    Args:
        followed: names of fields, such as the keys of what ``follows`` yields; others are passed over.
    """
    names = set(followed)
    return tuple(
        dict.fromkeys(figure for each in _inputs(numbers) if each.name in names for figure in each.figures)
    )


@dataclass(frozen=True)
class Outcome:
    """What a derivation yields: a value, how far its logarithm moves with each number, and the figures behind it.

    ``follows`` and ``cells`` are those of a ``Parameter``.
    """

    value: float
    follows: Mapping[str, float]
    cells: tuple[str, ...]


def outcome(derive: Callable[[Numbers], float], numbers: Numbers, moved: Moves[Numbers]) -> Outcome:
    """What ``derive`` yields from ``numbers``, of which ``moved`` has each moved in turn."""
    followed = follows(derive, moved)
    return Outcome(derive(numbers), followed, cells(numbers, followed))


def outcomes(
    derive: Callable[[Values, Numbers], Mapping[str, float]], parameters: Parameters[Values], numbers: Numbers
) -> dict[str, Outcome]:
    """What ``derive`` yields from the values of other parameters and from further numbers, by name."""
    values = parameters.values
    ends = {cause: ((low, numbers), (high, numbers)) for cause, (low, high) in moves_of(parameters).items()}
    ends |= {name: ((values, low), (values, high)) for name, (low, high) in moves(numbers).items()}
    moved = {name: (derive(*lower), derive(*upper)) for name, (lower, upper) in ends.items()}
    found = {name: (value, follows(itemgetter(name), moved)) for name, value in derive(values, numbers).items()}
    return {name: Outcome(value, followed, cells(numbers, followed)) for name, (value, followed) in found.items()}
