"""Derivations: the source numbers of derived parameters, and the sensitivities to them.

Derived parameters are correlated: rounding of a figure that raises one lowers another, as their sum was published.
A parameter therefore follows each number that it was derived from, to the first order of their logarithms.
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
"""Relative standard deviation of a single timing or count: assumed, as no source repeats a run."""


@dataclass(frozen=True)
class Input:
    """A source number of a derivation: its values one standard deviation down and up.

    Attributes:
        figures: the published figures that it stands for, as ``dataset/row/column``.
    """

    name: str
    lower: float
    upper: float
    figures: tuple[str, ...] = ()


def _input(value: float, lower: float, upper: float, figures: tuple[str, ...] = ()) -> Any:
    return field_with(value, Input("", lower, upper, figures))


def rounded(value: float, half_width: float, *figures: str) -> Any:
    """A field of a record of numbers: a rounded figure, uniform within ``half_width``."""
    deviation = half_width / math.sqrt(3.0)
    return _input(value, value - deviation, value + deviation, figures)


def measured(value: float, half_width: float, *figures: str) -> Any:
    """A field for a figure from a single run, with run-to-run deviation ``REPEATS``."""
    deviation = math.hypot(half_width / math.sqrt(3.0), REPEATS * value)
    return _input(value, value - deviation, value + deviation, figures)


def assumed(value: float, likely: tuple[float, float]) -> Any:
    """A field for an assumption within a range; it has the name of its parameter, and moves with it."""
    lower, upper = (value * (end / value) ** (1.0 / DEVIATIONS) for end in likely)
    return _input(value, lower, upper)


Moves = Mapping[str, tuple[Numbers, Numbers]]
"""Copies of the numbers with one of them a standard deviation lower, and higher, by its name."""


def moves(numbers: Numbers) -> dict[str, tuple[Numbers, Numbers]]:
    """Copies of ``numbers`` with each field moved in turn."""

    def moved(name: str, end: float) -> Numbers:
        return replace(numbers, **{name: end})  # type: ignore[type-var]

    return {each.name: (moved(each.name, each.lower), moved(each.name, each.upper)) for each in _inputs(numbers)}


def _inputs(numbers: object) -> Iterator[Input]:
    return kept_in(type(numbers), Input, "such as elapsed_s: float = measured(38, 0.5)")


def moves_of(parameters: Parameters[Numbers]) -> dict[str, tuple[Numbers, Numbers]]:
    """Values of ``parameters``, with each cause of their ranges moved in turn."""
    ranged = [entry for entry in parameters.entries if entry.likely]
    causes = dict.fromkeys(cause for entry in ranged for cause in entry.causes)

    def values(cause: str, step: float) -> Numbers:
        steps = {**dict.fromkeys(causes, 0.0), cause: step}
        return replace(parameters.values, **{entry.name: entry.moved(steps) for entry in ranged})  # type: ignore[type-var]

    return {cause: (values(cause, -1.0), values(cause, 1.0)) for cause in causes}


def follows(derive: Callable[[Numbers], float], moved: Moves[Numbers]) -> dict[str, float]:
    """Sensitivity of the logarithm of ``derive``'s result to each number that has an effect."""
    effects = {name: math.log(derive(upper) / derive(lower)) / 2.0 for name, (lower, upper) in moved.items()}
    return {name: effect for name, effect in effects.items() if effect}


def cells(numbers: object, followed: Iterable[str]) -> tuple[str, ...]:
    """Published figures among ``numbers`` that a derivation depends on.

    Args:
        followed: names of fields, such as the keys of the result of ``follows``; others are ignored.
    """
    names = set(followed)
    return tuple(
        dict.fromkeys(figure for each in _inputs(numbers) if each.name in names for figure in each.figures)
    )


@dataclass(frozen=True)
class Outcome:
    """Result of a derivation: a value, its logarithm's sensitivity to each number, and the figures behind it.

    ``follows`` and ``cells`` are those of a ``Parameter``.
    """

    value: float
    follows: Mapping[str, float]
    cells: tuple[str, ...]


def outcome(derive: Callable[[Numbers], float], numbers: Numbers, moved: Moves[Numbers]) -> Outcome:
    """Outcome of ``derive`` at ``numbers``; ``moved`` has them with each moved in turn."""
    followed = follows(derive, moved)
    return Outcome(derive(numbers), followed, cells(numbers, followed))


def outcomes(
    derive: Callable[[Values, Numbers], Mapping[str, float]], parameters: Parameters[Values], numbers: Numbers
) -> dict[str, Outcome]:
    """Outcomes of ``derive`` by name, from the values of other parameters and from further numbers."""
    values = parameters.values
    ends = {cause: ((low, numbers), (high, numbers)) for cause, (low, high) in moves_of(parameters).items()}
    ends |= {name: ((values, low), (values, high)) for name, (low, high) in moves(numbers).items()}
    moved = {name: (derive(*lower), derive(*upper)) for name, (lower, upper) in ends.items()}
    found = {name: (value, follows(itemgetter(name), moved)) for name, value in derive(values, numbers).items()}
    return {name: Outcome(value, followed, cells(numbers, followed)) for name, (value, followed) in found.items()}
