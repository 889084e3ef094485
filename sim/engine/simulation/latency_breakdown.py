"""Latency breakdown of requests: waiting and service at each place, which add up to it exactly.

The time of a join is attributed to the branch that ended last: the critical path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sim.engine.display import Shown
from sim.engine.events.trace import Activity, Interval, Span
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.identical import common_names


@dataclass(frozen=True)
class Share:
    """Part of the latency in one activity at one place, summed over all requests.

    Attributes:
        place: empty for time at no place.
        intervals: number of intervals of this activity, over all requests.
    """

    activity: Activity
    place: str
    total_ns: int
    intervals: int


@dataclass(frozen=True)
class Breakdown(Shown):
    """Latency of ``requests`` requests, summed; the shares, largest first, add up to ``latency_ns``."""

    requests: int
    latency_ns: int
    shares: tuple[Share, ...]

    @property
    def latency_s(self) -> float:
        """Mean latency of a request in seconds."""
        return self.latency_ns / self.requests / NANOSECONDS_PER_SECOND

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each activity at a place, the longest first."""
        for share in self.shares:
            yield {
                "doing": share.activity,
                "place": share.place,
                "seconds": self.mean_s(share),
                "share": self.fraction(share),
            }

    def fraction(self, share: Share) -> float:
        """``share`` as a fraction of the latency."""
        return share.total_ns / self.latency_ns if self.latency_ns else 0.0

    def mean_s(self, share: Share) -> float:
        """Mean seconds of ``share`` per request."""
        return share.total_ns / self.requests / NANOSECONDS_PER_SECOND

    def part(self, activity: Activity, word: str = "") -> float:
        """Fraction of the latency in ``activity`` at places with ``word`` in their names."""
        return sum(self.fraction(each) for each in self.shares if each.activity == activity and word in each.place)

    def visits(self, share: Share) -> float:
        """Mean number of intervals of ``share`` per request."""
        return share.intervals / self.requests


def break_down(requests: Iterable[Span]) -> Breakdown:
    """Sum the intervals of the ``requests`` that have ended; if none has, of all, up to the present.

    Places whose names differ only in numbers share one entry.
    """
    recorded = list(requests)
    ended = [span for span in recorded if span.end_ns is not None] or [span for span in recorded if span.intervals]
    times_ns: Counter[tuple[Activity, str]] = Counter()
    counts: Counter[tuple[Activity, str]] = Counter()
    for span in ended:
        for interval in critical_path(span):
            times_ns[interval.activity, interval.place] += interval.duration_ns
            counts[interval.activity, interval.place] += 1
    names = common_names({place for _, place in times_ns})
    shares: dict[tuple[Activity, str], Share] = {}
    for (activity, place), time_ns in times_ns.items():
        key = activity, names[place]
        before = shares.get(key, Share(*key, 0, 0))
        shares[key] = Share(*key, before.total_ns + time_ns, before.intervals + counts[activity, place])
    latency_ns = sum(span.until_ns - span.begin_ns for span in ended)
    largest_first = sorted(shares.values(), key=lambda share: -share.total_ns)
    return Breakdown(len(ended), latency_ns, tuple(largest_first))


def critical_path(span: Span) -> Iterator[Interval]:
    """The intervals of ``span``, each join replaced by those of the branch that ended last."""
    for interval in span.intervals:
        if interval.activity == "join":
            yield from critical_path(_last_branch(span, interval))
        else:
            yield interval


def _last_branch(span: Span, join: Interval) -> Span:
    """The branch that determined the duration of ``join`` in ``span``; of several, the one forked last."""
    return next(
        branch
        for branch in reversed(span.branches)
        if not branch.background and (branch.begin_ns, branch.end_ns) == (join.begin_ns, join.end_ns)
    )
