"""Candidates of a search: every combination of the values of the settings that vary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sim.engine.errors import InputError, shown
from sim.system.ranges import MOST, values_of
from sim.system.settings import Count, Setting, Size, no_setting, pairs
from sim.system.system import System


@dataclass(frozen=True)
class Axis:
    """A setting and its values, the preferred one first.

    Counts and sizes go up from the smallest, or if the largest is asked for, down; all others are in
    the order given: of times, rates and options the first is preferred, as a shorter time is no
    smaller design.
    """

    setting: Setting
    values: tuple[Any, ...]
    largest: bool = False

    @property
    def ordered(self) -> bool:
        """True if values are more or less of something."""
        return self.largest or isinstance(self.setting, Count | Size)


@dataclass(frozen=True)
class Candidate:
    """One combination of values.

    Attributes:
        design: a value of each setting that varies.
        ranks: the index of each value in its setting's values.
    """

    design: Mapping[str, Any]
    ranks: tuple[int, ...]

    def within(self, other: Candidate) -> bool:
        """True if it is at most as large as ``other`` in every setting."""
        return all(own <= theirs for own, theirs in zip(self.ranks, other.ranks, strict=True))

    def moved(self, axis: int, rank: int) -> tuple[int, ...]:
        """Ranks of the candidate with value ``rank`` of setting ``axis``, and equal to this one in all others."""
        return (*self.ranks[:axis], rank, *self.ranks[axis + 1 :])


@dataclass(frozen=True)
class Space:
    """The candidates of a search.

    Attributes:
        axes: the settings that vary, in the order given; one of which the largest value is
            asked for comes first.
        fixed: values of the given settings that do not vary.
    """

    axes: tuple[Axis, ...]
    fixed: Mapping[str, Any]

    @property
    def largest(self) -> str | None:
        """The setting of which the largest value is asked for; None if there is none."""
        return next((axis.setting.name for axis in self.axes if axis.largest), None)

    def candidates(self) -> list[Candidate]:
        """All candidates, ordered by rank: the first setting is the most significant."""
        ranks = product(*(range(len(axis.values)) for axis in self.axes))
        return [Candidate(self._design(each), each) for each in ranks]

    def _design(self, ranks: Sequence[int]) -> dict[str, Any]:
        return {axis.setting.name: axis.values[rank] for axis, rank in zip(self.axes, ranks, strict=True)}

    def shown(self, design: Mapping[str, Any]) -> str:
        """``design`` as text."""
        settings = {axis.setting.name: axis.setting for axis in self.axes}
        return " ".join(f"{name}={settings[name].show(value)}" for name, value in design.items()) or "as given"


def space_of(system: System, words: Iterable[str], largest: str | None = None) -> Space:
    """Parse words such as ``cells=1..14``, ``nodes=1,2,4`` and ``users=8``.

    Args:
        largest: the setting of which the largest value is asked for.

    Raises:
        InputError: an unknown setting, a value or range that is not allowed, too many candidates, or no values of
            which there is a largest.
    """
    by_name = {each.name: each for each in system.settings}
    axes, fixed = [], {}
    for name, text in pairs(words).items():
        if name not in by_name:
            raise no_setting(name, by_name, system.parameters.names())
        axis = _axis(by_name[name], values_of(by_name[name], text), largest=name == largest)
        if len(axis.values) == 1:
            fixed[name] = axis.values[0]
        else:
            axes.append(axis)
    if largest is not None and largest not in (varied := [axis.setting.name for axis in axes]):
        raise InputError(f"'{shown(largest)}' does not vary, so that none is the largest; {_those_that(varied)}")
    if (count := math.prod(len(axis.values) for axis in axes)) > MOST:
        raise InputError(f"these settings make {count} candidates; allowed: {MOST}; vary less")
    return Space(tuple(sorted(axes, key=lambda axis: not axis.largest)), fixed)


def _axis(setting: Setting, values: tuple[Any, ...], *, largest: bool) -> Axis:
    if not largest:
        return Axis(setting, tuple(sorted(values)) if isinstance(setting, Count | Size) else values)
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
        raise InputError(f"none of the values of {setting.name} is the largest: they are no numbers")
    return Axis(setting, tuple(sorted(values, reverse=True)), largest=True)


def _those_that(varied: Sequence[str]) -> str:
    return f"allowed: {', '.join(varied)}" if varied else "give it a range, such as users=1..64"
