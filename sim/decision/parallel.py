"""Many short runs side by side, in threads: the compiled loop releases Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import TypeVar

from sim.prediction.stopping import until
from sim.simulation.options import Progress

Done = TypeVar("Done")


def side_by_side(tasks: Sequence[Callable[[Progress], Done]], progress: Progress | None = None) -> list[Done]:
    """What each of ``tasks`` returns, in their order; the first that fails ends it.

    A task is given a function to call now and then: it does not return once the work is not needed any more.
    """
    stopped = Event()
    look = until(stopped)
    with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
        futures = [workers.submit(task, look) for task in tasks]
        try:
            for count, future in enumerate(as_completed(futures), start=1):
                future.result()
                if progress:
                    progress(count / len(futures))
        finally:  # whatever ends this early, the interrupt key too
            stopped.set()
            for future in futures:
                future.cancel()
    return [future.result() for future in futures]
