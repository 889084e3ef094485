"""Closed forms of queueing theory: parts of the analytic engine, and bounds of its answers.

Every formula is exact for the queue that its function describes: first come first served and, in open queues,
Poisson arrivals. Rates are in jobs/s and times in seconds; an offered load is the arrival rate times the
mean service time, without unit: the mean number of busy servers that the work needs.

Every number is checked. Invalid ones raise `InputError`; a load that fills the servers has no
long-run mean and raises `NoSteadyStateError`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from numbers import Integral, Real
from typing import TypeGuard

from sim.engine.errors import InputError, NoSteadyStateError


@dataclass(frozen=True)
class Steady:
    """Long-run means of one queue and its servers.

    Attributes:
        throughput: jobs/s.
        utilisation: share of the time that a server is busy, 0..1.
        waiting_s: mean time in the queue, seconds.
        response_s: mean time in the system, queue and service, seconds.
        queue: mean number of jobs waiting.
        population: mean number of jobs in the system.
    """

    throughput: float
    utilisation: float
    waiting_s: float
    response_s: float
    queue: float
    population: float

    @classmethod
    def of(cls, throughput: float, service_s: float, servers: int, waiting_s: float) -> Steady:
        """Complete the record by the utilisation law and Little's law."""
        utilisation = throughput * service_s / servers
        response_s = waiting_s + service_s
        queue, population = throughput * waiting_s, throughput * response_s
        return cls(throughput, utilisation, waiting_s, response_s, queue, population)


@dataclass(frozen=True)
class NetworkSteady:
    """Long-run means of a closed network; the tuples have one entry per station, shape (stations,).

    Attributes:
        throughput: cycles/s (jobs/s) that the clients complete together.
        response_s: mean seconds from the end of one think to the start of the next.
        residence_s: the part of ``response_s`` spent at each station, queue and service, seconds.
        utilisation: share of the time that each station is busy, 0..1.
        queue_length: mean number of jobs at each station, the one in service included.
    """

    throughput: float
    response_s: float
    residence_s: tuple[float, ...]
    utilisation: tuple[float, ...]
    queue_length: tuple[float, ...]


def erlang_b(offered_load: float, servers: int) -> float:
    """Share of jobs turned away, 0..1, by ``servers`` servers without a queue: M/G/c/c, Erlang's formula B.

    By recursion over the servers, which, unlike the factorials, cannot overflow: Cooper, *Introduction
    to Queueing Theory*, chapter 3.

    Raises:
        InputError: ``offered_load`` is not a finite number above 0, ``servers`` not a whole number above 0.
    """
    load = _positive("offered_load", offered_load)
    blocked = 1.0
    for server in range(1, _whole("servers", servers) + 1):
        blocked = load * blocked / (server + load * blocked)
    return blocked


def erlang_c(offered_load: float, servers: int) -> float:
    """Share of jobs that wait, 0..1, before ``servers`` exponential servers: M/M/c, Erlang's formula C.

    Computed from formula B: Cooper, *Introduction to Queueing Theory*, chapter 3.

    Raises:
        InputError: ``offered_load`` is not a finite number above 0, ``servers`` not a whole number above 0.
        NoSteadyStateError: the offered load is ``servers`` or more.
    """
    blocked = erlang_b(offered_load, servers)
    utilisation = _below_one(offered_load / servers)
    return blocked / (1.0 - utilisation * (1.0 - blocked))


def machine_repairman(machines: int, think_s: float, service_s: float, servers: int = 1) -> Steady:
    """``machines`` clients that think and then use one of ``servers`` servers, for ever: M/M/c//N.

    Think and service times are exponential, with means ``think_s`` and ``service_s`` seconds. The means
    are those of the servers and their queue; ``response_s`` leaves out the think time.

    Source: Kleinrock, *Queueing Systems*, volume 1, section 3.10, with room for every client.

    Raises:
        InputError: a count is not a whole number above 0, or a time not a finite number above 0.
    """
    clients, repairers = _whole("machines", machines), _whole("servers", servers)
    think, service = _positive("think_s", think_s), _positive("service_s", service_s)
    shares = _shares_of_time(clients, think, service, repairers)
    busy = math.fsum(share * min(down, repairers) for down, share in enumerate(shares))
    queue = math.fsum(share * max(down - repairers, 0) for down, share in enumerate(shares))
    throughput = busy / service
    return Steady.of(throughput, service, repairers, queue / throughput)


def mva_classes(
    demands_s: Sequence[Sequence[float]],
    clients: Sequence[int],
    think_s: Sequence[float],
    servers: Sequence[int] | None = None,
) -> tuple[NetworkSteady, ...]:
    """Classes of clients that think and then visit every station, for ever: exact mean-value analysis.

    Stations are product-form: FIFO, exponential service times with the same mean at every visit. Think times of
    mean ``think_s`` seconds may have any distribution. A demand is the service of one cycle: visits times mean
    seconds a visit.

    ``demands_s``, shape (classes, stations): 0 where a class does not go. ``clients`` and ``think_s``, shape
    (classes,); ``servers``, shape (stations,): one everywhere unless given. A record for each class; utilisation
    and queue length are its own part. The work grows with the product of all (clients + 1), times the servers.
    With several servers the shares of time lose digits as clients are added: 24 leave eight of them, 100 none.

    Source: Reiser and Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing Networks", Journal of the ACM
    27 (1980); Lazowska, Zahorjan, Graham and Sevcik, *Quantitative System Performance* (1984), sections 7.4
    and 8.2.

    Raises:
        InputError: not as many classes everywhere or stations in each class, a class without demand and
            think time, or a number out of its range.
    """
    demands = [[_not_negative(f"demands_s[{row}]", each) for each in one] for row, one in enumerate(demands_s)]
    counts = [_whole(f"clients[{row}]", each) for row, each in enumerate(clients)]
    think = [_not_negative(f"think_s[{row}]", each) for row, each in enumerate(think_s)]
    if not demands or not len(demands) == len(counts) == len(think) or len(set(map(len, demands))) > 1:
        raise InputError("demands_s, clients and think_s differ in length; allowed: one entry for each class")
    for row, (one, pause) in enumerate(zip(demands, think, strict=True)):
        if not sum(one) + pause > 0.0:
            raise InputError(f"class {row} has neither demand nor think time; allowed: some time above 0")
    stations = range(len(demands[0]))
    many = [_whole(f"servers[{place}]", each) for place, each in enumerate(servers or [1] * len(stations))]
    if len(many) != len(stations):
        raise InputError("servers and demands_s differ in length; allowed: one entry for each station")
    queues: dict[tuple[int, ...], list[float]] = {}
    shares: dict[tuple[int, ...], list[list[float]]] = {}
    solutions: list[NetworkSteady] = []
    for population in product(*(range(count + 1) for count in counts)):
        solutions = []
        total = [0.0 for _ in stations]
        work: list[list[tuple[float, list[float]]]] = [[] for _ in stations]
        for row, here in enumerate(population):
            if not here:
                continue
            # Equation 11 of docs/dev/analytic.md. Arrival theorem: a job that arrives finds the queues that the
            # network has with one client fewer.
            one_fewer = (*population[:row], here - 1, *population[row + 1 :])
            found_there = [
                (1.0 + queue + _idle(some)) / len(some)
                for queue, some in zip(queues[one_fewer], shares[one_fewer], strict=True)
            ]
            residences = [demands[row][place] * found_there[place] for place in stations]
            throughput = here / (think[row] + math.fsum(residences))
            queue = tuple(throughput * each for each in residences)
            total = [sum(pair) for pair in zip(total, queue, strict=True)]
            busy = tuple(throughput * each for each in demands[row])
            for place in stations:
                work[place].append((busy[place], shares[one_fewer][place]))
            used = tuple(each / servers for each, servers in zip(busy, many, strict=True))
            solutions.append(NetworkSteady(throughput, math.fsum(residences), tuple(residences), used, queue))
        queues[population] = total
        shares[population] = [_here(each, servers) for each, servers in zip(work, many, strict=True)]
    return tuple(solutions)


def _idle(shares: list[float]) -> float:
    """Mean servers that are idle beside the one for an arrival, by the shares of time with 0, 1, … jobs there."""
    others = len(shares) - 1
    return math.fsum((others - here) * share for here, share in enumerate(shares[:-1]))


def _here(work: list[tuple[float, list[float]]], servers: int) -> list[float]:
    """Shares of time with 0, 1, … ``servers`` - 1 jobs at a station: equation 36 of docs/dev/analytic.md.

    Args:
        work: for each class, its busy servers, and these shares with one job of the class fewer.
    """
    shares = [0.0] * servers
    for here in range(1, servers):
        shares[here] = math.fsum(busy * fewer[here - 1] for busy, fewer in work) / here
    busy = math.fsum(busy for busy, _ in work)
    some = math.fsum((servers - here) * share for here, share in enumerate(shares))
    # A difference of numbers that may be nearly equal: rounding may make it negative.
    shares[0] = max(1.0 - (busy + some) / servers, 0.0)
    return shares


def balanced_job_bounds(demands_s: Sequence[float], clients: int, think_s: float = 0.0) -> tuple[float, float]:
    """Lower and upper bound of the cycles/s of one class of `mva_classes`: balanced job bounds.

    The throughput lies between that of networks whose stations all have the largest, and all the mean demand.

    Source: Zahorjan, Sevcik, Eager and Galler, "Balanced job bound analysis of queueing networks",
    Communications of the ACM 25 (1982); as printed by Lazowska, Zahorjan, Graham and Sevcik, *Quantitative
    System Performance*, table 5.2.

    Raises:
        InputError: no stations, a demand is not a finite number above 0, ``clients`` not a whole number
            above 0, or ``think_s`` not a finite number of at least 0.
    """
    demands = [_positive(f"demands_s[{station}]", demand) for station, demand in enumerate(demands_s)]
    if not demands:
        raise InputError("demands_s is empty; allowed: the service demands of at least one station, seconds")
    think, others = _not_negative("think_s", think_s), _whole("clients", clients) - 1
    total = math.fsum(demands)
    least = others * max(demands) / (1.0 + think / ((others + 1) * total))
    most = others * total / len(demands) / (1.0 + think / total)
    upper = min(1.0 / max(demands), (others + 1) / (total + think + most))
    return (others + 1) / (total + think + least), upper


def _shares_of_time(machines: int, think_s: float, service_s: float, servers: int) -> list[float]:
    """Share of the time that 0, 1, … ``machines`` machines are down: a birth-death process in balance."""
    # In logarithms, because with a thousand machines the plain products leave the range of a float.
    ratio = math.log(service_s) - math.log(think_s)
    downs = range(1, machines + 1)
    steps = (ratio + math.log((machines - down + 1) / min(down, servers)) for down in downs)
    logs = list(accumulate(steps, initial=0.0))
    largest = max(logs)
    weights = [math.exp(log - largest) for log in logs]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _below_one(utilisation: float) -> float:
    if utilisation >= 1.0:
        raise NoSteadyStateError(
            f"the utilisation is {utilisation:g}, and only below 1 is there a steady state: "
            "lower the arrival rate or the service time, or add servers"
        )
    return utilisation


def _positive(name: str, value: object) -> float:
    if _is_number(value) and 0 < value <= sys.float_info.max:
        return float(value)
    raise InputError(f"{name} is {value!r}; allowed: a finite number above 0")


def _not_negative(name: str, value: object) -> float:
    if _is_number(value) and 0 <= value <= sys.float_info.max:
        return float(value)
    raise InputError(f"{name} is {value!r}; allowed: a finite number of at least 0")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"{name} is {value!r}; allowed: a whole number of at least 1")
    return int(value)
