"""Random models, a kind for each mechanism of which the analytic engine answers approximately."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

from models.host.asleep import Threads
from models.storage.rebuild import BLOCK_BYTES, Rebuild
from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Constant,
    Delay,
    Exponential,
    Fork,
    Gamma,
    Gate,
    Gather,
    Hold,
    Lock,
    Lognormal,
    Lookup,
    Model,
    ModelError,
    Open,
    Path,
    Periodic,
    Poisson,
    Pool,
    Put,
    Station,
    Step,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
)
from sim.model.demands import min_time_s
from sim.model.distributions import Distribution
from sim.model.places import LockMode


def stations(random: Random) -> Model:
    """Closed clients at a few stations of one or several servers."""
    places = [Station(f"station {row}", random.choice((1, 1, 2, 4))) for row in range(random.randint(1, 3))]
    path = [Use(place, _time(random, place.servers)) for place in places]
    return Model([Closed("all", clients=_clients(random), path=path, think=_think(random))])


def classes(random: Random) -> Model:
    """Two kinds of closed clients at the same stations."""
    places = [Station(f"station {row}", random.choice((1, 1, 2))) for row in range(2)]
    return Model(
        Closed(
            name,
            clients=_clients(random, 8),
            path=[Use(place, _time(random, place.servers)) for place in places],
            think=_think(random),
        )
        for name in ("first", "second")
    )


def arrivals(random: Random) -> Model:
    """Open arrivals, by chance or by the clock, at one station or two in a row."""
    places = [Station(f"station {row}", random.choice((1, 1, 2, 4))) for row in range(random.randint(1, 2))]
    path = [Use(place, _time(random, place.servers)) for place in places]
    busiest = max(step.time.mean / step.station.servers for step in path)
    rate = random.uniform(0.3, 0.9) / busiest
    come = random.choice((Poisson(rate), Periodic(1.0 / rate)))
    return Model([Open("all", arrivals=come, path=path)])


def lock(random: Random) -> Model:
    """A lock held by one at a time over a delay or a station."""
    held = random.choice((Delay(_time(random)), Use(Station("disk", random.choice((1, 4))), _time(random))))
    path = [*_before(random), Hold(Lock("lock").exclusive, held)]
    return Model([Closed("all", clients=_clients(random), path=path, think=_think(random))])


def readers(random: Random) -> Model:
    """A lock that readers hold shared, and writers exclusively."""
    inode, disk = Lock("inode"), Station("disk", random.choice((4, 8, 16)))
    held: list[Step] = [Use(disk, _time(random, 4)), Use(disk, _time(random, 4))]
    if random.random() < 0.5:  # noqa: PLR2004
        held = [Delay(step.time) for step in held if isinstance(step, Use)]
    reader = Closed("reader", clients=_clients(random), path=Hold(inode.shared, held[0]), think=_think(random))
    writer = Closed(
        "writer", clients=_clients(random, 4), path=Hold(inode.exclusive, held[1]), think=_think(random)
    )
    return Model([reader, writer])


def pool(random: Random) -> Model:
    """A pool of threads, held over a processor and a disk."""
    threads = Pool("threads", random.choice((2, 4, 8)))
    inside = [Use(Station("cpu", random.choice((1, 2))), _time(random) if random.random() < 0.5 else 1e-4)]  # noqa: PLR2004
    inside.append(Use(Station("disk", random.choice((1, 2, 8))), _time(random)))
    path = [*_before(random), Hold(threads, *inside)]
    return Model([Closed("all", clients=_clients(random), path=path, think=_think(random))])


def nested(random: Random) -> Model:
    """A hold inside a hold: a lock, or a pool, around another lock."""
    outer = random.choice((Lock("directory").exclusive, Pool("threads", random.choice((2, 4)))))
    inner = Hold(Lock("file").exclusive, Use(Station("disk", 4), _time(random)))
    both = Closed(
        "both", clients=_clients(random, 8), path=[Hold(outer, Delay(_time(random)), inner)], think=_think(random)
    )
    only = Closed("inner only", clients=_clients(random, 4), path=[inner], think=_think(random))
    return Model([both, only] if random.random() < 0.5 else [both])  # noqa: PLR2004


def fork(random: Random) -> Model:
    """Stripes over disks, or mirrors of a few of them."""
    disks = [Station(f"disk {row}") for row in range(random.choice((2, 4, 8)))]
    time = _time(random)
    if random.random() < 0.5:  # noqa: PLR2004
        step: Step = Fork(*[(Use(disk, time),) for disk in disks])
    else:
        pairs = [(first, second) for first in disks[::2] for second in disks[1::2]]
        step = Choose(*((1.0 / len(pairs), [Fork(*[(Use(disk, time),) for disk in pair])]) for pair in pairs))
    path = [*_before(random), step]
    return Model([Closed("all", clients=_clients(random), path=path, think=_think(random))])


def gate(random: Random) -> Model:
    """Group commit: sessions that wait for a batch, and one writer or two."""
    commit, cpu, disk = Gate("commit"), Station("cpu", random.choice((1, 4, 16))), Station("disk", 2)
    session = Closed(
        "session",
        clients=_clients(random, 64),
        path=[Use(cpu, _time(random, cpu.servers)), Await(commit)],
        think=_think(random),
    )
    inside: Path = (Use(disk, _time(random)),)
    if random.random() < 0.5:  # noqa: PLR2004
        inside = (Hold(Lock("order").exclusive, *inside),)
    writer = Closed("writer", clients=random.choice((1, 1, 2)), path=[Gather(commit), *inside, Wake(commit)])
    return Model([session, writer])


def buffer(random: Random) -> Model:
    """A buffer between those who put and those who take."""
    pipe = Buffer("pipe", random.choice((1, 2, 4, 8, 16, 64)))
    put = Closed("producer", clients=random.choice((1, 1, 2, 4)), path=[_work(random, "put"), Put(pipe)])
    take = Closed("consumer", clients=random.choice((1, 1, 2, 4)), path=[Take(pipe), _work(random, "take")])
    return Model([put, take])


def behind(random: Random) -> Model:
    """A write-back cache: writers put pages, which are written later."""
    pages, disk = Buffer("pages", random.choice((2, 4, 8, 16, 64))), Station("disk", random.choice((1, 1, 2, 4)))
    later = Fork((Use(disk, _time(random, disk.servers)), Take(pages)), wait=False)
    path = [*_before(random), Delay(_time(random)), Put(pages), later]
    return Model([Closed("all", clients=random.choice((1, 2, 4, 8)), path=path)])


def cache(random: Random) -> Model:
    """A cache whose misses go to a disk."""
    extent = random.choice((2_000, 20_000))
    kept = Cache("cache", int(extent * random.choice((0.05, 0.1, 0.3, 0.6))), random.choice(("lru", "fifo")))
    disk = Station("disk", random.choice((1, 4)))
    path = [
        Use(Station("cpu", 2), Exponential(1e-4)),
        Lookup(
            kept, random.choice((Uniform(extent), Zipf(extent, 0.9))), (), [Use(disk, _time(random, disk.servers))]
        ),
    ]
    return Model([Closed("all", clients=_clients(random), path=path, think=_think(random))])


def several(random: Random) -> Model:
    """Two mechanisms, one after the other in one walk."""
    while True:
        first, second = (random.choice((stations, lock, pool, fork, cache))(random).workloads[0] for _ in range(2))
        with suppress(ModelError):  # two places of one name that differ
            return Model([Closed("all", clients=_clients(random), path=[*first.path, *second.path])])


def sleepers(random: Random) -> Model:
    """Threads that sleep when they have nothing to do, and take a while to wake up."""
    threads = random.choice((1, 2, 4, 8, 16))
    work = random.choice((Delay(_time(random)), Use(Station("disk", random.choice((1, 4))), _time(random))))
    served = Threads(Pool("threads", threads), 1e-3 * random.uniform(0.05, 1.0)).serve(work)
    path = [*_before(random), *served]
    return Model([Closed("all", clients=_clients(random), path=path, think=_think(random))])


def beside(random: Random) -> Model:
    """Closed clients and open arrivals at a station or two, with service times of any ratio."""
    places = [Station(f"station {row}", random.choice((1, 1, 1, 2, 4))) for row in range(random.randint(1, 2))]
    closed = [_closed(random, row, places) for row in range(random.randint(1, 2))]
    return Model([*closed, *_opens(random, places)])


def beside_lock(random: Random) -> Model:
    """Closed clients and open arrivals that hold one lock, of whom one kind holds it shared."""
    inode = Lock("inode")
    closed, opened = random.choice(((inode.shared, inode.exclusive), (inode.exclusive, inode.shared)))
    return Model([_closed(random, 0, [closed]), *_opens(random, [opened])])


def paced(random: Random) -> Model:
    """Clients at a link and at disks, one or striped over, beside a rebuild at a rate."""
    link, disks = Station("link"), [Station(f"disk {row}") for row in range(random.choice((1, 1, 2, 4)))]
    load = [Use(link, _time(random)), _striped(disks, _time(random))]
    link_s, disk_s = _seconds(random), _seconds(random)
    disk_time = random.choice((Constant(disk_s), Gamma(disk_s, 0.5), Exponential(disk_s)))
    read = [Use(link, link_s), _striped(disks, disk_time)]
    if random.random() < 0.5:  # noqa: PLR2004  (half of them cross either the link or the disks)
        read = [random.choice(read)]
    write = Use(Station("spare"), max(link_s, disk_s) / 2.0)
    busiest_s = max(min_time_s((step,)) for step in read)
    rebuild = Rebuild("rebuild", random.uniform(0.05, 0.95) / busiest_s * BLOCK_BYTES)
    clients = Closed("load", clients=_clients(random, 64), path=load, think=_think(random))
    return Model([clients, *rebuild.workloads(tuple(read), (write,))])


def _striped(disks: Sequence[Station], time: Distribution) -> Step:
    return Fork(*(Use(disk, time) for disk in disks)) if len(disks) > 1 else Use(disks[0], time)


def _closed(random: Random, row: int, places: Sequence[Station | LockMode]) -> Closed:
    path = [_visit(random, place, _seconds(random)) for place in places]
    return Closed(f"closed {row}", clients=random.randint(1, 20), path=path, think=_pause(random))


def _opens(random: Random, places: Sequence[Station | LockMode]) -> list[Open]:
    """One or two open loads, which between them ask for 10 to 90 % of the busiest place."""
    load, count = random.uniform(0.1, 0.9), random.randint(1, 2)
    opens: list[Open] = []
    for row in range(count):
        seconds = _seconds(random)
        path = [_visit(random, places[0], seconds)]
        path += [_visit(random, place, seconds * random.uniform(0.3, 1.0)) for place in places[1:]]
        opens.append(Open(f"open {row}", arrivals=Poisson(load / count / seconds), path=path))
    return opens


def _visit(random: Random, place: Station | LockMode, seconds: float) -> Step:
    """So many seconds for each server, of a coefficient of variation from next to 0 to 2."""
    cv = random.uniform(0.01, 2.0)
    if isinstance(place, Station):
        return Use(place, Gamma(place.servers * seconds, cv))
    return Hold(place, Delay(Gamma(seconds, cv)))


MECHANISMS: dict[str, Callable[[Random], Model]] = {
    each.__name__: each
    for each in (
        stations,
        classes,
        arrivals,
        lock,
        readers,
        pool,
        nested,
        fork,
        gate,
        buffer,
        behind,
        cache,
        several,
        sleepers,
        beside,
        beside_lock,
        paced,
    )
}


def _time(random: Random, servers: int = 1) -> Distribution:
    """A millisecond or two for each server, of little or much variation."""
    mean = servers * 1e-3 * random.uniform(0.3, 2.0)
    return random.choice(
        (
            Gamma(mean, 0.1),
            Gamma(mean, 0.5),
            Exponential(mean),
            Lognormal(mean, random.choice((0.5, 1.0))),
            Lognormal(mean, random.choice((2.0, 3.0, 5.0))),
            Gamma(mean, 2.0),
        )
    )


def _seconds(random: Random) -> float:
    """From a tenth of a millisecond to ten, each power as likely as any other."""
    return math.pow(10.0, random.uniform(-4.0, -2.0))


def _pause(random: Random) -> Distribution | None:
    return random.choice((None, Exponential(_seconds(random)), Exponential(10.0 * _seconds(random))))


def _work(random: Random, name: str) -> Step:
    return random.choice((Delay(_time(random)), Use(Station(name), _time(random))))


def _before(random: Random) -> list[Step]:
    return random.choice(([], [Use(Station("before", 4), Exponential(random.uniform(0.5, 2.0) * 1e-3))]))


def _clients(random: Random, most: int = 32) -> int:
    return min(random.choice((1, 2, 3, 4, 8, 16, 32, 64)), most)


def _think(random: Random) -> Distribution | None:
    return random.choice((None, Exponential(random.choice((1.0, 5.0, 20.0)) * 1e-3)))
