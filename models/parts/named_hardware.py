"""Fields of a layer that name hardware of the catalogue, so that its figures need not be written.

[[layer]]
kind = "link"
hardware = "fc-2"            # bandwidth = "212.5MB/s", unless the file gives another
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sim import InputError
from sim.data.hardware import Limit, catalogue, hardware
from sim.data.hardware.dates import days_of
from sim.data.hardware.record import Op
from sim.data.hardware.words import value_text
from sim.system.records import field_with
from sim.system.settings import Setting, Values
from sim.system.stack.kinds import Filled


@dataclass(frozen=True)
class HardwareName(Setting):
    """The name of hardware; empty: none is named.

    Attributes:
        kinds: usual kinds of the catalogue for such a layer.
    """

    kinds: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The hardware of these kinds, in the order of the catalogue."""
        return tuple(name for name, each in catalogue().items() if each.kind in self.kinds)

    @property
    def allowed(self) -> str:
        return "a name of `stacksim hardware`, such as fc-2"

    def parse(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise self.refuse(raw)
        return hardware(raw).name if raw else ""


@dataclass(frozen=True)
class DateText(Setting):
    """A year, a month or a day; empty: today."""

    @property
    def allowed(self) -> str:
        return 'a year, a month or a day in quotes, such as "2024" or "2024-06-30"'

    def parse(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise self.refuse(raw)
        if raw:
            days_of(raw)
        return raw


def hardware_name(*kinds: str) -> Any:
    """A field that names hardware, usually of these ``kinds`` of the catalogue."""
    return field_with("", HardwareName("", "", "hardware that the fields left out are taken from", kinds))


def at_date() -> Any:
    """A field that is the date of the named hardware."""
    return field_with("", DateText("", "", "when: limits of clouds change; today unless given"))


@dataclass(frozen=True)
class Taken:
    """Source of a field in the catalogue.

    Attributes:
        otherwise: value if the catalogue has no such limit; None for the default of the field.
        made: conversion of the catalogue's value to the field's type.
        places: endings of the names of places that the field limits.
    """

    what: str
    op: Op | None = None
    otherwise: float | None = None
    made: Callable[[float], Any] = float
    places: tuple[str, ...] = ()


def filled(written: Values, fields: Mapping[str, Taken]) -> dict[str, Filled]:
    """Values of ``fields`` for the hardware that ``written`` names; empty if it names none.

    Raises:
        InputError: a date without a name, or hardware without any of these values.
    """
    name, when = written.get("hardware", ""), written.get("date", "") or None
    if not name:
        if when:
            raise InputError("a date is given, and no hardware; name it, or leave the date out")
        return {}
    limits = {field: hardware(name).limit(taken.what, taken.op, when) for field, taken in fields.items()}
    if not any(limits.values()):
        wanted = ", ".join(dict.fromkeys(taken.what for taken in fields.values()))
        at = f" at {when}" if when else ""
        raise InputError(f"hardware '{name}' has no {wanted}{at}; name another, or leave it out")
    values = {field: _value(name, fields[field], limit) for field, limit in limits.items()}
    return {field: each for field, each in values.items() if each}


def _value(name: str, taken: Taken, limit: Limit | None) -> Filled | None:
    if limit:
        return Filled(taken.made(limit.value), value_text(limit), f"{name}: {limit.source}", taken.places)
    return None if taken.otherwise is None else Filled(taken.made(taken.otherwise), "", "")
