"""A run of a given length, for comparisons in which nothing but parameters may change: same time, same chance."""

from __future__ import annotations

from dataclasses import dataclass

from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.result import Result
from sim.simulation.options import COARSEST, Run, RunOptions
from sim.simulation.simulate import run
from sim.simulation.snapshots import Snapshots
from sim.simulation.steady_state import refuse_deadlock
from sim.simulation.summary import result
from sim.statistics.answers import THROUGHPUT

BATCHES = 20
"""Enough for a spread; what is compared is the value."""


@dataclass(frozen=True)
class RunLength:
    """How long an endless load is run, in nanoseconds: before anything is counted, and then."""

    warmup_ns: int
    measured_ns: int

    @classmethod
    def of(cls, found: Result, share: float = 1.0) -> RunLength | None:
        """As long as ``found`` took, or a ``share`` of it; None for a job that ends by itself."""
        if found.elapsed:
            return None
        return cls(
            round(found.warmup_s * NANOSECONDS_PER_SECOND),
            round(found.measured_s * NANOSECONDS_PER_SECOND * share),
        )


def run_for(model: Model, watch: str, length: RunLength | None, seed: int) -> Result:
    """Run ``model`` for ``length``, whatever precision that gives; a job that ends, to its end a few times."""
    options = RunOptions(seed=seed, precision=COARSEST, answers=THROUGHPUT)
    if length is None:
        return run(model, options, watch=watch)
    one = Run(model, watch, options)
    running = one.start()
    interval_ns = max(1, length.measured_ns // BATCHES)
    snapshots = Snapshots(running, interval_ns)
    warmup = -(-length.warmup_ns // interval_ns)
    snapshots.extend(warmup + BATCHES)
    refuse_deadlock(running)
    return result(one, running, snapshots, list(range(warmup, warmup + BATCHES + 1)), ())
