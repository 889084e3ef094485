"""Workers that predict the points of a sweep: threads or processes of this machine, or a given executor."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event

from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.prediction.meaning import engine_version
from sim.prediction.points import Done, How, Job, Plan, plan, run_chunk, run_jobs
from sim.prediction.processes import pool
from sim.prediction.store import Store
from sim.system.case import Case

_FEWEST = {"reference": 1, ANALYTIC: 2_000}
_FEWEST_COMPILED = 40
"""Number of points from which processes pay: each takes over a second of processor time to start. Threads
share the compiled loop, which releases Python's lock, but run all other code in turn."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Points handed to a worker, with the ``plans`` of each if they were made before."""

    future: Future[Done]
    plans: Sequence[Plan] | None = None

    def result(self) -> Done:
        """Seconds taken, and the outcome of each point, in order.

        Raises:
            Exception: of the executor, or of the store; errors of a point are part of its outcome.
        """
        seconds, outcomes = self.future.result()
        if self.plans is None:
            return seconds, outcomes
        ran = iter(outcomes)
        return seconds, [next(ran) if isinstance(each, Job) else each for each in self.plans]


@dataclass
class Crew:
    """An executor, with its properties for a sweep.

    Attributes:
        size: number of chunks in work at once.
        here: True if its workers run on this machine, and so can read the file of a store.
        again: creates another executor like it if its processes died; None for a given executor.
        stopped: set to tell its threads to give up.
    """

    executor: Executor
    size: int
    here: bool
    again: Callable[[], Executor] | None = None
    stopped: Event = field(default_factory=Event)

    @classmethod
    def of(cls, executor: Executor) -> Crew:
        """The workers of a given executor, whose owner also shuts it down."""
        here = isinstance(executor, ThreadPoolExecutor | ProcessPoolExecutor)
        return cls(executor, getattr(executor, "_max_workers", None) or os.cpu_count() or 1, here)

    @classmethod
    def own(cls, cases: Sequence[Case], options: RunOptions) -> Crew:
        """Threads, or processes if there are enough points."""
        workers = max(1, min(len(cases), os.cpu_count() or 1))
        processes = len(cases) >= _FEWEST.get(options.engine, _FEWEST_COMPILED) and can_be_sent(cases[0])
        kind: Callable[[int], Executor] = pool if processes else ThreadPoolExecutor

        def make() -> Executor:
            return kind(workers)

        return cls(make(), workers, here=True, again=make)

    def submit(self, how: How, cases: Sequence[Case], store: Store | None) -> Chunk:
        """Submit the points ``cases``; workers elsewhere get only those that are not in ``store``."""
        if not self.here:
            plans = plan(how, cases, store)
            jobs = [each for each in plans if isinstance(each, Job)]
            return Chunk(self.executor.submit(run_jobs, replace(how, version=engine_version()), jobs), plans)
        stopped = self.stopped if isinstance(self.executor, ThreadPoolExecutor) else None
        return Chunk(self.executor.submit(run_chunk, how, cases, store.path if store else None, stopped))

    def renew(self) -> None:
        """Replace the executor after it broke."""
        if self.again:
            self.executor = self.again()

    def leave(self) -> None:
        """Stop work in progress; shut the executor down if it is ours."""
        self.stopped.set()
        if self.again:
            self.executor.shutdown(cancel_futures=True)


def can_be_sent(case: Case) -> bool:
    """True if another process can unpickle the case; False if its functions are in a notebook or script."""
    try:
        return b"__main__" not in pickle.dumps(case)
    except Exception:  # noqa: BLE001  (pickling user code may raise anything)
        return False
