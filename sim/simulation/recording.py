"""A run recorded: where everyone was, after the warm-up of a result, with the same random numbers."""

from __future__ import annotations

from sim.engines.registry import engine
from sim.engines.trace import Journey, Journeys
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.result import Result
from sim.simulation.steady_state import refuse_deadlock

WALKS = 2_000
"""Walks of the watched workloads that are enough for a ledger."""

SLICES = 50
"""So often it is looked whether there are enough."""


def recorded(model: Model, found: Result, walks: int = WALKS) -> dict[str, list[Journey]]:
    """Run ``model`` again, as far as ``found`` had removed it and for about ``walks`` walks more.

    Returns:
        All walks that began then, by the group of their workloads; some are still on their way. A walk that is a
        whole job may be all of them: of it, the beginning.
    """
    since_ns = 0 if found.elapsed else round(found.warmup_s * NANOSECONDS_PER_SECOND)
    slice_ns = max(1, round(walks / found.throughput.value / SLICES * NANOSECONDS_PER_SECOND))
    journeys = Journeys(since_ns)
    running = engine("auto")(model, found.seed, journeys=journeys)
    running.advance(since_ns)
    group_of = {workload.name: workload.group for workload in model.workloads}
    done = 0
    while done < walks and not (running.finished or journeys.full):
        running.advance(running.now_ns + slice_ns)
        refuse_deadlock(running)
        watched = (each for each in journeys.walks if group_of[each.workload] == found.watched)
        done = sum(each.end_ns is not None for each in watched)
    by_group: dict[str, list[Journey]] = {group: [] for group in model.groups}
    for each in journeys.walks:
        by_group[group_of[each.workload]].append(each)
    return by_group
