"""Locks and pools that clients take in different orders, which leads to a deadlock.

A client that holds one place and waits for another is an edge. If edges form a cycle, each of some clients may
hold what the next one waits for, and none goes on (Coffman, Elphick and Shoshani, "System deadlocks", ACM
Computing Surveys 3 (1971), 67-78). A lock that all of them hold outside the cycle admits only one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.engine.model.demands import capacity
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Lock, Place
from sim.engine.model.steps import Fork, Hold, Path
from sim.engine.model.uses import uses
from sim.engine.model.workloads import Closed

Edges = dict[tuple[Place, Place], frozenset[Place]]
"""Edges (held place, awaited place), each with the places held outside both in all its occurrences."""


@once_for_each
def circle(model: Model) -> tuple[str, ...]:
    """Names of places in a cycle: each is waited for inside the one before; empty if there is none."""
    holding = uses(model).holding
    held = {place: how for place, how in holding.items() if not how.free}
    edges: Edges = {}
    for workload in model.workloads:
        for inside, waits, around in _waits(workload.path, ()):
            if inside in held and waits in held:
                edges[inside, waits] = edges.get((inside, waits), around) & around
    clients = sum(each.clients if isinstance(each, Closed) else 1 << 30 for each in model.workloads)
    for cycle in _circles(edges):
        guards = frozenset.intersection(*(edges[pair] for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True)))
        full = sum(-(-capacity(place) // held[place].tokens) for place in cycle)
        if not guards and full <= clients:
            return tuple(place.name for place in cycle)
    return ()


def _waits(path: Path, held: tuple[Hold, ...]) -> Iterator[tuple[Place, Place, frozenset[Place]]]:
    """Yield a held place, a place waited for inside, and the places held alone outside the former."""
    for step in path:
        inside = held
        if isinstance(step, Hold):
            for number, outer in enumerate(held):
                yield outer.held, step.held, frozenset(each.held for each in held[:number] if _alone(each))
            inside = (*held, step)
        for inner in step.inner:
            yield from _waits(inner, () if isinstance(step, Fork) and step.leaves else inside)


def _circles(edges: Edges) -> Iterator[tuple[Place, ...]]:
    """A shortest cycle through each place that is on one."""
    after: dict[Place, list[Place]] = {}
    for inside, waits in edges:
        after.setdefault(inside, []).append(waits)
    for first in after:
        ways: list[tuple[Place, ...]] = [(first,)]
        met = {first}
        while ways:
            way = ways.pop(0)
            for place in after.get(way[-1], ()):
                if place == first:
                    yield way
                    ways = []
                    break
                if place not in met:
                    met.add(place)
                    ways.append((*way, place))


def _alone(hold: Hold) -> bool:
    """True if no other client can hold as much of the place at the same time."""
    return hold.exclusive if isinstance(hold.held, Lock) else 2 * hold.tokens > hold.held.tokens
