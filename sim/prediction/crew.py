"""Who predicts the points of a sweep: threads or processes of this machine, or an executor that somebody gives."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event

from sim.prediction.meaning import engine_version
from sim.prediction.points import Done, How, Job, Plan, plan, run_chunk, run_jobs
from sim.prediction.processes import pool
from sim.prediction.store import Store
from sim.simulation.options import ANALYTIC, RunOptions
from sim.system.case import Case

_FEWEST = {"reference": 1, ANALYTIC: 2_000}
_FEWEST_COMPILED = 40
"""Points from which on processes pay: each takes over a second of processor time until its first answer. Threads
share the compiled loop, which releases Python's lock, but take turns at what surrounds it."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some points that are being done; ``plans`` of each, where they were made before."""

    future: Future[Done]
    plans: Sequence[Plan] | None = None

    def result(self) -> Done:
        """Seconds that it took, and what became of each point, in order.

        Raises:
            Exception: of the executor, or of the store; that of a point is part of its outcome.
        """
        seconds, outcomes = self.future.result()
        if self.plans is None:
            return seconds, outcomes
        ran = iter(outcomes)
        return seconds, [next(ran) if isinstance(each, Job) else each for each in self.plans]


@dataclass
class Crew:
    """An executor, and what a sweep has to know of it.

    Attributes:
        size: how many chunks it works on at once.
        here: whether its workers run on this machine, and so see the file of a store.
        again: makes another executor like it, in place of one whose processes died; None if it is not ours.
        stopped: set when its threads are to give up.
    """

    executor: Executor
    size: int
    here: bool
    again: Callable[[], Executor] | None = None
    stopped: Event = field(default_factory=Event)

    @classmethod
    def of(cls, executor: Executor) -> Crew:
        """The workers of an executor that somebody gives, who also ends it."""
        here = isinstance(executor, ThreadPoolExecutor | ProcessPoolExecutor)
        return cls(executor, getattr(executor, "_max_workers", None) or os.cpu_count() or 1, here)

    @classmethod
    def own(cls, cases: Sequence[Case], options: RunOptions) -> Crew:
        """Threads, or processes where there is so much to do that they pay."""
        workers = max(1, min(len(cases), os.cpu_count() or 1))
        processes = len(cases) >= _FEWEST.get(options.engine, _FEWEST_COMPILED) and can_be_sent(cases[0])
        kind: Callable[[int], Executor] = pool if processes else ThreadPoolExecutor

        def make() -> Executor:
            return kind(workers)

        return cls(make(), workers, here=True, again=make)

    def submit(self, how: How, cases: Sequence[Case], store: Store | None) -> Chunk:
        """Have the points ``cases`` done; workers elsewhere are sent only those that ``store`` does not know."""
        if not self.here:
            plans = plan(how, cases, store)
            jobs = [each for each in plans if isinstance(each, Job)]
            return Chunk(self.executor.submit(run_jobs, replace(how, version=engine_version()), jobs), plans)
        stopped = self.stopped if isinstance(self.executor, ThreadPoolExecutor) else None
        return Chunk(self.executor.submit(run_chunk, how, cases, store.path if store else None, stopped))

    def renew(self) -> None:
        """Take another executor after this one broke."""
        if self.again:
            self.executor = self.again()

    def leave(self) -> None:
        """Stop what is still at work; end the executor if it is ours."""
        self.stopped.set()
        if self.again:
            self.executor.shutdown(cancel_futures=True)


def can_be_sent(case: Case) -> bool:
    """Whether another process can make the case anew: not if its functions stand in a notebook or script."""
    try:
        return b"__main__" not in pickle.dumps(case)
    except Exception:  # noqa: BLE001  (whatever it has that cannot be sent)
        return False
