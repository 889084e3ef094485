"""The end of a run: its result, with a mark and a reason for every answer not known well enough."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.engine.errors import NoSteadyStateError
from sim.engine.events.protocol import Engine
from sim.engine.model.workloads import Closed
from sim.engine.result import Result
from sim.engine.simulation.judgement import Judge
from sim.engine.simulation.options import Run
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.summary import result_of
from sim.engine.statistics.answers import ANSWERS, WIDER
from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import number_text

MENDING = f"allow more steps, or {WIDER}"

FAR = 1.0
"""Half-width, as a share of the value, beyond which both ends are printed instead."""


def verdict(
    engine: Engine,
    snapshots: Snapshots,
    edges: list[int],
    judge: Judge,
    changing: str | None = None,
    mending: str = MENDING,
) -> Result:
    """The result of a run that ends now.

    Args:
        judge: the run, and its known answers.
        changing: in words, what still changes in the model, so that no answer is known; None if nothing does.
        mending: the remedy then, in words.

    Raises:
        NoSteadyStateError: the watched group no longer completes anything.
    """
    run = judge.run
    _refuse_standstill(run, engine, snapshots, edges)
    record = result_of(run, engine, snapshots, edges, tuple(_idle_workloads(run, snapshots)))
    watched = record.groups[run.watch]
    if changing:
        nothing = dict.fromkeys(ANSWERS, False)
        groups = {name: group.marked(nothing) for name, group in record.groups.items()}
        judged = dict.fromkeys(run.options.own, False)
        warnings = [f"not known well enough: {changing}, after {snapshots.steps:,} steps; {mending}"]
    else:
        known = {
            name: judge.known(name) if name in run.options.answers else answer.known
            for name, answer in watched.answers.items()
        }
        known["mean"] &= judge.completed >= judge.least
        watched = watched.marked(known).changed(judge.widened)
        groups = {**record.groups, run.watch: watched}
        judged = {name: judge.known(name) for name in run.options.own}
        estimates = {**(run.own(record) if judged else {}), **watched.answers}
        warnings = [
            _unknown(run, judge, name, estimates[name])
            for name in run.options.answers
            if not {**known, **judged}[name] and name in estimates
        ]
    return replace(record, groups=groups, judged=judged, warnings=(*warnings, *record.warnings))


def label_of(name: str) -> str:
    """Label of the answer ``name`` in warnings."""
    if name in ANSWERS and name != "throughput":
        return f"{name} latency"
    return "elapsed time" if name == "elapsed" else name.replace("_", " ")


def _unknown(run: Run, judge: Judge, name: str, estimate: Estimate) -> str:
    """Warning with the precision of the answer ``name``, and the completions needed to know it."""
    label, wanted = label_of(name), run.options.tolerances[name]
    so_far = f"{how_well_known(name, estimate)} after {judge.completed:,.0f} completions"
    if estimate.precision <= wanted:
        return f"{label} is not known well enough: {so_far}, but {judge.doubt(name)}; {MENDING}"
    take = judge.would_take(name)
    more = f"it would take about {number_text(take, 1)} completions; " if judge.completed < take < math.inf else ""
    return f"{label} is not known well enough: {so_far}, ±{wanted:.2%} was asked for; {more}{MENDING}"


def how_well_known(name: str, estimate: Estimate) -> str:
    """Precision of an answer as text; both ends if they are far apart, as between a hit and a miss."""
    if not math.isfinite(estimate.precision):
        return "no upper limit"
    if estimate.precision <= FAR or name not in ANSWERS:
        return f"±{estimate.precision:.2%}"
    return f"from {estimate.low:.3g} to {estimate.high:.3g} {'a second' if name == 'throughput' else 's'}"


def _idle_workloads(run: Run, snapshots: Snapshots) -> Iterator[str]:
    """A warning for each closed workload that has not completed a single request."""
    for row, workload in enumerate(run.model.workloads):
        if isinstance(workload, Closed) and not snapshots.counter("completed", [row])[-1]:
            yield f"workload '{workload.name}' completed nothing in the whole run"


def _refuse_standstill(run: Run, engine: Engine, snapshots: Snapshots, edges: list[int]) -> None:
    """Refuse a watched group that completes nothing after the warm-up.

    Its clients may wait for each other while others go on, so that the engine is not stuck.

    Raises:
        NoSteadyStateError: names who waits for whom.
    """
    completed = snapshots.counter("completed", run.rows)
    if completed[-1] > completed[edges[0]]:
        return
    last = int(np.searchsorted(completed, completed[-1]))
    begin_s, end_s = (snapshots.seconds(edge) for edge in (last, -1))
    raise NoSteadyStateError(
        f"no steady state: '{run.watch}' completed nothing from {begin_s:g} to {end_s:g} simulated seconds: "
        f"{engine.who_waits()}"
    )
