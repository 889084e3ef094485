"""Extensions by installed packages, by entry-point group; nothing is loaded before it is asked for.

| group | an entry is |
|---|---|
| ``stacksim.systems`` | a ``System`` |
| ``stacksim.layers``, ``stacksim.loads`` | a kind that stack files name |
| ``stacksim.mounts`` | a stack that ``stacksim measure`` begins with |
| ``stacksim.policies`` | a class of ``stacksim.layers.Policy``: for the reference engine |
| ``stacksim.importers`` | a ``sim.data.importers.tools.Tool``: files that another tool wrote |
| ``stacksim.suspects`` | a ``Suspect`` of ``stacksim.claims``: what else may have been measured |
| ``stacksim.commands`` | a ``typer.Typer``: a command of ``stacksim`` |
| ``stacksim.verbs`` | a function: ``stacksim.NAME`` in Python |
| ``stacksim.views`` | how a record is shown, under the name of its class |
| ``stacksim.animations``, ``stacksim.questions`` | within stacksim: pages of traces, and ``stack new`` |
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from sim.engine import checks
from sim.engine.errors import ExtensionError, InputError

_OWN = "stacksim"

Made = TypeVar("Made")


@cache
def _entries() -> tuple[EntryPoint, ...]:
    """Entries of all packages in groups that begin with the name of stacksim."""
    found = entry_points()
    groups = sorted(group for group in found.groups if group.startswith(_OWN))
    return tuple(point for group in groups for point in found.select(group=group))


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Where each entry of ``group`` is, by name, in order of names; a name of stacksim's own stays its own."""
    found: dict[str, EntryPoint] = {}
    for point in _entries():
        if point.group == group and (point.name not in found or package_of(point) == _OWN):
            found[point.name] = point
    return dict(sorted(found.items()))


def chosen(group: str, what: str, name: object) -> EntryPoint:
    """The entry ``name`` of ``group``.

    Raises:
        InputError: there is none; has the nearest name, or who registers this one in another group.
    """
    points = registered(group)
    if name not in points and (others := elsewhere(group, name)):
        raise InputError(f"no {what} '{name}'{others}")
    return points[checks.known(what, name, points)]


def elsewhere(group: str, name: object) -> str:
    """Packages that register ``name`` in another group, such as a misspelt one, as the end of an error."""
    others = (point for point in _entries() if point.name == name and point.group != group)
    return "".join(f"; {_registers(point)}: the group is {group}" for point in others)


def load(point: EntryPoint, use: Callable[[Any], Any] = lambda made: made) -> Any:
    """The object of an entry, as ``use`` returns it.

    Raises:
        ExtensionError: it cannot be imported, or ``use`` raises an error; says whose it is.
    """
    warn_of_namesakes(point.group, point.name, point)
    try:
        return use(point.load())
    except Exception as error:  # whatever a foreign module raises
        why = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise ExtensionError(
            f"{_registers(point)}, which cannot be loaded: {why}; mend or uninstall it"
        ) from error


def usable(points: Iterable[EntryPoint], made: Callable[[EntryPoint], Made]) -> dict[str, Made]:
    """All of ``points``, by name, as ``made`` returns them; a warning names each that cannot be loaded."""
    found: dict[str, Made] = {}
    for point in points:
        try:
            found[point.name] = made(point)
        except ExtensionError as error:
            warnings.warn(str(error), stacklevel=2)
    return found


@cache
def warn_of_namesakes(group: str, name: str, used: EntryPoint | None = None) -> None:
    """Warn, once, of entries whose ``name`` is taken by the one in use, or by stacksim itself."""
    for point in _entries():
        if (point.group, point.name) == (group, name) and not (used and point == used):
            owner = package_of(used) if used else _OWN
            warnings.warn(f"{_registers(point)}, and the name is {owner}'s; rename it", stacklevel=2)


def package_of(point: EntryPoint) -> str:
    """Name of the package that registers an entry."""
    return point.dist.name if point.dist else "of an unknown name"


def _registers(point: EntryPoint) -> str:
    return f"the installed package {package_of(point)} registers {point.name} = {point.value} ({point.group})"
