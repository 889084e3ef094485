"""Finite jobs: run to the end several times, with other seeds, until the elapsed time is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.errors import ModelError, NoSteadyStateError
from sim.estimates import Estimate, mean
from sim.history import History
from sim.measures import Engine
from sim.result import GroupResult, Result
from sim.steady import first_slice_ns, refuse_deadlock
from sim.summary import result
from sim.wish import Wish

LEAST, MOST = 4, 64
"""Replications: four for a first interval, and never more than a patient user waits for."""


def replicated(wish: Wish) -> Result:
    """Run the job until the interval of its elapsed time is narrow enough.

    The record is the first run's; elapsed time, mean latencies and hit ratios are means over all runs.
    """
    elapsed_s: list[float] = []
    records: list[Result] = []
    while len(elapsed_s) < MOST:
        engine = wish.create(wish.model, wish.seed + len(elapsed_s))
        history = _to_the_end(wish, engine)
        elapsed_s.append(engine.now_ns / 1e9)
        records.append(result(wish, engine, history, [0, len(history)], ()))
        if len(elapsed_s) >= LEAST:
            found = mean(np.array(elapsed_s), wish.confidence)
            wish.progress(min(1.0, (wish.precision / max(found.precision, wish.precision)) ** 2))
            if found.precision <= wish.precision:
                break
    return _with_elapsed(
        wish, replace(records[0], groups=_means(wish, records)), found, _rates(wish, records, elapsed_s)
    )


def _to_the_end(wish: Wish, engine: Engine) -> History:
    history = History(engine, first_slice_ns(wish))
    until_ns = first_slice_ns(wish)
    while not engine.finished:
        engine.advance(until_ns)
        refuse_deadlock(engine)
        until_ns *= 2
        if not engine.finished and (steps := int(engine.snapshot().workloads[:, -1].sum())) > wish.most_steps:
            raise NoSteadyStateError(
                f"the job has not ended after {steps} steps; lower its count, or allow more steps"
            )
    if not engine.now_ns:
        raise ModelError("the job took no time at all; give a step a time above zero")
    history.snapshots.append(engine.snapshot())
    return history


def _means(wish: Wish, records: list[Result]) -> dict[str, GroupResult]:
    """The groups of the first run, with means over all runs in place of what a single run knows no interval of."""
    found = {}
    for name, first in records[0].groups.items():
        runs = [record.groups[name] for record in records]
        latency = mean(np.array([each.latency.mean.value for each in runs]), wish.confidence)
        ratios = np.array([each.hit_ratio.value for each in runs if each.hit_ratio])
        found[name] = replace(
            first,
            latency=replace(first.latency, mean=latency),
            hit_ratio=mean(ratios, wish.confidence) if len(ratios) > 1 else first.hit_ratio,
        )
    return found


def _rates(wish: Wish, records: list[Result], elapsed_s: list[float]) -> Estimate | None:
    """Throughput over all runs, where it is not the elapsed time alone that tells it."""
    completed = [record.groups[wish.watch].completed for record in records]
    if len(set(completed)) == 1:
        return None
    return mean(np.array(completed) / np.array(elapsed_s), wish.confidence)


def _with_elapsed(wish: Wish, first: Result, elapsed: Estimate, rates: Estimate | None) -> Result:
    """Put the elapsed time, and the throughput that follows from it, into the record."""
    group = first.groups[wish.watch]
    rate, low, high = (group.completed / each for each in (elapsed.value, elapsed.high, elapsed.low))
    throughput = rates or Estimate(rate, low, high, elapsed.confidence)
    warnings = first.warnings
    if elapsed.precision > wish.precision:
        reached = f"elapsed time known to ±{elapsed.precision:.2%} after {MOST} replications"
        warnings += (f"{reached}, ±{wish.precision:.2%} was asked for",)
    groups = {**first.groups, wish.watch: replace(group, throughput=throughput)}
    return replace(first, groups=groups, elapsed=elapsed, warnings=warnings)
