"""How paths use the places of a model: how many clients at once, inside which holds, once for a whole batch.

A step is *batched* if the clients that one `Gather` takes share it: the write and the flush of a group commit. The
more clients there are, the larger is a batch: a place of batched steps may be always in use, and still not limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.model.demands import capacity
from sim.model.model import Model
from sim.model.once import once_for_each
from sim.model.places import Lock, Place, Pool
from sim.model.steps import Choose, Fork, Gather, Hold, IfAny, Lookup, Path, Put, Step, Take, distinct_steps
from sim.model.workloads import Closed

_BRANCHING = (Choose, IfAny, Lookup)
"""Steps of whose paths a request takes one."""


@dataclass(frozen=True)
class Holding:
    """How a pool or lock is held.

    Attributes:
        tokens: the most that one holder has.
        full: tokens in use, at least, while somebody waits; 1 of a lock.
        most: tokens that all clients together can want at once.
        mixed: whether some hold a lock shared and others exclusively.
        inside: places of the steps inside.
        idle: buffers among them from which holders only take: who waits there waits for work.
    """

    place: Lock | Pool
    tokens: int
    full: int
    most: float
    mixed: bool
    inside: frozenset[Place]
    idle: frozenset[Place]

    @property
    def free(self) -> bool:
        """Whether nobody can ever wait: a lone client's own file, a pool that only counts, a lock held shared."""
        return self.most <= capacity(self.place)


@dataclass(frozen=True)
class Uses:
    """How the places of a model are used.

    Attributes:
        holding: of each pool and lock that is held.
        batched: places of batched steps.
        batchers: names of the workloads whose every request gathers a batch.
        waited: places of each workload, by its name, without those of branches that nobody waits for.
        all: places of each workload, by its name.
        puts_first: (name of a workload, buffer): whether it puts into that buffer before it takes from it.
    """

    holding: dict[Place, Holding]
    batched: frozenset[Place]
    batchers: frozenset[str]
    waited: dict[str, frozenset[Place]]
    all: dict[str, frozenset[Place]]
    puts_first: dict[tuple[str, Place], bool]


@once_for_each
def uses(model: Model) -> Uses:
    """Read the paths of ``model``."""
    batched: set[Place] = set()
    puts_first: dict[tuple[str, Place], bool] = {}
    for workload in model.workloads:
        for step in distinct_steps([workload.path]):
            if isinstance(step, Put | Take):
                puts_first.setdefault((workload.name, step.buffer), isinstance(step, Put))
    return Uses(
        holding=_holding(model),
        batchers=frozenset(each.name for each in model.workloads if _gathers(each.path, batched, each.path)),
        batched=frozenset(batched),
        waited={each.name: _places(_waited(each.path)) for each in model.workloads},
        all={each.name: _places(distinct_steps([each.path])) for each in model.workloads},
        puts_first=puts_first,
    )


def _places(steps: Iterable[Step]) -> frozenset[Place]:
    return frozenset(step.place for step in steps if step.place is not None)


def _waited(path: Path) -> Iterator[Step]:
    """The steps of ``path``, but for branches that are left behind."""
    for step in path:
        yield step
        if not (isinstance(step, Fork) and step.leaves):
            for inner in step.inner:
                yield from _waited(inner)


def _gathers(path: Path, batched: set[Place], whole: Path) -> bool:
    """Whether every request on ``path`` gathers; the places of the ``whole`` option then join ``batched``."""
    always = False
    for step in path:
        if isinstance(step, Gather):
            batched |= _places(distinct_steps([whole]))
            always = True
        elif isinstance(step, _BRANCHING):
            options = [_gathers(inner, batched, inner) for inner in step.inner]
            always |= all(options)
        else:
            inside = [_gathers(inner, batched, whole) for inner in step.inner]
            always |= any(inside)
    return always


def _holding(model: Model) -> dict[Place, Holding]:
    holds: dict[Lock | Pool, list[Hold]] = {}
    for step in model.steps():
        if isinstance(step, Hold):
            holds.setdefault(step.held, []).append(step)
    most = _most(model)
    return {place: _of(place, here, most[place]) for place, here in holds.items()}


def _of(place: Lock | Pool, holds: list[Hold], most: float) -> Holding:
    steps = list(distinct_steps(hold.steps for hold in holds))
    put = {step.buffer for step in steps if isinstance(step, Put)}
    taken = {step.buffer for step in steps if isinstance(step, Take)}
    fewest, largest, total = (
        min(each.tokens for each in holds),
        max(each.tokens for each in holds),
        capacity(place),
    )
    shared = isinstance(place, Lock) and not all(hold.exclusive for hold in holds)
    return Holding(
        place,
        tokens=largest,
        full=total // largest * largest if fewest == largest else total - largest + 1,
        most=most if not shared or any(hold.exclusive for hold in holds) else 0.0,
        mixed=shared,
        inside=_places(steps),
        idle=frozenset(taken - put),
    )


def _most(model: Model) -> dict[Place, float]:
    """Tokens of each pool and lock that all clients together can want at once."""
    total: dict[Place, float] = {}
    known: dict[int, dict[Place, float]] = {}
    for workload in model.workloads:
        clients = workload.clients if isinstance(workload, Closed) else math.inf
        for place, tokens in _at_once(workload.path, known).items():
            total[place] = total.get(place, 0.0) + clients * tokens
    return total


def _at_once(path: Path, known: dict[int, dict[Place, float]]) -> dict[Place, float]:
    """Tokens of each place that one request on ``path`` can want at once; ``known`` keeps those of steps."""
    most: dict[Place, float] = {}
    for step in path:
        if not step.inner:
            continue
        if id(step) not in known:
            known[id(step)] = _of_step(step, known)
        for place, tokens in known[id(step)].items():
            most[place] = max(most.get(place, 0.0), tokens)
    return most


def _of_step(step: Step, known: dict[int, dict[Place, float]]) -> dict[Place, float]:
    most: dict[Place, float] = {}
    for inner in step.inner:
        for place, tokens in _at_once(inner, known).items():
            before = most.get(place, 0.0)
            if isinstance(step, Fork):
                most[place] = math.inf if step.leaves else before + tokens
            else:
                most[place] = max(before, tokens)
    if isinstance(step, Hold):
        most[step.held] = most.get(step.held, 0.0) + step.tokens
    return most
