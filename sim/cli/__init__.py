"""The command ``stacksim``: what its process is like, before anything else of it is loaded."""

from __future__ import annotations

import atexit
import gc
import os
import sys

OBJECTS = 400_000
"""New objects after which Python looks for rings of objects to release: they are rare here, and to look as
often as it does by itself takes a seventh of the time in which a large model is built."""

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""Variables by which a user says how many threads NumPy's linear algebra has, in the order in which they count."""


def process() -> None:
    """Be the process of the command; end at once if a signal ends it.

    Python waits for all threads before it ends; one that is told to give up looks up only between two steps of its
    work, which may take minutes.
    """
    try:
        main()
    except SystemExit as leaving:
        from sim.cli.signals import INTERRUPTED, TERMINATED  # lazily: as in main

        if isinstance(leaving.code, int) and leaving.code in (INTERRUPTED, TERMINATED):
            os._exit(leaving.code)
        raise


def main() -> None:
    """Run the command and leave with its exit status."""
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)  # else Python looks for rings in all that goes with the process anyway
    _use_one_blas_thread()
    from sim.cli.outcome import status  # lazily: processes that compute for this one import this file

    sys.exit(status())


def _use_one_blas_thread() -> None:
    """Start no threads for large matrices, unless the user says how many: there are none here.

    Each thread waits busily for its first one. What has much to do is shared among processes instead.
    """
    if not any(name in os.environ for name in BLAS_THREADS):
        os.environ[BLAS_THREADS[0]] = "1"
