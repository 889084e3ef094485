"""Random models with locks and pools."""

from __future__ import annotations

from random import Random

from benchmarks.mechanisms.draws import before, clients, pause, think, time, yes
from benchmarks.mechanisms.stations import opens, visit
from sim import Closed, Delay, Fork, Hold, Lock, Model, Pool, Station, Step, Use


def lock(random: Random) -> Model:
    """A lock held by one at a time over a delay."""
    path = [*before(random), Hold(Lock("lock").exclusive, Delay(time(random)))]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def lock_queue(random: Random) -> Model:
    """A lock held over a delay and a station, at which others queue who do not take the lock."""
    disk = Station("disk", random.choice((1, 2, 4)))
    inside: list[Step] = [Use(disk, time(random, disk.servers))]
    if yes(random):
        inside.append(Delay(time(random)))
    path = [*before(random), Hold(Lock("lock").exclusive, *inside)]
    loads = [Closed("all", clients=clients(random), path=path, think=think(random))]
    if yes(random):
        other = [Use(disk, time(random, disk.servers))]
        loads.append(Closed("others", clients=clients(random, 8), path=other, think=think(random)))
    return Model(loads)


def inside_and_outside(random: Random) -> Model:
    """A lock, or a pool, held while queueing at a station that the same clients use outside, too."""
    cpu = Station("cpu", random.choice((1, 1, 2, 4, 8)))
    held = random.choice((Lock("lock").exclusive, Lock("lock").exclusive, Pool("threads", random.choice((2, 4)))))
    inside: list[Step] = [Use(cpu, time(random, cpu.servers))]
    if yes(random):
        inside.append(Delay(time(random)))
    path = [Use(cpu, time(random, cpu.servers)), Hold(held, *inside)]
    if yes(random):
        path.reverse()
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def readers(random: Random) -> Model:
    """A lock that readers hold shared, and writers exclusively."""
    inode, disk = Lock("inode"), Station("disk", random.choice((1, 4, 8, 16)))
    held: list[Step] = [Use(disk, time(random, 4)), Use(disk, time(random, 4))]
    if yes(random):
        held = [Delay(step.time) for step in held if isinstance(step, Use)]
    reader = Closed("reader", clients=clients(random), path=Hold(inode.shared, held[0]), think=think(random))
    writer = Closed("writer", clients=clients(random, 8), path=Hold(inode.exclusive, held[1]), think=think(random))
    return Model([reader, writer])


def pool(random: Random) -> Model:
    """A pool of threads, held over a processor and a disk."""
    threads = Pool("threads", random.choice((2, 4, 8)))
    inside = [Use(Station("cpu", random.choice((1, 2))), time(random) if yes(random) else 1e-4)]
    inside.append(Use(Station("disk", random.choice((1, 2, 8))), time(random)))
    path = [*before(random), Hold(threads, *inside)]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def nested(random: Random) -> Model:
    """A hold inside a hold: a lock, or a pool, around another lock."""
    outer = random.choice((Lock("directory").exclusive, Pool("threads", random.choice((2, 4)))))
    inner = Hold(Lock("file").exclusive, Use(Station("disk", 4), time(random)))
    both = Closed(
        "both", clients=clients(random, 16), path=[Hold(outer, Delay(time(random)), inner)], think=think(random)
    )
    only = Closed("inner only", clients=clients(random, 4), path=[inner], think=think(random))
    return Model([both, only] if yes(random) else [both])


def fork_held(random: Random) -> Model:
    """A stripe over disks inside a lock or a pool."""
    disks = [Station(f"disk {row}") for row in range(random.choice((2, 4, 8)))]
    held = random.choice((Lock("lock").exclusive, Pool("threads", random.choice((2, 4, 8)))))
    served = time(random)
    path = [*before(random), Hold(held, Fork(*[(Use(disk, served),) for disk in disks]))]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def beside_lock(random: Random) -> Model:
    """Closed clients and open arrivals that hold one lock, of whom one kind holds it shared."""
    inode = Lock("inode")
    closed, opened = random.choice(((inode.shared, inode.exclusive), (inode.exclusive, inode.shared)))
    path = [visit(random, closed)]
    some = Closed("closed", clients=random.randint(1, 20), path=path, think=pause(random))
    return Model([some, *opens(random, [opened])])


KINDS = (lock, lock_queue, inside_and_outside, readers, pool, nested, fork_held, beside_lock)
