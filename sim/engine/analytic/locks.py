"""Waits before a lock that readers share and writers hold exclusively, first come first served.

Writers queue as before one server. Readers that stand next to each other in the queue hold the lock together, in a
*phase* F between two writers that is as long as the longest of their holds (Johnson, "Approximate analysis of
reader/writer queues", IEEE Trans. Software Engineering 21 (1995), simplified: all holds of readers, and all of
writers, are identical, and every reader is equally likely to precede the next writer):

    F = π M(k / π),    k = min(λ_r / λ_w, N_r),
        π = 1 - (1 - k / N_r)^(N_r / m),    m = 1 + (N_r - 1) (1 + λ_w A)^(-N_r)        (15)
    W_w = L h + U r + (L + U) F + e l        (16)
    W_r = L h + U r A / (A + F) + (L - j)⁺ F + j l,    j = P(L) ((L + U) F + e l) / W_w        (17)

λ_r and λ_w are holds per second of readers and writers; N_r readers, each A seconds away; k of them arrive between
two writers, with probability π at least one; m stay together. M(n) is the mean of the greatest of n holds
(``forks.py``). L writers wait and U hold the lock, for h each; r is the residual hold; readers hold the lock with
probability e, the last of them for a further l. P(L) is the probability that a writer waits; j is the probability
that a reader finds readers with writers behind them and joins the following phase.

So a writer waits for the holder, for the writers in the queue with a phase before each, and for the phase behind
the last (16). A reader joins that phase, and does not wait if there is no writer (17). Beside open writers both
waits are divided by 1 - ρ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim.engine.analytic.finite import residual_service
from sim.engine.analytic.forks import of_many
from sim.engine.analytic.queues import ROOM, Queue, min_s, own_share
from sim.engine.analytic.stations import Visit


@dataclass(frozen=True)
class Holders:
    """Readers, or writers, as an arrival finds them.

    Attributes:
        sources: largest number at the lock.
        rate: holds per second.
        waiting: mean number waiting.
        holding: mean number holding the lock.
        square_s: sum of the second moments of the holds of one second.
    """

    sources: float
    rate: float
    waiting: float
    holding: float
    square_s: float

    @property
    def hold_s(self) -> float:
        return self.holding / self.rate if self.rate > 0.0 else 0.0

    @property
    def variation(self) -> float:
        """Squared coefficient of variation of a hold."""
        return max(self.square_s / self.holding / self.hold_s - 1.0, 0.0) if self.holding > 0.0 else 0.0

    @property
    def away(self) -> float:
        """Mean number elsewhere."""
        return min(max(self.sources - self.holding - self.waiting, 0.0), self.sources)

    def any(self, mean: float) -> float:
        """Probability of at least one, given the mean number ``mean``."""
        return any_of(mean, self.sources, self.sources)


def any_of(mean: float, sources: float, drawn: float) -> float:
    """Probability that one or more of ``sources`` are there, given their ``mean`` number, in ``drawn`` trials."""
    if math.isinf(sources):
        return -math.expm1(-mean)
    return 1.0 - math.pow(max(1.0 - mean / max(sources, 1.0), 0.0), max(drawn, 1.0))


class LockQueue(Queue):
    """The queue of one lock."""

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit at the present throughputs."""
        if self.limited:
            yield from super().waits()
            return
        visits = self.node.visits
        if not any(visit.exclusive for visit in visits):
            return
        everybody = [1.0] * len(visits)
        writers, readers = (_holders(visits, everybody, exclusive=exclusive) for exclusive in (True, False))
        excess = writers.holding + writers.rate * _phase_s(writers, readers) - 1.0
        free = sum(visit.request_rate * visit.work_s for visit in visits if visit.free and visit.exclusive)
        for visit in visits:
            own_shares = dict(own_share(self.node, visit))
            weights = [1.0 - own_shares.get(row, 0.0) for row in range(len(visits))]
            other_writers, other_readers = (_holders(visits, weights, exclusive=mode) for mode in (True, False))
            phase_s = _phase_s(writers, other_readers)
            wait_s = self._wait(visit, other_writers, other_readers, phase_s) / max(1.0 - free, ROOM)
            yield visit, max(wait_s, min_s(visit, excess)) if visit.exclusive and not visit.free else wait_s

    def _wait(self, visit: Visit, writers: Holders, readers: Holders, phase_s: float) -> float:
        """Wait of ``visit`` behind ``writers`` and ``readers``; ``phase_s`` is the mean phase between writers."""
        sources = writers.sources + readers.sources
        away = max(writers.away + readers.away, 1e-3)
        calls = (writers.rate + readers.rate) / away if math.isfinite(away) else 0.0
        residual_s = writers.hold_s * residual_service(sources, calls * writers.hold_s, writers.variation)
        queued_s = writers.waiting * writers.hold_s
        # Readers hold the lock with probability ``held``; the last of them leaves after last_s.
        held = min(readers.any(readers.holding), max(1.0 - writers.holding, 0.0))
        last_s = _last_s(readers, held, residual_service(sources, calls * readers.hold_s, readers.variation))
        phases_s = (writers.waiting + writers.holding) * phase_s + held * last_s
        total_s = queued_s + writers.holding * residual_s + phases_s
        if visit.exclusive:
            return total_s  # equation 16
        # Equation 17: a reader that arrives in a phase while writers wait joins the readers of the last phase.
        joint = writers.any(writers.waiting) * (phases_s / total_s if total_s > 0.0 else 0.0)
        # A reader that comes back at once finds the lock as it left it: not held exclusively.
        back_s = readers.away / readers.rate if readers.rate > 0.0 else math.inf
        seen = back_s / (back_s + phase_s) if math.isfinite(back_s) and back_s + phase_s > 0.0 else 1.0
        return (
            queued_s
            + seen * writers.holding * residual_s
            + max(writers.waiting - joint, 0.0) * phase_s
            + joint * last_s
        )


def _last_s(readers: Holders, held: float, residual: float) -> float:
    """Mean seconds until the last of the present readers leaves; ``residual`` is the share left of each hold."""
    together = max(readers.holding / held, 1.0) if held > 0.0 else 1.0
    return of_many(together, readers.hold_s * residual, residual_variation(readers.variation))


def residual_variation(variation: float) -> float:
    """Squared coefficient of variation of a residual gamma time: 1/3 for constant, 1 for exponential times."""
    return 4.0 * (1.0 + 2.0 * variation) / (3.0 * (1.0 + variation)) - 1.0


def _phase_s(writers: Holders, readers: Holders) -> float:
    """Mean seconds for which readers hold the lock between two writers: equation 15."""
    if not (readers.rate > 0.0 and writers.rate > 0.0):
        return 0.0
    between = min(readers.rate / writers.rate, readers.sources)
    stay = _stay(writers, readers)
    together = 1.0 + (readers.sources - 1.0) * stay if stay else 1.0
    anybody = any_of(between, readers.sources, readers.sources / together)
    return anybody * of_many(max(between / anybody, 1.0), readers.hold_s, readers.variation) if anybody else 0.0


def _stay(writers: Holders, readers: Holders) -> float:
    """Probability that the readers of a phase meet again in the next.

    They do if each of them returns before the next writer arrives.
    """
    if math.isinf(readers.sources):
        return 0.0
    return math.pow(1.0 + readers.away / readers.rate * writers.rate, -readers.sources)


def _holders(visits: Sequence[Visit], weights: Sequence[float], *, exclusive: bool) -> Holders:
    """The writers, or the readers, with the share ``weights`` of each visit that an arrival finds."""
    pairs = zip(visits, weights, strict=True)
    weighted = [(visit, weight) for visit, weight in pairs if visit.exclusive == exclusive]
    return Holders(
        sources=sum(math.inf if visit.free else weight * visit.sources for visit, weight in weighted),
        rate=sum(weight * visit.request_rate * visit.visits for visit, weight in weighted),
        waiting=sum(weight * visit.request_rate * visit.visits * visit.wait_s for visit, weight in weighted),
        holding=sum(weight * visit.request_rate * visit.work_s for visit, weight in weighted),
        square_s=sum(weight * visit.request_rate * visit.square_s2 for visit, weight in weighted),
    )
