"""A run of a given length, for comparisons in which nothing but parameters may change: same time, same chance."""

from __future__ import annotations

from dataclasses import dataclass

from sim.answers import THROUGHPUT
from sim.distributions import NANOSECONDS_PER_SECOND
from sim.engines import engine
from sim.history import History
from sim.result import Result
from sim.simulate import simulate
from sim.steady import refuse_deadlock
from sim.summary import result
from sim.system import Scenario
from sim.wish import Wish

BATCHES = 20
"""Enough for a spread; what is compared is the value."""


@dataclass(frozen=True)
class Span:
    """How long an endless load is run, in nanoseconds: before anything is counted, and then."""

    warmup_ns: int
    measured_ns: int

    @classmethod
    def of(cls, found: Result, share: float = 1.0) -> Span | None:
        """As long as ``found`` took, or a ``share`` of it; None for a job that ends by itself."""
        if found.elapsed:
            return None
        return cls(
            round(found.warmup_s * NANOSECONDS_PER_SECOND),
            round(found.measured_s * NANOSECONDS_PER_SECOND * share),
        )


def stretch(scenario: Scenario, span: Span | None, seed: int) -> Result:
    """Run ``scenario`` for ``span``, whatever precision that gives; a job that ends, to its end a few times."""
    if span is None:
        return simulate(scenario.model, seed=seed, precision=0.5, watch=scenario.watch, answers=THROUGHPUT)
    wish = Wish(
        model=scenario.model,
        seed=seed,
        precision=0.5,
        confidence=0.95,
        watch=scenario.watch,
        answers=THROUGHPUT,
        create=engine("auto"),
        most_steps=1,
        most_completed=1,
        parts=False,
        progress=lambda _share: None,
    )
    running = wish.create(wish.model, seed)
    slice_ns = max(1, span.measured_ns // BATCHES)
    history = History(running, slice_ns)
    warmup = -(-span.warmup_ns // slice_ns)
    history.extend(warmup + BATCHES)
    refuse_deadlock(running)
    return result(wish, running, history, list(range(warmup, warmup + BATCHES + 1)), ())
