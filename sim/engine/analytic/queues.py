"""Waits before stations and pools, first come first served, for open and closed flows together.

An arrival finds the queued work and the residual work in service of every flow (equation 3 of
docs/dev/analytic.md). A closed client does not find itself: it finds the queue that would exist with one client
fewer, which is a part of the present one (the *arrival weights*, equation 4; Schweitzer, "Approximate analysis
of multiclass closed networks of queues", Int. Conf. Stochastic Control and Optimization 1979; Bard, "Some
extensions to multiclass queueing network analysis", 1979). The residual service is half the second moment over
the mean (Reiser, "A queueing network analysis of computer communication networks with window flow control", IEEE
Trans. Communications 27 (1979)).

With open flows only, equation 3 is the formula of Pollaczek and Khinchine; with several servers, Erlang's
formula C scaled by the same residual (Lee and Longton, "Queueing processes associated with airline passenger
check-in", Operational Research Quarterly 10 (1959)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from sim.engine.analytic.arrivals import regularity_factor
from sim.engine.analytic.closed_forms import erlang_c
from sim.engine.analytic.finite import finite_residual
from sim.engine.analytic.stations import Flow, Node, Visit

ROOM = 1e-3
"""Least share of the capacity left by free flows during the search for the fixed point."""

_NOTHING = 1e-12

_MANY = 40
"""Clients per server from which their number counts as infinite."""


ArrivalWeights = list[tuple[int, float, float]]
"""For one visit: rows of others at the node, and the shares of their queued work and work in service it finds."""

Backlogs = list[tuple[float, float, float]]
"""For each visit at a node: queued work in seconds, servers in use, and their residual work in seconds."""


class Queue:
    """The queue of one node.

    Attributes:
        limited: True if the utilisation law bounds its load; the load of shared holders has no bound.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.limited = all(each.exclusive for each in node.visits)
        self._may_vary = any(visit.depends_on_waits or _varied(visit) for visit in node.visits)
        self._weights_of: list[ArrivalWeights] = []
        self._other_clients = 0.0
        self._sources = 0.0
        self._regular = False
        self._most: dict[Flow, float] = {}

    def update_arrival_weights(self) -> bool:
        """Update the arrival weights of every visit, after a change of populations or elasticities.

        Returns:
            True if any visit finds others.
        """
        node = self.node
        self._weights_of = [list(_arrival_weights(node, visit)) for visit in node.visits]
        self._most = _most_clients(node)
        self._other_clients = sum(self._most.values()) - 1.0
        self._sources = self._other_clients + 1.0
        irregular = any(visit.arrival_variation != 1.0 for visit in node.visits)
        self._regular = irregular and all(visit.free for visit in node.visits)
        return any(self._weights_of)

    def waits(self) -> Iterable[tuple[Visit, float]]:
        """The wait of every visit at the present throughputs: equations 2, 3 and 39 of docs/dev/analytic.md."""
        node = self.node
        backlogs, few = self._backlogs(), self._few_sources()
        free = sum(busy for visit, (_, busy, _) in zip(node.visits, backlogs, strict=True) if visit.free)
        left = node.servers * max(1.0 - free / node.servers, ROOM)
        factor = regularity_factor(node) if self._regular else 1.0
        waits_s: dict[Visit, float] = {}
        for visit, weights in zip(node.visits, self._weights_of, strict=True):
            seen = self._with_finite_residuals(backlogs, visit) if few else backlogs
            wait_s = self._backlog_s(weights, seen) * factor / left
            waits_s[visit] = wait_s if visit.free else min(wait_s, self._while_others_s(visit))
        return self._within_capacity(waits_s, left).items()

    def _inside(self) -> list[Visit]:
        """Visits of closed clients."""
        return [visit for visit in self.node.visits if not visit.free]

    def _within_capacity(self, waits_s: dict[Visit, float], room: float) -> dict[Visit, float]:
        """``waits_s``, with those of closed clients lengthened by an equal time if they demand too much.

        Equation 2 of docs/dev/analytic.md, the utilisation law: it does not tell which of several kinds of clients
        wait longer, but a longer queue is equally long for all.

        Args:
            room: servers that closed clients may use.
        """
        inside = self._inside()
        busy = sum(visit.busy for visit in inside)
        if not busy or not self.limited:
            return waits_s
        excess = busy / room - 1.0
        longer_s = sum(visit.busy * (min_s(visit, excess) - waits_s[visit]) for visit in inside) / busy
        longer_s = max(longer_s, 0.0)
        return waits_s | {visit: min(waits_s[visit] + longer_s, self.max_s(visit)) for visit in inside}

    def max_s(self, visit: Visit) -> float:
        """Longest mean wait of a closed client: for one service of each other client."""
        services_s = self._services_s()
        return (
            max(services_s - _longest_s(visit), 0.0) / self.node.servers if math.isfinite(services_s) else math.inf
        )

    def _services_s(self) -> float:
        """Seconds of the longest services of all clients that can be here, in sequence."""
        longest_s: dict[Flow, float] = {}
        for visit in self.node.visits:
            longest_s[visit.flow] = max(longest_s.get(visit.flow, 0.0), _longest_s(visit))
        return sum(clients * longest_s[flow] for flow, clients in self._most.items() if longest_s[flow])

    def _while_others_s(self, visit: Visit) -> float:
        """Mean wait of a closed client that waits whenever others keep all servers busy.

        Equation 39 of docs/dev/analytic.md.
        """
        node, visits = self.node, visit.request_rate * visit.visits
        if not visits:
            return math.inf
        others = node.busy - visit.busy / visit.sources
        full = others / node.servers
        if node.servers > 1 and full > 0.0:
            full = min(full, all_busy(node, self._other_clients, others))
        return visit.sources * full / visits

    def _backlogs(self) -> Backlogs:
        """Backlog of every visit; free flows have no queued work.

        Equation 3 of docs/dev/analytic.md accounts for it by the capacity that they leave to others.
        """
        backlogs: Backlogs = []
        for visit in self.node.visits:
            rate = visit.chain.throughput * visit.ratio
            busy = rate * visit.work_s
            queued = 0.0 if visit.free else busy * visit.wait_s
            backlogs.append((queued, busy, rate * visit.square_s2 / 2.0))
        return backlogs

    def _few_sources(self) -> bool:
        """True if few clients come for services that vary more than exponential ones."""
        return (
            self._may_vary
            and 1.0 < self._sources / self.node.servers < math.inf
            and any(map(_varied, self.node.visits))
        )

    def _with_finite_residuals(self, backlogs: Backlogs, visit: Visit) -> Backlogs:
        """``backlogs`` with the residuals that ``visit`` finds if few clients come.

        Equation 8 of ``finite.py``.
        """
        sources, away_s = self._sources / self.node.servers, _away_s(visit)
        seen = list(backlogs)
        for row, other in enumerate(self.node.visits):
            if _varied(other):
                queued, busy, residual = backlogs[row]
                mean_s, variation = other.means_s2 / other.work_s, other.square_s2 / other.means_s2 - 1.0
                finite = busy * mean_s * finite_residual(sources, mean_s / away_s, variation)
                seen[row] = (queued, busy, min(residual, finite))
        return seen

    def _backlog_s(self, weights: ArrivalWeights, backlogs: Backlogs) -> float:
        """Seconds of work that an arrival finds, queued or in service: the numerator of equation 3."""
        queued_s = serving = residual_s = 0.0
        for row, queue_weight, busy_weight in weights:
            queued, busy, residual = backlogs[row]
            queued_s += queue_weight * queued
            serving += busy_weight * busy
            residual_s += busy_weight * residual
        if self.node.servers > 1 and serving > 0.0:
            residual_s *= all_busy(self.node, self._other_clients, serving) / serving
        return queued_s + residual_s


def _arrival_weights(node: Node, visit: Visit) -> Iterator[tuple[int, float, float]]:
    """Row and weights of every visit at ``node`` of which ``visit`` finds something."""
    own_shares = dict(own_share(node, visit))
    for row, other in enumerate(node.visits):
        queue, busy = _weights(visit, other, own_shares.get(row, 0.0))
        if queue or busy:
            yield row, queue, busy


def _longest_s(visit: Visit) -> float:
    """Longest mean service time of a visit, whole or residual."""
    if not visit.work_s:
        return 0.0
    return max(visit.work_s / visit.visits, visit.square_s2 / visit.work_s / 2.0)


def own_share(node: Node, visit: Visit) -> list[tuple[int, float]]:
    """Share of one client in the work of each visit of its flow at one place: (row, 1/n of equation 4)."""
    if visit.free:
        return []
    return [
        (row, 1.0 / max(other.sources if other.most == visit.most else other.unlimited_sources, 1.0))
        for row, other in enumerate(node.visits)
        if other.flow is visit.flow
    ]


def _weights(visit: Visit, other: Visit, own: float) -> tuple[float, float]:
    """Shares of the queued work and of the work in service of ``other`` that ``visit`` finds.

    Equation 4 of docs/dev/analytic.md.

    Args:
        own: share of one client of ``visit`` in the work of ``other``; 0 if that is another flow.
    """
    if visit.free or (visit.chain is other.chain and not own):
        return 1.0, 1.0
    queue, busy = other.elasticity.get(visit.chain, (1.0, 1.0) if own else (0.0, 0.0))
    if own and (other.most < other.chain.clients or other.capacity_share < other.unlimited_sources):
        queue = busy = 1.0  # elasticities are with respect to clients, and here tokens limit how many arrive
    if own >= 1.0:
        return 0.0, 0.0
    if own:
        return (1.0 - own) ** max(queue, 0.0), (1.0 - own) ** max(busy, 0.0)
    part = 1.0 / max(visit.unlimited_sources, 1.0)
    return min(max(1.0 - queue * part, 0.0), 2.0), min(max(1.0 - busy * part, 0.0), 2.0)


def _most_clients(node: Node) -> dict[Flow, float]:
    """Clients of each flow that can be at one place."""
    most: dict[Flow, float] = {}
    for visit in node.visits:
        most[visit.flow] = max(most.get(visit.flow, 0.0), math.inf if visit.free else visit.sources)
    return most


def min_s(visit: Visit, excess: float) -> float:
    """Shortest wait of a closed client at which all together demand no more than the capacity.

    Equation 2 of docs/dev/analytic.md, the utilisation law.

    Args:
        excess: demand of closed clients over the capacity left to them, less 1.
    """
    chain = visit.chain
    inside = min(chain.clients, visit.most * chain.population_share)
    return visit.wait_s + inside / chain.throughput / visit.sequential_visits * excess if chain.throughput else 0.0


def all_busy(node: Node, others: float, load: float) -> float:
    """Probability that an arrival finds all servers busy: equation 6 of docs/dev/analytic.md.

    Args:
        others: number of other clients that can be there.
        load: mean number of busy servers.
    """
    servers = node.servers
    if others > _MANY * servers:
        return 1.0 if load >= servers else erlang_c(load, servers)
    if others <= servers - 1:
        return 0.0
    idle = others - load - node.queue * others / (others + 1.0)
    return 1.0 if idle <= 0.0 else _finite(load / idle, servers, others)


def _finite(ratio: float, servers: int, sources: float) -> float:
    """Probability that ``servers`` clients or more are there in M/M/c//N: equation 6 of docs/dev/analytic.md.

    Kleinrock, *Queueing Systems*, volume 1, section 3.10.

    Args:
        ratio: arrivals of each idle source per mean service time.
        sources: N; need not be whole.
    """
    below = 0.0  # both sums in units of the probability that exactly ``servers`` are there
    for here in range(1, servers + 1):
        below = (below + 1.0) * here / (ratio * (sources - here + 1))
    term = tail = 1.0
    for here in range(servers + 1, math.ceil(sources) + 1):
        term *= ratio * (sources - here + 1) / servers
        tail += term
        if term < _NOTHING * tail or below < _NOTHING * tail:
            break
    return 1.0 / (1.0 + below / tail)


def _varied(visit: Visit) -> bool:
    """True if its services vary more than exponential ones; different means of its steps do not count."""
    return visit.square_s2 > 2.0 * (1.0 + 1e-9) * visit.means_s2


def _away_s(visit: Visit) -> float:
    """Mean seconds of a client between two visits."""
    cycle_s = visit.sources / (visit.request_rate * visit.visits) if visit.request_rate else math.inf
    return max(cycle_s - visit.wait_s - visit.work_s / visit.visits, 1e-3 * cycle_s)
