"""The models that are timed."""

from __future__ import annotations

from sim import (
    Await,
    Cache,
    Choose,
    Closed,
    Delay,
    Exponential,
    Gate,
    Gather,
    Hold,
    Lock,
    Lookup,
    Model,
    Open,
    Poisson,
    Pool,
    Repeat,
    Station,
    Uniform,
    Use,
    Wake,
    Zipf,
)
from sim.system.installed import find
from sim.system.settings import complete

TICK = Delay(1e-6)
CELLS = 14
CHANNEL_S, CPU_S, LINK_S, CELL_S = 8e-6, 32e-6, 4e-6, 40e-6
"""Times of ``closed``; closed.cpp has them in nanoseconds."""

SERVERS, SERVICE_S = (3, 2), (2.4e-3, 1.5e-3)
CLIENTS, ARRIVALS_PER_S = 16, 1000.0
"""Of the tandem networks: the open one keeps its stations 80 % and 75 % busy."""


def dbfs(block: str, users: int) -> Model:
    """The published system: dd writing through one mount, ``users`` on one node."""
    system = find("dbfs")
    settings = complete(system.settings, {"block": block, "users": users, "op": "write"})
    return system.scenario(settings, system.parameters).model


def group_commit() -> Model:
    """Six sessions commit; two log writers take whoever waits, and write for them under one lock."""
    cpu, disk, commit, inode = Station("cpu", 12), Station("disk"), Gate("commit"), Lock("inode")
    write = Hold(inode.exclusive, Use(disk, Exponential(434e-6)))
    return Model(
        [
            Closed("session", clients=6, path=[Use(cpu, 118e-6), Await(commit)]),
            Closed("log writer", clients=2, path=[Gather(commit), write, Wake(commit)]),
        ]
    )


def cached(blocks: int = 10_000) -> Model:
    """Sixteen readers of ten times as many blocks as the cache holds, some far more popular than others."""
    cpu, disk, cache = Station("cpu", 4), Station("disk", 4), Cache("buffer cache", blocks)
    hit, miss = Use(cpu, Exponential(5e-6)), Use(disk, Exponential(500e-6))
    return Model([Closed("reader", clients=16, path=[Lookup(cache, Zipf(10 * blocks, 0.9), hit, miss)])])


def look_ups(policy: str, blocks: int) -> Model:
    """A thousand look-ups a microsecond, evenly over half as many blocks again as fit, and nothing else."""
    cache = Cache("cache", blocks, policy)
    return Model([Closed("reader", clients=1, path=[Repeat(1000, Lookup(cache, Uniform(blocks * 3 // 2))), TICK])])


def array(policy: str) -> Model:
    """A disk array under its normal load."""
    system = find("array")
    settings = complete(system.settings, {"policy": policy, "cache": 128 << 20, "data": 1 << 30, "users": 8})
    return system.scenario(settings, system.parameters).model


def closed(clients: int, *, random: bool = True) -> Model:
    """What closed.cpp has hard-coded. Without ``random``, only the choice of a cell is: ties abound."""
    threads, channel, cpu, link = Pool("threads", 10), Station("channel"), Station("cpu", 12), Station("link")
    channel_time, cell_time = (Exponential(CHANNEL_S), Exponential(CELL_S)) if random else (CHANNEL_S, CELL_S)
    cells = [(1 / CELLS, Use(Station(name), cell_time)) for name in cell_names()]
    served = Hold(threads, Use(channel, channel_time), Use(cpu, CPU_S), Use(link, LINK_S), Choose(*cells))
    return Model([Closed("client", clients=clients, path=served)])


def cell_names() -> list[str]:
    """The cells of ``closed``."""
    return [f"cell {number}" for number in range(1, CELLS + 1)]


def pending(clients: int) -> Model:
    """So many events pending: nobody ever waits."""
    station = Station("station", clients)
    return Model(
        [Closed("client", clients=clients, path=[Delay(Exponential(1e-3)), Use(station, Exponential(1e-3))])]
    )


def closed_tandem() -> Model:
    """Two stations one after the other, again and again."""
    return Model([Closed("customer", clients=CLIENTS, path=_two_stations())])


def open_tandem() -> Model:
    """The same stations, fed at random."""
    return Model([Open("customer", arrivals=Poisson(ARRIVALS_PER_S), path=_two_stations())])


def _two_stations() -> list[Use]:
    stations = [Station(f"station {number}", servers) for number, servers in enumerate(SERVERS, 1)]
    return [Use(station, Exponential(mean)) for station, mean in zip(stations, SERVICE_S, strict=True)]
