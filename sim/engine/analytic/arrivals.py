"""Variation of open arrivals at the stations along a path, and its effect on the wait.

Where no arrival is closed, the wait is multiplied by (9), with squared coefficients of variation c_a² of
interarrival (Poisson: 1, periodic: 0) and c_s² of service times; departures (10) give c_a² at the next station:

    (c_a² + c_s²) / (1 + c_s²) exp(x),
        x = -2 (1 - ρ) (1 - c_a²)² / (3 ρ (c_a² + c_s²)) if c_a² ≤ 1,
        x = -(1 - ρ) (c_a² - 1) / (c_a² + 4 c_s²) otherwise        (9)
    c_d² = 1 + (1 - ρ²) (c_a² - 1) + ρ² (max(c_s², 0.2) - 1) / √c        (10)

c_a² is followed through stations and constant delays from the start of a path; anything else mixes the clients,
and arrivals count as Poisson from there on.

Whitt, "The queueing network analyzer", Bell System Technical Journal 62 (1983); Krämer and Langenbach-Belz,
"Approximate formulae for the delay in the queueing system GI/G/1", 8th International Teletraffic Congress (1976);
several servers: Allen, *Probability, Statistics, and Queueing Theory*, 1990 (Allen and Cunneen).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from sim.engine.analytic.stations import Chain, Node, Visit
from sim.engine.model.distributions import PerItem, variance
from sim.engine.model.places import Place
from sim.engine.model.steps import Delay, Hold, Use
from sim.engine.model.workloads import Open, Periodic


def set_arrival_variations(chains: Iterable[Chain], node_of: Callable[[Place], Node]) -> None:
    """Set the arrival variation of the visits of open ``chains``."""
    for chain in chains:
        if isinstance(chain.workload, Open):
            _follow_path(chain, 0.0 if isinstance(chain.workload.arrivals, Periodic) else 1.0, node_of)


def _follow_path(chain: Chain, arrival_variation: float, node_of: Callable[[Place], Node]) -> None:
    for step in chain.workload.path:
        if isinstance(step, Delay) and not isinstance(step.time, PerItem) and not variance(step.time):
            continue
        if not isinstance(step, Use | Hold):
            return
        node = node_of(step.place)
        visits = [visit for visit in node.visits if visit.chain is chain]
        if chain.copies > 1 or node.copies > 1 or len(visits) > 1 or visits[0].visits != 1.0:
            return
        visits[0].arrival_variation = arrival_variation
        if isinstance(step, Hold):
            return
        arrival_variation = _departure_variation(node, visits[0], arrival_variation)


def _departure_variation(node: Node, visit: Visit, arrival_variation: float) -> float:
    # Equation 10.
    busy = min(node.utilisation, 1.0)
    served = visit.square_s2 / visit.work_s**2 - 1.0 if visit.work_s else 0.0
    return (
        1.0
        + (1.0 - busy**2) * (arrival_variation - 1.0)
        + busy**2 * (max(served, 0.2) - 1.0) / math.sqrt(node.servers)
    )


def regularity_factor(node: Node) -> float:
    """Wait at ``node`` over the wait after Poisson arrivals: equation 9."""
    arrival_rate = work = square = weighted_variation = 0.0
    for visit in node.visits:
        arrival_rate += visit.request_rate * visit.visits
        weighted_variation += visit.request_rate * visit.visits * visit.arrival_variation
        work += visit.request_rate * visit.work_s
        square += visit.request_rate * visit.square_s2
    if not work:
        return 1.0
    served = max(square * arrival_rate / work**2 - 1.0, 0.0)
    return factor_of(min(work / node.servers, 1.0), weighted_variation / arrival_rate, served)


def factor_of(busy: float, arriving: float, served: float) -> float:
    """Equation 9 for a place of utilisation ``busy``, by squared variations of arrivals and services."""
    both, idle = arriving + served, 1.0 - busy
    if both <= 0.0:
        return 0.0
    if arriving <= 1.0:
        power = -2.0 * idle * (1.0 - arriving) ** 2 / (3.0 * (1.0 - idle) * both)
    else:
        power = -idle * (arriving - 1.0) / (arriving + 4.0 * served)
    return both / (1.0 + served) * math.exp(power)
