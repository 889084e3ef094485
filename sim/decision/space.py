"""The candidates of a search: every combination of the values that some settings may have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sim.errors import InputError, nearest, shown
from sim.system.settings import Choice, Count, File, Setting, Size, pairs
from sim.system.system import System

MOST = 100_000
"""Candidates of one search: each takes milliseconds at best."""

RANGE = ".."


@dataclass(frozen=True)
class Axis:
    """A setting and its values: numbers and sizes from the smallest, all others in the order in which they come.

    So that of times, rates and words the first is preferred: a shorter time is no smaller design.
    """

    setting: Setting
    values: tuple[Any, ...]

    @property
    def ordered(self) -> bool:
        """Whether values are more or less of something that is bought."""
        return _counts(self.setting)


@dataclass(frozen=True)
class Candidate:
    """One combination.

    Attributes:
        design: a value of each setting that varies.
        ranks: the position of each among the values of its setting.
    """

    design: Mapping[str, Any]
    ranks: tuple[int, ...]

    def within(self, other: Candidate) -> bool:
        """Whether it is as small as ``other`` in every setting."""
        return all(own <= its for own, its in zip(self.ranks, other.ranks, strict=True))


@dataclass(frozen=True)
class Space:
    """What a search may choose from.

    Attributes:
        axes: the settings that vary, in the order in which they were given.
        fixed: the others that were given.
    """

    axes: tuple[Axis, ...]
    fixed: Mapping[str, Any]

    def candidates(self) -> list[Candidate]:
        """All of them, in the order of their ranks: the first setting counts most."""
        ranks = product(*(range(len(axis.values)) for axis in self.axes))
        return [Candidate(self._design(each), each) for each in ranks]

    def _design(self, ranks: Sequence[int]) -> dict[str, Any]:
        return {axis.setting.name: axis.values[rank] for axis, rank in zip(self.axes, ranks, strict=True)}

    def shown(self, design: Mapping[str, Any]) -> str:
        """``design`` as people write it."""
        settings = {axis.setting.name: axis.setting for axis in self.axes}
        return " ".join(f"{name}={settings[name].show(value)}" for name, value in design.items()) or "as given"


def space_of(system: System, words: Iterable[str]) -> Space:
    """Read words like ``cells=1..14``, ``nodes=1,2,4`` and ``users=8``.

    Raises:
        InputError: an unknown setting, a value or range that is not allowed, or too many candidates.
    """
    by_name = {each.name: each for each in system.settings}
    axes, fixed = [], {}
    for name, text in pairs(words).items():
        if name not in by_name:
            raise InputError(f"no setting '{shown(name)}'; {nearest(name, by_name)}")
        values = _values(by_name[name], text)
        if len(values) == 1:
            fixed[name] = values[0]
        else:
            axes.append(Axis(by_name[name], values))
    if (count := math.prod(len(axis.values) for axis in axes)) > MOST:
        raise InputError(f"these settings make {count} candidates; allowed: {MOST}; vary less")
    return Space(tuple(axes), fixed)


def _values(setting: Setting, text: str) -> tuple[Any, ...]:
    """The values that ``text`` stands for, in the order of an axis."""
    if RANGE in text and not isinstance(setting, File | Choice):
        return _range(setting, text)
    values = [setting.parse(each) for each in text.split(",")]
    if len(set(values)) < len(values):
        raise InputError(f"a value of {setting.name} is given twice in '{shown(text)}'; give each once")
    return tuple(sorted(values) if _counts(setting) else values)


def _counts(setting: Setting) -> bool:
    return isinstance(setting, Count | Size)


def _range(setting: Setting, text: str) -> tuple[Any, ...]:
    """Whole numbers from one to another; of sizes, each twice the one before."""
    low, high = (setting.parse(end) for end in _ends(setting, text))
    if low > high:
        raise InputError(f"{setting.name} is '{shown(text)}'; allowed: the smaller end first")
    if isinstance(setting, Size):
        return tuple(low << power for power in range(high.bit_length()) if low << power <= high)
    if high - low >= MOST:
        raise InputError(f"{setting.name} is '{shown(text)}'; allowed: at most {MOST} values")
    return tuple(range(low, high + 1))


def _ends(setting: Setting, text: str) -> Sequence[str]:
    ends = text.split(RANGE)
    if not isinstance(setting, Count | Size):
        raise InputError(
            f"{setting.name} is '{shown(text)}'; a range is of whole numbers or sizes; list the values"
        )
    if len(ends) != 2 or not all(ends):  # noqa: PLR2004  (a range has two ends)
        raise InputError(f"{setting.name} is '{shown(text)}'; allowed: a range such as 1{RANGE}8, or a list")
    return ends
