"""Where the time of walks went: waiting and service at each place, adding up to their latency exactly.

Time spent on joining is that of the branch that came last: the critical path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.engines.trace import Doing, Journey, Stay
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.identical import alike


@dataclass(frozen=True)
class Line:
    """What all walks together spent on one thing; ``place`` is empty where time passes at none."""

    doing: Doing
    place: str
    ns: int
    stays: int


@dataclass(frozen=True)
class Ledger:
    """The books of ``walks`` walks; the lines, longest first, add up to ``latency_ns``."""

    walks: int
    latency_ns: int
    lines: tuple[Line, ...]

    def share(self, line: Line) -> float:
        """Of the latency."""
        return line.ns / self.latency_ns if self.latency_ns else 0.0

    def seconds(self, line: Line) -> float:
        """A walk, on average."""
        return line.ns / self.walks / NANOSECONDS_PER_SECOND

    def stays(self, line: Line) -> float:
        """A walk, on average."""
        return line.stays / self.walks


def ledger(walks: Iterable[Journey]) -> Ledger:
    """Add up the stays of the ``walks`` that have ended; if none has, of all, as far as they have come.

    Places alike but for their numbers share a line.
    """
    known = list(walks)
    ended = [walk for walk in known if walk.end_ns is not None] or [walk for walk in known if walk.stays]
    times: Counter[tuple[Doing, str]] = Counter()
    stays: Counter[tuple[Doing, str]] = Counter()
    for walk in ended:
        for stay in critical(walk):
            times[stay.doing, stay.place] += stay.ns
            stays[stay.doing, stay.place] += 1
    names = alike({place for _, place in times})
    lines: dict[tuple[Doing, str], Line] = {}
    for (doing, place), ns in times.items():
        key = doing, names[place]
        before = lines.get(key, Line(*key, 0, 0))
        lines[key] = Line(*key, before.ns + ns, before.stays + stays[doing, place])
    latency_ns = sum(walk.until_ns - walk.begin_ns for walk in ended)
    return Ledger(len(ended), latency_ns, tuple(sorted(lines.values(), key=lambda line: -line.ns)))


def critical(journey: Journey) -> Iterator[Stay]:
    """The stays of a ``journey``, each join replaced by those of the branch that came last."""
    for stay in journey.stays:
        if stay.doing == "join":
            yield from critical(_last(journey, stay))
        else:
            yield stay


def _last(journey: Journey, join: Stay) -> Journey:
    return next(
        branch
        for branch in reversed(journey.branches)
        if not branch.background and (branch.begin_ns, branch.end_ns) == (join.begin_ns, join.end_ns)
    )
