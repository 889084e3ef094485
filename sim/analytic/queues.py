"""Waits before stations and pools, first come first served, for open and closed flows together.

A visit finds, of each flow, the work that queues and the rest of the work in service. A closed flow finds all
but itself: the queue with one client fewer, which is the present one less its own share of it (Schweitzer,
"Approximate analysis of multiclass closed networks of queues", Int. Conf. Stochastic Control and Optimization
1979; Bard, "Some extensions to multiclass queueing network analysis", 1979). First come first served with
other times than exponential: the rest of a service is half its second moment over its mean (Reiser, "A
queueing network analysis of computer communication networks with window flow control", IEEE Trans.
Communications 27 (1979)). With open flows only, this is the formula of Pollaczek and Khinchine; with several
servers, that of Erlang, scaled by the same rest (Lee and Longton, "Queueing processes associated with airline
passenger check-in", Operational Research Quarterly 10 (1959)).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.analytic.arrivals import evened
from sim.analytic.closed_forms import erlang_c
from sim.analytic.finite import rest
from sim.analytic.stations import Node, Strand, Visit

ROOM = 1e-3
"""Free flows never take more than all but this share while the fixed point is sought."""

_NOTHING = 1e-12

_MANY = 40
"""Sources for each server from which on their number does not matter."""


Left = list[tuple[int, float, float]]
"""Of visits, by their rows at a node, what a visitor finds: which part of what queues, and of what is served."""

Found = list[tuple[float, float, float]]
"""Of every visit at a node: seconds of work that queue, servers in use, and seconds left of what is served."""


class Queue:
    """What queues at one node.

    Attributes:
        limited: whether its clients ask no more of it than it can do (utilisation law); shared holders may.
        most_s: how long a closed client waits at most: for all others.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.limited = all(each.exclusive for each in node.visits)
        self._longest_s = _longest_s(node)
        self._left: list[Left] = []
        self._others = 0.0
        self._sources = 0.0
        self._even = False
        self.most_s = 0.0

    def look(self) -> bool:
        """Bring up to date what every visit finds of the others.

        Returns:
            whether there are others.
        """
        node = self.node
        self._left = [list(_left(node, visit)) for visit in node.visits]
        self._others = _others(node)
        self._sources = self._others + 1.0
        self._even = any(each.coming != 1.0 for each in node.visits) and all(each.free for each in node.visits)
        self.most_s = self._others * self._longest_s / node.servers if self._others > 0.0 else 0.0
        return any(self._left)

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit, at the present throughputs."""
        node = self.node
        found, few = self._found(), self._few()
        free = closed = 0.0
        for each, (_, busy, _) in zip(node.visits, found, strict=True):
            if each.free:
                free += busy
            else:
                closed += busy
        limit = node.servers * max(1.0 - free / node.servers, ROOM)
        excess = closed / limit - 1.0 if self.limited else -math.inf
        part = evened(node) if self._even else 1.0
        for visit, left in zip(node.visits, self._left, strict=True):
            wait_s = self._work_found(left, self._fewer(found, visit) if few else found) * part / limit
            if not visit.free:
                wait_s = min(max(wait_s, least_s(visit, excess)), self.most_s)
            yield visit, wait_s

    def _found(self) -> Found:
        """What there is of every visit; nothing of what queues of free flows."""
        found: Found = []
        for each in self.node.visits:
            rate = each.chain.throughput * each.ratio
            busy = rate * each.work_s
            found.append((0.0 if each.free else busy * each.wait_s, busy, rate * each.square_s2 / 2.0))
        return found

    def _few(self) -> bool:
        """Whether few come for services that vary much."""
        return 1.0 < self._sources / self.node.servers < math.inf and any(map(_varied, self.node.visits))

    def _fewer(self, found: Found, visit: Visit) -> Found:
        """The same with the rest of services that vary much as ``visit`` finds it, where few come."""
        sources, away_s = self._sources / self.node.servers, _away_s(visit)
        seen = list(found)
        for row, other in enumerate(self.node.visits):
            if _varied(other):
                queue, busy, half = found[row]
                mean_s, variation = other.means_s2 / other.work_s, other.square_s2 / other.means_s2 - 1.0
                seen[row] = (queue, busy, min(half, busy * mean_s * rest(sources, mean_s / away_s, variation)))
        return seen

    def _work_found(self, left: Left, found: Found) -> float:
        """Seconds of work that a visitor finds, queued or in service; what queues of free flows is left out."""
        queued = serving = left_s = 0.0
        for row, queue_left, busy_left in left:
            queue, busy, half = found[row]
            queued += queue_left * queue
            serving += busy_left * busy
            left_s += busy_left * half
        if self.node.servers > 1 and serving > 0.0:
            left_s *= all_busy(self.node, self._others, serving) / serving
        return queued + left_s


def _left(node: Node, visit: Visit) -> Iterator[tuple[int, float, float]]:
    mine = dict(own_share(node, visit))
    for row, other in enumerate(node.visits):
        queue, busy = _parts(visit, other, mine.get(row, 0.0))
        if queue or busy:
            yield row, queue, busy


def _longest_s(node: Node) -> float:
    """Mean seconds that a client of the slowest visit keeps a server, from its start or as another finds it."""
    if any(each.varies for each in node.visits):
        return math.inf
    served = [each for each in node.visits if each.work_s]
    return max(
        (max(each.work_s / each.visits, each.square_s2 / each.work_s / 2.0) for each in served), default=0.0
    )


def own_share(node: Node, visit: Visit) -> list[tuple[int, float]]:
    """Which part of what the visits of its strand keep at one place is the visitor's own, by their rows."""
    if visit.free:
        return []
    return [
        (row, 1.0 / max(other.sources if other.most == visit.most else other.walkers, 1.0))
        for row, other in enumerate(node.visits)
        if other.strand is visit.strand
    ]


def _parts(visit: Visit, other: Visit, own: float) -> tuple[float, float]:
    """Which part of what ``other`` keeps queued and in service ``visit`` finds there: not what is its own."""
    if visit.free or (visit.chain is other.chain and not own):
        return 1.0, 1.0
    queue, busy = other.elasticity.get(visit.chain, (1.0, 1.0) if own else (0.0, 0.0))
    if own and (other.most < other.chain.clients or other.room < other.walkers):
        queue = busy = 1.0  # what was learnt is of clients, and here tokens limit how many come
    if own >= 1.0:
        return 0.0, 0.0
    if own:
        return (1.0 - own) ** max(queue, 0.0), (1.0 - own) ** max(busy, 0.0)
    part = 1.0 / max(visit.walkers, 1.0)
    return min(max(1.0 - queue * part, 0.0), 2.0), min(max(1.0 - busy * part, 0.0), 2.0)


def _others(node: Node) -> float:
    """How many clients may be at one place beside one that arrives."""
    most: dict[Strand, float] = {}
    for each in node.visits:
        most[each.strand] = max(most.get(each.strand, 0.0), math.inf if each.free else each.sources)
    return sum(most.values()) - 1.0


def least_s(visit: Visit, excess: float) -> float:
    """How long a closed client waits at least, so that all ask no more than can be done (utilisation law)."""
    chain = visit.chain
    inside = min(chain.clients, visit.most * chain.present)
    return visit.wait_s + inside / chain.throughput / visit.turns * excess if chain.throughput else 0.0


def all_busy(node: Node, others: float, load: float) -> float:
    """Probability that an arrival finds all servers busy, which are ``load`` on average, by up to ``others``."""
    servers = node.servers
    if others > _MANY * servers:
        return 1.0 if load >= servers else erlang_c(load, servers)
    if others <= servers - 1:
        return 0.0
    idle = others - load - node.queue * others / (others + 1.0)
    return 1.0 if idle <= 0.0 else _finite(load / idle, servers, others)


def _finite(ratio: float, servers: int, sources: float) -> float:
    """Probability of ``servers`` busy or more in M/M/c//N: each idle source asks ``ratio`` times a service time.

    Kleinrock, *Queueing Systems*, volume 1, section 3.10; ``sources`` need not be whole.
    """
    below = 0.0  # both in units of the probability that exactly ``servers`` are here
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
    """Whether by chance its services vary more than exponential ones: what comes in turn does not count."""
    return visit.square_s2 > 2.0 * (1.0 + 1e-9) * visit.means_s2


def _away_s(visit: Visit) -> float:
    """Mean seconds of a client between two visits."""
    turn_s = visit.sources / (visit.per_place * visit.visits) if visit.per_place else math.inf
    return max(turn_s - visit.wait_s - visit.work_s / visit.visits, 1e-3 * turn_s)
