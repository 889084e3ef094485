"""Loads that a design has to bear, each with its own goals, such as those of a day.

[[load]]
name = "day"
hours = "8-18"
goals = ["p99<=2ms"]
settings = { rate = 3000 }
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.engine.errors import InputError, nearest, shown
from sim.engine.files import read_toml
from sim.system.settings import complete
from sim.system.system import System

_KEYS = ("name", "hours", "goals", "settings")
_HOURS = re.compile(r"(\d{1,2})-(\d{1,2})")
DAY = 24


@dataclass(frozen=True)
class Load:
    """Settings that a load fixes, and the goals under it, as written.

    Attributes:
        hours: hours of the day during which the load lasts, such as ``8-18``; empty if not stated.
    """

    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    hours: str = ""


def loads_of(system: System, path: Path) -> tuple[Load, ...]:
    """The loads in the file ``path``.

    Raises:
        InputError: it cannot be read, or has an entry that is not allowed.
    """
    content, where = read_toml("file of loads", path).tables, f"file of loads '{shown(path)}'"
    entries = content.get("load")
    if (
        set(content) != {"load"}
        or not isinstance(entries, list)
        or not all(isinstance(each, dict) for each in entries)
    ):
        raise InputError(f"{where}: allowed: [[load]] tables, each with {', '.join(_KEYS)}")
    loads = tuple(_load(f"{where}, load {number}", entry, system) for number, entry in enumerate(entries, start=1))
    names = [load.name for load in loads]
    if len(set(names)) < len(names):
        raise InputError(f"{where}: two loads have the same name; give each its own")
    _check_hours(where, loads)
    return loads


def _load(where: str, entry: Mapping[str, Any], system: System) -> Load:
    for key in entry:
        if key not in _KEYS:
            raise InputError(f"{where} has no '{shown(key)}'; {nearest(key, _KEYS)}")
    name, hours, goals = entry.get("name"), entry.get("hours", ""), entry.get("goals", [])
    if not isinstance(name, str) or not name.isprintable() or not name.strip():
        raise InputError(f"{where}: name is '{shown(name)}'; allowed: a text of its own")
    if not isinstance(goals, list) or not all(isinstance(goal, str) for goal in goals):
        raise InputError(f"{where}: goals are '{shown(goals)}'; allowed: a list such as [\"p99<=2ms\"]")
    settings = entry.get("settings", {})
    if not isinstance(settings, dict):
        raise InputError(f"{where}: settings are '{shown(settings)}'; allowed: a table such as {{ rate = 3000 }}")
    if hours and (not isinstance(hours, str) or not _span(hours)):
        raise InputError(f"{where}: hours are '{shown(hours)}'; allowed: from-to, such as 8-18 or 22-6")
    return Load(name, _checked(where, settings, system), tuple(goals), hours)


def _checked(where: str, settings: Mapping[str, Any], system: System) -> dict[str, Any]:
    try:
        values = complete(system.settings, settings)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return {name: values[name] for name in settings}


def _span(hours: str) -> Sequence[int]:
    """Hours of the day from one to another, past midnight if the second is smaller; empty if invalid."""
    match = _HOURS.fullmatch(hours)
    begin, end = map(int, match.groups()) if match else (0, 0)
    if begin == end or max(begin, end) > DAY:
        return ()
    return [hour % DAY for hour in range(begin, end if end > begin else end + DAY)]


def _check_hours(where: str, loads: Sequence[Load]) -> None:
    taken: dict[int, str] = {}
    for load in loads:
        for hour in _span(load.hours):
            if hour in taken:
                raise InputError(
                    f"{where}: '{taken[hour]}' and '{load.name}' both have the hour from {hour}; part them"
                )
            taken[hour] = load.name


def refuse_given(loads: Sequence[Load], given: Collection[str]) -> None:
    """Refuse a load that fixes a setting which is also ``given`` outside the loads.

    Raises:
        InputError: names both.
    """
    for load in loads:
        for name in load.settings:
            if name in given:
                raise InputError(f"load '{load.name}' fixes {name}, which is given, too; leave one of them out")
