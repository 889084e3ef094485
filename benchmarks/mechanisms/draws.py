"""What random models are drawn of: times, clients, pauses."""

from __future__ import annotations

import math
from random import Random

from sim import Delay, Exponential, Gamma, Lognormal, Station, Step, Use
from sim.engine.model.distributions import Distribution


def yes(random: Random) -> bool:
    """As likely as not."""
    return random.random() < 0.5  # noqa: PLR2004


def time(random: Random, servers: int = 1) -> Distribution:
    """For each server a millisecond or two, or any from a tenth to ten, of little or much variation."""
    seconds = 1e-3 * random.uniform(0.3, 2.0) if yes(random) else any_seconds(random)
    mean = servers * seconds
    return random.choice(
        (
            Gamma(mean, 0.1),
            Gamma(mean, 0.5),
            Exponential(mean),
            Exponential(mean),
            Lognormal(mean, random.choice((0.5, 1.0))),
            Lognormal(mean, random.choice((2.0, 3.0, 5.0))),
            Gamma(mean, 2.0),
        )
    )


def any_seconds(random: Random) -> float:
    """From a tenth of a millisecond to ten, each power as likely as any other."""
    return math.pow(10.0, random.uniform(-4.0, -2.0))


def pause(random: Random) -> Distribution | None:
    """A think time of any length, or none."""
    return random.choice((None, Exponential(any_seconds(random)), Exponential(10.0 * any_seconds(random))))


def work(random: Random, name: str) -> Step:
    """A delay, or a station of its own."""
    return random.choice((Delay(time(random)), Use(Station(name), time(random))))


def before(random: Random) -> list[Step]:
    """A station that is passed first, or none."""
    return random.choice(([], [Use(Station("before", 4), Exponential(random.uniform(0.5, 2.0) * 1e-3))]))


def clients(random: Random, most: int = 64) -> int:
    """From one to 64, each power of two as likely as any other, and some between."""
    return min(random.choice((1, 2, 3, 4, 6, 8, 12, 16, 32, 64)), most)


def think(random: Random) -> Distribution | None:
    """A think time of milliseconds, or none."""
    return random.choice((None, Exponential(random.choice((1.0, 5.0, 20.0)) * 1e-3)))
