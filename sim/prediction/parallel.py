"""Short runs side by side, in threads: the compiled loop releases Python's lock."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, current_thread, main_thread
from typing import TypeVar

from sim.engine.simulation.options import Progress
from sim.prediction.stopping import until

Done = TypeVar("Done")


def side_by_side(tasks: Sequence[Callable[[Progress], Done]], progress: Progress | None = None) -> list[Done]:
    """Results of ``tasks``, in their order; the first error ends all.

    A task gets a function to call now and then, which does not return once the work is no longer needed. If
    this runs inside a worker of a sweep, or inside another task, tasks run one after the other.
    """
    workers = min(os.cpu_count() or 1, len(tasks))
    return _in_threads(tasks, workers, progress) if _alone() and workers > 1 else _in_turn(tasks, progress)


def _alone() -> bool:
    """True in the first thread of the first process: others were started to work in parallel already."""
    multiprocessing = sys.modules.get("multiprocessing")  # always there in a process that was made by it
    return current_thread() is main_thread() and not (multiprocessing and multiprocessing.parent_process())


def _in_turn(tasks: Sequence[Callable[[Progress], Done]], progress: Progress | None) -> list[Done]:
    look = progress or (lambda _share: None)
    done: list[Done] = []
    for task in tasks:
        done.append(task(lambda share: look((len(done) + share) / len(tasks))))
        look(len(done) / len(tasks))
    return done


def _in_threads(tasks: Sequence[Callable[[Progress], Done]], count: int, progress: Progress | None) -> list[Done]:
    stopped = Event()
    look = until(stopped)
    with ThreadPoolExecutor(count) as workers:
        futures = [workers.submit(task, look) for task in tasks]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                if progress:
                    progress(done / len(futures))
        finally:  # whatever ends this early, the interrupt key too
            stopped.set()
            for future in futures:
                future.cancel()
    return [future.result() for future in futures]
