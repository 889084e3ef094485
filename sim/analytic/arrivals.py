"""How evenly open arrivals come to the stations on their way, and what that leaves of a wait.

Poisson arrivals have a squared coefficient of variation of 1, periodic ones of 0. What leaves a station is in
between what came and what is served, by how busy it is (Whitt, "The queueing network analyzer", Bell System
Technical Journal 62 (1983)). Followed through stations and constant delays from the start of a path; whatever
else a walk meets mixes the clients, who count as Poisson from there on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from sim.analytic.stations import Chain, Node, Visit
from sim.model.distributions import PerItem, variance
from sim.model.places import Place
from sim.model.steps import Delay, Hold, Use
from sim.model.workloads import Open, Periodic


def follow(chains: Iterable[Chain], node_of: Callable[[Place], Node]) -> None:
    """Tell the visits of open ``chains`` how evenly clients come to them."""
    for chain in chains:
        if isinstance(chain.workload, Open):
            _follow(chain, 0.0 if isinstance(chain.workload.arrivals, Periodic) else 1.0, node_of)


def _follow(chain: Chain, coming: float, node_of: Callable[[Place], Node]) -> None:
    for step in chain.workload.path:
        if isinstance(step, Delay) and not isinstance(step.time, PerItem) and not variance(step.time):
            continue
        if not isinstance(step, Use | Hold):
            return
        node = node_of(step.place)
        visits = [each for each in node.visits if each.chain is chain]
        if chain.copies > 1 or node.copies > 1 or len(visits) > 1 or visits[0].visits != 1.0:
            return
        visits[0].coming = coming
        if isinstance(step, Hold):
            return
        coming = _leaving(node, visits[0], coming)


def _leaving(node: Node, visit: Visit, coming: float) -> float:
    busy = min(node.utilisation, 1.0)
    served = visit.square_s2 / visit.work_s**2 - 1.0 if visit.work_s else 0.0
    return 1.0 + (1.0 - busy**2) * (coming - 1.0) + busy**2 * (max(served, 0.2) - 1.0) / math.sqrt(node.servers)


def evened(node: Node) -> float:
    """The part of the wait after Poisson arrivals that is left if clients come as evenly as they do.

    Source: Krämer and Langenbach-Belz, "Approximate formulae for the delay in the queueing system GI/G/1",
    8th International Teletraffic Congress (1976); of several servers likewise (Allen and Cunneen: Allen,
    *Probability, Statistics, and Queueing Theory*, 1990).
    """
    rate = work = square = even = 0.0
    for each in node.visits:
        flow = each.per_place
        rate += flow * each.visits
        even += flow * each.visits * each.coming
        work += flow * each.work_s
        square += flow * each.square_s2
    if not work:
        return 1.0
    served, coming = max(square * rate / work**2 - 1.0, 0.0), even / rate
    both, idle = coming + served, 1.0 - min(work / node.servers, 1.0)
    if both <= 0.0:
        return 0.0
    if coming <= 1.0:
        power = -2.0 * idle * (1.0 - coming) ** 2 / (3.0 * (1.0 - idle) * both)
    else:
        power = -idle * (coming - 1.0) / (coming + 4.0 * served)
    return both / (1.0 + served) * math.exp(power)
