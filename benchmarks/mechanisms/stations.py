"""Random models of stations: one kind of clients or two, arrivals from outside, choices, sleepers, paced work."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.mechanisms.draws import any_seconds, before, clients, pause, think, time, yes
from models.parts.host.asleep import Threads, wake_up
from models.parts.rebuild import BLOCK_BYTES, Rebuild
from sim import (
    Choose,
    Closed,
    Constant,
    Delay,
    Exponential,
    Fork,
    Gamma,
    Hold,
    Model,
    Open,
    Periodic,
    Poisson,
    Pool,
    Repeat,
    Station,
    Step,
    Use,
)
from sim.engine.model.demands import min_time_s
from sim.engine.model.distributions import Distribution
from sim.engine.model.places import LockMode


def stations(random: Random) -> Model:
    """Closed clients at a few stations of one or several servers."""
    places = [Station(f"station {row}", random.choice((1, 1, 2, 4, 8))) for row in range(random.randint(1, 4))]
    path = [Use(place, time(random, place.servers)) for place in places]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def choices(random: Random) -> Model:
    """Closed clients that choose between stations, or go to some of them several times."""
    places = [Station(f"station {row}", random.choice((1, 1, 2, 4))) for row in range(random.randint(2, 4))]
    steps: list[Step] = [Use(place, time(random, place.servers)) for place in places]
    share = random.uniform(0.1, 0.9)
    chosen = Choose((share, steps[0]), (1.0 - share, random.choice((steps[1], Delay(time(random))))))
    rest: list[Step] = [Repeat(random.randint(2, 5), steps[2])] if len(steps) > 2 else []  # noqa: PLR2004
    path = [*before(random), chosen, *rest, *steps[3:]]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def classes(random: Random) -> Model:
    """Two or three kinds of closed clients at the same stations."""
    places = [Station(f"station {row}", random.choice((1, 1, 2, 4))) for row in range(random.randint(1, 3))]
    return Model(
        Closed(
            name,
            clients=clients(random, 16),
            path=[Use(place, time(random, place.servers)) for place in places],
            think=think(random),
        )
        for name in ("first", "second", "third")[: random.choice((2, 2, 3))]
    )


def arrivals(random: Random) -> Model:
    """Open arrivals, by chance or by the clock, at one station or two in a row."""
    places = [Station(f"station {row}", random.choice((1, 1, 2, 4))) for row in range(random.randint(1, 2))]
    path = [Use(place, time(random, place.servers)) for place in places]
    busiest = max(step.time.mean / step.station.servers for step in path)
    rate = random.uniform(0.3, 0.9) / busiest
    come = random.choice((Poisson(rate), Periodic(1.0 / rate)))
    return Model([Open("all", arrivals=come, path=path)])


def beside(random: Random) -> Model:
    """Closed clients and open arrivals at a station or two, with service times of any ratio."""
    places = [Station(f"station {row}", random.choice((1, 1, 1, 2, 4))) for row in range(random.randint(1, 2))]
    closed = [_closed(random, row, places) for row in range(random.randint(1, 2))]
    return Model([*closed, *opens(random, places)])


def sleepers(random: Random) -> Model:
    """Threads that sleep when they have nothing to do, and take a while to wake up."""
    threads = random.choice((1, 2, 4, 8, 16))
    work = random.choice((Delay(time(random)), Use(Station("disk", random.choice((1, 4))), time(random))))
    served = Threads(Pool("threads", threads), wake_up(1e-3 * random.uniform(0.05, 1.0))).serve(work)
    path = [*before(random), *served]
    return Model([Closed("all", clients=clients(random), path=path, think=think(random))])


def paced(random: Random) -> Model:
    """Clients at a link and at disks, one or striped over, beside a rebuild at a rate."""
    link, disks = Station("link"), [Station(f"disk {row}") for row in range(random.choice((1, 1, 2, 4)))]
    load = [Use(link, time(random)), _striped(disks, time(random))]
    link_s, disk_s = any_seconds(random), any_seconds(random)
    disk_time = random.choice((Constant(disk_s), Gamma(disk_s, 0.5), Exponential(disk_s)))
    read = [Use(link, link_s), _striped(disks, disk_time)]
    if yes(random):  # half of them cross either the link or the disks
        read = [random.choice(read)]
    write = Use(Station("spare"), max(link_s, disk_s) / 2.0)
    busiest_s = max(min_time_s((step,)) for step in read)
    rebuild = Rebuild("rebuild", random.uniform(0.05, 0.95) / busiest_s * BLOCK_BYTES)
    load_clients = Closed("load", clients=clients(random), path=load, think=think(random))
    return Model([load_clients, *rebuild.workloads(tuple(read), (write,))])


def _striped(disks: Sequence[Station], served: Distribution) -> Step:
    return Fork(*(Use(disk, served) for disk in disks)) if len(disks) > 1 else Use(disks[0], served)


def _closed(random: Random, row: int, places: Sequence[Station]) -> Closed:
    path = [visit(random, place) for place in places]
    return Closed(f"closed {row}", clients=random.randint(1, 20), path=path, think=pause(random))


def opens(random: Random, places: Sequence[Station | LockMode]) -> list[Open]:
    """One or two open loads, which between them ask for 10 to 90 % of the busiest place."""
    load, count = random.uniform(0.1, 0.9), random.randint(1, 2)
    loads: list[Open] = []
    for row in range(count):
        seconds = any_seconds(random)
        path = [visit(random, places[0], seconds)]
        path += [visit(random, place, seconds * random.uniform(0.3, 1.0)) for place in places[1:]]
        loads.append(Open(f"open {row}", arrivals=Poisson(load / count / seconds), path=path))
    return loads


def visit(random: Random, place: Station | LockMode, seconds: float = 0.0) -> Step:
    """So many seconds for each server, or any, of a coefficient of variation from next to 0 to 2."""
    seconds, cv = seconds or any_seconds(random), random.uniform(0.01, 2.0)
    if isinstance(place, Station):
        return Use(place, Gamma(place.servers * seconds, cv))
    return Hold(place, Delay(Gamma(seconds, cv)))


KINDS = (stations, choices, classes, arrivals, beside, sleepers, paced)
