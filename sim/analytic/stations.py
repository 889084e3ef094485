"""What the fixed point works on: chains of alike clients, and what they ask of nodes.

A *chain* stands for all workloads that nothing but names tells apart, a *node* for all places likewise. A
*visit* is what one chain asks of one node in one walk, with the mean wait found so far; everything that waits
for something waits through a visit. Times in seconds, rates per second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim.analytic.moments import Term
from sim.model.places import Place
from sim.model.workloads import Closed, Workload


@dataclass(eq=False)
class Chain:
    """``copies`` alike workloads.

    Attributes:
        clients: of one workload; infinite for an open one.
        think_s: mean; a closed client's time between walks.
        throughput: walks per second of one workload.
        term: its path.
        response_s: mean seconds of one walk.
        alone: mean and variance of the seconds of a think and a walk in which nobody waits.
        present: which share of its clients are there; less than 1 only to see what a client fewer would change.
    """

    workload: Workload
    copies: int
    throughput: float = 0.0
    response_s: float = 0.0
    alone: tuple[float, float] = (0.0, 0.0)
    clients: float = field(init=False)
    think_s: float = field(init=False)
    present: float = field(init=False)
    term: Term = field(init=False)

    def __post_init__(self) -> None:
        closed = self.workload if isinstance(self.workload, Closed) else None
        self.think_s = closed.think.mean if closed and closed.think else 0.0
        self.thin(1.0)

    @property
    def active(self) -> float:
        """The part of the present walks in which a client does not wait."""
        return min(self.alone[0] * self.throughput / self.clients, 1.0)

    @property
    def variation(self) -> float:
        """The squared coefficient of variation of a walk in which nobody waits; 1 of open arrivals."""
        mean_s, variance_s2 = self.alone
        return variance_s2 / mean_s**2 if mean_s and math.isfinite(self.clients) else 1.0

    def thin(self, present: float) -> None:
        """Let only this share of its clients be there."""
        self.present = present
        self.clients = present * self.workload.clients if isinstance(self.workload, Closed) else math.inf


@dataclass(frozen=True, eq=False)
class Strand:
    """A line of a chain's clients that follow one another: the walk itself, or alike branches of a fork.

    Attributes:
        free: whether nobody waits for it (open arrivals, branches left behind): any number may be on their way.
    """

    chain: Chain
    free: bool


@dataclass(eq=False)
class Visit:
    """What ``strand`` asks of ``node`` in one walk, within the same holds.

    Attributes:
        most: clients of the strand that the holds around let come here at a time.
        abreast: how many alike branches of one walker come at the same time.
        visits: a walk.
        spread: how many of the alike places one workload may turn to.
        work_s: seconds of service or holding, a walk; at a buffer between two sides, the amount moved.
        square_s2: the sum of the second moments of the visits' times, a walk.
        means_s2: the sum of the squared means of the steps' times: what is more in ``square_s2`` is by chance.
        wait_s: mean wait a visit.
        exclusive: whether a lock is wanted for itself alone.
        elasticity: by which share what is queued, and what is in service, falls when a chain has so small a share
            fewer clients, divided by that share.
        around: the visits of the holds around it.
        constant: the part of ``work_s``, ``square_s2`` and ``means_s2`` that does not depend on the waits inside.
        varies: whether there is another part.
        row: where it stands among all visits.
        turns: visits one after the other in a walk.
        room: clients that the holds around let come to one place at a time, however many workloads share them.
        coming: squared coefficient of variation of the times between arrivals, of open ones; 1 for Poisson.
    """

    node: Node
    strand: Strand
    most: float
    spread: int
    visits: float = 0.0
    abreast: int = 1
    work_s: float = 0.0
    square_s2: float = 0.0
    means_s2: float = 0.0
    wait_s: float = 0.0
    exclusive: bool = True
    around: tuple[Visit, ...] = ()
    constant: tuple[float, float, float] = (0.0, 0.0, 0.0)
    varies: bool = False
    elasticity: dict[Chain, tuple[float, float]] = field(default_factory=dict)
    row: int = 0
    turns: float = 0.0
    room: float = math.inf
    coming: float = 1.0
    chain: Chain = field(init=False)
    free: bool = field(init=False)
    ratio: float = field(init=False)

    def __post_init__(self) -> None:
        self.chain, self.free = self.strand.chain, self.strand.free
        self.ratio = self.chain.copies / self.node.copies

    @property
    def per_place(self) -> float:
        """Walks of the whole chain a second, for each of the alike places."""
        return self.chain.throughput * self.ratio

    @property
    def busy(self) -> float:
        """Mean servers or tokens of one place that it keeps in use."""
        return self.per_place * self.work_s

    @property
    def sources(self) -> float:
        """Clients that may be at one place through this visit."""
        return min(self.most * self.chain.present * self.spread * self.ratio, self.room)

    def lets_to(self, visit: Visit) -> float:
        """Clients that are let to the place of ``visit`` by all places like this that lead there."""
        leading = visit.spread * self.node.copies / (visit.node.copies * self.spread)
        return self.node.servers * max(leading, 1.0)

    @property
    def walkers(self) -> float:
        """Clients that may be at one place, whatever is held around this visit."""
        return self.chain.clients * self.spread * self.ratio

    @property
    def inflation(self) -> float:
        """By how many seconds a walk grows for a second more of waiting here: who is held up holds others up."""
        factor = 1.0
        for hold in self.around:
            factor *= 1.0 + hold.wait_s * hold.visits / hold.work_s if hold.work_s > 0.0 else 1.0
        return factor

    def add(self, weight: float, mean_s: float, square_s2: float) -> None:
        """Count ``weight`` times ``mean_s`` seconds of service more."""
        self.work_s += weight * mean_s
        self.square_s2 += weight * square_s2
        self.means_s2 += weight * mean_s * mean_s

    def settle(self) -> None:
        """Keep what is counted so far as the constant part, now that all of the path is read."""
        self.constant = (self.work_s, self.square_s2, self.means_s2)
        self.turns = self.visits / self.abreast
        self.room = min((hold.lets_to(self) for hold in self.around if hold.exclusive), default=math.inf)

    def restart(self) -> None:
        """Count again from the constant part."""
        self.work_s, self.square_s2, self.means_s2 = self.constant


ALWAYS = 0.999
"""Utilisation from which on a place counts as always in use."""


@dataclass(eq=False)
class Node:
    """``copies`` alike places, each with so many ``servers``, or holders at a time."""

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
        """Share of them in use."""
        return self.busy / self.servers

    @property
    def queue(self) -> float:
        """Mean clients that wait at one place, by Little's law."""
        return sum(each.per_place * each.visits * each.wait_s for each in self.visits)
