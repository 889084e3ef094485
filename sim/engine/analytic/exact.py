"""Exact mean-value analysis of models that have the product form and are small enough."""

from __future__ import annotations

import math

from sim.engine.analytic.closed_forms import mva_classes
from sim.engine.analytic.moments import Term
from sim.engine.analytic.stations import Chain, Node
from sim.engine.analytic.terms import Fixed, Mixture, Repeated, Series, Served
from sim.engine.model.places import Station
from sim.engine.model.workloads import Closed, Open, Poisson

MAX_STATES = 20_000
"""Largest product of populations and servers of all stations for the exact recursion."""

MAX_CLIENTS = 24
"""Largest number of clients with several servers at a station: beyond, rounding errors grow large."""


def solve_exactly(chains: list[Chain], nodes: list[Node]) -> bool:
    """Solve exactly if the model has the product form; return True if it has.

    The product form takes closed chains and Poisson arrivals, and stations whose service times are exponential
    with the same mean for all: what Baskett, Chandy, Muntz and Palacios, "Open, closed, and mixed networks of
    queues with different classes of customers", J. ACM 22 (1975), require of a first come, first served station.
    Closed chains are solved by equations 11 and 36 of docs/dev/analytic.md, with the demands of equation 12 beside
    open ones (Lazowska, Zahorjan, Graham and Sevcik, *Quantitative System Performance*, 1984, section 7.4.2),
    if stations have one server each. Identical workloads are one class. Models with identical places are left
    out: each would be a station of its own.
    """
    closed = [chain for chain in chains if not math.isinf(chain.clients)]
    if not closed or not all(_arrives(chain) and _plain(chain.term) for chain in chains):
        return False
    left = [1.0 - sum(each.busy for each in node.visits if each.free) for node in nodes]
    if any(node.copies > 1 or not _exponential(node) for node in nodes) or min(left, default=0.0) <= 0.0:
        return False
    populations = [int(chain.clients) * chain.copies for chain in closed]
    servers = [node.servers for node in nodes]
    if math.prod(each + 1 for each in populations) * sum(servers) > MAX_STATES:
        return False
    if max(servers) > 1 and (len(closed) < len(chains) or sum(populations) > MAX_CLIENTS):
        return False
    demands = [
        [sum(each.work_s for each in node.visits if each.chain is chain) for node in nodes] for chain in closed
    ]
    longer = [[demand / part for demand, part in zip(row, left, strict=True)] for row in demands]
    delays = [chain.think_s + _fixed_s(chain.term) for chain in closed]
    solutions = mva_classes(longer, populations, delays, servers)
    for row, (chain, solution) in enumerate(zip(closed, solutions, strict=True)):
        chain.throughput = solution.throughput / chain.copies
        chain.response_s = chain.clients / chain.throughput - chain.think_s
        chain.unqueued = (delays[row] + sum(demands[row]), 0.0)
        for node, residence_s, demand in zip(nodes, solution.residence_s, demands[row], strict=True):
            visits = [each for each in node.visits if each.chain is chain]
            for each in visits:
                each.wait_s = (residence_s - demand) / sum(other.visits for other in visits)
    _open_beside(chains, nodes)
    return True


def _arrives(chain: Chain) -> bool:
    """True if its clients are closed, or Poisson arrivals."""
    workload = chain.workload
    return isinstance(workload, Closed) or (isinstance(workload, Open) and isinstance(workload.arrivals, Poisson))


def _open_beside(chains: list[Chain], nodes: list[Node]) -> None:
    """Set the waits of open arrivals, which see the time average: equation 12 of docs/dev/analytic.md."""
    for node in nodes:
        closed = sum(
            each.busy + each.request_rate * each.visits * each.wait_s for each in node.visits if not each.free
        )
        busy = sum(each.busy for each in node.visits if each.free)
        for each in node.visits:
            if each.free:
                each.wait_s = each.work_s / each.visits * (closed + busy) / (1.0 - busy)
    for chain in chains:
        if math.isinf(chain.clients):
            chain.response_s, _ = chain.term.moments()


def _plain(term: Term) -> bool:
    """True if ``term`` consists of services and delays only."""
    match term:
        case Fixed() | Served():
            return True
        case Series():
            return all(map(_plain, term.terms))
        case Repeated():
            return _plain(term.term)
        case Mixture():
            return all(_plain(each) for _, each in term.options)
    return False


def _exponential(node: Node) -> bool:
    """True if ``node`` is a station with exponential services of one mean."""
    if not isinstance(node.place, Station):
        return False
    means = {round(math.log(each.work_s / each.visits), 9) for each in node.visits if each.work_s}
    exponential = all(math.isclose(each.square_s2 * each.visits, 2.0 * each.work_s**2) for each in node.visits)
    return len(means) == 1 and exponential and all(each.work_s for each in node.visits)


def _fixed_s(term: Term) -> float:
    """Mean seconds of the delays of ``term``."""
    match term:
        case Fixed():
            return term.mean_s
        case Series():
            return sum(map(_fixed_s, term.terms))
        case Repeated():
            return term.times * _fixed_s(term.term)
        case Mixture():
            return sum(share * _fixed_s(each) for share, each in term.options)
    return 0.0
