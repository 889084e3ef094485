"""Points of a sweep in chunks, by several workers: whatever fails, all other points are done."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, wait
from dataclasses import replace

from sim.engine.errors import InputError, StacksimError
from sim.engine.simulation.options import RunOptions
from sim.prediction.crew import Chunk, Crew
from sim.prediction.owner import new_owner
from sim.prediction.points import Done, How, Outcome, failed
from sim.prediction.stopping import StoppedError
from sim.prediction.store import Store
from sim.system.case import Case

_CHUNK_S = 0.3
"""Seconds of a chunk: long beside handing it over, short beside the loss if a process is killed."""

_GROWTH = 8
"""Largest growth of a chunk over the one before: the first points of a new process take longer."""

_AHEAD = 2
"""Chunks queued for each worker: the one in work, and the next."""

_BREAKS = 2
"""Number of times that processes may die before the first point is done."""

_PAUSE_S = 0.2
"""Seconds between two checks whether another process has done its points."""


def outcomes_of(
    cases: Sequence[Case],
    options: RunOptions | Sequence[RunOptions],
    *,
    intervals: bool = False,
    limits: bool = True,
    executor: Executor | None = None,
    store: Store | None = None,
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield number and outcome of each case as soon as it is known; closing the iterator stops the work.

    With a ``store``, known points are not run again, and each result is in it before it is yielded. Points
    that another living process works on are waited for.

    Args:
        options: for all cases, or one for each, with the same engine.
        limits: determine the limit of each while its model is in memory; later the model must be built again.

    Raises:
        StacksimError: of the store.
    """
    each_options = [options] * len(cases) if isinstance(options, RunOptions) else options
    if not cases:
        return
    owner = new_owner()
    hows = [How(each, intervals, owner, limits=limits) for each in each_options]
    crew = Crew.of(executor) if executor else Crew.own(cases, each_options[0])
    try:
        yield from _Work(cases, hows, crew, store).outcomes()
    finally:  # also after the interrupt key: stop running chunks and waiting ones
        crew.leave()
        if store:
            store.release(owner)


class _Work:
    """Points left to do, those in chunks handed out, and those that another process works on.

    Attributes:
        _suspects: points of chunks whose process died; each is tried alone, as one of them may be the cause.
        _alone: the suspect being tried.
        _breaks: number of times that processes died before the first point was done.
    """

    def __init__(self, cases: Sequence[Case], hows: Sequence[How], crew: Crew, store: Store | None) -> None:
        self._cases, self._hows, self._crew, self._store = cases, hows, crew, store
        self._left = deque(range(len(cases)))
        self._busy: list[int] = []
        self._suspects: deque[int] = deque()
        self._alone: int | None = None
        self._on_their_way: dict[Chunk, list[int]] = {}
        self._size, self._breaks = 1, 0

    def outcomes(self) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcome of each point, until none is left."""
        while self._hand_out():
            futures = {chunk.future: chunk for chunk in self._on_their_way}
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                if futures[future] in self._on_their_way:  # or the executor broke, and it is handed out again
                    yield from self._finished(futures[future])

    def _hand_out(self) -> bool:
        """Submit chunks as far as workers are free; return True if anything is still to be done."""
        if not (self._left or self._suspects or self._on_their_way) and self._busy:
            time.sleep(_PAUSE_S)
            self._left.extend(self._busy)
            self._busy.clear()
        if self._suspects:
            if not self._on_their_way:
                self._alone = self._suspects.popleft()
                self._submit([self._alone])
            return True
        while self._left and len(self._on_their_way) < _AHEAD * self._crew.size:
            share = -(-len(self._left) // (_AHEAD * self._crew.size))
            self._submit(self._next(min(self._size, share)))
        return bool(self._on_their_way or self._suspects)

    def _next(self, most: int) -> list[int]:
        """The next points left, all with the same options."""
        numbers = [self._left.popleft()]
        while self._left and len(numbers) < most and self._hows[self._left[0]] == self._hows[numbers[0]]:
            numbers.append(self._left.popleft())
        return numbers

    def _submit(self, numbers: list[int]) -> None:
        try:
            chunk = self._crew.submit(
                self._hows[numbers[0]], [self._cases[number] for number in numbers], self._store
            )
        except BrokenExecutor as error:  # a process died since the last look
            self._suspects.extend(numbers)
            if not self._on_their_way:
                self._renew(error)
        else:
            self._on_their_way[chunk] = numbers

    def _finished(self, chunk: Chunk) -> Iterator[tuple[int, Outcome]]:
        try:
            done = chunk.result()
        except (StacksimError, StoppedError):  # of the store, or because all is to stop
            raise
        except Exception as error:  # noqa: BLE001  (of the executor: a process that died, or what cannot be sent)
            yield from self._lost(chunk, error)
        else:
            yield from self._recorded(self._on_their_way.pop(chunk), done)

    def _recorded(self, numbers: Sequence[int], done: Done) -> Iterator[tuple[int, Outcome]]:
        """Write the outcomes of a chunk to the store, then yield them."""
        seconds, outcomes = done
        self._breaks, self._alone = 0, None
        per_chunk = int(_CHUNK_S * len(numbers) / max(seconds, 1e-9))
        self._size = max(1, min(per_chunk, _GROWTH * self._size))
        entries = [each.entry for each in outcomes if isinstance(each, Outcome) and each.entry]
        if self._store and entries:
            self._store.write(entries)
        for number, outcome in zip(numbers, outcomes, strict=True):
            if isinstance(outcome, Outcome):
                yield number, self._of_case(number, outcome)
            else:
                self._busy.append(number)

    def _of_case(self, number: int, outcome: Outcome) -> Outcome:
        """``outcome`` without the written entry, and with the case of this process in place of a copy."""
        predicted = outcome.prediction
        return replace(outcome, entry=None, prediction=predicted and replace(predicted, case=self._cases[number]))

    def _lost(self, chunk: Chunk, error: Exception) -> Iterator[tuple[int, Outcome]]:
        """Retry the points of a chunk one by one; one that fails alone has failed."""
        numbers = self._on_their_way.pop(chunk)
        if isinstance(error, BrokenExecutor):
            numbers += [number for others in self._on_their_way.values() for number in others]
            self._on_their_way.clear()
            self._renew(error)
        if numbers != [self._alone]:
            self._suspects.extend(numbers)
            return
        self._alone = None
        outcome = failed(self._hows[numbers[0]], self._cases[numbers[0]], error, in_store=self._store is not None)
        if self._store and outcome.entry:
            self._store.write([outcome.entry])
        yield numbers[0], outcome

    def _renew(self, error: BrokenExecutor) -> None:
        self._breaks += 1
        if self._breaks > _BREAKS or not self._crew.again:
            raise InputError(
                "the processes that do the work end as they begin; begin a script with "
                "`if __name__ == '__main__':`, or give it another executor"
            ) from error
        self._crew.renew()
