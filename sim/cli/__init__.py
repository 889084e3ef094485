"""The command ``stacksim``: setup of its process, before anything else of it is loaded."""

from __future__ import annotations

import atexit
import gc
import os
import sys

OBJECTS = 400_000
"""New objects between collections of reference cycles: cycles are rare here, and with Python's default a large
model takes a seventh of its build time for them."""

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables for the number of threads of NumPy's linear algebra, by precedence."""


def process() -> None:
    """Run the command as its own process; exit at once if a signal ended it.

    Otherwise Python waits for all threads, and a stopped one notices only between two steps of its work, which may
    take minutes.
    """
    try:
        main()
    except SystemExit as leaving:
        from sim.cli.signals import INTERRUPTED, TERMINATED  # lazily: see main

        if isinstance(leaving.code, int) and leaving.code in (INTERRUPTED, TERMINATED):
            os._exit(leaving.code)
        raise


def main() -> None:
    """Run the command and exit with its status."""
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)  # else Python collects cycles among objects that end with the process anyway
    _use_one_blas_thread()
    from sim.cli.outcome import status  # lazily: processes that compute for this one import this file

    sys.exit(status())


def _use_one_blas_thread() -> None:
    """Start no threads for linear algebra, unless the user sets their number: matrices here are small.

    Each idle thread would spin. Large work is shared among processes instead.
    """
    if not any(name in os.environ for name in BLAS_THREADS):
        os.environ[BLAS_THREADS[0]] = "1"
