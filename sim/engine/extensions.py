"""Extensions by installed packages, by entry-point group; nothing is loaded before it is asked for.

| group | an entry is |
|---|---|
| ``stacksim.systems`` | a ``System``, or the text of a stack file |
| ``stacksim.layers``, ``stacksim.loads`` | a kind that stack files name |
| ``stacksim.mounts`` | a stack that ``stacksim measure`` begins with |
| ``stacksim.policies`` | a class of ``sim.engine.model.policies.Policy``: for the reference engine |
| ``stacksim.importers`` | a ``sim.data.importers.tools.Tool``: files that another tool wrote |
| ``stacksim.suspects`` | a ``Suspect`` of ``stacksim.claims``: what else may have been measured |
| ``stacksim.commands`` | a ``typer.Typer``: a command of ``stacksim`` |
| ``stacksim.verbs`` | a function: ``stacksim.NAME`` in Python |
| ``stacksim.views`` | how a record is shown, under the name of its class |
| ``stacksim.animations``, ``stacksim.questions`` | within stacksim: pages of traces, and ``stack new`` |
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sim.engine.errors import InputError

_OWN = "stacksim"


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Where each entry of ``group`` is, by name, in order of names; a name of stacksim's own stays its own."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        if point.name not in found or _package(point) == _OWN:
            found[point.name] = point
    return dict(sorted(found.items()))


def load(point: EntryPoint) -> Any:
    """The object of an entry.

    Raises:
        InputError: it cannot be imported; says whose it is.
    """
    try:
        return point.load()
    except Exception as error:  # whatever a foreign module raises
        raise InputError(
            f"the installed package {_package(point)} registers {point.name} = {point.value} "
            f"({point.group}), which cannot be loaded: {type(error).__name__}: {error}; mend or uninstall it"
        ) from error


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "of an unknown name"
