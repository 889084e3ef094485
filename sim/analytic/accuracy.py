"""How far an approximate answer may be off, by what is in the model.

Of every mechanism that is computed approximately, random models were simulated until throughput was known to a
percent (``benchmarks/accuracy.py``): nine of ten were within the factor given here. A model with several
mechanisms is taken to be as far off as the worst of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.analytic.stalls import opened
from sim.analytic.stations import Chain, Node
from sim.model.places import Lock, Pool, Station
from sim.model.steps import Await, Fork, Hold, Lookup, Put, Step, Take, iter_steps
from sim.model.workloads import Open, Workload
from sim.statistics.estimates import Estimate

CONFIDENCE = 0.9


@dataclass(frozen=True)
class Accuracy:
    """What nine of ten models like this are within.

    Attributes:
        what: the mechanism that makes it so.
        throughput, latency: the greatest factor by which they are off, either way, less one.
    """

    what: str
    throughput: float
    latency: float

    @property
    def warning(self) -> str:
        """One line for whoever reads the answer."""
        return (
            f"approximate: nine of ten models like this one ({self.what}) are within ±{self.throughput:.0%} in "
            f"throughput, ±{self.latency:.0%} in latency; simulate to be sure"
        )


def around(value: float, factor: float, most: float = math.inf) -> Estimate:
    """``value`` with the interval of such a ``factor``, of which nothing is above ``most``."""
    return Estimate(value, value / (1.0 + factor), min(value * (1.0 + factor), most), CONFIDENCE)


STUDIED = {
    each.what: each
    for each in (
        Accuracy("stations", 0.05, 0.06),
        Accuracy("several kinds of clients", 0.09, 0.10),
        Accuracy("arrivals from outside", 0.01, 0.10),
        Accuracy("lock", 0.04, 0.05),
        Accuracy("read-write lock", 0.31, 0.34),
        Accuracy("pool", 0.08, 0.08),
        Accuracy("hold inside a hold", 0.20, 0.26),
        Accuracy("fork", 0.12, 0.13),
        Accuracy("gate", 0.09, 0.10),
        Accuracy("buffer", 0.06, 0.06),
        Accuracy("cache", 0.03, 0.06),
        Accuracy("several mechanisms", 0.10, 0.10),
        Accuracy("open beside closed", 0.17, 0.24),
        Accuracy("open beside closed at a read-write lock", 0.45, 0.73),
    )
}
"""As the study found, rounded up; the table is in ``docs/analytic.md``."""


def accuracy(chains: Iterable[Chain], nodes: Iterable[Node]) -> Accuracy:
    """How far off the answer for ``chains`` that meet at ``nodes`` may be."""
    names = (*_found([chain.workload for chain in chains]), *_beside(nodes))
    found = [STUDIED[name] for name in names]
    worst = max(found, key=lambda each: (each.latency, each.throughput))
    return Accuracy(worst.what, max(each.throughput for each in found), worst.latency)


def _found(workloads: list[Workload]) -> Iterator[str]:
    """What is in a model, by the names of the study."""
    yield "stations"
    closed = [workload for workload in workloads if not isinstance(workload, Open)]
    mechanisms = {
        name for workload in workloads for step in iter_steps(workload.path) for name in _mechanism(step)
    }
    if len(closed) > 1 and not mechanisms:
        yield "several kinds of clients"
    if len(closed) < len(workloads):
        yield "arrivals from outside"
    if len(mechanisms) > 1:
        yield "several mechanisms"
    yield from sorted(mechanisms)


def _beside(nodes: Iterable[Node]) -> Iterator[str]:
    """Where closed clients and open ones wait for the same."""
    for node in nodes:
        exclusive = {each.exclusive for each in node.visits}
        meet = any(map(opened, node.visits)) and not all(each.free for each in node.visits)
        if isinstance(node.place, Station | Lock | Pool) and meet and True in exclusive:
            yield "open beside closed at a read-write lock" if False in exclusive else "open beside closed"


def _mechanism(step: Step) -> Iterator[str]:
    match step:
        case Hold():
            exclusive = step.exclusive or isinstance(step.held, Pool)
            yield ("pool" if isinstance(step.held, Pool) else "lock") if exclusive else "read-write lock"
            if any(isinstance(each, Hold) for each in iter_steps(step.steps)):
                yield "hold inside a hold"
        case Fork() if step.wait:
            yield "fork"
        case Await():
            yield "gate"
        case Put() | Take():
            yield "buffer"
        case Lookup():
            yield "cache"
