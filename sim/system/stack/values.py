"""Settings and parameters of a stack file; the type of each follows from its notation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

from sim.engine.errors import InputError, StackFileError, shown
from sim.engine.units import UNITS, bytes_of
from sim.system.failures import Failure, checked
from sim.system.parameters import Parameter, Parameters
from sim.system.priors import prior
from sim.system.quantities import Quantity, measured
from sim.system.settings import Choice, Count, Flag, Number, Setting, Settings, Size, parsed
from sim.system.stack.document import ParameterEntry, Plain, SettingEntry, Source

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

_ARGUMENTS = (
    *("system", "precision", "engine", "seed", "intervals", "parameters", "largest", "load", "by", "months"),
    *("duration_s", "resolution_s"),
)
"""Arguments of the functions of ``stacksim`` beside settings: a setting of that name would be lost there."""


def settings_of(source: Source) -> Settings:
    """Settings of a stack file.

    Raises:
        InputError: one that is not usable; names its line.
    """
    entries = []
    for name, entry in source.document.settings.items():
        where = source.where("settings", 0, name)
        _check_name(where, "setting", name)
        if name in _ARGUMENTS:
            raise StackFileError(f"{where}: setting '{name}' has the name of an option of answers; rename it")
        if name in source.document.parameters:
            raise StackFileError(f"{where}: '{name}' is a setting and a parameter; rename one")
        try:
            setting = replace(_setting(name, entry), role=entry.role or source.role_of(name))
            setting.parse(setting.default)
        except InputError as error:
            raise StackFileError(f"{where}: setting {error}") from None
        entries.append(setting)
    try:
        return Settings(tuple(entries))
    except InputError as error:
        raise StackFileError(f"{source.where('settings')}: {error}") from None


def _setting(name: str, entry: SettingEntry) -> Setting:
    default, about = entry.default, entry.help
    low, high = entry.range or (None, None)
    if entry.options:
        return Choice(name, default, about, entry.options)
    if isinstance(default, bool):
        return Flag(name, default, about)
    if isinstance(default, int):
        return Count(
            name, default, about, **_bounds(low, high, lambda value: Count(name, 1, "", low=0).parse(value))
        )
    if isinstance(default, float):
        ends = _bounds(low, high, float) if entry.range else {"high": 1e18}
        return Number(name, default, about, **ends)
    shown_unit, value = measured(name, default)
    if shown_unit == "bytes":
        return Size(name, int(value), about, **_bounds(low, high, lambda text: int(bytes_of(name, str(text)))))
    unit = UNITS[shown_unit]
    return Quantity(name, value, about, unit.name, **_bounds(low, high, lambda text: unit.read(name, str(text))))  # type: ignore[arg-type]


def _bounds(low: Any, high: Any, read: Callable[[Any], Any]) -> dict[str, Any]:
    if low is None:
        return {}
    lowest, highest = read(low), read(high)
    if lowest > highest:
        raise InputError(f"range is [{shown(low)}, {shown(high)}]; allowed: the lowest value first")
    return {"low": lowest, "high": highest}


def parameters_of(source: Source) -> Parameters:
    """The parameters of a stack file.

    Raises:
        InputError: one that is not usable; names its line.
    """
    entries = []
    for name, entry in source.document.parameters.items():
        where = source.where("parameters", 0, name)
        _check_name(where, "parameter", name)
        try:
            entries.append(_parameter(name, entry))
        except InputError as error:
            raise StackFileError(f"{where}: {error}") from None
    return Parameters(tuple(entries))


def _parameter(name: str, entry: ParameterEntry) -> Parameter:
    if entry.value is None:
        return _of_kind(name, entry)
    unit, value = _number(name, entry.value)
    pairs = {}
    for what, pair in (("bounds", entry.bounds), ("range", entry.range)):
        if pair is None:
            continue
        read = [_number(f"{what} of {name}", end) for end in pair]
        if any(other != unit for other, _ in read):
            raise InputError(f"{what} of {name} and its value have different units; write all in one kind of unit")
        low, high = (end for _, end in read)
        if not low < high:
            raise InputError(f"{what} of {name} are {low:g} and {high:g}; allowed: the lower one first")
        pairs[what] = (low, high)
    low, high = pairs.get("bounds", (0.0, math.inf))
    if entry.basis == "fitted" and "bounds" not in pairs:
        raise InputError(f"parameter '{name}' is fitted, and has no bounds; add bounds = [lowest, highest]")
    if entry.basis in ("published", "derived", "fitted") and not entry.source.strip():
        raise InputError(f"parameter '{name}' is {entry.basis}, and has no source; add source = \"…\"")
    return Parameter(name, value, unit, low, high, entry.basis, entry.source, likely=pairs.get("range"))


def _of_kind(name: str, entry: ParameterEntry) -> Parameter:
    """A parameter with the prior of its kind."""
    unit, kept = prior(str(entry.prior))
    return Parameter(name, kept.value, unit, kept.low, kept.high, entry.basis, kept.source, likely=kept.likely)


def failures_of(source: Source, settings: Settings) -> tuple[Failure, ...]:
    """The parts of a stack file that may fail.

    Raises:
        InputError: one that is not usable; names its line.
    """
    failures: tuple[Failure, ...] = ()
    for index, entry in enumerate(source.document.failure):
        try:
            failures = checked((*failures, Failure(entry.part, entry.set)), settings)
        except InputError as error:
            raise StackFileError(f"{source.where('failure', index, 'set')}: {error}") from None
    return failures


def seen_of(source: Source, settings: Settings) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Settings under which a stack file's sources measured, with all combinations of several values.

    Raises:
        InputError: a setting or value is not allowed; the message has its line.
    """
    by_name = {each.name: each for each in settings}
    seen: list[tuple[tuple[str, str], ...]] = []
    for index, entry in enumerate(source.document.measured):
        columns = []
        for name, given in entry.items():
            try:
                values = [parsed(settings, {name: each})[name] for each in _several(given)]
            except InputError as error:
                raise StackFileError(f"{source.where('measured', index, name)}: {error}") from None
            columns.append([(name, by_name[name].show(value)) for value in values])
        seen += product(*columns)
    return tuple(seen)


def _several(given: Plain | list[Plain]) -> list[Plain]:
    return given if isinstance(given, list) else [given]


def _number(name: str, value: float | str) -> tuple[str, float]:
    return measured(name, value) if isinstance(value, str) else ("1", float(value))


def _check_name(where: str, what: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise StackFileError(f"{where}: {what} '{shown(name)}'; allowed: a name of letters, digits, _ and -")


def units_of(settings: Settings, parameters: Parameters[Any]) -> dict[str, str]:
    """The unit of each name that has one of `UNITS`."""
    written = {unit.name: name for name, unit in UNITS.items()}
    quantities = {each.name: written.get(each.unit, "1") for each in settings if isinstance(each, Quantity)}
    sizes = {each.name: "bytes" for each in settings if isinstance(each, Size)}
    return {**quantities, **sizes, **{each.name: each.unit for each in parameters.entries if each.unit in UNITS}}
