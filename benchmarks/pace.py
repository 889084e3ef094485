"""Timing: slices of runs take turns, so that whatever else the machine does slows all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time

from sim.engine.events.protocol import Engine

Take = Callable[[], float]
"""Runs for a while and returns a rate."""

ROUNDS = 7
SLICE_S = 0.4
"""Processor time of a slice, about."""


class Run:
    """One run of ``engine``, slice by slice; calling it takes one and returns visits of places a second."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = process_time) -> None:
        self.engine = engine
        self._clock = clock
        self._slice_ns = 100_000
        self._advance()  # the first one compiles
        while (took := self._advance()) < SLICE_S / 2:  # this warms up, too
            self._slice_ns = int(self._slice_ns * min(10.0, SLICE_S / max(took, 1e-6)))

    def _advance(self) -> float:
        start = self._clock()
        self.engine.advance(self.engine.now_ns + self._slice_ns)
        return self._clock() - start

    def __call__(self) -> float:
        before = self._visits()
        took = self._advance()
        return (self._visits() - before) / took

    def customers_per_s(self) -> float:
        """Of a network that each customer visits all places of: customers in a simulated second, so far."""
        places = len(self.engine.snapshot().places)
        return self._visits() / places / (self.engine.now_ns / 1e9)

    def _visits(self) -> int:
        return int(self.engine.snapshot().places[:, 0].sum())


def in_turns(takes: Sequence[Take], rounds: int = ROUNDS) -> list[float]:
    """The median rate of each, taken in turns."""
    found = [[take() for take in takes] for _ in range(rounds)]
    return [median(rates) for rates in zip(*found, strict=True)]
