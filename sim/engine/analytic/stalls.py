"""Waits of closed clients for the work of open ones at the same place, first come first served.

A closed client that finds an open one cannot return before that one is served: *each open client stalls each
closed one at most once*. Quick closed clients return many times while no open work is present, so they do not see
its time average. Derived here:

Let λ open clients a second ask for services of mean b and Laplace transform B. Between two visits of a closed
client passes T: it waits W, is served for s and is away for the rest, exponential with rate α. An open client
waits V from the moment the closed one is out of its way (at once if that is away, otherwise at the end of its
service) and is then served. With Y = V + b and E[(Y - t)⁺] = E[Y] - (1 - E[exp(-αY)]) / α for exponential t, it
stalls the closed client for E[(V + b - t)⁺] - E[(V - t)⁺]. Over all open arrivals in T a visit waits

    W_open = λ T (b - ω (1 - B(α)) / α),    ω = E[exp(-αV)]        (30)

As ω ≥ 0, W_open / T is at most λ b. Without time away (α = ∞) it equals λ b, the utilisation law. For small α,
(30) is α λ T (b E[V] + E[b²] / 2), the time average.

V is a geometric sum of residual services r, as the wait in M/G/1, with its own mean:

    ω = E[r] / (E[r] + E[V] (1 - E[exp(-αr)]))        (31)
    E[V] = W_o - (s W + E[s²] / 2 + E[W²] / 2) / T,    E[W²] = 2 W² + W E[r²] / E[r]        (32)

r is the residual of the service in progress, W_o the wait of open clients, which see the time average. (32)
subtracts the closed client's own work and, while it waits, the work in front of it. With one closed client and the
product form, (30) to (32) are exact. Services are taken as gamma. At c servers, work is done c times as fast, a
closed client blocks the queue for 1/c of its service and is away for the rest, and a service in progress counts by
the probability that all servers are busy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.engine.analytic.stations import Node, Visit

_CONSTANT = 1e-9


@dataclass(frozen=True)
class Services:
    """Services of one kind, taken as gamma times.

    Attributes:
        rate: per second.
        mean_s: mean service time.
        variation: squared coefficient of variation.
    """

    rate: float
    mean_s: float
    variation: float

    @property
    def busy(self) -> float:
        """Mean number of servers in use."""
        return self.rate * self.mean_s

    @property
    def residual_s(self) -> float:
        """Mean residual service time."""
        return self.mean_s * (1.0 + self.variation) / 2.0

    @property
    def residual_square_s2(self) -> float:
        """Second moment of the residual service time."""
        return self.mean_s**2 * (1.0 + self.variation) * (1.0 + 2.0 * self.variation) / 3.0

    def race_s(self, away_s: float) -> float:
        """Mean of the lesser of a service and an exponential time away: (1 - B(α)) / α in equation 30."""
        if away_s <= 0.0:
            return 0.0
        calls = self.mean_s / away_s
        if self.variation * calls < _CONSTANT:
            return -away_s * math.expm1(-calls)
        return -away_s * math.expm1(-math.log1p(calls * self.variation) / self.variation)


def aggregate(visits: Iterable[Visit]) -> Services:
    """All services of ``visits`` at one place, as services of one kind."""
    rate = work_s = square_s2 = 0.0
    for each in visits:
        rate += each.request_rate * each.visits
        work_s += each.request_rate * each.work_s
        square_s2 += each.request_rate * each.square_s2
    if not (rate > 0.0 and work_s > 0.0):
        return Services(rate, 0.0, 0.0)
    return Services(rate, work_s / rate, max(square_s2 * rate / work_s**2 - 1.0, 0.0))


def is_open(visit: Visit) -> bool:
    """True if its clients are open arrivals, not branches left behind."""
    return visit.free and math.isinf(visit.chain.clients)


def time_away_s(visit: Visit, part: float) -> float:
    """Mean seconds per visit for which a closed client is away, or in ``part`` of its service."""
    cycle_s = visit.sources / (visit.request_rate * visit.visits)
    served_s = visit.work_s / visit.visits
    return max(cycle_s - visit.wait_s - served_s, 0.0) + part * served_s


def stalled_s(node: Node, visit: Visit, opens: Sequence[Visit], full: float) -> float:
    """Mean wait of a closed client's visit for the open work at ``node``: equation 30.

    Args:
        opens: the visits of the open work.
        full: share of a service in progress that counts for an arrival: the probability that all servers
            are busy, over the mean number of busy ones.
    """
    away_s = time_away_s(visit, 1.0 - 1.0 / node.servers)
    before = _before(node, visit, opens, away_s, full)
    total_s = 0.0
    for other in opens:
        services = aggregate([other])
        late_s = services.mean_s - services.race_s(away_s)
        total_s += services.rate * (services.mean_s * (1.0 - before) + before * full * late_s)
    return total_s / node.servers * visit.sources / (visit.request_rate * visit.visits)


def _before(node: Node, visit: Visit, opens: Sequence[Visit], away_s: float, full: float) -> float:
    """ω, the probability that an open client is served before the closed one returns: equation 31."""
    services = [aggregate([other]) for other in node.visits]
    work = sum(each.busy for each in services)
    if not work:
        return 1.0
    residual_s = sum(each.busy * each.residual_s for each in services) / work / node.servers
    square_s2 = sum(each.busy * each.residual_square_s2 for each in services) / work / node.servers**2
    come = 1.0 - sum(each.rate * each.race_s(away_s) for each in services) / work
    behind_s = _behind_s(node, visit, opens, square_s2 / (2.0 * residual_s), full)
    return residual_s / (residual_s + behind_s * come)


def _behind_s(node: Node, visit: Visit, opens: Sequence[Visit], more_s: float, full: float) -> float:
    """E[V], an open client's wait without the closed one and the work in front of it: equation 32."""
    waits = [(other.request_rate * other.visits, other.wait_s) for other in opens]
    open_wait_s = sum(rate * wait_s for rate, wait_s in waits) / sum(rate for rate, _ in waits)
    own = visit.work_s * visit.wait_s + full * visit.square_s2 / 2.0
    ahead = visit.visits * visit.wait_s * (visit.wait_s + more_s)
    return max(open_wait_s - visit.request_rate / visit.sources * (own / node.servers + ahead), 0.0)
