"""Gates: those who wait are served in batches, by whoever gathers them.

A fixed point of bulk service. Between two gathers passes a time c: one cycle of a gathering client without
idle time, divided by their number. Each of the n clients that could come does so within c with probability p,
so that a batch is n p of them on average, and one if none came and the first was waited for: b = n p +
(1-p)^n. With arrivals from outside that is the bulk queue M/G^∞/1 (Bailey, "On queueing processes with bulk
service", J. Royal Statistical Society B 16 (1954); Chaudhry and Templeton, *A First Course in Bulk Queues*,
1983); for a finite number of clients arrivals are independent, and those in a batch that is being served
cannot come.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from sim.analytic.stations import Visit
from sim.model.places import Gate


@dataclass(eq=False)
class Batches:
    """One gate.

    Attributes:
        awaiting, gathering: who waits to be served, and who serves.
        batch: mean clients of a batch.
    """

    place: Gate
    awaiting: list[Visit] = field(default_factory=list)
    gathering: list[Visit] = field(default_factory=list)
    batch: float = 1.0

    def waits(self) -> Iterable[tuple[Visit, float]]:
        """The wait of every visit to the gate, at the present throughputs; sets ``batch``."""
        arriving = sum(_rate(each) for each in self.awaiting)
        cycles = [(each, *_cycle(each)) for each in self.gathering]
        most = sum(gathers / cycle_s for _, gathers, cycle_s in cycles)
        served = [(each.work_s, each.square_s2, each.visits) for each in self.gathering]
        visits = sum(times for _, _, times in served)
        service_s = sum(work for work, _, _ in served) / visits
        square = sum(square for _, square, _ in served) / visits
        variation = max(square / service_s**2 - 1.0, 0.0) if service_s > 0.0 else 0.0
        between_s = 1.0 / most if most > 0.0 else 0.0
        came, nobody = self._arrivals(arriving, service_s, between_s)
        self.batch = came + nobody
        # Who comes while all are busy waits for the rest of the present interval; several servers mix theirs.
        rest_s = between_s * (1.0 + variation / sum(each.sources for each in self.gathering)) / 2.0
        wait_s = service_s + came / self.batch * rest_s
        gathers = arriving / self.batch if arriving > 0.0 else math.inf
        stretch = max(most / gathers, 1.0) if gathers > 0.0 and most > 0.0 else 1.0
        waits = dict.fromkeys(self.awaiting, wait_s)
        for each, a_walk, cycle_s in cycles:
            waits[each] = cycle_s * (stretch - 1.0) / (a_walk / _walkers(each)) if most > 0.0 else 0.0
        return waits.items()

    def _arrivals(self, arriving: float, service_s: float, between_s: float) -> tuple[float, float]:
        """Mean clients that come between two gathers, and the probability that nobody does."""
        clients = sum(each.sources for each in self.awaiting)
        servers = sum(each.sources for each in self.gathering)
        expected = arriving * between_s
        if math.isinf(clients):
            return expected, math.exp(-expected)
        in_service = arriving * service_s
        could = max(clients - self.batch - in_service * (servers - 1.0) / servers, 0.0)
        waiting = max(sum(_rate(each) * each.wait_s for each in self.awaiting), in_service)
        elsewhere = max(clients - waiting, 1e-12)
        came = -math.expm1(-expected / elsewhere)
        return could * came, (1.0 - came) ** could


def _rate(visit: Visit) -> float:
    return visit.per_place * visit.visits


def _walkers(visit: Visit) -> float:
    chain = visit.chain
    return visit.sources if not math.isinf(chain.clients) else 1.0


def _cycle(visit: Visit) -> tuple[float, float]:
    """Gathers of all clients in one walk each, and the seconds of a walk without waiting for arrivals."""
    chain = visit.chain
    walk_s = chain.think_s + chain.response_s - visit.turns * visit.wait_s
    return visit.visits * _walkers(visit), max(walk_s, 1e-12)
