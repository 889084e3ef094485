"""Which settings of a case lie beyond those under which its system was ever measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.prediction.published import published
from sim.system.case import Case
from sim.system.settings import Setting
from sim.system.system import System


@dataclass(frozen=True)
class Extrapolated:
    """A setting that was never measured as it is; all as people write them.

    Attributes:
        measured: the values, or the range of numbers, under which figures were published.
    """

    setting: str
    value: str
    measured: str

    def __str__(self) -> str:
        return f"{self.setting}={self.value} (measured: {self.measured})"


def extrapolated(case: Case) -> Iterator[Extrapolated]:
    """The settings of ``case`` outside the range of what was published, or not among it; none if nothing was.

    Each setting is looked at by itself: a combination may be new although each of its values is not.
    """
    measured = _measured(case.system)
    for setting in case.system.settings if measured else ():
        value, known = case.settings[setting.name], measured[setting.name]
        if not _within(value, known):
            yield Extrapolated(setting.name, setting.show(value), _shown(setting, known))


Measured = Mapping[str, tuple[Any, ...]]
"""The values of each setting under which figures were published."""

_known: dict[tuple[str, Path | None], Measured] = {}
"""What was measured, by system and package: it is asked of each point of a sweep."""


def _measured(system: System) -> Measured:
    key = system.name, system.data_package
    if key not in _known:
        values: dict[str, dict[Any, None]] = {}
        for settings, _ in published(system):
            for setting, value in settings.items():
                values.setdefault(setting, {})[value] = None
        _known[key] = {setting: tuple(each) for setting, each in values.items()}
    return _known[key]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _within(value: Any, known: tuple[Any, ...]) -> bool:
    if all(map(_is_number, (value, *known))):
        return bool(min(known) <= value <= max(known))
    return value in known


def _shown(setting: Setting, known: tuple[Any, ...]) -> str:
    """The range of numbers, or all values."""
    if all(map(_is_number, known)) and len(known) > 1:
        return f"{setting.show(min(known))} … {setting.show(max(known))}"
    return ", ".join(map(setting.show, known))
