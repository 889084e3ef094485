"""Some time of a run in its steady state in which every request in flight is known: what an animation shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.engines.protocol import WORKLOAD_COLUMNS, Engine
from sim.engines.registry import engine
from sim.engines.trace import Span, Trace
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.result import Result
from sim.simulation.steady_state import refuse_deadlock

PARTS = 50
"""The expected time is run in so many parts, to see after each whether there are enough requests."""

PATIENCE = 4 * PARTS
"""Parts after which requests that began earlier, or that do one thing all the time, are waited for no more."""

_STARTED, _COMPLETED, _BACKGROUND = (
    WORKLOAD_COLUMNS.index(column) for column in ("started", "completed", "background")
)


@dataclass(frozen=True)
class Window:
    """All requests in flight between two times of a run.

    Attributes:
        requests: by group of their workloads, in the order in which they began.
        watched: the group of which so many requests as were asked for end within.
        unseen: requests and branches in flight at the beginning of which nothing is known: they began too early.
    """

    begin_ns: int
    end_ns: int
    requests: Mapping[str, Sequence[Span]]
    watched: str
    unseen: int


def window(model: Model, result: Result, requests: int) -> Window:
    """Run ``model`` again: through the warm-up of ``result``, and for about ``requests`` of the watched group."""
    since_ns = 0 if result.elapsed else round(result.warmup_s * NANOSECONDS_PER_SECOND)
    part_ns = max(1, round(requests / result.throughput.value / PARTS * NANOSECONDS_PER_SECOND))
    trace = Trace(since_ns)
    run = engine("auto")(model, result.seed, trace=trace)
    run.advance(since_ns)
    for _ in _parts(run, trace, part_ns):
        if not _unseen(run, trace):
            break
    begin_ns, unseen = run.now_ns, _unseen(run, trace)
    group_of = {workload.name: workload.group for workload in model.workloads}
    watched = {name for name, group in group_of.items() if group == result.watched}
    while _ended(trace, watched, begin_ns) < requests and not (run.finished or trace.full):
        run.advance(run.now_ns + part_ns)
        refuse_deadlock(run)
    end_ns = run.now_ns
    for _ in _parts(run, trace, part_ns):
        if all(_known(span, end_ns) for span in all_spans(trace.requests)):
            break
    by_group: dict[str, list[Span]] = {group: [] for group in model.groups}
    for span in trace.requests:
        if span.begin_ns < end_ns and _last_ns(span) > begin_ns:
            by_group[group_of[span.workload]].append(span)
    return Window(begin_ns, end_ns, by_group, result.watched, unseen)


def _parts(run: Engine, trace: Trace, part_ns: int) -> Iterator[int]:
    """Numbers of parts: each is run when the next one is asked for."""
    for number in range(PATIENCE):
        yield number
        if run.finished or trace.full:
            return
        run.advance(run.now_ns + part_ns)
        refuse_deadlock(run)


def _unseen(run: Engine, trace: Trace) -> int:
    """Requests in flight, and branches that nobody waits for, of which the trace has not seen the beginning."""
    counters = run.snapshot().workloads.sum(axis=0)
    in_flight = int(counters[_STARTED] - counters[_COMPLETED] + counters[_BACKGROUND])
    return in_flight - sum(
        span.end_ns is None and (span.parent is None or _unwaited(span, span.parent))
        for span in all_spans(trace.requests)
    )


def _unwaited(branch: Span, parent: Span) -> bool:
    """Whether nobody waits for ``branch``, perhaps no longer: its parent has gone on."""
    gone_on = parent.end_ns is not None or parent.until_ns > branch.begin_ns
    return branch.background or gone_on


def all_spans(spans: Iterable[Span]) -> Iterator[Span]:
    """All of them, each followed by its branches."""
    for span in spans:
        yield span
        yield from all_spans(span.branches)


def _ended(trace: Trace, workloads: set[str], since_ns: int) -> int:
    """The requests of ``workloads`` that have ended after ``since_ns``."""
    watched = (span for span in trace.requests if span.workload in workloads)
    return sum(span.end_ns is not None and span.end_ns > since_ns for span in watched)


def _known(span: Span, until_ns: int) -> bool:
    """Whether it is known what ``span`` does until then."""
    return span.end_ns is not None or span.until_ns >= until_ns or span.begin_ns >= until_ns


def _last_ns(span: Span) -> int:
    """The end of ``span`` and all its branches."""
    return max(each.until_ns for each in all_spans([span]))
