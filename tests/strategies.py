"""Hypothesis strategies shared by all tests: random models that work by construction.

What a model is made of is drawn from a ``Random`` of Hypothesis, which finds small examples as ever. Strategies
made on the way would take several times as long, for Hypothesis looks at each anew.

Times are few and small (0, 1 and 2 µs), so that much happens at the same nanosecond. No model goes round
without time passing, and none deadlocks: everything that one client can keep from another (locks, tokens,
room in a buffer, a batch) has a rank, and while a client keeps one it waits only for those of higher rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import simpy
from hypothesis import strategies as st

from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Constant,
    Custom,
    Delay,
    Empirical,
    Erlang,
    Exponential,
    Fork,
    Gamma,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Lognormal,
    Lookup,
    Model,
    Open,
    Path,
    Periodic,
    PerItem,
    Poisson,
    Pool,
    Put,
    RecordedGaps,
    Repeat,
    Replayed,
    ReplayedTimes,
    Sequential,
    Station,
    Step,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
)
from sim.engine.model.demands import capacity, demands_s
from sim.engine.model.distributions import Distribution
from sim.engine.model.policies import POLICIES
from sim.engine.model.steps import iter_steps
from sim.engine.model.workloads import Arrivals

Times = Callable[[Random], Any]

TIED_S = (0.0, 1e-6, 2e-6)
POSITIVE_S = TIED_S[1:]
VARIATIONS = (0.5, 1.0, 2.0)
OPEN_SHARE = 0.1
"""Largest demand of one open workload on a station: there are never ten of them."""


def some(chance: Random, values: Sequence[Any], least: int, most: int) -> list[Any]:
    """From ``least`` to ``most`` of ``values``, perhaps one of them twice."""
    return [chance.choice(values) for _ in range(chance.randint(least, most))]


def yes(chance: Random) -> bool:
    return chance.choice((False, True))


def tied(_chance: Random) -> float:
    """One time for all steps, so that there is nothing but ties."""
    return 1e-6


def constant(chance: Random) -> float:
    return chance.choice(TIED_S)


def spread(chance: Random) -> Distribution:
    """A distribution of more than one value."""
    mean = chance.choice(POSITIVE_S)
    match chance.randrange(4):
        case 0:
            return Exponential(mean)
        case 1:
            return Gamma(mean, chance.choice(VARIATIONS))
        case 2:
            return Erlang(mean, chance.randint(1, 4))
    return Lognormal(mean, chance.choice(VARIATIONS))


def distribution(chance: Random) -> Distribution | float:
    match chance.randrange(7):
        case 0:
            return constant(chance)
        case 1:
            return Constant(constant(chance))
        case 2:
            return Empirical(some(chance, TIED_S, 1, 4))
    return spread(chance)


def time(chance: Random) -> Distribution | PerItem | float:
    match chance.randrange(9):
        case 0:
            return constant(chance)
        case 1:
            return PerItem(distribution(chance), constant(chance))
    return distribution(chance)


def addresses(chance: Random) -> Uniform | Zipf | Sequential | Replayed:
    match chance.randrange(4):
        case 0:
            return Uniform(chance.randint(1, 8))
        case 1:
            return Zipf(chance.randint(1, 8), chance.choice((0.0, 0.8, 2.0)))
        case 2:
            return Sequential(chance.randint(1, 8), chance.randint(0, 3))
    return Replayed(some(chance, range(9), 1, 8))


PAUSE = Delay(1e-6)
SHARES = ((0.5, 0.5), (0.25, 0.75), (0.1, 0.2, 0.7), (0.0, 1.0), (1.0,))


def _pauses(environment: simpy.Environment) -> Iterator[simpy.Event]:
    yield environment.timeout(1000)


def _returns_at_once(_environment: simpy.Environment) -> Iterator[simpy.Event]:
    yield from ()


CUSTOMS = (Custom("pause", _pauses), Custom("nothing", _returns_at_once))


@dataclass(frozen=True)
class Bracket:
    """A buffer that every client leaves as it found it: what it puts, it takes, or the other way round."""

    buffer: Buffer
    put_first: bool

    @property
    def most(self) -> int:
        room = self.buffer.capacity - self.buffer.initial
        return room if self.put_first else self.buffer.initial


@dataclass(frozen=True)
class Stream:
    """A buffer into which clients only put, or from which they only take; a workload of its own does the other."""

    buffer: Buffer
    clients_put: bool

    @property
    def most(self) -> int:
        half = (self.buffer.capacity + 1) // 2  # so that never both a put and a take wait
        return min(half, self.buffer.capacity - self.buffer.high + 1)


Ranked = Lock | Pool | Bracket | Stream | Gate


@dataclass(frozen=True)
class Town:
    """The places of a model to be; ``ranked`` from low to high."""

    stations: tuple[Station, ...]
    caches: tuple[Cache, ...]
    ranked: tuple[Ranked, ...]
    time: Times
    custom: bool


def bracket(chance: Random, name: str) -> Bracket:
    capacity, put_first = chance.randint(1, 4), yes(chance)
    initial = chance.randint(0, capacity - 1) if put_first else chance.randint(1, capacity)
    return Bracket(Buffer(name, capacity, initial), put_first)


def stream(chance: Random, name: str) -> Stream:
    capacity = chance.randint(1, 5)
    high = chance.randint(1, capacity) if yes(chance) else 1
    buffer = Buffer(name, capacity, chance.randint(0, capacity), chance.randint(0, high - 1), high)
    return Stream(buffer, yes(chance))


def ranked_place(chance: Random, name: str) -> Ranked:
    match chance.randrange(5):
        case 0:
            return Lock(name)
        case 1:
            return Pool(name, chance.randint(1, 3))
        case 2:
            return bracket(chance, name)
        case 3:
            return stream(chance, name)
    return Gate(name)


def town(chance: Random, time: Times, *, custom: bool) -> Town:
    stations = [Station(f"station {n}", chance.randint(1, 3)) for n in range(chance.randint(1, 3))]
    caches = [
        Cache(f"cache {n}", chance.randint(1, 6), chance.choice(tuple(POLICIES)))
        for n in range(chance.randint(0, 2))
    ]
    ranked = [ranked_place(chance, f"place {n}") for n in range(chance.randint(0, 6))]
    return Town(tuple(stations), tuple(caches), tuple(ranked), time, custom)


def path(chance: Random, town: Town, rank: int, depth: int, least: int = 0) -> Path:
    """Steps that keep or wait for nothing below ``rank``, with steps inside steps down to ``depth``."""
    makers = [_use, _use, _delay]
    makers += [_custom] * town.custom + [_ranked] * (2 * (rank < len(town.ranked)))
    if depth:
        makers += [_fork, _choose, _repeat] + [_lookup] * bool(town.caches)
    return tuple(step for make in some(chance, makers, least, 3) for step in make(chance, town, rank, depth))


def _use(chance: Random, town: Town, _rank: int, _depth: int) -> Path:
    return (Use(chance.choice(town.stations), town.time(chance)),)


def _delay(chance: Random, town: Town, _rank: int, _depth: int) -> Path:
    return (Delay(town.time(chance)),)


def _custom(chance: Random, _town: Town, _rank: int, _depth: int) -> Path:
    return (chance.choice(CUSTOMS),)


def _fork(chance: Random, town: Town, rank: int, depth: int) -> Path:
    branches = [path(chance, town, rank, depth - 1) for _ in range(chance.randint(1, 3))]
    needed = chance.choice((0, len(branches), chance.randint(1, len(branches))))
    return (Fork(*branches, wait=needed > 0, needed=needed or None),)


def _choose(chance: Random, town: Town, rank: int, depth: int) -> Path:
    return (Choose(*((share, path(chance, town, rank, depth - 1)) for share in chance.choice(SHARES))),)


def _repeat(chance: Random, town: Town, rank: int, depth: int) -> Path:
    return (Repeat(chance.randint(1, 3), *path(chance, town, rank, depth - 1)),)


def _lookup(chance: Random, town: Town, rank: int, depth: int) -> Path:
    hit, miss = path(chance, town, rank, depth - 1), path(chance, town, rank, depth - 1)
    access = {"sequential": yes(chance), "write": yes(chance)}
    return (Lookup(chance.choice(town.caches), addresses(chance), hit, miss, **access),)


def _ranked(chance: Random, town: Town, rank: int, depth: int) -> Path:
    at = chance.randint(rank, len(town.ranked) - 1)
    place = town.ranked[at]
    if isinstance(place, Gate):
        return (*_asked(chance, town, place, at, depth), Await(place))
    if isinstance(place, Stream):
        return (*_asked(chance, town, place.buffer, at, depth), _level(chance, place, put=place.clients_put))
    asked = _asked(chance, town, place, at, depth) if isinstance(place, Lock) else ()
    within = path(chance, town, at + 1, max(0, depth - 1))
    match place:
        case Lock():
            return (*asked, Hold(chance.choice((place.shared, place.exclusive)), *within))
        case Pool():
            return (Hold(place, *within, tokens=chance.randint(1, place.tokens)),)
    amount = chance.randint(1, place.most)
    put, take = Put(place.buffer, amount), Take(place.buffer, amount)
    return (put, *within, take) if place.put_first else (take, *within, put)


def _asked(chance: Random, town: Town, place: Gate | Buffer | Lock, at: int, depth: int) -> Path:
    """Perhaps two ways, by whether anything is at ``place``."""
    if not depth or yes(chance):
        return ()
    some, none = (path(chance, town, at + 1, depth - 1) for _ in range(2))
    least = chance.randint(1, place.capacity) if isinstance(place, Buffer) else 1
    return (IfAny(place, some, none, least=least),)


def _level(chance: Random, stream: Stream, *, put: bool) -> Step:
    return (Put if put else Take)(stream.buffer, chance.randint(1, stream.most))


def counted(chance: Random) -> int | None:
    """Number of requests, if they have an end."""
    return chance.randint(1, 20) if yes(chance) else None


def closed(chance: Random, name: str, path: Path, *, endless: bool = False) -> Closed:
    """A closed workload that takes time, if it has no count."""
    count = None if endless else counted(chance)
    start_s = chance.choice((0.0, 0.0, 1e-6, 2.5e-6))
    stop_s = chance.choice((3e-6, 1e-5)) if not (endless or count) and yes(chance) else None
    made = Closed(
        name,
        clients=chance.randint(1, 4),
        path=path,
        begins=chance.choice((0, 0, chance.randrange(len(path)))),
        think=distribution(chance) if yes(chance) else None,
        count=count,
        group=chance.choice((None, None, "group")),
        start_s=start_s,
        stop_s=stop_s,
    )
    if count is None and not (made.think and made.think.mean):
        return replace(made, path=chance.choice(((*path, PAUSE), (PAUSE, *path))))
    return made


def opened(chance: Random, name: str, path: Path) -> Open:
    """An open workload that leaves room for nine more at every station."""
    asked = [demand / capacity(place) for place, demand in demands_s(path).items()]
    interval_us = max(1, math.ceil(max(asked, default=0.0) / OPEN_SHARE * 1e6))
    interval_s = (interval_us + chance.randint(0, 3)) * 1e-6
    return Open(name, arrivals=arrivals(chance, interval_s), path=path, count=counted(chance))


def arrivals(chance: Random, interval_s: float) -> Arrivals:
    match chance.randrange(4):
        case 0:
            return Poisson(1.0 / interval_s)
        case 1:
            return Periodic(interval_s)
        case 2:
            return ReplayedTimes(sorted(some(chance, (0.0, 1e-6, 2e-6, 3e-6, 1e-5), 1, 12)))
    return RecordedGaps(Replayed(some(chance, (0, 1000, 3000), 1, 5)), chance.randint(1, 20))


def partner(chance: Random, town: Town, rank: int) -> Closed | None:
    """The workload without which clients would wait for ever at the place of ``rank``; None if it needs none."""
    place = town.ranked[rank]
    if isinstance(place, Gate):
        batch = (Gather(place), *path(chance, town, rank + 1, 1), Wake(place))
        steps = chance.choice((batch, (Repeat(2, *batch),), (Fork(batch),)))
    elif isinstance(place, Stream):
        steps = (_level(chance, place, put=not place.clients_put),)
    else:
        return None
    before, after = (path(chance, town, rank + 1, 1) for _ in range(2))
    return closed(chance, f"partner {rank}", (*before, *steps, *after), endless=True)


def places_of(workloads: Iterable[Closed | Open]) -> set[Any]:
    return {step.place for workload in workloads for step in iter_steps(workload.path) if step.place}


@st.composite
def models(draw: Callable[[st.SearchStrategy[Any]], Any], time: Times = time, *, custom: bool = True) -> Model:
    """One to three workloads of every kind over every kind of place, and the partners that these need.

    Args:
        time: of each step; ``tied`` gives nothing but ties.
        custom: whether some steps are ``Custom``, which only the reference engine takes.
    """
    model = model_of(draw(st.randoms(use_true_random=False)), time, custom=custom)
    return Model(model.workloads, draw(st.just(model.places) | st.permutations(model.places)))


def model_of(chance: Random, time: Times, *, custom: bool) -> Model:
    built = town(chance, time, custom=custom)
    workloads: list[Closed | Open] = []
    for number in range(chance.randint(1, 3)):
        make = chance.choice((closed, closed, opened))
        workloads.append(make(chance, f"workload {number}", path(chance, built, 0, 2, least=1)))
    for rank, place in enumerate(built.ranked):
        named = place.buffer if isinstance(place, Stream) else place
        needed = partner(chance, built, rank) if named in places_of(workloads) else None
        workloads += [needed] if needed else []
    return Model(workloads)
