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
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Where each entry of ``group`` is, by name, in order of names."""
    return {point.name: point for point in sorted(entry_points(group=group))}
