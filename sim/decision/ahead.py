"""Candidates tried in order; if that takes long, worker processes try later ones ahead of time.

A trial depends only on the candidate and the root seed, and trials of candidates that are no longer needed are
thrown away: the answer is the same with any number of processes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from itertools import islice
from time import perf_counter

from sim.decision.space import Candidate
from sim.decision.trials import How, Trial, Trials
from sim.prediction.crew import can_be_sent
from sim.prediction.processes import pool

ALONE_S = 2.0
"""Seconds that one process works alone: each worker takes a second of processor time to start."""

CHUNK_S = 0.3
"""Seconds that a chunk of candidates should take: long beside the cost of handing it over."""

_AHEAD = 2
"""Chunks queued for each worker: the one in work, and the next."""

Needed = Callable[[Candidate], bool]
"""Returns True if a candidate still has to be tried."""

Chunks = deque[tuple[list[Candidate], Future[list[Trial]]]]
"""Candidates handed out to workers, in their order."""


class Ahead:
    """Tries candidates with ``trials``, each with the options ``how``.

    Args:
        workers: largest number of processes; by default the number of processors. With 1, no process is started.
    """

    def __init__(self, trials: Trials, how: How, workers: int | None = None) -> None:
        self._trials, self._how = trials, how
        self._workers = os.cpu_count() or 1 if workers is None else workers
        self._seconds, self._count = 0.0, 0

    def tried(self, candidates: Iterable[Candidate], needed: Needed) -> Generator[tuple[Candidate, Trial]]:
        """Yield, in order, each candidate that is ``needed`` when its turn comes, and its trial."""
        left = deque(candidates)
        while left:
            if self._seconds >= ALONE_S and self._share_out(left[0]):
                yield from self._by_processes(left, needed)
            if left and needed(candidate := left.popleft()):
                yield candidate, self._alone(candidate)

    def _alone(self, candidate: Candidate) -> Trial:
        begun = perf_counter()
        trial = self._trials.tried(candidate.design, self._how)
        self._seconds, self._count = self._seconds + perf_counter() - begun, self._count + 1
        return trial

    def _share_out(self, first: Candidate) -> bool:
        """True if worker processes are to be used; the models must be picklable for that."""
        if self._workers > 1 and not can_be_sent(self._trials.case(first.design, self._trials.asked[0].load)):
            self._workers = 1
        return self._workers > 1

    def _by_processes(self, left: deque[Candidate], needed: Needed) -> Generator[tuple[Candidate, Trial]]:
        """Yield trials made by worker processes; if one dies, candidates not yet done go back to ``left``."""
        executor, chunks, most = pool(self._workers), Chunks(), _AHEAD * self._workers
        try:
            self._hand_out(executor, left, chunks, needed, most)
            while chunks:
                candidates, future = chunks[0]
                trials = future.result()
                self._hand_out(executor, left, chunks, needed, most + 1)
                chunks.popleft()  # only now: an executor that breaks meanwhile must not lose what it has done
                yield from (each for each in zip(candidates, trials, strict=True) if needed(each[0]))
        except BrokenExecutor:
            self._workers = 1
            left.extendleft(reversed([each for candidates, _ in chunks for each in candidates]))
        finally:  # whatever ends this early, the interrupt key too
            executor.shutdown(cancel_futures=True)

    def _hand_out(
        self, executor: Executor, left: deque[Candidate], chunks: Chunks, needed: Needed, most: int
    ) -> None:
        """Submit chunks until ``most`` are queued."""
        size = max(1, round(CHUNK_S * self._count / self._seconds))
        while left and len(chunks) < most:
            candidates = [each for each in islice(left, size) if needed(each)]
            if candidates:  # handed out first: an executor that is broken takes none
                chunks.append((candidates, executor.submit(_tried, self._trials, candidates, self._how)))
            for _ in range(min(size, len(left))):
                left.popleft()


def _tried(trials: Trials, candidates: Sequence[Candidate], how: How) -> list[Trial]:
    return [trials.tried(each.design, how) for each in candidates]
