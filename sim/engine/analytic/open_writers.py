"""Waits before a lock that open writers hold exclusively and closed readers share, first come first served.

The first open writer in the queue blocks everybody until all readers have left. That time and its hold are its
*turn*, b. Turns queue as in M/G/1 and stall readers by equation 30 of ``stalls.py``, with
ω = (1 - u) / (1 - u E[exp(-αr)]) and 1/α the mean time away plus a hold, since a holding reader blocks no other
reader. Derived here: the share u of time in which a writer has its turn solves

    u = λ (b + u M(q₁) + (1 - u) M(q₀))        (33)
    q₀ = hold / (hold + away)        (34)
    q₁ = (1 - u) (1 - ω B(α))        (35)

M(q) is the mean time until the last of N readers is done, each present with probability q: q₀ with residual holds
if the writer finds no other, q₁ with whole holds after another writer. (35) is the probability that a reader came
between two writers: a writer stalls it with probability 1 - ω B(α), and of the 1 / (1 - u) consecutive writers
only after the last. The part of a turn beyond the hold is taken as exponential. Readers that stay together leave
most gaps between writers empty; this is not modelled, and writers then wait too long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.engine.analytic.forks import of_many
from sim.engine.analytic.locks import LockQueue, residual_variation
from sim.engine.analytic.queues import ROOM
from sim.engine.analytic.stalls import Services, aggregate, is_open, time_away_s
from sim.engine.analytic.stations import Node, Visit

HALVINGS = 40
"""Bisections of the interval that holds the share of time in which a writer has its turn."""

Sharing = list[tuple[Visit, float]]
"""Readers, each with the probability that one of its clients is there."""


def open_writers(node: Node) -> bool:
    """True if all writers are open arrivals and all readers closed clients."""
    visits = node.visits
    both = {each.exclusive for each in visits} == {True, False}
    return both and all(is_open(each) if each.exclusive else not each.free for each in visits)


class OpenWriters(LockQueue):
    """The queue of a lock with open writers and closed readers."""

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit at the present throughputs."""
        visits = self.node.visits
        writers = aggregate(each for each in visits if each.exclusive)
        readers = [each for each in visits if not each.exclusive and each.request_rate]
        turns = _turns(writers, readers)
        first_s = turns.busy * turns.residual_s / max(1.0 - turns.busy, ROOM)
        for visit in visits:
            if visit.exclusive:
                yield visit, first_s + turns.mean_s - writers.mean_s
            elif visit.request_rate:
                away_s = time_away_s(visit, 1.0)
                # Equation 30, with turns as the open services.
                stall_s = turns.mean_s - _before(turns, away_s) * turns.race_s(away_s)
                yield visit, turns.rate * stall_s * visit.sources / (visit.request_rate * visit.visits)
            else:
                yield visit, visit.wait_s


def _turns(writers: Services, readers: Sequence[Visit]) -> Services:
    """The turns of ``writers``; their share of time solves equation 33, by bisection."""
    first_readers_s = _last_s([(reader, _sharing(reader)) for reader in readers], left=True)
    low, high = min(writers.busy, 1.0), 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2.0
        next_readers_s = _last_s(_between(_turn(writers, share), readers), left=False)
        demanded = writers.rate * (writers.mean_s + share * next_readers_s + (1.0 - share) * first_readers_s)
        low, high = (share, high) if demanded > share else (low, share)
    return _turn(writers, (low + high) / 2.0)


def _turn(writers: Services, share: float) -> Services:
    """Turns that take ``share`` of the time; their time beyond the hold is taken as exponential."""
    mean_s = share / writers.rate
    added_s = max(mean_s - writers.mean_s, 0.0)
    return Services(writers.rate, mean_s, (writers.variation * writers.mean_s**2 + added_s**2) / mean_s**2)


def _before(turns: Services, away_s: float) -> float:
    """ω, the probability that a writer has its turn before a reader returns from an exponential time away."""
    return (1.0 - turns.busy) / (1.0 - turns.rate * turns.race_s(away_s))


def _between(turns: Services, readers: Sequence[Visit]) -> Sharing:
    """Probability for each of ``readers`` to be between two writers: equation 35."""
    between: Sharing = []
    for reader in readers:
        away_s = time_away_s(reader, 1.0)
        transform = 1.0 - turns.race_s(away_s) / away_s if away_s else 0.0
        between.append((reader, (1.0 - turns.busy) * (1.0 - _before(turns, away_s) * transform)))
    return between


def _sharing(reader: Visit) -> float:
    """Probability that a client of ``reader`` holds the lock while no writer is there: equation 34."""
    away_s = time_away_s(reader, 1.0)
    return reader.work_s / reader.visits / away_s if away_s else 1.0


def _last_s(readers: Sharing, *, left: bool) -> float:
    """M(q): mean seconds until the last of ``readers`` ends its hold, or, if ``left``, its residual hold."""
    nobody, count, hold_s, varied = 1.0, 0.0, 0.0, 0.0
    for reader, probability in readers:
        holds = aggregate([reader])
        expected = reader.sources * probability
        nobody *= (1.0 - probability) ** reader.sources
        count += expected
        hold_s += expected * (holds.residual_s if left else holds.mean_s)
        varied += expected * (residual_variation(holds.variation) if left else holds.variation)
    if not (count > 0.0 and nobody < 1.0):
        return 0.0
    return (1.0 - nobody) * of_many(max(count / (1.0 - nobody), 1.0), hold_s / count, varied / count)
