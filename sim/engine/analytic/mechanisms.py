"""Mechanisms in a model that determine the accuracy of an approximate answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sim.engine.analytic.paced import has_equal_intervals
from sim.engine.analytic.sleepers import WakeUp
from sim.engine.analytic.stalls import is_open
from sim.engine.analytic.stations import Chain, Node, Visit
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Lock, Pool, Station
from sim.engine.model.steps import Await, Delay, Fork, Hold, Lookup, Path, Put, Step, Take, iter_steps
from sim.engine.model.workloads import Open, Workload

STATIONS = "stations"
SEVERAL_KINDS = "several kinds of clients"
ARRIVALS = "arrivals from outside"
BESIDE = "open beside closed"
BESIDE_LOCK = "open beside closed at a read-write lock"
LOCK = "lock"
POOL = "pool"
READERS = "read-write lock"
NESTED = "hold inside a hold"
IN_AND_OUT = "station used inside a hold and outside"
FORK = "fork"
UNLIKE = "fork of unlike branches"
FORK_HELD = "fork inside a hold"
LEFT_BEHIND = "work left behind"
GATE = "gate"
BUFFER = "buffer"
CACHE = "cache"
SLEEPERS = "threads that sleep"
PACED = "paced work beside others"
PACED_AT_RANDOM = "work paced at random beside others"
SEVERAL = "several mechanisms"

INCLUDES = {
    READERS: {LOCK, SEVERAL_KINDS},
    IN_AND_OUT: {LOCK, POOL, SEVERAL_KINDS},
    FORK_HELD: {FORK, UNLIKE, LOCK, POOL},
    NESTED: {LOCK, POOL, IN_AND_OUT, SEVERAL_KINDS},
    SLEEPERS: {POOL, IN_AND_OUT},
    GATE: {LOCK, IN_AND_OUT, SEVERAL_KINDS},
    BUFFER: {LEFT_BEHIND},
    BESIDE: {ARRIVALS, SEVERAL_KINDS},
    BESIDE_LOCK: {ARRIVALS, BESIDE, READERS, LOCK, SEVERAL_KINDS},
    PACED: {BUFFER, FORK, UNLIKE, LEFT_BEHIND, SEVERAL_KINDS},
    PACED_AT_RANDOM: {BUFFER, FORK, UNLIKE, LEFT_BEHIND, SEVERAL_KINDS},
}
"""Mechanisms that are part of another, or were studied with it, and so are not counted beside it."""


def mechanisms(chains: Sequence[Chain], nodes: Iterable[Node]) -> tuple[str, ...]:
    """Names, as in the study, of the mechanisms of a model in which ``chains`` meet at ``nodes``."""
    nodes, workloads = list(nodes), [chain.workload for chain in chains]
    names = {name for workload in workloads for name in _of_workload(workload)}
    names.update(name for node in nodes for name in _of_place(node))
    names.update(_of_paces(workloads))
    if any(isinstance(workload, Open) for workload in workloads):
        names.add(ARRIVALS)
    counted = sorted(names.difference(*(INCLUDES.get(name, ()) for name in names)))
    return (*counted, SEVERAL) if len(counted) > 1 else tuple(counted) or (STATIONS,)


@once_for_each
def _of_workload(workload: Workload) -> frozenset[str]:
    return frozenset(name for step in iter_steps(workload.path) for name in _of_step(step))


def _of_step(step: Step) -> Iterator[str]:
    match step:
        case Hold():
            exclusive = step.exclusive or isinstance(step.held, Pool)
            yield (POOL if isinstance(step.held, Pool) else LOCK) if exclusive else READERS
            inside = list(iter_steps(step.steps))
            if any(isinstance(each, Hold) for each in inside):
                yield NESTED
            if any(isinstance(each, Fork) and each.wait for each in inside):
                yield FORK_HELD
        case Fork() if not step.wait:
            yield LEFT_BEHIND
        case Fork():
            yield FORK if len(set(map(_times, step.branches))) == 1 else UNLIKE
        case Await():
            yield GATE
        case Put() | Take():
            yield BUFFER
        case Lookup():
            yield CACHE
        case WakeUp():
            yield SLEEPERS


def _times(branch: Path) -> tuple[object, ...]:
    """Steps of a branch with their times, without places."""
    return tuple((type(step), getattr(step, "time", None)) for step in iter_steps(branch))


def _of_place(node: Node) -> Iterator[str]:
    """Mechanisms of a place where different clients meet, or clients with and without a hold."""
    modes = {each.exclusive for each in node.visits}
    meet = any(map(is_open, node.visits)) and not all(each.free for each in node.visits)
    if isinstance(node.place, Station | Lock | Pool):
        if meet and True in modes:
            yield BESIDE_LOCK if False in modes else BESIDE
        if len({each.chain for each in node.visits if not each.free}) > 1:
            yield SEVERAL_KINDS
    if isinstance(node.place, Station) and len({_held(each) for each in node.visits}) > 1:
        yield IN_AND_OUT


def _held(visit: Visit) -> tuple[int, ...]:
    """Identities of the pools and locks around ``visit``."""
    return tuple(id(hold.node) for hold in visit.holds if isinstance(hold.node.place, Lock | Pool))


def _of_paces(workloads: list[Workload]) -> Iterator[str]:
    """The mechanism of pacing, if some workloads go at the pace of tokens, and others at full speed."""
    paces = [workload for workload in workloads if all(isinstance(step, Delay | Put) for step in workload.path)]
    tokens = {step.buffer for pace in paces for step in pace.path if isinstance(step, Put)}
    takes = [
        any(isinstance(step, Take) and step.buffer in tokens for step in iter_steps(each.path))
        for each in workloads
        if each not in paces
    ]
    if any(takes) and not all(takes):
        yield PACED if all(map(has_equal_intervals, paces)) else PACED_AT_RANDOM
