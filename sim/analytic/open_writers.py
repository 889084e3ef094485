"""Waits before a lock that open clients want exclusively and closed ones share, first come first served.

An open writer that is first in the queue lets nobody pass until those who share the lock have left it: its *turn*
is that time and its hold. Turns queue as in M/G/1, and each stalls each reader once at most, as open services at a
station do (``stalls.py``). Equations (4) to (6) are derived in ``docs/analytic.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.analytic.forks import of_many
from sim.analytic.locks import LockQueue, rest_variation
from sim.analytic.queues import ROOM
from sim.analytic.stalls import Services, opened, out_s, together
from sim.analytic.stations import Node, Visit

HALVINGS = 40
"""Of the interval in which the share of time is sought in which a writer has its turn."""

Sharing = list[tuple[Visit, float]]
"""Those who share, and the probability that one of them is there."""


def open_writers(node: Node) -> bool:
    """Whether those who want the lock exclusively come from outside, and those who share it are closed clients."""
    visits = node.visits
    both = {each.exclusive for each in visits} == {True, False}
    return both and all(opened(each) if each.exclusive else not each.free for each in visits)


class OpenWriters(LockQueue):
    """What queues at one such lock."""

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit, at the present throughputs."""
        visits = self.node.visits
        writers = together(each for each in visits if each.exclusive)
        readers = [each for each in visits if not each.exclusive and each.per_place]
        turns = _turns(writers, readers)
        first_s = turns.busy * turns.rest_s / max(1.0 - turns.busy, ROOM)
        for visit in visits:
            if visit.exclusive:
                yield visit, first_s + turns.mean_s - writers.mean_s
            elif visit.per_place:
                away_s = out_s(visit, 1.0)
                stall_s = turns.mean_s - _before(turns, away_s) * turns.until(away_s)
                yield visit, turns.rate * stall_s * visit.sources / (visit.per_place * visit.visits)
            else:
                yield visit, visit.wait_s


def _turns(writers: Services, readers: Sequence[Visit]) -> Services:
    """The turns of ``writers``, whose share of time is that of equation (4), by halving."""
    reading_s = _last_s([(each, _sharing(each)) for each in readers], left=True)
    low, high = min(writers.busy, 1.0), 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2.0
        between_s = _last_s(_between(_turn(writers, share), readers), left=False)
        asked = writers.rate * (writers.mean_s + share * between_s + (1.0 - share) * reading_s)
        low, high = (share, high) if asked > share else (low, share)
    return _turn(writers, (low + high) / 2.0)


def _turn(writers: Services, share: float) -> Services:
    """Turns that take ``share`` of the time; what they add to a hold is taken as exponential."""
    mean_s = share / writers.rate
    added_s = max(mean_s - writers.mean_s, 0.0)
    return Services(writers.rate, mean_s, (writers.variation * writers.mean_s**2 + added_s**2) / mean_s**2)


def _before(turns: Services, away_s: float) -> float:
    """The probability that a writer has its turn before a reader comes that is away for exponential times."""
    return (1.0 - turns.busy) / (1.0 - turns.rate * turns.until(away_s))


def _between(turns: Services, readers: Sequence[Visit]) -> Sharing:
    """The probability of each of ``readers`` to stand between two writers: equation (6)."""
    found: Sharing = []
    for each in readers:
        away_s = out_s(each, 1.0)
        ends = 1.0 - turns.until(away_s) / away_s if away_s else 0.0
        found.append((each, (1.0 - turns.busy) * (1.0 - _before(turns, away_s) * ends)))
    return found


def _sharing(reader: Visit) -> float:
    """The probability that one of ``reader`` holds the lock while no writer is there: equation (5)."""
    away_s = out_s(reader, 1.0)
    return reader.work_s / reader.visits / away_s if away_s else 1.0


def _last_s(readers: Sharing, *, left: bool) -> float:
    """Mean seconds until the last of those ``readers`` who are there ends its hold, or what is ``left`` of it."""
    nobody, count, hold_s, varied = 1.0, 0.0, 0.0, 0.0
    for each, there in readers:
        holds = together([each])
        nobody *= (1.0 - there) ** each.sources
        count += each.sources * there
        hold_s += each.sources * there * (holds.rest_s if left else holds.mean_s)
        varied += each.sources * there * (rest_variation(holds.variation) if left else holds.variation)
    if not (count > 0.0 and nobody < 1.0):
        return 0.0
    return (1.0 - nobody) * of_many(max(count / (1.0 - nobody), 1.0), hold_s / count, varied / count)
