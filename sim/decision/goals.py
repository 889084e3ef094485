"""Goals that a design has to keep: ``throughput>=5GB/s``, ``p99<=2ms``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sim.engine.errors import InputError, nearest, shown
from sim.engine.statistics.estimates import Estimate
from sim.engine.units import UNITS, factor, per_second, reading
from sim.system.scenario import Answer

_SIGNS = {">=": True, "≥": True, "<=": False, "≤": False}
_GOAL = re.compile(r"(?P<measure>[^<>=≤≥]*)(?P<sign>[<>=≤≥]+)(?P<limit>[^<>=≤≥]*)")

ROUNDING = 1e-9
"""Relative tolerance of a limit: a rate shared out among clients does not add up exactly."""

_EXAMPLE = "such as 'throughput>=5GB/s' or 'p99<=2ms'"


@dataclass(frozen=True)
class Goal:
    """A limit of one answer of a system.

    Attributes:
        text: as the user wrote it, without blanks: with an underscore in the name of an answer.
        measure: the name of the answer.
        at_least: True if the answer must reach the limit; False if it must not exceed it.
        limit: in ``unit``.
        unit: the system's unit of the answer.
    """

    text: str
    measure: str
    at_least: bool
    limit: float
    unit: str

    @classmethod
    def of(cls, text: str, units: Mapping[str, str]) -> Goal:
        """Parse ``text``; ``units`` has the unit of each answer, by measure (``Scenario.units``).

        Raises:
            InputError: no goal, no such answer, or a limit of another kind than the answer.
        """
        match = _GOAL.fullmatch(text.strip()) if isinstance(text, str) else None
        if not match or match["sign"] not in _SIGNS:
            raise InputError(f"'{shown(text)}' is not a goal; allowed: answer, >= or <=, limit, {_EXAMPLE}")
        measure = "_".join(match["measure"].split())
        if measure not in units:
            raise InputError(f"goal '{shown(text)}': no answer '{shown(measure)}'; {nearest(measure, units)}")
        limit = _amount(text, measure, match["limit"].strip(), units[measure])
        said = f"{measure}{match['sign']}{''.join(match['limit'].split())}"
        return cls(said, measure, _SIGNS[match["sign"]], limit, units[measure])

    def answer(self, answers: Mapping[str, Answer]) -> Estimate:
        """The answer that the goal is about, in its ``unit``.

        Raises:
            InputError: there is none among ``answers``, or in a unit of another kind.
        """
        answer = answers.get(self.measure)
        if answer is None:
            raise InputError(f"no answer '{self.measure}' here; allowed: {', '.join(sorted(answers))}")
        scale = self.scale(answer)
        return answer.estimate if scale == 1.0 else answer.estimate.scaled(scale)

    def scale(self, answer: Answer) -> float:
        """Factor from the unit of ``answer`` to ``unit``.

        Raises:
            InputError: the units are of different kinds.
        """
        scale = factor(answer.unit, self.unit)
        if scale is None:
            raise InputError(f"{self.measure} is in {answer.unit} here, and the goal is in {self.unit}")
        return scale

    def keeps(self, value: float) -> bool:
        """True if ``value``, in ``unit``, keeps the goal; nan does not."""
        least = ROUNDING * abs(self.limit)
        return value >= self.limit - least if self.at_least else value <= self.limit + least


def is_goal(word: str) -> bool:
    """True if ``word`` of a command is a goal, not ``setting=value``."""
    return any(sign in word for sign in "<>≤≥")


def goals_of(words: Iterable[str], units: Mapping[str, str]) -> tuple[Goal, ...]:
    """Parse each of ``words`` as a goal.

    Raises:
        InputError: a goal that is not usable, or is given twice.
    """
    goals = tuple(Goal.of(word, units) for word in words)
    seen: dict[tuple[str, bool], str] = {}
    for goal in goals:
        key = goal.measure, goal.at_least
        if key in seen:
            raise InputError(
                f"goals '{shown(seen[key])}' and '{shown(goal.text)}' limit one side of one answer; give one"
            )
        seen[key] = goal.text
    return goals


def _amount(text: str, measure: str, amount: str, unit: str) -> float:
    """The limit ``amount`` in ``unit``."""
    written = reading.amount(amount, signed=True)
    bare = written and not written.unit
    scale = written and not (bare and _scaled(unit)) and _scale((written.unit or unit).strip(), unit)
    value = written.value * scale if written and scale else math.nan
    if not math.isfinite(value):
        raise InputError(
            f"goal '{shown(text)}': the limit is '{shown(amount)}'; allowed: a number with a unit like that of "
            f"{measure}, such as {_example(unit)}"
        )
    if value < 0.0:
        raise InputError(
            f"goal '{shown(text)}': the limit is '{shown(amount)}'; allowed: a limit from 0 on, such as "
            f"{_example(unit)}"
        )
    return value


def _example(unit: str) -> str:
    return "2ms" if unit == "s" else f"100{'' if unit == '%' else ' '}{unit}"


def _scale(written: str, unit: str) -> float | None:
    """Factor from the unit ``written`` to ``unit``; None if it is of another kind."""
    if written == unit:
        return 1.0
    if one := per_second(unit):
        prefix = written[0] if written[0] in reading.THOUSANDS else ""
        rest = written.removeprefix(prefix).strip()
        return reading.THOUSANDS[prefix] / one if rest in ("", "/s", unit) else None
    return factor(written, UNITS[unit].name if unit in UNITS else unit)


def _scaled(unit: str) -> bool:
    """True for units of time or bytes, which are written with a prefix: there a bare number is a slip."""
    return any(factor(unit, each.name) is not None for each in UNITS.values())
