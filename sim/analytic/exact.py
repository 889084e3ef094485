"""Exact mean-value analysis, where a model has the product form and is small enough."""

from __future__ import annotations

import math

from sim.analytic.closed_forms import mva_classes
from sim.analytic.moments import Term
from sim.analytic.stations import Chain, Node
from sim.analytic.terms import Fixed, Mixture, Repeated, Series, Served
from sim.model.places import Station

MOST_STATES = 20_000
"""Populations times stations up to which the exact recursion is taken."""


def exactly(chains: list[Chain], nodes: list[Node]) -> bool:
    """Solve exactly if that is possible; whether it was.

    Closed chains, and stations of one server whose times are exponential with one mean for all who come: what
    Baskett, Chandy, Muntz and Palacios, "Open, closed, and mixed networks of queues with different classes of
    customers", J. ACM 22 (1975), ask of a first come, first served station. Alike workloads would be classes of
    their own.
    """
    if any(chain.copies > 1 or math.isinf(chain.clients) or not _plain(chain.term) for chain in chains):
        return False
    if any(node.copies > 1 or not _exponential(node) for node in nodes):
        return False
    populations = [int(chain.clients) for chain in chains]
    if math.prod(each + 1 for each in populations) * len(nodes) > MOST_STATES or not nodes:
        return False
    demands = [
        [sum(each.work_s for each in node.visits if each.chain is chain) for node in nodes] for chain in chains
    ]
    delays = [chain.think_s + _fixed_s(chain.term) for chain in chains]
    for row, (chain, found) in enumerate(zip(chains, mva_classes(demands, populations, delays), strict=True)):
        chain.throughput = found.throughput
        chain.response_s = chain.clients / found.throughput - chain.think_s
        for node, residence_s, demand in zip(nodes, found.residence_s, demands[row], strict=True):
            visits = [each for each in node.visits if each.chain is chain]
            for each in visits:
                each.wait_s = (residence_s - demand) / sum(other.visits for other in visits)
    return True


def _plain(term: Term) -> bool:
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
    if not isinstance(node.place, Station) or node.servers > 1:
        return False
    means = {round(math.log(each.work_s / each.visits), 9) for each in node.visits if each.work_s}
    alike = all(math.isclose(each.square_s2 * each.visits, 2.0 * each.work_s**2) for each in node.visits)
    return len(means) == 1 and alike and all(each.work_s for each in node.visits)


def _fixed_s(term: Term) -> float:
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
