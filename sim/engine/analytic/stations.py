"""Parts of the network: chains of identical workloads, nodes, and visits of chains to nodes.

A *chain* stands for all identical workloads, a *node* for all identical places. A *visit* is the demand of one
chain at one node in one request, with the mean wait there, which the fixed point determines. Times are in
seconds, rates per second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim.engine.analytic.moments import Term
from sim.engine.model.places import Place
from sim.engine.model.workloads import Closed, Workload


@dataclass(eq=False)
class Chain:
    """``copies`` identical workloads.

    Attributes:
        clients: clients of one workload; infinite for an open one.
        think_s: mean think time of a closed client between two requests.
        throughput: requests per second of one workload.
        term: its path, as an expression of the waits along it.
        before: the part of the term before the request; None if there is none.
        response_s: mean response time of one request, including the steps before it.
        unqueued: mean and variance of think time plus a request without waiting.
        population_share: share of its clients that are present; below 1 only while elasticities are computed.
    """

    workload: Workload
    copies: int
    throughput: float = 0.0
    response_s: float = 0.0
    before: Term | None = None
    unqueued: tuple[float, float] = (0.0, 0.0)
    clients: float = field(init=False)
    think_s: float = field(init=False)
    population_share: float = field(init=False)
    term: Term = field(init=False)

    def __post_init__(self) -> None:
        closed = self.workload if isinstance(self.workload, Closed) else None
        self.think_s = closed.think.mean if closed and closed.think else 0.0
        self.perturb(1.0)

    @property
    def latency_s(self) -> float:
        """Mean response time of one request alone."""
        return self.response_s - (self.before.moments()[0] if self.before else 0.0)

    @property
    def active(self) -> float:
        """Share of a cycle (think time and request) in which a client does not wait."""
        return min(self.unqueued[0] * self.throughput / self.clients, 1.0)

    @property
    def variation(self) -> float:
        """Squared coefficient of variation of a cycle without waiting; 1 for open arrivals."""
        mean_s, variance_s2 = self.unqueued
        mean_s2 = mean_s**2  # 0 also for times so short that they underflow
        return variance_s2 / mean_s2 if mean_s2 and math.isfinite(self.clients) else 1.0

    def perturb(self, population_share: float) -> None:
        """Set the population to this share of the workload's clients; 1 restores it."""
        self.population_share = population_share
        self.clients = population_share * self.workload.clients if isinstance(self.workload, Closed) else math.inf


@dataclass(frozen=True, eq=False)
class Flow:
    """One sequence of steps of a chain: the request itself, or identical branches of a fork.

    Attributes:
        free: True if nobody waits for its end (open arrivals, branches left behind), so that the number of
            processes in it has no limit.
    """

    chain: Chain
    free: bool


@dataclass(eq=False)
class Visit:
    """Demand of ``flow`` at ``node`` in one request, within the same holds.

    Attributes:
        most: processes of the flow that the holds around it admit here at a time.
        parallelism: identical branches of one request that arrive together.
        visits: per request.
        fan_out: number of the node's identical places that one workload uses.
        work_s: service time or holding time per request, all visits together (the service demand); at a
            decoupled buffer, the amount moved.
        square_s2: sum of the second moments of the visits' times, per request.
        means_s2: sum of the squared mean times of the steps, per request; their variance makes up the rest of
            ``square_s2``.
        wait_s: mean wait of a visit.
        exclusive: True if a lock is held exclusively.
        elasticity: for a chain, the elasticities of the queued work and of the work in service with respect to its
            population (equation 5 of docs/dev/analytic.md).
        holds: visits of the holds around it, outermost first.
        constant: the part of ``work_s``, ``square_s2`` and ``means_s2`` that does not depend on waits.
        depends_on_waits: True if there is another part.
        row: index among all visits of the network.
        sequential_visits: visits per request that follow one another: ``visits`` / ``parallelism``.
        capacity_share: processes that the exclusive holds around it admit to one place at a time, whichever
            workloads they belong to.
        arrival_variation: squared coefficient of variation of the times between open arrivals; 1 for Poisson.
    """

    node: Node
    flow: Flow
    most: float
    fan_out: int
    visits: float = 0.0
    parallelism: int = 1
    work_s: float = 0.0
    square_s2: float = 0.0
    means_s2: float = 0.0
    wait_s: float = 0.0
    exclusive: bool = True
    holds: tuple[Visit, ...] = ()
    constant: tuple[float, float, float] = (0.0, 0.0, 0.0)
    depends_on_waits: bool = False
    elasticity: dict[Chain, tuple[float, float]] = field(default_factory=dict)
    row: int = 0
    sequential_visits: float = 0.0
    capacity_share: float = math.inf
    arrival_variation: float = 1.0
    chain: Chain = field(init=False)
    free: bool = field(init=False)
    ratio: float = field(init=False)

    def __post_init__(self) -> None:
        self.chain, self.free = self.flow.chain, self.flow.free
        self.ratio = self.chain.copies / self.node.copies

    @property
    def request_rate(self) -> float:
        """Requests per second of the whole chain, per identical place."""
        return self.chain.throughput * self.ratio

    @property
    def busy(self) -> float:
        """Mean servers or tokens of one place in use by it: the utilisation law."""
        return self.request_rate * self.work_s

    @property
    def sources(self) -> float:
        """Largest number of processes at one place through this visit."""
        return min(self.most * self.chain.population_share * self.fan_out * self.ratio, self.capacity_share)

    def admitted_to(self, visit: Visit) -> float:
        """Processes that all places identical to this one, when held, admit to one place of ``visit``."""
        leading = visit.fan_out * self.node.copies / (visit.node.copies * self.fan_out)
        return self.node.servers * max(leading, 1.0)

    @property
    def unlimited_sources(self) -> float:
        """Largest number of processes at one place without holds around this visit."""
        return self.chain.clients * self.fan_out * self.ratio

    @property
    def inflation(self) -> float:
        """Increase of a request's time per second of additional wait here: equation 14 of docs/dev/analytic.md.

        A process that waits inside a hold keeps others waiting before it.
        """
        factor = 1.0
        for hold in self.holds:
            factor *= 1.0 + hold.wait_s * hold.visits / hold.work_s if hold.work_s > 0.0 else 1.0
        return factor

    def add(self, weight: float, mean_s: float, square_s2: float) -> None:
        """Add ``weight`` visits of mean ``mean_s`` and second moment ``square_s2``."""
        self.work_s += weight * mean_s
        self.square_s2 += weight * square_s2
        self.means_s2 += weight * mean_s * mean_s

    def freeze_constants(self) -> None:
        """Store the present sums as the constant part; called when all paths are read."""
        self.constant = (self.work_s, self.square_s2, self.means_s2)
        self.sequential_visits = self.visits / self.parallelism
        self.capacity_share = min(
            (hold.admitted_to(self) for hold in self.holds if hold.exclusive), default=math.inf
        )

    def reset(self) -> None:
        """Discard all but the constant part."""
        self.work_s, self.square_s2, self.means_s2 = self.constant


ALWAYS = 0.999
"""Utilisation from which a place counts as always in use."""


@dataclass(eq=False)
class Node:
    """``copies`` identical places, each with ``servers`` servers, or holders at a time."""

    place: Place
    copies: int
    servers: int
    visits: list[Visit] = field(default_factory=list)

    @property
    def busy(self) -> float:
        """Mean servers or tokens in use at one place."""
        total = 0.0
        for each in self.visits:
            total += each.busy
        return total

    @property
    def utilisation(self) -> float:
        """Share of servers or tokens in use."""
        return self.busy / self.servers

    @property
    def queue(self) -> float:
        """Mean number of processes that wait at one place, by Little's law."""
        return sum(each.request_rate * each.visits * each.wait_s for each in self.visits)
