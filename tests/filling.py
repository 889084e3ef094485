"""A system with a level: users fill a cache faster than a disk drains it, until it is full."""

from __future__ import annotations

from dataclasses import dataclass

from sim import Buffer, Closed, Delay, Exponential, IfAny, Model, Put, Station, Take, Use
from sim.system import Parameters, Scenario, Settings, System, count, parameter
from sim.system.failures import Failure

IN_S, OUT_S = 1e-5, 2.5e-5
"""Seconds of a block on its way in and out: 100,000 and 40,000 blocks a second."""

SLOW_S = 1e-4
"""Pause of a user while the level is in the upper half between the watermarks."""


@dataclass(frozen=True)
class FillingSettings:
    blocks: int = count(1_000_000, "blocks in the cache", high=10**12)
    low: int = count(0, "per cent full at which the disk stops, if high is above 0", low=0, high=99)
    high: int = count(0, "per cent full at which the disk starts; half way users are slowed", low=0, high=100)
    disks: int = count(1, "disks", high=8)


@dataclass(frozen=True)
class FillingParameters:
    out_s: float = parameter(
        OUT_S, "s", OUT_S / 4, OUT_S * 4, "assumed", "made up", likely=(OUT_S / 1.25, OUT_S * 1.25)
    )


def build(settings: FillingSettings, parameters: FillingParameters) -> Scenario:
    low, high = (settings.blocks * each // 100 for each in (settings.low, settings.high))
    cache = Buffer("cache", settings.blocks, **({"low": low, "high": high} if high else {}))
    slow = [IfAny(cache, Delay(SLOW_S), least=(low + high) // 2)] if high else []
    users = Closed("users", clients=4, path=[Use(Station("cpu"), Exponential(IN_S)), *slow, Put(cache, 1)])
    disk = Station("disk", servers=settings.disks)
    drain = Closed(
        "drain", clients=settings.disks, path=[Take(cache, 1), Use(disk, Exponential(parameters.out_s))]
    )
    return Scenario(Model([users, drain]), watch="users", amount=0.065536, unit="MB/s")


FILLING = System(
    "filling",
    "a cache that fills",
    Settings.of(FillingSettings),
    Parameters.of(FillingParameters),
    build,
    failures=(Failure("a disk", {"disks": "1"}),),
)
