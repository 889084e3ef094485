"""Worker processes that end with this one, even if it is killed."""

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
    """An executor of ``workers`` new processes; none outlives this process, even if it is killed."""
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=(gc.get_threshold(),))


@contextmanager
def leaving(workers: int) -> Iterator[Executor]:
    """Context with a ``pool``; leaving early waits for running tasks, and cancels the others."""
    executor = pool(workers)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


Answer = TypeVar("Answer")


def in_order(executor: Executor, task: Callable[..., Answer], *arguments: Iterable[Any]) -> Iterator[Answer]:
    """Results of ``task`` for ``arguments``, as of ``executor.map``, but without cancelling futures.

    A future that is cancelled while its process ends kills the thread of the executor, with a traceback:
    that thread marks each future as failed, which a cancelled one refuses (Python up to 3.12).
    """
    futures = [executor.submit(task, *each) for each in zip(*arguments, strict=False)]
    return (future.result() for future in futures)


def _begin(threshold: tuple[int, int, int]) -> None:
    """Initialise a worker: collect garbage as seldom as the parent, and end with it."""
    gc.set_threshold(*threshold)
    signal(SIGINT, SIG_IGN)  # the interrupt key reaches workers as well; the parent handles it
    Thread(target=_watch, name="watch of the parent", daemon=True).start()


def _watch() -> None:
    """Wait for the end of a pipe that only the parent holds open; the system closes it when the parent dies."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
