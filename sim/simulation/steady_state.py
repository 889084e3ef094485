"""Endless loads: run slice by slice until the long-run answers are known, or it is clear which never will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.engines.protocol import Engine
from sim.errors import DeadlockError
from sim.model.demands import least_time_s
from sim.model.distributions import NANOSECONDS_PER_SECOND, nanoseconds
from sim.result import Result
from sim.simulation.bursts import Bursts
from sim.simulation.crowds import Crowds
from sim.simulation.judgement import Judge
from sim.simulation.options import Run
from sim.simulation.rare_events import RareEvents
from sim.simulation.settling import Settling
from sim.simulation.snapshots import History
from sim.simulation.verdict import verdict
from sim.statistics.estimates import Series

SLICES = 256
"""Slices kept at most; when there are so many, neighbours are merged and the next ones are twice as long."""

CHECKS = tuple(range(SLICES * 5 // 8, SLICES + 1, SLICES // 8))
"""Slices at which it is asked whether enough is known: each look is at 14 to 25 % more than the last."""


def steady(run: Run) -> Result:
    """Run until every watched answer is known, or will not be within what the run may take."""
    engine = run.start(most_steps=4 * run.options.most_steps)
    history = History(engine, first_slice_ns(run))
    judge, crowds, settling = Judge(run), Crowds(run.model), Settling(run.model, run.options.precision)
    rare = RareEvents(run.model, run.rows, run.options.precision)
    bursts = Bursts(run.model, run.rows, run.options.confidence)
    while True:
        if len(history) == SLICES:
            history.merge()
        history.extend(next(slices for slices in CHECKS if slices > len(history)) - len(history))
        refuse_deadlock(engine)
        bursts.look(history)
        warmup = history.warmup(_series(run, crowds, history))
        edges = history.edges(len(history) // 2 if warmup is None else warmup)
        changing = settling.changing(history, edges) or rare.changing(history, edges)
        if changing is None:  # before a cache that still fills, a crowd may be one of the warm-up
            crowds.refuse(history)
            changing = settling.asked_too_much(history)
        judge.look(history, None if warmup is None else edges)
        over = history.steps >= run.options.most_steps or judge.completed >= run.options.completions
        if not over and (changing or not judge.decided):
            continue
        changing = changing or crowds.changing(history, edges)
        if warmup is None:
            changing = changing or "the warm-up has not ended"
        if over or changing is None:
            found = verdict(run, engine, history, edges, judge, changing)
            return replace(found, bursts=bursts.beside(found.throughput, run.options.precision))


def _series(run: Run, crowds: Crowds, history: History) -> Iterator[Series]:
    """What has to settle: the watched group, crowds, and what caches give, each of shape (slices,)."""
    for column in ("completed", "latency_ns", "population_ns", "hits"):
        series = np.diff(history.counted(column, run.rows))
        if column != "hits" or series.any():
            yield series
    for each in crowds.all:
        yield each.sizes(history)[1:]


def refuse_deadlock(engine: Engine) -> None:
    """Raise if everybody waits for somebody else."""
    if engine.stuck:
        raise DeadlockError(
            f"deadlock within {engine.now_ns / NANOSECONDS_PER_SECOND:g} simulated seconds: {engine.who_waits()}; "
            "take holds in one order everywhere, or let the one who is waited for go on"
        )


def first_slice_ns(run: Run) -> int:
    """A guess at a useful distance of snapshots: part of the quickest walk. They double until it is enough."""
    quickest_s = min(least_time_s(run.model.workloads[row].path) for row in run.rows)
    return nanoseconds(max(quickest_s, 1e-6) / 4)
