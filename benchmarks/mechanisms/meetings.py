"""Random models with forks, gates, buffers and caches."""

from __future__ import annotations

from random import Random

from benchmarks.mechanisms.draws import before, clients, think, time, work, yes
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
    Lock,
    Lookup,
    Model,
    Path,
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


def fork(random: Random) -> Model:
    """Stripes over disks, or mirrors of a few of them."""
    disks = [Station(f"disk {row}") for row in range(random.choice((2, 4, 8)))]
    served = time(random)
    if yes(random):
        step: Step = Fork(*[(Use(disk, served),) for disk in disks])
    else:
        pairs = [(first, second) for first in disks[::2] for second in disks[1::2]]
        step = Choose(*((1.0 / len(pairs), [Fork(*[(Use(disk, served),) for disk in pair])]) for pair in pairs))
    path = [*before(random), step]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def unlike(random: Random) -> Model:
    """Branches that are not alike, and may meet at a station."""
    link = Station("link", random.choice((1, 2)))
    branches: list[list[Step]] = []
    for row in range(random.choice((2, 2, 3))):
        place = link if yes(random) else Station(f"disk {row}")
        branches.append([Use(place, time(random, place.servers))])
        if yes(random):
            branches[-1].append(Delay(time(random)))
    path = [*before(random), Fork(*branches)]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def left_behind(random: Random) -> Model:
    """Work at a disk that nobody waits for, below what the disk can do, and work that is waited for."""
    while True:
        disk = Station("disk", random.choice((1, 1, 2, 4)))
        waited, later = time(random, disk.servers), time(random, disk.servers)
        path = [*before(random), Delay(time(random)), Use(disk, waited), Fork((Use(disk, later),), wait=False)]
        load = Closed("all", clients=clients(random, 16), path=path, think=think(random))
        longest_s = sum(step.time.mean for step in path if isinstance(step, Use | Delay))
        longest_s += load.think.mean if load.think else 0.0
        if load.clients * later.mean / disk.servers < longest_s or waited.mean > later.mean:
            return Model([load])


def gate(random: Random) -> Model:
    """Group commit: sessions that wait for a batch, and one writer or two."""
    commit, cpu, disk = Gate("commit"), Station("cpu", random.choice((1, 4, 16))), Station("disk", 2)
    session = Closed(
        "session",
        clients=clients(random),
        path=[Use(cpu, time(random, cpu.servers)), Await(commit)],
        think=think(random),
    )
    inside: Path = (Use(disk, time(random)),)
    if yes(random):
        inside = (Hold(Lock("order").exclusive, *inside),)
    writer = Closed("writer", clients=random.choice((1, 1, 2)), path=[Gather(commit), *inside, Wake(commit)])
    return Model([session, writer])


def buffer(random: Random) -> Model:
    """A buffer between those who put and those who take."""
    pipe = Buffer("pipe", random.choice((1, 2, 4, 8, 16, 64)))
    put = Closed("producer", clients=random.choice((1, 1, 2, 4)), path=[work(random, "put"), Put(pipe)])
    take = Closed("consumer", clients=random.choice((1, 1, 2, 4)), path=[Take(pipe), work(random, "take")])
    return Model([put, take])


def behind(random: Random) -> Model:
    """A write-back cache: writers put pages, which are written later."""
    pages, disk = Buffer("pages", random.choice((2, 4, 8, 16, 64))), Station("disk", random.choice((1, 1, 2, 4)))
    later = Fork((Use(disk, time(random, disk.servers)), Take(pages)), wait=False)
    path = [*before(random), Delay(time(random)), Put(pages), later]
    return Model([Closed("all", clients=random.choice((1, 2, 4, 8)), path=path)])


def cache(random: Random) -> Model:
    """A cache whose misses go to a disk."""
    path = [Use(Station("cpu", 2), Exponential(1e-4)), _looked_up(random)]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def cache_lock(random: Random) -> Model:
    """A cache before a lock, or before a pool; or inside one."""
    held = random.choice((Lock("lock").exclusive, Pool("threads", random.choice((2, 4)))))
    found = _looked_up(random)
    steps = [Hold(held, found)] if yes(random) else [found, Hold(held, work(random, "link"))]
    path = [Use(Station("cpu", 2), Exponential(1e-4)), *steps]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def _looked_up(random: Random) -> Lookup:
    extent = random.choice((2_000, 20_000))
    kept = Cache("cache", int(extent * random.choice((0.05, 0.1, 0.3, 0.6))), random.choice(("lru", "fifo")))
    disk = Station("cached disk", random.choice((1, 4)))
    addresses = random.choice((Uniform(extent), Zipf(extent, 0.9)))
    return Lookup(kept, addresses, (), [Use(disk, time(random, disk.servers))])


KINDS = (fork, unlike, left_behind, gate, buffer, behind, cache, cache_lock)
