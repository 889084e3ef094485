"""Closed forms of textbooks with which simulations are compared, beside those of the engine itself.

Every formula is exact for first come, first served. Rates are in jobs/s, times in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim.engine.analytic.closed_forms import NetworkSteady, Steady, erlang_c


def mm1(arrival_rate: float, service_s: float) -> Steady:
    """M/M/1: Kleinrock, *Queueing Systems*, volume 1, section 3.2."""
    return mg1(arrival_rate, service_s, cv=1.0)


def md1(arrival_rate: float, service_s: float) -> Steady:
    """M/D/1: Kleinrock, *Queueing Systems*, volume 1, chapter 5."""
    return mg1(arrival_rate, service_s, cv=0.0)


def mg1(arrival_rate: float, service_s: float, cv: float) -> Steady:
    """M/G/1 by the Pollaczek-Khinchine mean value formula: Kleinrock, *Queueing Systems*, volume 1, chapter 5.

    ``cv`` is the coefficient of variation of the service times.
    """
    utilisation = arrival_rate * service_s
    waiting_s = utilisation * service_s * (1.0 + cv * cv) / (2.0 * (1.0 - utilisation))
    return Steady.of(arrival_rate, service_s, 1, waiting_s)


def mm1_response_percentile(arrival_rate: float, service_s: float, share: float) -> float:
    """Seconds within which a ``share`` of the jobs of an M/M/1 queue is done: Jain, *The Art of Computer Systems
    Performance Analysis*, box 31.1."""
    return -mm1(arrival_rate, service_s).response_s * math.log1p(-share)


def mmc(arrival_rate: float, service_s: float, servers: int) -> Steady:
    """M/M/c: Kleinrock, *Queueing Systems*, volume 1, section 3.5."""
    load = arrival_rate * service_s
    waiting_s = erlang_c(load, servers) * service_s / (servers - load)
    return Steady.of(arrival_rate, service_s, servers, waiting_s)


def mva(demands_s: Sequence[float], clients: int, think_s: float = 0.0) -> NetworkSteady:
    """One class of clients by exact mean-value analysis: Jain, section 34.2. ``demands_s``: shape (stations,)."""
    queues = [0.0] * len(demands_s)
    for population in range(1, clients + 1):
        residences = [demand * (1.0 + queue) for demand, queue in zip(demands_s, queues, strict=True)]
        throughput = population / (think_s + math.fsum(residences))
        queues = [throughput * residence for residence in residences]
    utilisation = tuple(throughput * demand for demand in demands_s)
    return NetworkSteady(throughput, math.fsum(residences), tuple(residences), utilisation, tuple(queues))
