"""A time window of a run in its steady state with all requests in flight recorded, for animations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.engine.events.protocol import WORKLOAD_COLUMNS, Engine
from sim.engine.events.registry import engine
from sim.engine.events.trace import Span, Trace
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation import recording
from sim.engine.simulation.steady_state import refuse_deadlock

PARTS = 50
"""Parts of the expected time, after each of which the number of requests is checked."""

PATIENCE = 4 * PARTS
"""Parts after which requests that began earlier are no longer waited for."""

_STARTED, _COMPLETED, _BACKGROUND = (
    WORKLOAD_COLUMNS.index(column) for column in ("started", "completed", "background")
)


@dataclass(frozen=True)
class Window:
    """All requests in flight between two times of a run.

    Attributes:
        requests: requests of each group, in the order in which they began.
        watched: group whose requests are counted: as many as were asked for end within the window.
        unseen: number of requests and branches in flight at the beginning but not recorded: they began too early.
    """

    begin_ns: int
    end_ns: int
    requests: Mapping[str, Sequence[Span]]
    watched: str
    unseen: int


def window(model: Model, result: Result, requests: int) -> Window:
    """Run ``model`` again: through the warm-up of ``result``, and for about ``requests`` of the watched group.

    Raises:
        InputError: no request of that group is ever completed.
    """
    since_ns = 0 if result.elapsed else round(result.warmup_s * NANOSECONDS_PER_SECOND)
    part_ns = recording.part_ns(result, requests, PARTS)
    trace = Trace(since_ns)
    run = engine("auto")(model, result.seed, trace=trace)
    run.advance(since_ns)
    begin_ns, unseen = _most_seen(model, run, trace, part_ns)
    group_of = {workload.name: workload.group for workload in model.workloads}
    watched = {name for name, group in group_of.items() if group == result.watched}
    while _ended(trace, watched, begin_ns) < requests and not (run.finished or trace.full):
        run.advance(run.now_ns + part_ns)
        refuse_deadlock(run, model)
    run.look()
    by_group: dict[str, list[Span]] = {group: [] for group in model.groups}
    for span in trace.requests:
        if _last_ns(span) > begin_ns:
            by_group[group_of[span.workload]].append(span)
    return Window(begin_ns, run.now_ns, by_group, result.watched, unseen)


def _most_seen(model: Model, run: Engine, trace: Trace, part_ns: int) -> tuple[int, int]:
    """Time from which most requests in flight are recorded, all if possible, and the number not recorded."""
    unseen, begin_ns = _unseen(run, trace), run.now_ns
    for _ in range(PATIENCE):
        if not unseen or run.finished or trace.full:
            break
        run.advance(run.now_ns + part_ns)
        refuse_deadlock(run, model)
        if _unseen(run, trace) < unseen:
            unseen, begin_ns = _unseen(run, trace), run.now_ns
    return begin_ns, unseen


def _unseen(run: Engine, trace: Trace) -> int:
    """Number of requests in flight, and of branches that nobody waits for, that began before the trace."""
    counters = run.snapshot().workloads.sum(axis=0)
    in_flight = int(counters[_STARTED] - counters[_COMPLETED] + counters[_BACKGROUND])
    return in_flight - sum(
        span.end_ns is None and (span.parent is None or _unwaited(span, span.parent))
        for span in all_spans(trace.requests)
    )


def _unwaited(branch: Span, parent: Span) -> bool:
    """True if nobody waits for ``branch``, or no longer, as its parent has gone on."""
    gone_on = parent.end_ns is not None or parent.until_ns > branch.begin_ns
    return branch.background or gone_on


def all_spans(spans: Iterable[Span]) -> Iterator[Span]:
    """All ``spans``, each followed by its branches."""
    for span in spans:
        yield span
        yield from all_spans(span.branches)


def _ended(trace: Trace, workloads: set[str], since_ns: int) -> int:
    """Number of requests of ``workloads`` that ended after ``since_ns``."""
    watched = (span for span in trace.requests if span.workload in workloads)
    return sum(span.end_ns is not None and span.end_ns > since_ns for span in watched)


def _last_ns(span: Span) -> int:
    """The last time at which ``span`` or one of its branches is known to be in flight."""
    return max(each.doing.end_ns if each.doing else each.until_ns for each in all_spans([span]))
