"""Values of a slider: those of a setting or of a parameter, from the system's description of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sim.engine.errors import InputError, nearest, shown
from sim.engine.units.text import figure_text
from sim.system.parameters import Parameter
from sim.system.settings import Choice, Count, Flag, Number, Setting, Size
from sim.system.system import System

_UP_TO = 16
"""End of a slider, as a multiple of its initial value."""

_SMALLEST_BYTES, _LARGEST_BYTES = 512, 1 << 20
_STEPS = 8
"""Steps between the value of a parameter or decimal number and each end of its slider."""

_FACTOR = 4.0
"""Factor, down and up, of the slider of a parameter without a range."""


@dataclass(frozen=True)
class Knob:
    """One setting or parameter to move.

    Attributes:
        help: its meaning.
        texts: each of ``values`` as text.
        start: index of the initial value.
        ordered: True for values in order, as on a slider; False for words to choose from.
    """

    name: str
    help: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    start: int
    ordered: bool
    parameter: bool = False

    def text(self, value: Any) -> str:
        """``value`` as text."""
        return self.texts[self.values.index(value)]

    def stop(self, given: Any) -> Any:
        """The value that is ``given``, itself or as text.

        Raises:
            InputError: ``given`` is none of ``values``.
        """
        if given in self.values:
            return given
        if given in self.texts:
            return self.values[self.texts.index(given)]
        raise InputError(f"'{shown(str(given))}' is no stop of {self.name}; {nearest(str(given), self.texts)}")


def setting_of(system: System, name: str) -> Setting:
    """The setting of that name.

    Raises:
        InputError: there is no such setting.
    """
    by_name = {each.name: each for each in system.settings}
    if name not in by_name:
        raise InputError(f"no setting '{name}'; {nearest(name, by_name)}")
    return by_name[name]


def of_setting(setting: Setting, given: Any) -> Knob:
    """A knob with a list of values ``given``, beginning with the first; or with the initial value ``given``."""
    if isinstance(given, list | tuple | range):
        if not given:
            raise InputError(f"no values of '{setting.name}'; list one at least, or leave it out")
        values = [*dict.fromkeys(setting.parse(each) for each in given)]
        start = values[0]
    else:
        start = setting.parse(given)
        values = ladder(setting, start)
    ordered = isinstance(setting, Count | Size | Number)
    if ordered:
        values = sorted(values)
    texts = tuple(map(setting.show, values))
    return Knob(setting.name, setting.help, tuple(values), texts, values.index(start), ordered)


def ladder(setting: Setting, start: Any) -> list[Any]:
    """Stops of a slider of ``setting``, ``start`` among them."""
    low: float
    high: float
    steps: list[float]
    match setting:
        case Count():
            low, high = setting.low, min(setting.high, _UP_TO * max(start, 4))
            steps = [step for power in range(20) for step in (1 << power, 3 << power)]
        case Size():
            low, high = max(setting.low, _SMALLEST_BYTES), min(setting.high, max(_LARGEST_BYTES, start))
            steps = [1 << power for power in range(41)]
        case Number():
            low, high = setting.low, min(setting.high, _UP_TO * start or setting.high)
            steps = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
        case Choice():
            return [*setting.options]
        case Flag():
            return [False, True]
        case _:
            return [start]
    return sorted({start, *(step for step in steps if low <= step <= high)})


def of_parameter(parameter: Parameter) -> Knob:
    """A knob over the parameter's range in equal factors; without a range, within a factor of four."""
    value = parameter.value
    low, high = parameter.likely or (value / _FACTOR, value * _FACTOR)
    ends = parameter.bounded(low), parameter.bounded(high)
    below, above = (_between(value, end) for end in ends)
    values = (*reversed(below), value, *above)
    unit = "" if parameter.unit == "1" else parameter.unit  # a plain number
    texts = tuple(figure_text(each, unit) for each in values)
    return Knob(parameter.name, parameter.source, values, texts, len(below), ordered=True, parameter=True)


def _between(value: float, end: float) -> list[float]:
    """Steps from ``value``, excluded, to ``end``."""
    if not value or end == value:
        return []
    return [value * (end / value) ** (step / _STEPS) for step in range(1, _STEPS + 1)]


def knobs_of(system: System, settings: dict[str, Any], parameters: Sequence[str]) -> tuple[Knob, ...]:
    """Knobs of ``settings``, each a value or a list, and of these ``parameters``.

    Raises:
        InputError: there is no such setting or parameter, or a value is not allowed.
    """
    entries = {each.name: each for each in system.parameters.entries}
    for name in parameters:
        if name not in entries:
            raise InputError(f"no parameter '{name}'; {nearest(name, entries)}")
    of_settings = (of_setting(setting_of(system, name), given) for name, given in settings.items())
    return (*of_settings, *(of_parameter(entries[name]) for name in parameters))
