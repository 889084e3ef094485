"""The trace of a run: the span of each request, with its intervals.

A span is one request of a client, or one branch of a fork. It does one thing at a time, so its intervals follow
one another without a gap and add up to its length. An interval of the activity ``join`` stands for the branches
waited for, whose own spans have the details.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

MAX_INTERVALS = 200_000
"""Largest number of intervals kept: about a hundred megabytes."""

Activity = Literal["wait", "serve", "delay", "join"]
"""Waiting for a place; service there; a delay; waiting for branches."""


class Held(NamedTuple):
    """A process's hold of a lock, a pool or a gate.

    Attributes:
        amount: tokens of a pool; 1 for a lock, and for a batch gathered at a gate.
        exclusive: True if no other may hold the lock.
    """

    place: str
    amount: int = 1
    exclusive: bool = False


@dataclass(frozen=True)
class Interval:
    """One activity from ``begin_ns`` until ``end_ns``; ``place`` is empty for a delay and a join.

    Attributes:
        held: holds of the process meanwhile, in the order of acquisition; gathered batches come last.
    """

    activity: Activity
    place: str
    begin_ns: int
    end_ns: int
    held: tuple[Held, ...] = ()

    @property
    def duration_ns(self) -> int:
        """The length of the interval."""
        return self.end_ns - self.begin_ns


@dataclass(eq=False)
class Span:
    """One request, or one branch of one.

    Attributes:
        parent: the span that forked this branch; None for a request.
        background: True if nobody waits for this branch.
        end_ns: None while it is in flight.
        doing: of a span in flight, its activity when the engine was last asked (``look``); None if it never was.
    """

    workload: str
    client: int
    begin_ns: int
    parent: Span | None = None
    background: bool = False
    end_ns: int | None = None
    intervals: list[Interval] = field(default_factory=list)
    branches: list[Span] = field(default_factory=list)
    doing: Interval | None = None

    @property
    def until_ns(self) -> int:
        """End of the span; while it is in flight, end of its last interval."""
        return self.end_ns or (self.intervals[-1].end_ns if self.intervals else self.begin_ns)


class Trace:
    """A trace, written by an engine while it runs; the engine identifies a ``process`` by any hashable value.

    Args:
        since_ns: requests that began earlier are not kept.
        max_intervals: largest number of intervals kept; beyond it, nothing more is recorded.
    """

    def __init__(self, since_ns: int = 0, max_intervals: int = MAX_INTERVALS) -> None:
        self.requests: list[Span] = []
        self._since_ns = since_ns
        self._left = max_intervals
        self._in_flight: dict[Hashable, Span] = {}

    @property
    def full(self) -> bool:
        """True if no further interval is kept."""
        return self._left == 0

    def begin(self, process: Hashable, workload: str, client: int, now_ns: int) -> None:
        """Record that ``process`` begins a request."""
        if now_ns >= self._since_ns and self._left:
            self._in_flight[process] = span = Span(workload, client, now_ns)
            self.requests.append(span)

    def fork(self, process: Hashable, parent: Hashable, now_ns: int, *, background: bool) -> None:
        """Record that ``process`` begins as a branch of ``parent``."""
        above = self._in_flight.get(parent)
        if above:
            branch = Span(above.workload, above.client, now_ns, above, background)
            self._in_flight[process] = branch
            above.branches.append(branch)

    def spend(
        self,
        process: Hashable,
        activity: Activity,
        place: str,
        begin_ns: int,
        end_ns: int,
        held: tuple[Held, ...] = (),
    ) -> None:
        """Record an interval of ``process``. Time between requests belongs to no span and is dropped."""
        span = self._in_flight.get(process)
        if span and self._left:
            self._left -= 1
            span.intervals.append(Interval(activity, place, begin_ns, end_ns, held))

    def look(self, process: Hashable, doing: Interval) -> None:
        """Record the present, unfinished activity of ``process``."""
        span = self._in_flight.get(process)
        if span and self._left:
            span.doing = doing

    def end(self, process: Hashable, now_ns: int) -> None:
        """Record that the request or branch of ``process`` ends."""
        span = self._in_flight.pop(process, None)
        if span and self._left:
            span.end_ns = now_ns
