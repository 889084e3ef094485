"""A system described in a Python file: ``FILE.py:NAME``."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from sim.engine.errors import InputError, StacksimError, nearest, printable, shown
from sim.system.system import System

ENDING = ".py"


def names_python(name: str) -> bool:
    """True if ``name`` is that of a Python file, with or without the name of a system in it."""
    return name.partition(":")[0].endswith(ENDING)


def python_system(name: str) -> System:
    """Load the system ``FILE.py:NAME``. The file is executed, with its folder on the import path.

    Raises:
        InputError: no such file or name, a file that fails, or a name that is no system.
    """
    file, _, attribute = name.partition(":")
    path = Path(file).resolve()
    if not path.is_file():
        raise InputError(f"no file '{shown(file)}'; name a Python file with a system in it")
    systems = {key: value for key, value in vars(_module(path)).items() if isinstance(value, System)}
    if attribute not in systems:
        hint = nearest(attribute, systems) if systems else "it has none: SYSTEM = System(…)"
        raise InputError(f"no system '{shown(attribute)}' in '{shown(file)}'; {hint}")
    return systems[attribute]


def _module(path: Path) -> object:
    """Import the file under its own name, so that other processes can import its objects."""
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"cannot read '{shown(path)}'; name a Python file")
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except StacksimError:
        raise
    except Exception as error:
        message = printable(f"{type(error).__name__}: {error}")
        raise InputError(f"'{shown(path)}' fails: {message}; run it with python to see where") from error
    return module
