"""Running a model until its answers are known to the precision asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from sim.engine import checks
from sim.engine.errors import InputError
from sim.engine.events.registry import ENGINES
from sim.engine.model.lock_order import circle
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.operational_laws import checked
from sim.engine.simulation.options import MAX_STEPS, Progress, Run, RunOptions
from sim.engine.simulation.replications import replicated
from sim.engine.simulation.steady_state import steady
from sim.engine.statistics.answers import ANSWERS, check_answers
from sim.engine.statistics.estimates import Estimate


def simulate(
    model: Model,
    *,
    seed: int = 1,
    precision: float = 0.01,
    confidence: float = 0.95,
    watch: str | None = None,
    answers: Iterable[str] = ANSWERS,
    engine: str = "auto",
    max_steps: int = MAX_STEPS,
    max_completed: int | None = None,
    parts: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Simulate ``model``.

    An endless load runs until the ``answers`` about the group ``watch`` (by default the first workload's) are
    known at ``confidence``: throughput to ± ``precision``, latencies as ``statistics.answers.tolerances``
    says. A model with counts is run to its end several times, with other random numbers, until its elapsed time
    and the answers are known. Answers not known within the steps allowed are marked, and a warning says what it
    would take.

    Args:
        seed: root seed, from 0; the same seed gives the same result everywhere.
        precision: half-width of the interval as a share of the value, 0.0001 to 0.5.
        answers: some of ``throughput``, ``mean``, ``p50``, ``p95`` and ``p99``.
        engine: ``compiled``, ``reference``, or ``auto``: compiled unless a step needs SimPy. Results are equal.
        max_steps: steps after which to stop with a warning if the precision is not reached.
        max_completed: limit on completed requests of the watched group; by default half of ``max_steps``.
        parts: keep records of parts of the run, or of each replication of a job.
        progress: called now and then with the estimated share of the run that is done.

    Raises:
        DeadlockError: all processes wait for each other.
        NoSteadyStateError: more requests arrive than are completed, and the difference grows without end.
        InputError: a wrong argument.
        LawError: an internal error: the result breaks a law that holds for any such model.
    """
    options = RunOptions(
        checks.known("engine", engine, ENGINES),
        seed,
        precision,
        confidence,
        tuple(checks.listed("the answers to watch", answers)),
        max_steps,
        max_completed,
    )
    check_answers(options.answers)
    return run(model, options, watch=watch, parts=parts, progress=progress)


def run(
    model: Model,
    options: RunOptions,
    *,
    watch: str | None = None,
    parts: bool = False,
    progress: Progress | None = None,
    percentiles: Callable[[Result], bool] = lambda _result: True,
    own: Callable[[Result], Mapping[str, Estimate]] = lambda _result: {},
) -> Result:
    """Simulate ``model`` like ``simulate``, with ``options`` in one record, and with a system's ``own`` answers.

    Args:
        percentiles: returns True if the run is to wait for percentiles, by the result so far.
    """
    if not isinstance(model, Model):
        raise InputError(f"simulate is given {checks.quoted(model)}; allowed: a Model, such as Model([Closed(…)])")
    if progress is not None and not callable(progress):
        raise InputError(f"progress is {checks.quoted(progress)}; allowed: a function of the share that is done")
    group = checks.known("group to watch", model.groups[0] if watch is None else watch, model.groups)
    checked_run = Run(model, group, options, parts, progress or (lambda _share: None), percentiles, own)
    if model.finite:
        return checked(model, replicated(checked_run))
    result = checked(model, steady(checked_run))
    return result.unknown(_meet(names)) if (names := circle(model)) else result


def _meet(names: Sequence[str]) -> str:
    """Warning about clients that take places in orders that form a cycle."""
    inside = ", ".join(f"'{waits}' inside '{held}'" for held, waits in pairwise((*names, names[0])))
    return f"clients wait for {inside}, so that in the end some wait for each other; take them all in one order"
