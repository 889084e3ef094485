"""Waits before stations and pools, first come first served, for open and closed flows together.

A visit finds, of each flow, the work that queues and the rest of the work in service. A closed flow finds all but
itself: the queue with one client fewer, which is the present one less its own share of it (Schweitzer,
"Approximate analysis of multiclass closed networks of queues", Int. Conf. Stochastic Control and Optimization 1979; Bard, "Some
extensions to multiclass queueing network analysis", 1979). First come first served with other times than exponential:
the rest of a service is half its second moment over its mean (Reiser, "A queueing network analysis of computer
communication networks with window flow control", IEEE Trans. Communications 27 (1979)). With open flows only, this is the
formula of Pollaczek and Khinchine; with several servers, that of Erlang, scaled by the same rest (Lee and Longton,
"Queueing processes associated with airline passenger check-in", Operational Research Quarterly 10 (1959)).
"""

from __future__ import annotations

import math

from sim.analytic.network import Node, Visit
from sim.theory import erlang_c

ROOM = 1e-3
"""Free flows never take more than all but this share while the fixed point is sought."""

_MANY = 40
"""Sources for each server from which on their number does not matter."""


def waits(node: Node) -> dict[Visit, float]:
    """The wait of every visit to a station or pool (or a buffer used as one), at the present throughputs."""
    busy = [each.per_place * each.work_s for each in node.visits]
    free = sum(share for share, each in zip(busy, node.visits, strict=True) if each.strand.free)
    room = max(1.0 - free / node.servers, ROOM)
    return {visit: max(_work_found(node, visit, busy), 0.0) / node.servers / room for visit in node.visits}


def _work_found(node: Node, visit: Visit, busy: list[float]) -> float:
    """Seconds of work that ``visit`` finds, queued or in service; what queues of free flows is left out."""
    mine = dict(own_share(node, visit))
    queued = serving = rest = 0.0
    for row, other in enumerate(node.visits):
        queue_left, busy_left = _left(visit, other, mine.get(row, 0.0))
        if not other.strand.free:
            queued += queue_left * busy[row] * other.wait_s
        serving += busy_left * busy[row]
        rest += busy_left * other.per_place * other.square_s2 / 2.0
    if not serving > 0.0:
        return queued
    if node.servers > 1:
        rest *= _all_busy(node, visit, serving) / serving
    return queued + rest


def _left(visit: Visit, other: Visit, own: float) -> tuple[float, float]:
    """Which part of what ``other`` keeps queued and in service ``visit`` finds there: not what is its own."""
    if visit.strand.free or visit.strand.chain is other.strand.chain and not own:
        return 1.0, 1.0
    queue, busy = other.elasticity.get(visit.strand.chain, (1.0, 1.0) if own else (0.0, 0.0))
    if own:
        return (1.0 - own) ** max(queue, 0.0) if own < 1.0 else 0.0, (1.0 - own) ** max(busy, 0.0) if own < 1.0 else 0.0
    part = 1.0 / max(_walkers(visit), 1.0)
    return _share(1.0 - queue * part), _share(1.0 - busy * part)


def _share(value: float) -> float:
    return min(max(value, 0.0), 2.0)


def own_share(node: Node, visit: Visit) -> list[tuple[int, float]]:
    """Which part of what the visits of its strand keep at one place is the visitor's own, by their rows."""
    if visit.strand.free:
        return []
    return [
        (row, 1.0 / max(other.sources if other.most == visit.most else _walkers(other), 1.0))
        for row, other in enumerate(node.visits)
        if other.strand is visit.strand
    ]


def _walkers(visit: Visit) -> float:
    chain = visit.strand.chain
    return chain.clients * chain.copies * visit.spread / visit.node.copies


def _all_busy(node: Node, visit: Visit, load: float) -> float:
    """Probability that an arrival finds all servers busy, which are ``load`` on average."""
    servers = node.servers
    if any(each.strand.free for each in node.visits):
        return _erlang(load, servers)
    others = _others(node, visit)
    if others < servers:
        return 0.0
    if others > _MANY * servers:
        return _erlang(load, servers)
    waiting = node.queue * others / (others + 1.0)
    idle = others - load - waiting
    return 1.0 if idle <= 0.0 else _finite(load / idle, servers, others)


def _others(node: Node, visit: Visit) -> float:
    """How many clients may be here beside the one that arrives."""
    most: dict[int, float] = {}
    for each in node.visits:
        most[id(each.strand)] = max(most.get(id(each.strand), 0.0), each.sources)
    return sum(most.values()) - 1.0


def _erlang(load: float, servers: int) -> float:
    return 1.0 if load >= servers else erlang_c(load, servers) if load > 0.0 else 0.0


def _finite(ratio: float, servers: int, sources: float) -> float:
    """Probability of ``servers`` busy or more in M/M/c//N: each idle source asks ``ratio`` times a service time.

    Kleinrock, *Queueing Systems*, volume 1, section 3.10; ``sources`` need not be whole.
    """
    weight = total = 1.0
    waiting = 0.0
    for here in range(1, math.floor(sources) + 1):
        weight *= ratio * (sources - here + 1) / min(here, servers)
        total += weight
        waiting += weight if here >= servers else 0.0
        if total > 1e250:  # noqa: PLR2004  (before it overflows: nothing but the last weights count)
            weight, total, waiting = weight / total, 1.0, waiting / total
    return waiting / total
