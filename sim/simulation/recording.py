"""A run repeated with a trace: the spans of requests after the warm-up, with the same random numbers."""

from __future__ import annotations

from sim.engines.registry import engine
from sim.engines.trace import Span, Trace
from sim.errors import InputError
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.result import Result
from sim.simulation.steady_state import refuse_deadlock

REQUESTS = 2_000
"""Requests of the watched workloads that are enough for a breakdown of their latency."""

INTERVALS = 50
"""The expected time is run in so many intervals, to see after each whether there are enough requests."""


def recorded(model: Model, result: Result, requests: int = REQUESTS) -> dict[str, list[Span]]:
    """Run ``model`` again: through the warm-up of ``result``, and for about ``requests`` requests more.

    Returns:
        All requests that began then, by the group of their workloads; some are still in flight. Of a request that
        is a whole job, perhaps the only one, the beginning.

    Raises:
        InputError: no request is ever completed.
    """
    since_ns = 0 if result.elapsed else round(result.warmup_s * NANOSECONDS_PER_SECOND)
    interval_ns = part_ns(result, requests, INTERVALS)
    trace = Trace(since_ns)
    run = engine("auto")(model, result.seed, trace=trace)
    run.advance(since_ns)
    group_of = {workload.name: workload.group for workload in model.workloads}
    completed = 0
    while completed < requests and not (run.finished or trace.full):
        run.advance(run.now_ns + interval_ns)
        refuse_deadlock(run, model)
        watched = (span for span in trace.requests if group_of[span.workload] == result.watched)
        completed = sum(span.end_ns is not None for span in watched)
    by_group: dict[str, list[Span]] = {group: [] for group in model.groups}
    for span in trace.requests:
        by_group[group_of[span.workload]].append(span)
    return by_group


def part_ns(result: Result, requests: int, parts: int) -> int:
    """One of so many ``parts`` of the time that so many requests are expected to take.

    Raises:
        InputError: no request is ever completed.
    """
    if not result.throughput.value > 0.0:
        raise InputError(f"nothing of '{result.watched}' is completed, and none can be shown; lengthen the job")
    return max(1, round(requests / result.throughput.value / parts * NANOSECONDS_PER_SECOND))
