"""Models of which it is known whether they have a long run, and with which throughput.

More than half are stable, some barely, some only after a long time in which a cache or a buffer fills or a bucket
of credits runs dry; the others are not, and hide it behind a lock, a buffer, a cache, a gate or a group that
nobody watches. Whoever answers what is not so, without a warning, is caught here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim import (
    Await,
    Buffer,
    Cache,
    Closed,
    Constant,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Lognormal,
    Lookup,
    Model,
    Open,
    Periodic,
    PerItem,
    Poisson,
    Put,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Workload,
)
from sim.engine.model.distributions import Distribution

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from textbook import mva

Workloads = tuple[Workload, ...]

US = 1e-6
"""Seconds."""

READ_AND_WRITTEN = 4.0 / (20 * US * (1.0 + math.log(2.0)))


@dataclass(frozen=True)
class Case:
    """A model and the truth about the group ``watch``.

    Attributes:
        throughput: walks/s in the long run; None where there is none.
        load: of the place that is asked most, a share; 0 for closed loads.
        random: whether two seeds differ.
    """

    name: str
    workloads: Workloads
    watch: str
    throughput: float | None
    load: float = 0.0
    random: bool = True

    @property
    def model(self) -> Model:
        """Built when it is asked for: one that cannot work is refused then."""
        return Model(self.workloads)


def queue(rate: float, time: Distribution) -> Workloads:
    """Poisson arrivals at one station."""
    return (Open("o", arrivals=Poisson(rate), path=Use(Station("s"), time)),)


def locked(rate: float) -> Workloads:
    """Arrivals that hold a lock for 10 µs."""
    return (Open("o", arrivals=Poisson(rate), path=Hold(Lock("L").exclusive, Delay(Exponential(10 * US)))),)


def nested(rate: float) -> Workloads:
    """Arrivals that hold a lock while they take turns with a client at a disk of 80,000 a second."""
    use = Use(Station("disk"), Exponential(12.5 * US))
    return Open("o", arrivals=Poisson(rate), path=Hold(Lock("L").exclusive, use)), Closed("c", clients=1, path=use)


def readers_and_writers(rate: float) -> Workloads:
    """Half of them write; all hold one lock for 10 µs.

    Where somebody always waits, two writers and a run of two readers take turns on average: 20 µs, and 20 ln 2 µs
    for the longest of the readers, so that ``READ_AND_WRITTEN`` a second is the most.
    """
    lock, delay = Lock("L"), Delay(Exponential(10 * US))
    readers = Open("r", arrivals=Poisson(0.5 * rate), path=Hold(lock.shared, delay))
    return readers, Open("w", arrivals=Poisson(0.5 * rate), path=Hold(lock.exclusive, delay))


def cached(rate: float) -> Workloads:
    """Arrivals at a cache of half of its blocks, before a disk of 10 µs: 200,000 a second at most."""
    miss = Use(Station("disk"), Exponential(10 * US))
    return (Open("o", arrivals=Poisson(rate), path=Lookup(Cache("k", 1000), Uniform(2000), Delay(US), miss)),)


def batched(rate: float) -> Workloads:
    """Group commit of 20 µs and 10 µs an item: 100,000 a second at most."""
    gate = Gate("g")
    writer = [Gather(gate), Use(Station("log"), PerItem(20 * US, 10 * US)), Wake(gate)]
    return Open("o", arrivals=Poisson(rate), path=Await(gate)), Closed("w", clients=1, path=writer)


def drained(rate: float) -> Workloads:
    """Arrivals that put into a buffer of 100, from which one client takes 100,000 a second."""
    buffer = Buffer("b", 100)
    behind = Closed("d", clients=1, path=[Take(buffer, 1), Delay(Exponential(10 * US))])
    return Open("o", arrivals=Poisson(rate), path=Put(buffer, 1)), behind


def left_behind(think_s: float) -> Workloads:
    """A client that leaves 20 µs of work behind, for which nobody waits."""
    behind = Fork([Use(Station("disk"), Exponential(20 * US))], wait=False)
    return (Closed("c", clients=1, path=[Delay(Exponential(think_s)), behind]),)


def written_back(capacity: int, offered: float) -> Workloads:
    """A client fills a buffer that background writes empty, 100,000 a second."""
    buffer = Buffer("dirty", capacity)
    behind = Fork([Use(Station("disk"), Constant(10 * US)), Take(buffer, 1)], wait=False)
    return (Closed("w", clients=1, path=[Delay(10 * US / offered), Put(buffer, 1), behind]),)


def two_sided(capacity: int, offered: float) -> Workloads:
    """A client fills a buffer that another empties, 100,000 a second."""
    buffer = Buffer("b", capacity)
    front = Closed("w", clients=1, path=[Delay(10 * US / offered), Put(buffer, 1)])
    return front, Closed("d", clients=1, path=[Take(buffer, 1), Delay(10 * US)])


def filled(capacity: int, extent: int) -> Workloads:
    """Four clients at a cold cache, before a disk of 10 µs."""
    miss = Use(Station("disk"), Exponential(10 * US))
    look_up = Lookup(Cache("k", capacity), Uniform(extent), (), miss)
    return (Closed("c", clients=4, path=[Delay(US), look_up]),)


def warm(capacity: int, extent: int) -> float:
    """Walks/s of ``filled`` once the cache is full, whatever its policy: a product-form network."""
    return mva([(1.0 - capacity / extent) * 10 * US], 4, think_s=US).throughput


def bucket(size: int, refill: float, burst: float) -> Workloads:
    """A client that would do ``burst`` a second, and pays a credit for each; ``refill`` come a second."""
    purse = Buffer("credits", size, initial=size)
    user = Closed("u", clients=1, path=[Take(purse, 1), Delay(Exponential(1.0 / burst))])
    return user, Closed("refill", clients=1, path=[Delay(1.0 / refill), Put(purse, 1)])


def saturated(cv: float) -> Workloads:
    """Eight clients at a lock that is held for lognormal times."""
    return (Closed("c", clients=8, path=Hold(Lock("L").exclusive, Delay(Lognormal(10 * US, cv)))),)


def stable() -> Iterator[Case]:
    """Those that have a long run."""
    for load in (0.5, 0.9, 0.95, 0.97, 0.98):
        yield Case(f"M/M/1 at {load:.0%}", queue(load * 1e5, Exponential(10 * US)), "o", load * 1e5, load)
    yield Case("M/G/1 at 50%, cv 5", queue(5e4, Lognormal(10 * US, 5.0)), "o", 5e4, 0.5)
    periodic = Open("o", arrivals=Periodic(10 * US / 0.95), path=Use(Station("s"), Constant(10 * US)))
    yield Case("D/D/1 at 95%", (periodic,), "o", 9.5e4, 0.95, random=False)
    yield Case("lock at 90%", locked(9e4), "o", 9e4, 0.9)
    yield Case("lock at 98%", locked(9.8e4), "o", 9.8e4, 0.98)
    yield Case("lock held over a shared disk, 95%", nested(3.8e4), "o", 3.8e4, 0.95)
    yield Case("the same, watching the others", nested(3.8e4), "c", 8e4 - 3.8e4, 0.95)
    yield Case(
        "readers and writers at 90%",
        readers_and_writers(0.9 * READ_AND_WRITTEN),
        "r",
        0.45 * READ_AND_WRITTEN,
        0.9,
    )
    yield Case("cache whose misses take 95%", cached(1.9e5), "o", 1.9e5, 0.95)
    yield Case("group commit at 90%", batched(9e4), "o", 9e4, 0.9)
    yield Case("buffer at 95%", drained(9.5e4), "o", 9.5e4, 0.95)
    yield Case("work left behind, 80%", left_behind(25 * US), "c", 4e4, 0.8)
    for capacity, offered in ((1000, 1.1), (100_000, 1.1), (1_000_000, 1.02)):
        at = f"of {capacity} at {offered:.0%}"
        yield Case(f"write-back {at}", written_back(capacity, offered), "w", 1e5, random=False)
        yield Case(f"buffer {at}", two_sided(capacity, offered), "w", 1e5, random=False)
    for capacity, extent in ((1000, 2000), (500_000, 600_000), (1_000_000, 1_100_000), (3_000_000, 3_100_000)):
        name = f"cold cache, {capacity} of {extent} blocks"
        yield Case(name, filled(capacity, extent), "c", warm(capacity, extent))
    yield Case("bucket of 100,000 credits", bucket(100_000, 1000.0, 5000.0), "u", 1000.0)
    yield Case("bucket of 5,400,000 credits", bucket(5_400_000, 3000.0, 10_000.0), "u", 3000.0)
    for cv in (5.0, 10.0):
        yield Case(f"lock held by eight, cv {cv:g}", saturated(cv), "c", 1e5)


def unstable() -> Iterator[Case]:
    """Those that have none, by how much they are asked too much."""
    yield Case("M/M/1 at 105%", queue(1.05e5, Exponential(10 * US)), "o", None, 1.05)
    yield Case("lock at 101%", locked(1.01e5), "o", None, 1.01)
    for rate in (4.02e4, 4.1e4, 4.3e4, 6e4):
        load = rate / 4e4
        yield Case(f"lock held over a shared disk, {load:.1%}", nested(rate), "o", None, load)
        yield Case(f"the same, watching the others, {load:.1%}", nested(rate), "c", None, load)
    for load in (1.01, 1.05):
        yield Case(
            f"readers and writers at {load:.0%}", readers_and_writers(load * READ_AND_WRITTEN), "r", None, load
        )
    for rate in (2.02e5, 2.1e5):
        yield Case(f"cache whose misses take {rate / 2e5:.0%}", cached(rate), "o", None, rate / 2e5)
    for rate in (1.01e5, 1.05e5):
        yield Case(f"group commit at {rate / 1e5:.0%}", batched(rate), "o", None, rate / 1e5)
        yield Case(f"buffer at {rate / 1e5:.0%}", drained(rate), "o", None, rate / 1e5)
    for think_s in (19.8 * US, 19 * US):
        yield Case(
            f"work left behind, {20 * US / think_s:.0%}", left_behind(think_s), "c", None, 20 * US / think_s
        )
