"""Accuracy of an approximate answer, by the mechanisms in the model.

For every mechanism that is computed approximately, random models were simulated until throughput was known to a
percent (``benchmarks/accuracy.py``): nine of ten were within the factor given here. A model with several
mechanisms counts as inaccurate as the worst of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.analytic.paced import has_equal_intervals
from sim.analytic.sleepers import WakeUp
from sim.analytic.stalls import is_open
from sim.analytic.stations import Chain, Node
from sim.model.once import once_for_each
from sim.model.places import Lock, Pool, Station
from sim.model.steps import Await, Delay, Fork, Hold, Lookup, Put, Step, Take, iter_steps
from sim.model.workloads import Open, Workload
from sim.statistics.estimates import Estimate

CONFIDENCE = 0.9


@dataclass(frozen=True)
class Accuracy:
    """The factors within which nine of ten models of a kind are.

    Attributes:
        what: the mechanism that determines them.
        throughput: largest factor between answer and simulation, either way, less one.
        latency: likewise.
    """

    what: str
    throughput: float
    latency: float

    @property
    def warning(self) -> str:
        """The warning that an approximate answer carries, one line."""
        return (
            f"approximate: nine of ten models like this one ({self.what}) are within ±{self.throughput:.0%} in "
            f"throughput, ±{self.latency:.0%} in latency; simulate to be sure"
        )


def around(value: float, factor: float, most: float = math.inf) -> Estimate:
    """``value`` with the interval of a factor of 1 + ``factor`` either way; nothing of it is above ``most``."""
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
        Accuracy("threads that sleep", 0.07, 0.11),
        Accuracy("open beside closed", 0.17, 0.24),
        Accuracy("open beside closed at a read-write lock", 0.45, 0.73),
        Accuracy("paced work beside others", 0.08, 0.12),
    )
}
"""Results of the study, rounded up; the table is in ``docs/analytic.md``."""

PACED_AT_RANDOM = Accuracy("work paced at random beside others", 1.20, 1.20)
"""Of the worst of eleven rebuilds by the rule that such work still has, of which no random models were made: its
clients are taken to come as others do.
"""


def accuracy(chains: Iterable[Chain], nodes: Iterable[Node]) -> Accuracy:
    """Accuracy of the answer for ``chains`` that meet at ``nodes``."""
    workloads = [chain.workload for chain in chains]
    names = (*_mechanisms(workloads), *_beside(nodes))
    studied = [STUDIED[name] for name in names]
    paces = [each for each in workloads if _is_pace(each)]
    if _beside_others(paces, workloads):
        paced = all(map(has_equal_intervals, paces))
        studied.append(STUDIED["paced work beside others"] if paced else PACED_AT_RANDOM)
    worst = max(studied, key=lambda row: (row.latency, row.throughput))
    return Accuracy(worst.what, max(row.throughput for row in studied), worst.latency)


def _mechanisms(workloads: list[Workload]) -> Iterator[str]:
    """The mechanisms of a model, by their names in the study."""
    yield "stations"
    closed = [workload for workload in workloads if not isinstance(workload, Open)]
    mechanisms = frozenset[str]().union(*map(_of_workload, workloads))
    if len(closed) > 1 and not mechanisms:
        yield "several kinds of clients"
    if len(closed) < len(workloads):
        yield "arrivals from outside"
    if len(mechanisms) > 1:
        yield "several mechanisms"
    yield from sorted(mechanisms)


@once_for_each
def _of_workload(workload: Workload) -> frozenset[str]:
    return frozenset(name for step in iter_steps(workload.path) for name in _mechanism(step))


def _is_pace(workload: Workload) -> bool:
    return all(isinstance(step, Delay | Put) for step in workload.path)


def _beside_others(paces: list[Workload], workloads: list[Workload]) -> bool:
    """Whether some go on at ``paces`` only, and others as fast as they can."""
    tokens = {step.buffer for pace in paces for step in pace.path if isinstance(step, Put)}
    others = [each for each in workloads if each not in paces]
    takes = [
        any(isinstance(step, Take) and step.buffer in tokens for step in iter_steps(each.path)) for each in others
    ]
    return any(takes) and not all(takes)


def _beside(nodes: Iterable[Node]) -> Iterator[str]:
    """The mechanisms of places where closed and open clients meet."""
    for node in nodes:
        exclusive = {each.exclusive for each in node.visits}
        meet = any(map(is_open, node.visits)) and not all(each.free for each in node.visits)
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
        case WakeUp():
            yield "threads that sleep"
