"""Hypothesis strategies shared by all tests: random models that work by construction.

Times are few and small (0, 1 and 2 µs), so that much happens at the same nanosecond. No model goes round
without time passing, and none deadlocks: everything that one client can keep from another (locks, tokens,
room in a buffer, a batch) has a rank, and while a client keeps one it waits only for those of higher rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
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
from sim.model.demands import capacity, demands_s
from sim.model.policies import POLICIES
from sim.model.steps import iter_steps

Draw = Callable[[st.SearchStrategy[Any]], Any]

TIED_S = (0.0, 1e-6, 2e-6)
POSITIVE_S = TIED_S[1:]
OPEN_SHARE = 0.1
"""What one open workload may ask of a station: there are never ten of them."""

constants = st.sampled_from(TIED_S)
variations = st.sampled_from((0.5, 1.0, 2.0))
means = st.sampled_from(POSITIVE_S)
spread = (
    st.builds(Exponential, means)
    | st.builds(Gamma, means, variations)
    | st.builds(Erlang, means, st.integers(1, 4))
    | st.builds(Lognormal, means, variations)
)
distributions = (
    constants
    | st.builds(Constant, constants)
    | spread
    | st.builds(Empirical, st.lists(constants, min_size=1, max_size=4))
)
times = constants | distributions | st.builds(PerItem, distributions, constants)

addresses = (
    st.builds(Uniform, st.integers(1, 8))
    | st.builds(Zipf, st.integers(1, 8), st.sampled_from((0.0, 0.8, 2.0)))
    | st.builds(Sequential, st.integers(1, 8), st.integers(0, 3))
    | st.builds(Replayed, st.lists(st.integers(0, 8), min_size=1, max_size=8))
)
PAUSE = Delay(1e-6)
shares = st.sampled_from(((0.5, 0.5), (0.25, 0.75), (0.1, 0.2, 0.7), (0.0, 1.0), (1.0,)))


def _pauses(environment: simpy.Environment) -> Iterator[simpy.Event]:
    yield environment.timeout(1000)


def _returns_at_once(_environment: simpy.Environment) -> Iterator[simpy.Event]:
    yield from ()


customs = st.sampled_from((Custom("pause", _pauses), Custom("nothing", _returns_at_once)))


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
    times: st.SearchStrategy[Any]
    custom: bool


@st.composite
def brackets(draw: Draw, name: str) -> Bracket:
    capacity, put_first = draw(st.integers(1, 4)), draw(st.booleans())
    initial = draw(st.integers(0, capacity - 1) if put_first else st.integers(1, capacity))
    return Bracket(Buffer(name, capacity, initial), put_first)


@st.composite
def streams(draw: Draw, name: str) -> Stream:
    capacity = draw(st.integers(1, 5))
    high = draw(st.just(1) | st.integers(1, capacity))
    buffer = Buffer(name, capacity, draw(st.integers(0, capacity)), draw(st.integers(0, high - 1)), high)
    return Stream(buffer, draw(st.booleans()))


def ranked_places(name: str) -> st.SearchStrategy[Ranked]:
    return (
        st.just(Lock(name))
        | st.builds(Pool, st.just(name), st.integers(1, 3))
        | brackets(name)
        | streams(name)
        | st.just(Gate(name))
    )


@st.composite
def towns(draw: Draw, times: st.SearchStrategy[Any], *, custom: bool) -> Town:
    stations = [Station(f"station {n}", draw(st.integers(1, 3))) for n in range(draw(st.integers(1, 3)))]
    caches = [
        Cache(f"cache {n}", draw(st.integers(1, 6)), draw(st.sampled_from(tuple(POLICIES))))
        for n in range(draw(st.integers(0, 2)))
    ]
    ranked = [draw(ranked_places(f"place {n}")) for n in range(draw(st.integers(0, 6)))]
    return Town(tuple(stations), tuple(caches), tuple(ranked), times, custom)


def path(draw: Draw, town: Town, rank: int, depth: int, least: int = 0) -> Path:
    """Steps that keep or wait for nothing below ``rank``, with steps inside steps down to ``depth``."""
    makers = [_use, _use, _delay]
    makers += [_custom] * town.custom + [_ranked] * (2 * (rank < len(town.ranked)))
    if depth:
        makers += [_fork, _choose, _repeat] + [_lookup] * bool(town.caches)
    chosen = draw(st.lists(st.sampled_from(makers), min_size=least, max_size=3))
    return tuple(step for make in chosen for step in make(draw, town, rank, depth))


def _use(draw: Draw, town: Town, _rank: int, _depth: int) -> Path:
    return (Use(draw(st.sampled_from(town.stations)), draw(town.times)),)


def _delay(draw: Draw, town: Town, _rank: int, _depth: int) -> Path:
    return (Delay(draw(town.times)),)


def _custom(draw: Draw, _town: Town, _rank: int, _depth: int) -> Path:
    return (draw(customs),)


def _fork(draw: Draw, town: Town, rank: int, depth: int) -> Path:
    branches = [path(draw, town, rank, depth - 1) for _ in range(draw(st.integers(1, 3)))]
    return (Fork(*branches, wait=draw(st.booleans())),)


def _choose(draw: Draw, town: Town, rank: int, depth: int) -> Path:
    return (Choose(*((share, path(draw, town, rank, depth - 1)) for share in draw(shares))),)


def _repeat(draw: Draw, town: Town, rank: int, depth: int) -> Path:
    return (Repeat(draw(st.integers(1, 3)), *path(draw, town, rank, depth - 1)),)


def _lookup(draw: Draw, town: Town, rank: int, depth: int) -> Path:
    hit, miss = path(draw, town, rank, depth - 1), path(draw, town, rank, depth - 1)
    access = {"sequential": draw(st.booleans()), "write": draw(st.booleans())}
    return (Lookup(draw(st.sampled_from(town.caches)), draw(addresses), hit, miss, **access),)


def _ranked(draw: Draw, town: Town, rank: int, depth: int) -> Path:
    at = draw(st.integers(rank, len(town.ranked) - 1))
    place = town.ranked[at]
    if isinstance(place, Gate):
        return (*_asked(draw, town, place, at, depth), Await(place))
    if isinstance(place, Stream):
        return (*_asked(draw, town, place.buffer, at, depth), _level(draw, place, put=place.clients_put))
    asked = _asked(draw, town, place, at, depth) if isinstance(place, Lock) else ()
    within = path(draw, town, at + 1, max(0, depth - 1))
    match place:
        case Lock():
            return (*asked, Hold(draw(st.sampled_from((place.shared, place.exclusive))), *within))
        case Pool():
            return (Hold(place, *within, tokens=draw(st.integers(1, place.tokens))),)
    amount = draw(st.integers(1, place.most))
    put, take = Put(place.buffer, amount), Take(place.buffer, amount)
    return (put, *within, take) if place.put_first else (take, *within, put)


def _asked(draw: Draw, town: Town, place: Gate | Buffer | Lock, at: int, depth: int) -> Path:
    """Perhaps two ways, by whether anything is at ``place``."""
    if not depth or draw(st.booleans()):
        return ()
    some, none = (path(draw, town, at + 1, depth - 1) for _ in range(2))
    return (IfAny(place, some, none),)


def _level(draw: Draw, stream: Stream, *, put: bool) -> Step:
    return (Put if put else Take)(stream.buffer, draw(st.integers(1, stream.most)))


def closed(draw: Draw, name: str, path: Path, *, endless: bool = False) -> Closed:
    """A closed workload that takes time, if it has no count."""
    count = None if endless else draw(st.none() | st.integers(1, 20))
    start_s = draw(st.sampled_from((0.0, 0.0, 1e-6, 2.5e-6)))
    stop_s = None if endless or count else draw(st.none() | st.sampled_from((3e-6, 1e-5)))
    made = Closed(
        name,
        clients=draw(st.integers(1, 4)),
        path=path,
        think=draw(st.none() | distributions),
        count=count,
        group=draw(st.sampled_from((None, None, "group"))),
        start_s=start_s,
        stop_s=stop_s,
    )
    if count is None and not (made.think and made.think.mean):
        return replace(made, path=draw(st.sampled_from(((*path, PAUSE), (PAUSE, *path)))))
    return made


def opened(draw: Draw, name: str, path: Path) -> Open:
    """An open workload that leaves room for nine more at every station."""
    asked = [demand / capacity(place) for place, demand in demands_s(path).items()]
    interval_us = max(1, math.ceil(max(asked, default=0.0) / OPEN_SHARE * 1e6))
    interval_s = (interval_us + draw(st.integers(0, 3))) * 1e-6
    replayed = st.lists(st.sampled_from((0.0, 1e-6, 2e-6, 3e-6, 1e-5)), min_size=1, max_size=12).map(sorted)
    recorded = st.builds(Replayed, st.lists(st.sampled_from((0, 1000, 3000)), min_size=1, max_size=5))
    arrivals = draw(
        st.just(Poisson(1.0 / interval_s))
        | st.just(Periodic(interval_s))
        | st.builds(ReplayedTimes, replayed)
        | st.builds(RecordedGaps, recorded, st.integers(1, 20))
    )
    return Open(name, arrivals=arrivals, path=path, count=draw(st.none() | st.integers(1, 20)))


def partner(draw: Draw, town: Town, rank: int) -> Closed | None:
    """The workload without which clients would wait for ever at the place of ``rank``; None if it needs none."""
    place = town.ranked[rank]
    if isinstance(place, Gate):
        batch = (Gather(place), *path(draw, town, rank + 1, 1), Wake(place))
        steps = draw(st.sampled_from((batch, (Repeat(2, *batch),), (Fork(batch),))))
    elif isinstance(place, Stream):
        steps = (_level(draw, place, put=not place.clients_put),)
    else:
        return None
    before, after = (path(draw, town, rank + 1, 1) for _ in range(2))
    return closed(draw, f"partner {rank}", (*before, *steps, *after), endless=True)


def places_of(workloads: Iterable[Closed | Open]) -> set[Any]:
    return {step.place for workload in workloads for step in iter_steps(workload.path) if step.place}


@st.composite
def models(draw: Draw, times: st.SearchStrategy[Any] = times, *, custom: bool = True) -> Model:
    """One to three workloads of every kind over every kind of place, and the partners that these need.

    Args:
        times: of all steps; ``st.just(1e-6)`` gives nothing but ties.
        custom: whether some steps are ``Custom``, which only the reference engine takes.
    """
    town = draw(towns(times, custom=custom))
    workloads: list[Closed | Open] = []
    for number in range(draw(st.integers(1, 3))):
        make = draw(st.sampled_from((closed, closed, opened)))
        workloads.append(make(draw, f"workload {number}", path(draw, town, 0, 2, least=1)))
    for rank, place in enumerate(town.ranked):
        named = place.buffer if isinstance(place, Stream) else place
        needed = partner(draw, town, rank) if named in places_of(workloads) else None
        workloads += [needed] if needed else []
    model = Model(workloads)
    return Model(workloads, draw(st.just(model.places) | st.permutations(model.places)))
