"""One server with exponential times, of which closed forms are known: M/M/1, and clients who wait."""

from __future__ import annotations

from dataclasses import dataclass

from sim import Closed, Exponential, Model, Open, Poisson, Station, Use
from sim.engine.statistics.estimates import point
from sim.system import Failure, Parameters, Scenario, Settings, System, count, flag, number, parameter
from sim.system.scenario import Measure


@dataclass(frozen=True)
class ServerSettings:
    """``speed`` is how many times as fast the server is; at ``slow`` and above it is four times slower again."""

    rate: float = number(50.0, "arrivals a second; 0: clients wait", high=10_000.0)
    clients: int = count(4, "clients who wait", high=1000)
    speed: int = count(1, "times as fast", high=64)
    slow: int = count(64, "from this speed on four times slower", high=64)
    mirror: bool = flag("half of the servers are copies", default=False)
    work: int = count(0, "requests of a job; 0: without end", low=0)


@dataclass(frozen=True)
class ServerParameters:
    service_s: float = parameter(0.01, "s", 1e-4, 1.0, "assumed", "made up")


def build(settings: ServerSettings, parameters: ServerParameters) -> Scenario:
    speed = settings.speed / (4 if settings.speed >= settings.slow else 1)
    path = Use(Station("server"), Exponential(parameters.service_s / speed))
    if settings.rate:
        load: Open | Closed = Open("load", Poisson(settings.rate), path)
    else:
        load = Closed("load", clients=settings.clients, path=path, count=settings.work or None)
    usable = settings.speed * 10.0 / (2 if settings.mirror else 1)
    measures = {"usable": Measure("TB", lambda _result: point(usable))}
    return Scenario(Model([load]), watch="load", amount=1.0, unit="requests/s", measures=measures)


SERVER = System(
    "server",
    "one server",
    Settings.of(ServerSettings),
    Parameters.of(ServerParameters),
    build,
    failures=(Failure("half of the server", {"speed": 1}),),
)
"""100 requests a second at speed 1: the mean latency of arrivals is 1 / (100 speed − rate)."""
