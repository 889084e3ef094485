"""Random models under load, which can be built again with more clients, or with more of every place but one.

Everything goes on without end, and nothing deadlocks: whoever holds a place waits for later ones only. The clients
of the watched group meet stations, pools, locks held in either mode, caches, buffers that a partner empties or
fills, and gates at which a partner, or the first of those who come, gathers a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Lookup,
    Model,
    Path,
    PerItem,
    Pool,
    Put,
    Station,
    Step,
    Take,
    Uniform,
    Use,
    Wake,
)
from sim.engine.model.distributions import Distribution

WATCHED = "clients"


@dataclass(frozen=True)
class More:
    """Factors by which everything exceeds the model as it is drawn.

    Attributes:
        clients: of the watched group, so many times as many.
        places: servers, tokens and room, so many times as many; exclusive holders of locks become shared ones.
        but: the place that stays as it is.
    """

    clients: int = 1
    places: int = 1
    but: str = ""

    def of(self, name: str, count: int) -> int:
        """New size of a place."""
        return count if name == self.but else self.places * count


AS_DRAWN = More()


def loaded(seed: int, more: More = AS_DRAWN) -> Model:
    """The model of ``seed`` with ``more`` of everything."""
    return _Town(Random(seed), more).model()  # noqa: S311


class _Town:
    def __init__(self, chance: Random, more: More) -> None:
        self.chance, self.more = chance, more
        self.stations = [self._station(f"station {n}") for n in range(chance.randint(1, 3))]
        self.partners: list[Closed] = []
        self.names = 0

    def model(self) -> Model:
        chance = self.chance
        clients = chance.choice((1, 2, 3, 5, 8, 16, 30))
        think = Exponential(self._mean() * chance.choice((1.0, 5.0, 20.0))) if chance.random() < 0.5 else None
        path = (*self._path(2, chance.randint(1, 3)), Delay(1e-6))
        workloads = [Closed(WATCHED, clients * self.more.clients, path, think=think)]
        if chance.random() < 0.3:
            others, beside = chance.randint(1, 6), (*self._path(1, 1), Delay(self._time()))
            workloads.append(Closed("others", others, beside))
        return Model([*workloads, *self.partners])

    def _mean(self) -> float:
        return self.chance.choice((10e-6, 20e-6, 50e-6, 100e-6))

    def _time(self) -> Distribution | float:
        mean = self._mean()
        return Exponential(mean) if self.chance.random() < 0.6 else mean

    def _name(self, kind: str) -> str:
        self.names += 1
        return f"{kind} {self.names}"

    def _station(self, name: str) -> Station:
        return Station(name, self.more.of(name, self.chance.choice((1, 1, 2, 3))))

    def _path(self, depth: int, length: int) -> Path:
        makers: list[Callable[[int], Path]] = [self._use, self._use, self._delay]
        if depth:
            makers += [self._pool, self._lock, self._choose, self._fork, self._cache, self._bracket]
            makers += [self._drain, self._gate, self._lead, self._if_any]
        return tuple(step for _ in range(length) for step in self.chance.choice(makers)(depth))

    def _use(self, _depth: int) -> Path:
        return (Use(self.chance.choice(self.stations), self._time()),)

    def _delay(self, _depth: int) -> Path:
        return (Delay(self._time()),)

    def _pool(self, depth: int) -> Path:
        name, tokens, held = self._name("pool"), self.chance.randint(1, 6), self.chance.choice((1, 1, 2))
        inside = self._path(depth - 1, self.chance.randint(1, 2))
        return (Hold(Pool(name, self.more.of(name, max(tokens, held))), *inside, tokens=held),)

    def _lock(self, depth: int) -> Path:
        name = self._name("lock")
        lock, share = Lock(name), self.chance.choice((0.0, 0.5, 0.9, 1.0))
        alone = lock.exclusive if self.more.places == 1 or name == self.more.but else lock.shared
        writing = Hold(alone, *self._path(depth - 1, 1))
        if not share:
            return (writing,)
        return (Choose((share, Hold(lock.shared, *self._path(depth - 1, 1))), (1.0 - share, writing)),)

    def _choose(self, depth: int) -> Path:
        share = self.chance.choice((0.1, 0.5, 0.7))
        one, other = (self._path(depth - 1, 1) for _ in range(2))
        return (Choose((share, one), (1.0 - share, other)),)

    def _fork(self, depth: int) -> Path:
        branches = [self._path(depth - 1, 1) for _ in range(self.chance.randint(2, 3))]
        return (Fork(*branches),)

    def _cache(self, depth: int) -> Path:
        name, blocks = self._name("cache"), self.chance.randint(2, 40)
        hit, miss = (self._path(depth - 1, 1) for _ in range(2))
        return (
            Lookup(Cache(name, self.more.of(name, self.chance.randint(1, blocks))), Uniform(blocks), hit, miss),
        )

    def _bracket(self, depth: int) -> Path:
        name, room = self._name("window"), self.chance.randint(1, 6)
        amount, inside = self.chance.randint(1, room), self._path(depth - 1, 1)
        window = Buffer(name, self.more.of(name, room))
        return (Put(window, amount), *inside, Take(window, amount))

    def _drain(self, _depth: int) -> Path:
        """A buffer that a partner empties, whose time is that of a station or its own."""
        name, room = self._name("buffer"), self.chance.randint(1, 20)
        buffer = Buffer(name, self.more.of(name, room))
        slow = self._use(0) if self.chance.random() < 0.5 else self._delay(0)
        self.partners.append(Closed(f"{name} drain", self.chance.randint(1, 4), (Take(buffer), *slow)))
        return (Put(buffer),)

    def _gate(self, _depth: int) -> Path:
        """A gate at which a partner gathers; what it does takes a time for each client, perhaps."""
        name = self._name("gate")
        gate = Gate(name)
        self.partners.append(Closed(f"{name} keeper", 1, (Gather(gate), *self._batch(), Wake(gate))))
        return (Await(gate),)

    def _batch(self) -> Path:
        each = self.chance.choice((0.0, 1e-6, 10e-6))
        time, station = PerItem(self._time(), each), self.chance.choice(self.stations)
        work: Step = Use(station, time) if self.chance.random() < 0.5 else Delay(time)
        held = self.chance.random() < 0.3
        return (Hold(Pool(self._name("turn")), work),) if held else (work,)

    def _lead(self, _depth: int) -> Path:
        """Group commit: the first who comes leads, and gathers all who come until the lock is his."""
        name = self._name("log")
        gate, lock, leader = Gate(f"{name} batch"), Lock(f"{name} lock"), Buffer(f"{name} leader", 1)
        lead = (
            Fork((Await(gate),), wait=False),
            Put(leader),
            Hold(lock.exclusive, Take(leader), Gather(gate), *self._batch()),
            Wake(gate),
        )
        return (IfAny(leader, (Await(gate),), lead),)

    def _if_any(self, depth: int) -> Path:
        """Two ways by whether anybody holds a lock."""
        lock = Lock(self._name("asked"))
        some, none = (self._path(depth - 1, 1) for _ in range(2))
        return (IfAny(lock, some, none), Hold(lock.exclusive, Delay(self._time())))
