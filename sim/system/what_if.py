"""Parameters set by a user: what if the hardware or software were different?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real

from sim.engine import checks
from sim.engine.errors import InputError, nearest, shown
from sim.engine.units import time_hint, unit_of
from sim.engine.units.reading import number
from sim.engine.units.text import figure_text
from sim.system.parameters import Parameter, Parameters
from sim.system.settings import pairs
from sim.system.system import System

_NO_COUNTS = ("bytes", "s", "1")
"""Units of values that may approach 0: a buffer, a time, a ratio; there is at least one core or queue."""


def set_values(words: Iterable[str], example: str = "cores=8") -> dict[str, str]:
    """Parse words of the form NAME=VALUE.

    Raises:
        InputError: a word of another form; the message has the ``example``.
    """
    return pairs(words, "parameter", example)


def with_set(system: System, values: Mapping[str, object]) -> System:
    """``system`` with other values of some parameters, by name; a text may have a unit, such as 25us.

    Their covariance and calibration cells are dropped; other parameters keep theirs. A value outside its bounds is
    accepted, and every prediction warns of it.

    Raises:
        InputError: an unknown parameter, or an impossible value.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"parameters are {checks.quoted(values)}; allowed: a mapping, such as {{'cores': 4}}")
    if not values:
        return system
    changed = _changed(system, values)
    system.check_used(values)
    return replace(system, parameters=changed)


def given_value(system: System, name: str, raw: object) -> float:
    """Parse ``raw`` as a value of the parameter ``name`` of ``system``.

    Raises:
        InputError: there is no such parameter, or it cannot have this value.
    """
    entries = {each.name: each for each in system.parameters.entries}
    if name not in entries and any(each.name == name for each in system.settings):
        example = f"{name}={shown(raw)}"
        raise InputError(
            f"'{name}' is a setting, not a parameter; write {example} without --set, in Python as an argument"
        )
    if name not in entries:
        hint = nearest(name, entries) if entries else "it has none"
        raise InputError(f"no parameter '{shown(name)}'; {hint}")
    return _read(entries[name], raw)


def _changed(system: System, values: Mapping[str, object]) -> Parameters:
    parameters = system.parameters
    given = {name: given_value(system, name, raw) for name, raw in values.items()}
    changed = parameters.having(
        _set(entry, given[entry.name]) if entry.name in given else entry for entry in parameters.entries
    )
    return replace(changed, warnings=(*parameters.warnings, *_remarks(parameters.entries, given)))


def _set(entry: Parameter, value: float) -> Parameter:
    return Parameter(
        entry.name, value, entry.unit, min(entry.low, value), max(entry.high, value), "set", "set by the user"
    )


def _remarks(entries: Iterable[Parameter], given: Mapping[str, float]) -> Iterable[str]:
    for entry in entries:
        if entry.name in given and not entry.low <= given[entry.name] <= entry.high:
            value, low, high = (
                figure_text(each, entry.unit, 6) for each in (given[entry.name], entry.low, entry.high)
            )
            yield f"{entry.name} is set to {value}, outside its bounds of {low} … {high}"


def _read(entry: Parameter, raw: object) -> float:
    try:
        value = _number(entry, raw) if isinstance(raw, str) else raw
    except InputError:
        value = None
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) < math.inf:
        unit = unit_of(entry.unit)
        example = f", such as {unit.example}" if unit else ""
        hint = time_hint(raw) if entry.unit == "s" else ""
        raise InputError(
            f"{entry.name} is '{shown(raw)}'; {hint}allowed: a number from 0, in {entry.unit}{example}"
        )
    if value < 1.0 <= entry.low and entry.unit not in _NO_COUNTS:
        raise InputError(f"{entry.name} is '{shown(raw)}'; allowed: a number from 1, in {entry.unit}")
    return float(value) + 0.0  # no -0


def _number(entry: Parameter, text: str) -> float | None:
    unit = unit_of(entry.unit)
    bare = None if entry.unit == "s" else number(text.strip())
    return unit.read(entry.name, text) if unit and bare is None else bare
