"""Processes that work for this one, and end when it ends, however that happens."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from signal import SIG_IGN, SIGINT, signal
from threading import Thread


def pool(workers: int) -> ProcessPoolExecutor:
    """So many new processes, as an executor. None of them outlives this process, even one that is killed."""
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_with_parent)


def _leave_with_parent() -> None:
    signal(SIGINT, SIG_IGN)  # the interrupt key reaches this process as well; the parent says what becomes of it
    Thread(target=_watch, name="watch of the parent", daemon=True).start()


def _watch() -> None:
    """Wait for the end of a pipe that only the parent holds open: the system closes it for one that is killed."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
