"""Runs of a fixed length, for comparisons with common random numbers, in which only parameters change."""

from __future__ import annotations

from dataclasses import dataclass

from sim.engine.errors import NoSteadyStateError
from sim.engine.events.protocol import Engine
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.options import COARSEST, MAX_STEPS, Run, RunOptions
from sim.engine.simulation.replications import replicated_times
from sim.engine.simulation.settling import Settling
from sim.engine.simulation.simulate import run
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.steady_state import refuse_deadlock
from sim.engine.simulation.summary import result_of, values_of
from sim.engine.statistics.answers import THROUGHPUT

BATCHES = 20
"""Batches of a run: enough for an interval; values, not intervals, are compared."""

LONGEST = 40 * BATCHES
"""Largest number of intervals of a run that goes on; then neighbours are merged."""

MOST_STEPS = 2_000_000
"""Approximate steps of a run that is compared with another one with common random numbers."""

SETTLED = 0.05
"""Precision to which a run has to settle, if asked to: compared values usually differ by more."""


@dataclass(frozen=True)
class RunLength:
    """Length of the run of an endless load, in simulated nanoseconds: warm-up, and measured time after it."""

    warmup_ns: int
    measured_ns: int

    @classmethod
    def of(cls, result: Result, share: float = 1.0) -> RunLength | None:
        """The length of the run of ``result``, or a ``share`` of it; None for a job, which ends by itself."""
        if result.elapsed:
            return None
        return cls(
            round(result.warmup_s * NANOSECONDS_PER_SECOND),
            round(result.measured_s * NANOSECONDS_PER_SECOND * share),
        )

    @classmethod
    def of_difference(cls, result: Result, share: float = 1.0) -> RunLength | None:
        """The length of runs whose difference to that of ``result`` is needed: a few million steps at most.

        A run that went on for its percentiles need not be as long for a difference; nor need its warm-up, which is
        judged in parts of the whole run. Buffers that still fill by then are left to ``settle``.
        """
        length, cut = cls.of(result, share), min(1.0, MOST_STEPS / max(1.0, share * result.steps))
        return length and cls(round(length.warmup_ns * cut), round(length.measured_ns * cut))


def run_for(
    model: Model,
    watch: str,
    length: RunLength | None,
    seed: int,
    times: int | None = None,
    *,
    max_steps: int = MAX_STEPS,
    settle: bool = False,
    intervals: bool = True,
) -> Result:
    """Run ``model`` for ``length``, whatever precision that gives; if None, run a job to its end.

    Args:
        times: number of runs of a job, at least two; by default until its elapsed time is roughly known.
        max_steps: steps after which a job that has not ended, or a run that has not settled, is given up.
        settle: run on while a buffer still fills or empties, which may take longer or shorter than in the
            run from which ``length`` comes.
        intervals: compute confidence intervals; if False, see ``values_of``. A job always has them.

    Raises:
        NoSteadyStateError: a run was given up.
    """
    options = RunOptions(seed=seed, precision=COARSEST, answers=THROUGHPUT, max_steps=max_steps)
    fixed = Run(model, watch, options)
    if length is None:
        return replicated_times(fixed, times) if times else run(model, options, watch=watch)
    engine, snapshots, edges = measured(fixed, length)
    if settle:
        edges = _settled(fixed, engine, snapshots, edges)
    if not intervals:
        return values_of(fixed, engine, snapshots, edges)
    return result_of(fixed, engine, snapshots, edges, ())


def measured(fixed: Run, length: RunLength, seed: int | None = None) -> tuple[Engine, Snapshots, list[int]]:
    """Run ``fixed`` for ``length``, with another ``seed`` if given; return engine, counters and batch edges."""
    engine = fixed.start(seed)
    interval_ns = max(1, length.measured_ns // BATCHES)
    snapshots = Snapshots(engine, interval_ns)
    warmup = -(-length.warmup_ns // interval_ns)
    snapshots.extend(warmup + BATCHES)
    refuse_deadlock(engine, fixed.model)
    return engine, snapshots, list(range(warmup, warmup + BATCHES + 1))


def _settled(fixed: Run, engine: Engine, snapshots: Snapshots, edges: list[int]) -> list[int]:
    """Run on, twice as long each time, until nothing fills or empties in the second half; return its edges."""
    settling = Settling(fixed.model, SETTLED)
    while changing := settling.changing(snapshots, edges):
        if snapshots.steps > fixed.options.max_steps:
            raise NoSteadyStateError(f"{changing} after {snapshots.steps:,} steps; allow more steps")
        if snapshots.intervals > LONGEST and snapshots.intervals % 2 == 0:
            snapshots.merge()
        first = snapshots.intervals
        snapshots.extend(first)
        refuse_deadlock(engine, fixed.model)
        edges = list(range(first, 2 * first + 1))
    return edges
