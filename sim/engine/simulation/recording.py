"""A run repeated with a trace: spans of requests after the warm-up, with unchanged random numbers."""

from __future__ import annotations

from sim.engine.errors import InputError
from sim.engine.events.registry import engine
from sim.engine.events.trace import Span, Trace
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.steady_state import refuse_deadlock

REQUESTS = 2_000
"""Number of watched requests that is enough for a latency breakdown."""

INTERVALS = 50
"""Intervals of the expected time, after each of which the number of requests is checked."""


def recorded(model: Model, result: Result, requests: int = REQUESTS) -> dict[str, list[Span]]:
    """Run ``model`` again: through the warm-up of ``result``, and for about ``requests`` requests more.

    Returns:
        All requests that began after the warm-up, by group; some are still in flight. If a request
        is a whole job, perhaps only its beginning.

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
    """Nanoseconds of one of ``parts`` equal parts of the time expected for ``requests``.

    Raises:
        InputError: no request is ever completed.
    """
    if not result.throughput.value > 0.0:
        raise InputError(f"nothing of '{result.watched}' is completed, and none can be shown; lengthen the job")
    return max(1, round(requests / result.throughput.value / parts * NANOSECONDS_PER_SECOND))
