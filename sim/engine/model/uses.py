"""Uses of places by the paths of a model: clients at once, nesting of holds, sharing by batches.

A step is *batched* if the clients that one `Gather` takes share it: the write and the flush of a group commit. The
more clients there are, the larger is a batch: a place of batched steps may always be in use, and still not limit.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from sim.engine.model.demands import Demands, capacity, fixed_demands_of, nets_of
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Buffer, Cache, Gate, Lock, Place, Pool
from sim.engine.model.steps import (
    Await,
    Choose,
    Fork,
    Gather,
    Hold,
    IfAny,
    Lookup,
    Path,
    Put,
    Step,
    Take,
    Use,
    distinct_steps,
)
from sim.engine.model.workloads import Closed, Workload

_BRANCHING = (Choose, IfAny, Lookup)
"""Steps of which a request takes one of the inner paths."""


@dataclass(frozen=True)
class Holding:
    """Use of a pool or lock.

    Attributes:
        tokens: the largest number of one holder.
        full: least number of tokens in use while a request waits; 1 of a lock.
        most: tokens that all clients together can want at once.
        mixed: True if some requests hold a lock shared, and others perhaps exclusively.
        inside: places of the steps inside.
        idle: buffers among them from which holders only take: waiting there is waiting for work.
        gates: True if holders may wait at a gate, for work or for a shared batch.
        asked: True if an `IfAny` tests it, and may send a request another way.
    """

    place: Lock | Pool
    tokens: int
    full: int
    most: float
    mixed: bool
    inside: frozenset[Place]
    idle: frozenset[Place]
    gates: bool
    asked: bool

    @property
    def free(self) -> bool:
        """True if no request can ever wait: a lone client's file, a pool that only counts, a lock held shared."""
        return self.most <= capacity(self.place)


@dataclass(frozen=True)
class Window:
    """A buffer of which every request holds a part for a time, as it leaves the level as it found it.

    Attributes:
        put_first: True if the level rises while it is held.
        tokens: the largest amount held by one request.
        full: least amount in use while a request waits.
        inside: places of all who use it.
    """

    buffer: Buffer
    put_first: bool
    tokens: int
    full: int
    inside: frozenset[Place]

    def used(self, share: float) -> float:
        """Use as a share of ``full``, at a mean level of ``share`` of the capacity."""
        level = share * self.buffer.capacity - self.buffer.initial
        return max(0.0, level if self.put_first else -level) / self.full


@dataclass(frozen=True)
class Batched:
    """Upper bound of a batch's demands at ``gate``, without the time for each of its clients."""

    gate: Gate
    demands: Demands


Moves = tuple[set[int], set[int]]
"""Amounts put, and amounts taken."""


@dataclass(frozen=True)
class Uses:
    """Uses of the places of a model.

    Attributes:
        holding: `Holding` of each pool and lock that is held.
        windows: `Window` of each buffer that every request leaves as it found it.
        batches: batched steps, for each `Gather`.
        batched: places of batched steps.
        batchers: names of the workloads whose every request gathers a batch.
        waited: places of each workload, by its name, without those of branches that nobody waits for.
        all: places of each workload, by its name.
        moves: amounts that steps put into each buffer, and take from it.
        puts_first: (name of a workload, buffer): True if it puts into that buffer before it takes from it.
        wanted: tokens of each pool and lock that all clients of a workload can want at once, by its name.
        signals: places that model no part of the stack, but only a condition: who sleeps, who leads,
            what came last.
    """

    holding: dict[Place, Holding]
    windows: dict[Place, Window]
    batches: tuple[Batched, ...]
    batched: frozenset[Place]
    batchers: frozenset[str]
    waited: dict[str, frozenset[Place]]
    all: dict[str, frozenset[Place]]
    moves: dict[Buffer, Moves]
    puts_first: dict[tuple[str, Place], bool]
    wanted: dict[str, dict[Place, float]]
    signals: frozenset[Place]


@once_for_each
def uses(model: Model) -> Uses:
    """Uses of places by the paths of ``model``."""
    wholes: list[tuple[Gate, Path]] = []
    puts_first: dict[tuple[str, Place], bool] = {}
    for workload in model.workloads:
        for step in distinct_steps([workload.path]):
            if isinstance(step, Put | Take):
                puts_first.setdefault((workload.name, step.buffer), isinstance(step, Put))
    everywhere = {each.name: _places(distinct_steps([each.path])) for each in model.workloads}
    batchers = frozenset(each.name for each in model.workloads if _gathers(each.path, wholes, each.path))
    wholes += _taken_turns(model)
    fixed = fixed_demands_of(whole for _, whole in wholes)
    wanted, moves = _wanted(model), _moves(model)
    return Uses(
        windows=_windows(model, moves, everywhere, puts_first),
        holding=_holding(model, wanted),
        batchers=batchers,
        batches=tuple(Batched(gate, each) for (gate, _), each in zip(wholes, fixed, strict=True)),
        batched=_places(distinct_steps(whole for _, whole in wholes)),
        waited={each.name: _places(_waited(each.path)) for each in model.workloads},
        all=everywhere,
        moves=moves,
        puts_first=puts_first,
        wanted=wanted,
        signals=_signals(model),
    )


def refills(workload: Workload) -> bool:
    """True if ``workload`` only moves the level of a buffer at a pace, as a token bucket is refilled."""
    steps = [type(step) for step in workload.path]
    return isinstance(workload, Closed) and steps in ([Use, Take], [Use, Put])


def paced_by(model: Model) -> dict[str, str]:
    """Names of the buffers whose level a place moves at its pace, by the name of that place."""
    paced: dict[str, str] = {}
    for workload in model.workloads:
        if refills(workload):
            pace, moved = (step.place for step in workload.path)
            if pace and moved:
                paced[pace.name] = moved.name
    return paced


def _signals(model: Model) -> frozenset[Place]:
    """Buffers that an `IfAny` tests and that only change by one, and caches of one block."""
    asked: set[Place] = set()
    moved: set[Place] = set()
    for step in model.steps():
        if isinstance(step, IfAny) and isinstance(step.at, Buffer):
            asked.add(step.at)
        elif isinstance(step, Put | Take) and step.amount > 1:
            moved.add(step.buffer)
    last = {each for each in model.places if isinstance(each, Cache) and each.capacity == 1}
    return frozenset((asked - moved) | last)


def _places(steps: Iterable[Step]) -> frozenset[Place]:
    return frozenset(step.place for step in steps if step.place is not None)


def _waited(path: Path) -> Iterator[Step]:
    """Steps of ``path``, without branches that are left behind."""
    for step in path:
        yield step
        if not (isinstance(step, Fork) and step.leaves):
            for inner in step.inner:
                yield from _waited(inner)


def _gathers(path: Path, wholes: list[tuple[Gate, Path]], whole: Path) -> bool:
    """True if every request on ``path`` gathers; each ``whole`` path around a gather is added to ``wholes``."""
    always = False
    for step in path:
        if isinstance(step, Gather):
            wholes.append((step.gate, whole))
            always = True
        elif isinstance(step, _BRANCHING):
            options = [_gathers(inner, wholes, inner) for inner in step.inner]
            always |= all(options)
        else:
            inside = [_gathers(inner, wholes, whole) for inner in step.inner]
            always |= any(inside)
    return always


def _taken_turns(model: Model) -> Iterator[tuple[Gate, Path]]:
    """Holds of a lock for a batch whose clients wait outside it, so that the next batch gathers meanwhile."""
    for step in model.steps():
        if isinstance(step, Hold) and isinstance(step.held, Lock) and step.exclusive:
            inside = list(distinct_steps([step.steps]))
            waited = {each.gate for each in inside if isinstance(each, Await)}
            gathered = (each.gate for each in inside if isinstance(each, Gather) and each.gate not in waited)
            yield from ((gate, (step,)) for gate in gathered)


def _holding(model: Model, wanted: dict[str, dict[Place, float]]) -> dict[Place, Holding]:
    holds: dict[Lock | Pool, list[Hold]] = {}
    for step in model.steps():
        if isinstance(step, Hold):
            holds.setdefault(step.held, []).append(step)
    asked = {step.at for step in model.steps() if isinstance(step, IfAny)}
    most = {place: sum(each.get(place, 0.0) for each in wanted.values()) for place in holds}
    return {place: _of(place, here, most[place], asked=place in asked) for place, here in holds.items()}


def _of(place: Lock | Pool, holds: list[Hold], most: float, *, asked: bool) -> Holding:
    steps = list(distinct_steps(hold.steps for hold in holds))
    put = {step.buffer for step in steps if isinstance(step, Put)}
    taken = {step.buffer for step in steps if isinstance(step, Take)}
    tokens = [hold.tokens for hold in holds]
    shared = isinstance(place, Lock) and not all(hold.exclusive for hold in holds)
    return Holding(
        place,
        tokens=max(tokens),
        full=_full(capacity(place), tokens),
        most=most if not shared or any(hold.exclusive for hold in holds) else 0.0,
        mixed=shared,
        inside=_places(steps),
        idle=frozenset(taken - put),
        gates=any(isinstance(step, Await | Gather) for step in steps),
        asked=asked,
    )


def _moves(model: Model) -> dict[Buffer, Moves]:
    moves: dict[Buffer, Moves] = {}
    for step in model.steps():
        if isinstance(step, Put | Take):
            put, taken = moves.setdefault(step.buffer, (set(), set()))
            (put if isinstance(step, Put) else taken).add(step.amount)
    return moves


def _windows(
    model: Model,
    moves: dict[Buffer, Moves],
    places: dict[str, frozenset[Place]],
    puts_first: dict[tuple[str, Place], bool],
) -> dict[Place, Window]:
    one_sided = {place for net in nets_of(each.path for each in model.workloads) for place in net}
    windows: dict[Place, Window] = {}
    for buffer, (put, taken) in moves.items():
        amounts = put | taken
        users = [name for name in places if (name, buffer) in puts_first]
        ways = {puts_first[name, buffer] for name in users}
        put_first = True in ways
        room = buffer.capacity - buffer.initial if put_first else buffer.initial
        if buffer not in one_sided and len(ways) == 1 and (full := _full(room, amounts)) > 0:
            inside = frozenset[Place]().union(*(places[name] for name in users)) - {buffer}
            windows[buffer] = Window(buffer, put_first, max(amounts), full, inside)
    return windows


def _full(total: int, amounts: Collection[int]) -> int:
    """Least use of ``total`` while a request waits for one of these ``amounts``."""
    most = max(amounts)
    return total // most * most if most == min(amounts) else total - most + 1


def _wanted(model: Model) -> dict[str, dict[Place, float]]:
    known: dict[int, dict[Place, float]] = {}
    clients = {each.name: each.clients if isinstance(each, Closed) else math.inf for each in model.workloads}
    return {
        each.name: {place: clients[each.name] * tokens for place, tokens in _at_once(each.path, known).items()}
        for each in model.workloads
    }


def _at_once(path: Path, known: dict[int, dict[Place, float]]) -> dict[Place, float]:
    """Tokens of each place that one request on ``path`` can want at once; ``known`` caches those of steps."""
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
