"""Waits before stations and pools, first come first served, for open and closed flows together.

A visit finds, of each flow, the work that queues and the rest of the work in service. A closed flow finds all but
itself: the queue with one client fewer, which is the present one less its own share of it (Schweitzer,
"Approximate analysis of multiclass closed networks of queues", Int. Conf. Stochastic Control and
Optimization 1979; Bard, "Some
extensions to multiclass queueing network analysis", 1979). First come first served with other times than
exponential: the rest of a service is half its second moment over its mean (Reiser, "A queueing network analysis
of computer communication networks with window flow control", IEEE Trans. Communications 27 (1979)). With open
flows only, this is the formula of Pollaczek and Khinchine; with several servers, that of Erlang, scaled by the
same rest (Lee and Longton, "Queueing processes associated with airline passenger check-in", Operational Research
Quarterly 10 (1959)).
"""

from __future__ import annotations

import math

from sim.analytic.network import Node, Strand, View, Visit
from sim.places import Station
from sim.theory import erlang_c

ROOM = 1e-3
"""Free flows never take more than all but this share while the fixed point is sought."""

_NOTHING, _HUGE = 1e-12, 1e250

_MANY = 40
"""Sources for each server from which on their number does not matter."""


def look(node: Node) -> None:
    """Bring up to date what every visit to ``node`` finds of the others."""
    for visit in node.visits:
        mine = dict(own_share(node, visit))
        left = [_left(visit, other, mine.get(row, 0.0)) for row, other in enumerate(node.visits)]
        visit.view = View(left, _others(node))


def own_share(node: Node, visit: Visit) -> list[tuple[int, float]]:
    """Which part of what the visits of its strand keep at one place is the visitor's own, by their rows."""
    if visit.strand.free:
        return []
    return [
        (row, 1.0 / max(other.sources if other.most == visit.most else other.walkers, 1.0))
        for row, other in enumerate(node.visits)
        if other.strand is visit.strand
    ]


def _left(visit: Visit, other: Visit, own: float) -> tuple[float, float]:
    """Which part of what ``other`` keeps queued and in service ``visit`` finds there: not what is its own."""
    if visit.strand.free or (visit.strand.chain is other.strand.chain and not own):
        return 1.0, 1.0
    queue, busy = other.elasticity.get(visit.strand.chain, (1.0, 1.0) if own else (0.0, 0.0))
    if own and other.most < other.strand.chain.clients:
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
        most[each.strand] = max(most.get(each.strand, 0.0), math.inf if each.strand.free else each.sources)
    return sum(most.values()) - 1.0


def waits(node: Node) -> dict[Visit, float]:
    """The wait of every visit to a station or pool (or a buffer used as one), at the present throughputs."""
    found: list[tuple[float, float, float]] = []
    free = closed = 0.0
    for each in node.visits:
        rate = each.strand.chain.throughput * each.ratio
        busy = rate * each.work_s
        if each.strand.free:
            free += busy
        else:
            closed += busy
        found.append((0.0 if each.strand.free else busy * each.wait_s, busy, rate * each.square_s2 / 2.0))
    limit = node.servers * max(1.0 - free / node.servers, ROOM)
    excess = closed / limit - 1.0 if isinstance(node.place, Station) else -math.inf
    waits_s = {visit: _work_found(node, visit, found) / limit for visit in node.visits}
    return {
        visit: wait_s if visit.strand.free else max(wait_s, _least_s(visit, excess))
        for visit, wait_s in waits_s.items()
    }


def _least_s(visit: Visit, excess: float) -> float:
    """How long a closed client waits at least, so that all ask no more than can be done (utilisation law)."""
    chain = visit.strand.chain
    return visit.wait_s + chain.clients / chain.throughput / visit.visits * excess if chain.throughput else 0.0


def _work_found(node: Node, visit: Visit, found: list[tuple[float, float, float]]) -> float:
    """Seconds of work that ``visit`` finds, queued or in service; what queues of free flows is left out."""
    queued = serving = rest = 0.0
    for (queue_left, busy_left), (queue, busy, half) in zip(visit.view.left, found, strict=True):
        queued += queue_left * queue
        serving += busy_left * busy
        rest += busy_left * half
    if node.servers > 1 and serving > 0.0:
        rest *= _all_busy(node, visit.view.others, serving) / serving
    return queued + rest


def _all_busy(node: Node, others: float, load: float) -> float:
    """Probability that an arrival finds all servers busy, which are ``load`` on average, by up to ``others``."""
    servers = node.servers
    if others > _MANY * servers:
        return 1.0 if load >= servers else erlang_c(load, servers)
    if others < servers:
        return 0.0
    idle = others - load - node.queue * others / (others + 1.0)
    return 1.0 if idle <= 0.0 else _finite(load / idle, servers, others)


def _finite(ratio: float, servers: int, sources: float) -> float:
    """Probability of ``servers`` busy or more in M/M/c//N: each idle source asks ``ratio`` times a service time.

    Kleinrock, *Queueing Systems*, volume 1, section 3.10; ``sources`` need not be whole.
    """
    weight = total = 1.0
    waiting = 0.0
    for here in range(1, math.floor(sources) + 1):
        growth = ratio * (sources - here + 1) / min(here, servers)
        weight *= growth
        total += weight
        if here >= servers:
            waiting += weight
        if growth < 1.0 and weight < _NOTHING * total:
            break
        if total > _HUGE:  # before it overflows: nothing but the last weights count
            weight, total, waiting = weight / total, 1.0, waiting / total
    return waiting / total
