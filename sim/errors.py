"""Errors that a user can mend: each is one line that names the value, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class StacksimError(Exception):
    """Anything that stacksim refuses; the command prints it as one line and exits with status 2."""


class InputError(StacksimError, ValueError):
    """A setting, unit, parameter or data file that cannot be used."""


class ModelError(InputError):
    """A model that cannot work; refused when it is built, naming the place, step or workload."""


class DeadlockError(StacksimError, RuntimeError):
    """Every client waits for another; the message says who waits for what, held by whom."""


class NoSteadyStateError(StacksimError, RuntimeError):
    """Load at or beyond saturation: there is no long-run rate to report."""


class LawError(StacksimError, RuntimeError):
    """A simulation broke a law that holds for every such model: an internal error, and never a number."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Say what is allowed instead of ``name``, and which allowed name is nearest.

    >>> nearest("node", ["cells", "nodes"])
    "did you mean 'nodes'? allowed: cells, nodes"
    """
    names = sorted(allowed)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return f"{hint}allowed: {', '.join(names)}"
