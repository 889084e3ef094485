"""How long open work holds up closed clients that come to the same place, first come first served.

A closed client that comes while an open one is there does not come again before that one is served: each open
client stalls each closed one once at most. So a few closed clients, stalled by long open work, come mostly when
none is there, and do not find its time average. Equations (1) to (3) are derived in ``docs/analytic.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sim.analytic.stations import Node, Visit

_CONSTANT = 1e-9


@dataclass(frozen=True)
class Services:
    """Services of one sort, taken as gamma times: how many a second, mean seconds, squared variation."""

    rate: float
    mean_s: float
    variation: float

    @property
    def busy(self) -> float:
        """Servers that they keep in use, on average."""
        return self.rate * self.mean_s

    @property
    def rest_s(self) -> float:
        """Mean seconds left of one in progress."""
        return self.mean_s * (1.0 + self.variation) / 2.0

    @property
    def rest_square_s2(self) -> float:
        """Second moment of what is left of one in progress."""
        return self.mean_s**2 * (1.0 + self.variation) * (1.0 + 2.0 * self.variation) / 3.0

    def until(self, away_s: float) -> float:
        """Mean seconds until one ends, or a client comes that is away for exponential times: (1 - B(α)) / α."""
        if away_s <= 0.0:
            return 0.0
        calls = self.mean_s / away_s
        if self.variation * calls < _CONSTANT:
            return -away_s * math.expm1(-calls)
        return -away_s * math.expm1(-math.log1p(calls * self.variation) / self.variation)


def together(visits: Iterable[Visit]) -> Services:
    """What ``visits`` ask of one place, as services of one sort."""
    rate = work_s = square_s2 = 0.0
    for each in visits:
        rate += each.per_place * each.visits
        work_s += each.per_place * each.work_s
        square_s2 += each.per_place * each.square_s2
    if not (rate > 0.0 and work_s > 0.0):
        return Services(rate, 0.0, 0.0)
    return Services(rate, work_s / rate, max(square_s2 * rate / work_s**2 - 1.0, 0.0))


def opened(visit: Visit) -> bool:
    """Whether those come through it who come from outside."""
    return visit.free and math.isinf(visit.chain.clients)


def out_s(visit: Visit, part: float) -> float:
    """Mean seconds for which a closed client is not in the way of others: away, and for ``part`` of a service."""
    turn_s = visit.sources / (visit.per_place * visit.visits)
    served_s = visit.work_s / visit.visits
    return max(turn_s - visit.wait_s - served_s, 0.0) + part * served_s


def stalled_s(node: Node, visit: Visit, full: float) -> float:
    """Mean seconds that closed clients wait, a visit, for the open work at ``node``: equation (1).

    Args:
        full: the part of one in service that counts for who finds it: the probability that all servers are
            busy, over how many are.
    """
    away_s = out_s(visit, 1.0 - 1.0 / node.servers)
    before = _before(node, visit, away_s, full)
    total_s = 0.0
    for other in node.visits:
        if opened(other):
            each = together([other])
            late_s = each.mean_s - each.until(away_s)
            total_s += each.rate * (each.mean_s * (1.0 - before) + before * full * late_s)
    return total_s / node.servers * visit.sources / (visit.per_place * visit.visits)


def _before(node: Node, visit: Visit, away_s: float, full: float) -> float:
    """The probability that an open client begins its service before a closed one comes again: equation (2)."""
    every = [together([each]) for each in node.visits]
    work = sum(each.busy for each in every)
    if not work:
        return 1.0
    rest_s = sum(each.busy * each.rest_s for each in every) / work / node.servers
    square_s2 = sum(each.busy * each.rest_square_s2 for each in every) / work / node.servers**2
    come = 1.0 - sum(each.rate * each.until(away_s) for each in every) / work
    behind_s = _behind_s(node, visit, square_s2 / (2.0 * rest_s), full)
    return rest_s / (rest_s + behind_s * come)


def _behind_s(node: Node, visit: Visit, more_s: float, full: float) -> float:
    """What an open client waits on average, without the closed one and what is in front of it: equation (3)."""
    opens = [(each.per_place * each.visits, each.wait_s) for each in node.visits if opened(each)]
    found_s = sum(rate * wait_s for rate, wait_s in opens) / sum(rate for rate, _ in opens)
    own = visit.work_s * visit.wait_s + full * visit.square_s2 / 2.0
    ahead = visit.visits * visit.wait_s * (visit.wait_s + more_s)
    return max(found_s - visit.per_place / visit.sources * (own / node.servers + ahead), 0.0)
