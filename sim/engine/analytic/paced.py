"""Waits at a place where paced work meets others, first come first served.

Work is *paced* if each of its requests begins with a token that comes at equal intervals g, as that of a rebuild
does. Its n clients are closed, but arrive like a clock as long as one of them waits for each token. With the mean
wait W_t for a token, X W_t of them wait on average; taken as independent, at least one does for a share

    p = 1 - (1 - X W_t / n)ⁿ        (37)

of tokens. With probability p its wait, and the wait of clients that meet it, is the one derived here; otherwise
that of closed clients (``queues.py``).

At a station that it keeps busy for b per interval, it meets none of its own work while nobody else is there (with
variable services, what equation 9 gives for arrivals without variation). Others delay it by L, taken as
exponential. The work of k intervals earlier is unfinished as far as L exceeds k g - b, at most b each, so it meets
of its own work

    Σ_{k ≥ 1} ∫₀ᵇ exp(-(k g - b + x) / L) dx = L (exp(b / L) - 1) / (exp(g / L) - 1)        (38)

This share of L is near 0 where the slack g - b is long beside L, and b / g, as for random arrivals, where it is
short. L is its wait for others, by equation 3, divided by 1 less that share. At c servers b is divided by c. Other
rebuilds, and other branches of the same block, count as others. Closed clients meet it as open work
(``stalls.py``): each of its requests stalls each of them at most once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim.engine.analytic.arrivals import factor_of
from sim.engine.analytic.buffers import BufferRole
from sim.engine.analytic.closed_forms import erlang_c
from sim.engine.analytic.mixed import MixedQueue
from sim.engine.analytic.queues import ROOM, ArrivalWeights, Backlogs, Queue
from sim.engine.analytic.stations import Chain, Node, Visit
from sim.engine.model.distributions import Constant
from sim.engine.model.places import Station
from sim.engine.model.steps import Delay, Put
from sim.engine.model.workloads import Closed, Workload


def has_equal_intervals(workload: Workload) -> bool:
    """True if ``workload`` only puts tokens at equal intervals."""
    if not isinstance(workload, Closed) or workload.clients > 1:
        return False
    pauses = [step.time for step in workload.path if isinstance(step, Delay)]
    times = [*pauses, *([workload.think] if workload.think else [])]
    tokens = sum(isinstance(step, Put) for step in workload.path)
    return len(pauses) + tokens == len(workload.path) and all(isinstance(time, Constant) for time in times)


def find_paced(buffer_roles: Iterable[BufferRole]) -> dict[Chain, Visit]:
    """Paced closed chains, each with the visit in which it waits for its tokens."""
    return {
        visit.chain: visit
        for role in buffer_roles
        if role.two_sided and all(has_equal_intervals(each.chain.workload) for each in role.puts)
        for visit in role.takes
        if not visit.free
    }


def meets_paced(node: Node, paced: dict[Chain, Visit]) -> bool:
    """True if paced work comes to ``node``, a station, and all others there are closed clients."""
    closed = not any(visit.free for visit in node.visits)
    return isinstance(node.place, Station) and closed and any(visit.chain in paced for visit in node.visits)


class PacedQueue(MixedQueue):
    """The queue of a station where paced work meets closed clients."""

    def __init__(self, node: Node, paced: dict[Chain, Visit]) -> None:
        super().__init__(node)
        self._ordinary = Queue(node)
        self._outside = self._opens = [visit for visit in node.visits if visit.chain in paced]
        self._tokens = {paced[visit.chain] for visit in self._outside}

    def update_arrival_weights(self) -> bool:
        """Update the arrival weights of every visit; return True if any visit finds others."""
        self._ordinary.update_arrival_weights()
        return super().update_arrival_weights()

    def waits(self) -> Iterable[tuple[Visit, float]]:
        """The wait of every visit at the present throughputs."""
        share, paced = paced_share(self._tokens), dict(super().waits())
        return [(visit, share * paced[visit] + (1.0 - share) * wait_s) for visit, wait_s in self._ordinary.waits()]

    def _outside_wait_s(self, visit: Visit, left: ArrivalWeights, found: Backlogs, _room: float) -> float:
        """Wait of paced work: its wait alone, plus the delay by others (equation 38)."""
        visits, alone_s = self.node.visits, _alone_s(visit)
        others = 1.0 - 1.0 / _together(visit)
        weights = [(row, *((others, others) if visits[row].chain is visit.chain else each)) for row, *each in left]
        late_s = self._backlog_s(weights, found) / self.node.servers
        return alone_s + late_s / (1.0 - own_share(visit, visit.wait_s - alone_s))


def paced_share(tokens: Iterable[Visit]) -> float:
    """Share of tokens for which a client is waiting, from the visits for them: equation 37."""
    share = 1.0
    for visit in tokens:
        waiting = visit.chain.throughput * visit.visits * visit.wait_s / visit.chain.clients
        share *= 1.0 - max(1.0 - waiting, 0.0) ** visit.chain.clients
    return share


def _streams(visit: Visit) -> float:
    """Number of paces whose work comes to one place."""
    return max(visit.ratio * visit.fan_out, 1.0)


def _together(visit: Visit) -> float:
    """Visits to one place in an interval of the pace, over all paces and all branches of a request."""
    chain = visit.chain
    return _streams(visit) * max(visit.most * chain.population_share / chain.clients, 1.0)


def _alone_s(visit: Visit) -> float:
    """Wait behind work of the same pace alone: equation 9 with arrivals that do not vary."""
    servers, busy = visit.node.servers, visit.busy / _streams(visit)
    if not 0.0 < busy < servers:
        return 0.0
    served = max(visit.square_s2 * visit.visits / visit.work_s**2 - 1.0, 0.0)
    residual_s = erlang_c(busy, servers) * visit.square_s2 / visit.work_s / 2.0
    return factor_of(busy / servers, 0.0, served) * residual_s / (servers - busy)


def own_share(visit: Visit, late_s: float) -> float:
    """Unfinished work of earlier visits that a visit of paced work meets, as a share of its delay: equation 38."""
    if not (visit.request_rate and late_s > 0.0):
        return 0.0
    gap_s = _together(visit) / (visit.request_rate * visit.visits)
    if gap_s > _MANY * late_s:
        return 0.0
    served_s = min(visit.work_s / visit.visits / visit.node.servers, (1.0 - ROOM) * gap_s)
    return math.expm1(served_s / late_s) / math.expm1(gap_s / late_s)


_MANY = 500.0
"""Gap, in units of the delay, beyond which nothing is left of the previous one; ``exp`` does not overflow."""
