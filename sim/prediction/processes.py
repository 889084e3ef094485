"""Processes that work for this one, and end when it ends, however that happens."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Any, TypeVar


def pool(workers: int) -> ProcessPoolExecutor:
    """So many new processes, as an executor. None of them outlives this process, even one that is killed."""
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=(gc.get_threshold(),))


@contextmanager
def leaving(workers: int) -> Iterator[Executor]:
    """The same for a ``with``: whoever leaves it early waits for the tasks at work, and not for the others."""
    executor = pool(workers)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


Answer = TypeVar("Answer")


def in_order(executor: Executor, task: Callable[..., Answer], *arguments: Iterable[Any]) -> Iterator[Answer]:
    """The answers of ``task`` to each of ``arguments``, as ``executor.map`` gives them, but nothing is cancelled.

    A future that is cancelled while its process is told to end kills the thread of the executor, with a traceback:
    that thread tells each future that it has failed, which a cancelled one refuses (Python up to 3.12).
    """
    futures = [executor.submit(task, *each) for each in zip(*arguments, strict=False)]
    return (future.result() for future in futures)


def _begin(threshold: tuple[int, int, int]) -> None:
    """Look for rings of objects as seldom as the parent does, and leave with it."""
    gc.set_threshold(*threshold)
    signal(SIGINT, SIG_IGN)  # the interrupt key reaches this process as well; the parent says what becomes of it
    Thread(target=_watch, name="watch of the parent", daemon=True).start()


def _watch() -> None:
    """Wait for the end of a pipe that only the parent holds open: the system closes it for one that is killed."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
