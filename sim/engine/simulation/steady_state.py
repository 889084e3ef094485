"""Running endless loads until each long-run answer is known, or clearly never will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from sim.engine.errors import DeadlockError, TooLongError
from sim.engine.events.protocol import WORKLOAD_COLUMNS, Engine
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND, nanoseconds
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.bursts import Bursts
from sim.engine.simulation.crowds import Crowds
from sim.engine.simulation.judgement import MIN_COMPLETED, Judge
from sim.engine.simulation.limits import nearest_place
from sim.engine.simulation.options import Run
from sim.engine.simulation.rare_events import RareEvents
from sim.engine.simulation.settling import Settling
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.standstill import Standstill
from sim.engine.simulation.summary import result_of, values_of
from sim.engine.simulation.verdict import verdict
from sim.engine.statistics.answers import THROUGHPUT
from sim.engine.statistics.estimates import Series
from sim.engine.units.text import number_text

INTERVALS = 256
"""Largest number of intervals; then neighbours are merged, and the next intervals are twice as long."""

CHECKS = tuple(range(INTERVALS * 5 // 8, INTERVALS + 1, INTERVALS // 8))
"""Numbers of intervals at which a run is checked: it is then 14 to 25 % longer than at the check before."""

FIRST_STEPS, FIRST_COMPLETED = 20_000, MIN_COMPLETED // 4
"""A run with less of both is not checked yet. A check costs as much as some thousand steps, and its outcome is
needed from twice as many completions on, as an answer has to be known at half the run, too."""


def steady(run: Run) -> Result:
    """Run until every watched answer is known, or cannot be known within the budget of the run."""
    rare = RareEvents(run.model, run.rows, run.options.precision)
    standing = Standstill(run.model, run.rows, rare.connected)
    standing.refuse_before_it_runs()
    engine = run.start(max_steps=4 * run.options.max_steps)
    snapshots = Snapshots(engine, first_interval_ns(run))
    judge, crowds, settling = Judge(run), Crowds(run.model), Settling(run.model, run.options.precision)
    bursts = Bursts(run.model, run.rows, run.options.confidence)
    if standing.of_all_watched:
        judge = Judge(replace(run, options=replace(run.options, answers=THROUGHPUT)))
    while True:
        if changing := _run_to_next_check(snapshots, settling):
            mending = _as_long_again(engine, snapshots)
            return verdict(engine, snapshots, _latter_half(snapshots), judge, changing, mending)
        refuse_deadlock(engine, run.model)
        if snapshots.steps < FIRST_STEPS and snapshots.counter("completed", run.rows, [-1])[-1] < FIRST_COMPLETED:
            continue
        bursts.look(snapshots)
        warmup = snapshots.warmup(_series(run, crowds, snapshots))
        edges = snapshots.edges(snapshots.intervals // 2 if warmup is None else warmup)
        so_far = partial(result_of, run, engine, snapshots, edges, ())
        judge.look(snapshots, None if warmup is None else edges, so_far)
        judge.ask(partial(verdict, engine, snapshots, edges, judge))
        over = snapshots.steps >= run.options.max_steps or judge.completed >= run.options.completions
        if standing.of_all_watched and (over or judge.decided):
            standing.refuse(snapshots, edges)
        if not over and not judge.decided and crowds.keep_their_size(snapshots):
            continue
        changing = (
            standing.changing(snapshots, edges)
            or settling.changing(snapshots, edges)
            or rare.changing(snapshots, edges)
        )
        if changing is None:  # while a cache still fills, a crowd may be part of the warm-up
            crowds.refuse(snapshots, partial(_too_slow, run, engine, snapshots))
            changing = settling.overloaded(snapshots)
        if not over and (changing or not judge.decided):
            continue
        not_yet = "the warm-up has not ended" if warmup is None else None
        changing = changing or crowds.changing(snapshots, edges) or not_yet
        if over or changing is None:
            result = verdict(engine, snapshots, edges, judge, changing)
            return replace(result, bursts=bursts.unlike(result.throughput, run.options.precision))


def _run_to_next_check(snapshots: Snapshots, settling: Settling) -> str | None:
    """Run until the number of intervals is the next one of ``CHECKS``, and return None.

    An interval may take more steps than all before, if something fills and makes requests much quicker: return
    that change in words.

    Raises:
        TooLongError: it takes too many steps, and nothing changes.
    """
    if snapshots.intervals == INTERVALS:
        snapshots.merge()
    checks_ahead = [check for check in CHECKS if check > snapshots.intervals]
    try:
        snapshots.extend(checks_ahead[0] - snapshots.intervals)
    except TooLongError:
        if snapshots.intervals < INTERVALS // 2 or not (
            changing := settling.changing(snapshots, _latter_half(snapshots))
        ):
            raise
        return changing
    return None


def _as_long_again(engine: Engine, snapshots: Snapshots) -> str:
    """Text with the steps needed to double the simulated time, at the pace after the last snapshot."""
    steps = engine.snapshot().workloads[:, WORKLOAD_COLUMNS.index("steps")].sum() - snapshots.steps
    seconds = engine.now_ns / NANOSECONDS_PER_SECOND - snapshots.seconds(-1)
    return (
        f"from then on it goes quicker, and as many simulated seconds again would take about "
        f"{number_text(steps / seconds * snapshots.seconds(-1), 1)} steps; allow many times as many"
    )


def _too_slow(run: Run, engine: Engine, snapshots: Snapshots, group: str) -> str | None:
    """The place that limits ``group`` in the latter half of the run, or is nearest to it."""
    seen = values_of(replace(run, watch=group), engine, snapshots, _latter_half(snapshots))
    name = nearest_place(run.model, seen)
    return str(run.model.places[run.model.row_of[name]]) if name else None


def _latter_half(snapshots: Snapshots) -> list[int]:
    return snapshots.edges(snapshots.intervals // 2)


def _series(run: Run, crowds: Crowds, snapshots: Snapshots) -> Iterator[Series]:
    """Series that have to settle, of shape (intervals,): counters of the watched group, and sizes of crowds."""
    grown = dict(zip(WORKLOAD_COLUMNS, np.diff(snapshots.counters(run.rows), axis=0).T, strict=True))
    for column in ("completed", "latency_ns", "population_ns", "hits"):
        series = grown[column]
        if column != "hits" or series.any():
            yield series
    for crowd in crowds.all:
        yield crowd.sizes(snapshots)[1:]


def refuse_deadlock(engine: Engine, model: Model) -> None:
    """Refuse a ``model`` in whose run all processes wait for each other.

    Raises:
        DeadlockError: names who waits for whom.
    """
    if engine.stuck:
        from sim.engine.model.standstill_causes import standstill  # lazily: only a deadlock needs it

        mending = standstill(model) or "take holds in one order everywhere, or let the one who is waited for go on"
        raise DeadlockError(
            f"deadlock within {engine.now_ns / NANOSECONDS_PER_SECOND:g} simulated seconds: {engine.who_waits()}; "
            f"{mending}"
        )


def first_interval_ns(run: Run) -> int:
    """First interval in nanoseconds: a quarter of the shortest request. It doubles as the run goes on."""
    quickest_s = min(run.model.min_times_s[row] for row in run.rows)
    return nanoseconds(max(quickest_s, 1e-6) / 4)
