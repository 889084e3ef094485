"""Waits before a lock that some hold shared and others exclusively, first come first served.

Exclusive holders queue as before one server. Shared ones that stand next to each other in the queue go together,
in a phase between two exclusive holds that takes as long as the longest of them (Johnson, "Approximate analysis
of reader/writer queues", IEEE Trans. Software Engineering 21 (1995), simplified: holds of one kind are alike,
and each client stands before the next exclusive holder as likely as any other).

Who wants it exclusively waits for the holder, for those queueing exclusively and a phase before each, and for the
phase behind the last. Who shares joins that phase, and waits for none if nobody wants it exclusively.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim.analytic.finite import few
from sim.analytic.forks import of_many
from sim.analytic.queues import ROOM, Queue, least_s, own_share
from sim.analytic.stations import Visit


@dataclass(frozen=True)
class Kind:
    """Those of a kind, exclusive or shared, that others find at the lock; holds per second and seconds.

    Attributes:
        sources: how many may be there.
        waiting: how many wait, on average.
        holding: how many hold it, on average.
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
        """How many are elsewhere, on average."""
        return min(max(self.sources - self.holding - self.waiting, 0.0), self.sources)

    def any(self, mean: float) -> float:
        """The probability that there is one where there are ``mean`` on average."""
        return some(mean, self.sources, self.sources)


def some(mean: float, sources: float, drawn: float) -> float:
    """The probability that one or more of ``sources`` are there if ``mean`` are expected, after so many draws."""
    if math.isinf(sources):
        return -math.expm1(-mean)
    return 1.0 - math.pow(max(1.0 - mean / max(sources, 1.0), 0.0), max(drawn, 1.0))


class LockQueue(Queue):
    """What queues at one lock."""

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit, at the present throughputs."""
        if self.limited:
            yield from super().waits()
            return
        visits = self.node.visits
        if not any(each.exclusive for each in visits):
            return
        everybody = [1.0] * len(visits)
        writers, readers = (_kind(visits, everybody, exclusive=each) for each in (True, False))
        excess = writers.holding + writers.rate * _phase_s(writers, readers) - 1.0
        free = sum(each.per_place * each.work_s for each in visits if each.free and each.exclusive)
        for visit in visits:
            mine = dict(own_share(self.node, visit))
            left = [1.0 - mine.get(row, 0.0) for row in range(len(visits))]
            alone, shared = (_kind(visits, left, exclusive=each) for each in (True, False))
            phase_s = _phase_s(writers, shared)
            wait_s = self._wait(visit, alone, shared, phase_s) / max(1.0 - free, ROOM)
            yield visit, max(wait_s, least_s(visit, excess)) if visit.exclusive and not visit.free else wait_s

    def _wait(self, visit: Visit, alone: Kind, shared: Kind, phase_s: float) -> float:
        """The wait of ``visit``, which finds these; ``phase_s`` go by between two exclusive holds."""
        sources = alone.sources + shared.sources
        away = max(alone.away + shared.away, 1e-3)
        calls = (alone.rate + shared.rate) / away if math.isfinite(away) else 0.0
        rest_s = alone.hold_s * few(sources, calls * alone.hold_s, alone.variation)
        behind_s = alone.waiting * alone.hold_s
        held = min(shared.any(shared.holding), max(1.0 - alone.holding, 0.0))
        last_s = _last_s(shared, held, few(sources, calls * shared.hold_s, shared.variation))
        reading_s = (alone.waiting + alone.holding) * phase_s + held * last_s
        if visit.exclusive:
            return behind_s + alone.holding * rest_s + reading_s
        total_s = behind_s + alone.holding * rest_s + reading_s
        joint = alone.any(alone.waiting) * (reading_s / total_s if total_s > 0.0 else 0.0)
        # Who comes back at once finds the lock as it left it: not held exclusively.
        back_s = shared.away / shared.rate if shared.rate > 0.0 else math.inf
        seen = back_s / (back_s + phase_s) if math.isfinite(back_s) and back_s + phase_s > 0.0 else 1.0
        return (
            behind_s + seen * alone.holding * rest_s + max(alone.waiting - joint, 0.0) * phase_s + joint * last_s
        )


def _last_s(shared: Kind, held: float, rest: float) -> float:
    """How long those who hold it go on holding it, until the last; ``rest`` of a hold is left on average."""
    together = max(shared.holding / held, 1.0) if held > 0.0 else 1.0
    return of_many(together, shared.hold_s * rest, rest_variation(shared.variation))


def rest_variation(variation: float) -> float:
    """Squared coefficient of variation of what is left of a gamma time: 1/3 of constant, 1 of exponential ones."""
    return 4.0 * (1.0 + 2.0 * variation) / (3.0 * (1.0 + variation)) - 1.0


def _phase_s(alone: Kind, shared: Kind) -> float:
    """Mean seconds for which those who share go between two exclusive holds."""
    if not (shared.rate > 0.0 and alone.rate > 0.0):
        return 0.0
    between = min(shared.rate / alone.rate, shared.sources)
    stay = _stay(alone, shared)
    together = 1.0 + (shared.sources - 1.0) * stay if stay else 1.0
    anybody = some(between, shared.sources, shared.sources / together)
    return anybody * of_many(max(between / anybody, 1.0), shared.hold_s, shared.variation) if anybody else 0.0


def _stay(alone: Kind, shared: Kind) -> float:
    """The probability that those of a phase meet again in the next.

    So they do if nobody comes between them: none of them is away for longer than until the next exclusive hold
    is asked for.
    """
    if math.isinf(shared.sources):
        return 0.0
    return math.pow(1.0 + shared.away / shared.rate * alone.rate, -shared.sources)


def _kind(visits: Sequence[Visit], left: Sequence[float], *, exclusive: bool) -> Kind:
    """What a visitor finds of one kind: the part ``left`` of each of ``visits``."""
    mine = [(each, part) for each, part in zip(visits, left, strict=True) if each.exclusive == exclusive]
    return Kind(
        sources=sum(math.inf if each.free else part * each.sources for each, part in mine),
        rate=sum(part * each.per_place * each.visits for each, part in mine),
        waiting=sum(part * each.per_place * each.visits * each.wait_s for each, part in mine),
        holding=sum(part * each.per_place * each.work_s for each, part in mine),
        square_s=sum(part * each.per_place * each.square_s2 for each, part in mine),
    )
