"""The end of a run: its record, with a mark on every answer that is not known well enough, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.engines.protocol import Engine
from sim.errors import NoSteadyStateError
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.workloads import Closed
from sim.result import Result
from sim.simulation.judgement import Judge
from sim.simulation.options import Run
from sim.simulation.snapshots import History
from sim.simulation.summary import result
from sim.statistics.answers import ANSWERS
from sim.statistics.estimates import Estimate

MENDING = "allow more steps, or ask for less precision"

FAR = 1.0
"""Half-width, as a share of the value, from which on two ends say more."""


def verdict(
    run: Run, engine: Engine, history: History, edges: list[int], judge: Judge, changing: str | None
) -> Result:
    """The record of a run that ends here.

    Args:
        changing: what still changes in the model, so that nothing of it is known.

    Raises:
        NoSteadyStateError: the watched group completes nothing any more.
    """
    _refuse_standstill(run, history, edges)
    found = result(run, engine, history, edges, tuple(_idle_workloads(run, history)))
    mine = found.groups[run.watch]
    if changing:
        groups = {name: each.marked(dict.fromkeys(ANSWERS, False)) for name, each in found.groups.items()}
        warnings = [f"not known well enough: {changing}, after {history.steps} steps; {MENDING}"]
    else:
        known = {
            name: judge.known(name) if name in run.options.answers else each.known
            for name, each in mine.answers.items()
        }
        known["mean"] &= judge.completed >= judge.least
        mine = mine.marked(known).changed(judge.widened)
        groups = {**found.groups, run.watch: mine}
        warnings = [
            _unknown(run, judge, name, mine.answers[name]) for name in run.options.answers if not known[name]
        ]
    return replace(found, groups=groups, warnings=(*warnings, *found.warnings))


def _unknown(run: Run, judge: Judge, name: str, found: Estimate) -> str:
    """How far the run came with an answer, and what it would take."""
    label, wanted = name if name == "throughput" else f"{name} latency", run.options.tolerances[name]
    so_far = f"{how_well_known(name, found)} after {judge.completed:.0f} completions"
    if found.precision <= wanted:
        return f"{label} is not known well enough: {so_far}, but {judge.doubt(name)}; {MENDING}"
    take = judge.would_take(name)
    more = f"it would take about {take:.1g} completions; " if judge.completed < take < math.inf else ""
    return f"{label} is not known well enough: {so_far}, ±{wanted:.2%} was asked for; {more}{MENDING}"


def how_well_known(name: str, found: Estimate) -> str:
    """How well an answer is known; both ends where they are far apart, as between a hit and a miss."""
    if not math.isfinite(found.precision):
        return "no upper limit"
    if found.precision <= FAR:
        return f"±{found.precision:.2%}"
    return f"from {found.low:.3g} to {found.high:.3g} {'a second' if name == 'throughput' else 's'}"


def _idle_workloads(run: Run, history: History) -> Iterator[str]:
    """A line for each closed workload that never got through its path."""
    for row, workload in enumerate(run.model.workloads):
        if isinstance(workload, Closed) and not history.counted("completed", [row])[-1]:
            yield f"workload '{workload.name}' completed nothing in the whole run"


def _refuse_standstill(run: Run, history: History, edges: list[int]) -> None:
    """Some may wait for each other while others go on, so that no engine is stuck."""
    completed = history.counted("completed", run.rows)
    if completed[-1] > completed[edges[0]]:
        return
    last = int(np.searchsorted(completed, completed[-1]))
    witness = run.start()  # who waits is told by a run of its own: let it be a short one
    witness.advance(history.snapshots[last + 1].now_ns)
    begin_s, end_s = (history.snapshots[each].now_ns / NANOSECONDS_PER_SECOND for each in (last, -1))
    raise NoSteadyStateError(
        f"no steady state: '{run.watch}' completed nothing from {begin_s:g} to {end_s:g} simulated seconds: "
        f"{witness.who_waits()}"
    )
