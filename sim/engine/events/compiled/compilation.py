"""The event loop as LLVM's intermediate code, made by Numba in a process of its own.

By default, Numba optimises each function alone, then with all that it calls, then in its callers. Without these
passes it takes two thirds of the time; the whole is then optimised once (``object_code.emitted``). They are turned
off when Numba starts, for a whole process. So a process that simulates never imports Numba.
"""

from __future__ import annotations

import os
import subprocess
import sys

from sim.engine.errors import InputError, shown

_MARK = "STACKSIM_COMPILES"
"""Environment variable of the process that compiles."""

_SETTINGS = {_MARK: "1", "NUMBA_OPT": "0", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
"""Settings for code that fits any processor; it is optimised for one when it is emitted."""

_COMMAND = """
import gc, sys
gc.disable()  # a tenth of the time; the process ends soon
from sim.engine.events.compiled.loop import run
sys.stdout.write(run.intermediate_code())
"""

HERE = _MARK in os.environ
"""True in the process that compiles."""


def intermediate_code() -> str:
    """The loop with all functions that it calls, in LLVM's assembly language.

    Raises:
        InputError: no process could be started, or the compiler failed in it.
    """
    environment = os.environ | _SETTINGS | {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(  # noqa: S603  (our own)
            [sys.executable, "-c", _COMMAND], env=environment, capture_output=True, encoding="utf-8", check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip()
        raise InputError(
            f"the event loop could not be compiled: {shown(said.splitlines()[-1])}; "
            "fix what it says, or choose engine reference"
        ) from error
    return done.stdout
