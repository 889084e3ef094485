"""The installed systems, found by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from sim.engine import checks
from sim.engine.errors import InputError
from sim.engine.extensions import chosen, load, registered, usable
from sim.system.from_python import names_python, python_system
from sim.system.shipped import OWN
from sim.system.system import System

STACK_FILE = ".toml"
"""Suffix of stack files."""

GROUP = "stacksim.systems"
"""Entry-point group for systems of other packages."""


def installed() -> dict[str, EntryPoint]:
    """Where each system is, by name; none is loaded."""
    return registered(GROUP)


def systems() -> dict[str, System]:
    """All installed systems, by name; a warning names each that cannot be loaded."""
    return usable(installed().values(), _loaded)


def in_file(name: str) -> bool:
    """True if ``name`` is that of a stack file, or of a system in Python."""
    return name.endswith(STACK_FILE) or names_python(name)


def find(name: str) -> System:
    """The system ``name``, or that of a stack file, ``FILE.toml``, or in Python, ``FILE.py:NAME``.

    Raises:
        InputError: there is no such system; the message has the nearest name.
    """
    if isinstance(name, str):
        if name.endswith(STACK_FILE):
            from sim.system.stack.build import stack_system  # lazily: pydantic

            return stack_system(Path(name))
        if names_python(name):
            return python_system(name)
    return _loaded(chosen(GROUP, "system", name))


def resolved(system: System | str) -> System:
    """``system`` itself, or the installed one of that name."""
    if isinstance(system, str):
        return find(system)
    if not isinstance(system, System):
        raise InputError(f"system is {checks.quoted(system)}; allowed: a System, or the name of one")
    return system


def _loaded(point: EntryPoint) -> System:
    if point.module.partition(".")[0] == OWN.name:
        _refuse_hidden()

    def named_alike(made: object) -> System:
        if not isinstance(made, System):
            raise InputError(f"it is a {type(made).__name__}; allowed: a System")
        if made.name != point.name:
            raise InputError(f"that system is named '{made.name}'; give both one name")
        return made

    system: System = load(point, named_alike)
    return system


def _refuse_hidden() -> None:
    """Refuse a package ``models`` other than this installation's.

    Raises:
        InputError: Python finds another one first, such as one beside a notebook; the message names both folders.
    """
    spec = find_spec(OWN.name)
    locations = [] if spec is None else [*(spec.submodule_search_locations or [str(spec.origin)])]
    folders = [Path(location).resolve() for location in locations]
    if OWN not in folders:
        what = f"'{folders[0]}' hides" if folders else "Python cannot find"
        fix = "rename what hides them, or start Python elsewhere"
        raise InputError(f"{what} the models that came with stacksim, in '{OWN}'; {fix}")
