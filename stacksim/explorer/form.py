"""Controls of a system: one for each setting and each parameter."""

from __future__ import annotations

from typing import Any

from sim.system.parameters import Parameter
from sim.system.quantities import Quantity
from sim.system.settings import Choice, Count, Flag, Number, Setting, Size
from sim.system.system import System
from stacksim.explorer.choices import figures_of
from stacksim.explorer.stops import parameter_text, stops_of, stops_of_parameter


def form_of(system: System) -> dict[str, Any]:
    """The controls of ``system``, ready for JSON; values are texts as users write them."""
    published: dict[str, set[Any]] = {}
    for settings, _ in figures_of(system):
        for name, value in settings:
            published.setdefault(name, set()).add(value)
    return {
        "title": system.title,
        "settings": [_of_setting(each, published.get(each.name, set())) for each in system.settings],
        "parameters": [_of_parameter(each) for each in system.parameters.entries],
    }


def is_numeric(setting: Setting) -> bool:
    """True if the setting's values are numbers, which lie along an axis."""
    return isinstance(setting, Count | Size | Number | Quantity)


def _of_setting(setting: Setting, published: set[Any]) -> dict[str, Any]:
    words = isinstance(setting, Choice | Flag)
    return {
        "name": setting.name,
        "help": setting.help,
        "kind": "choice" if words else "number" if is_numeric(setting) else "text",
        "default": setting.show(setting.parse(setting.default)),
        "stops": list(stops_of(setting, () if words else published)),
        "allowed": setting.allowed,
    }


def _of_parameter(entry: Parameter) -> dict[str, Any]:
    return {
        "name": entry.name,
        "help": entry.source,
        "kind": "number",
        "default": parameter_text(entry, entry.value),
        "stops": list(stops_of_parameter(entry)),
        "allowed": f"a number from 0, in {entry.unit}",
        "basis": entry.basis,
    }
