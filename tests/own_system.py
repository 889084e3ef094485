"""A system as a user writes it in a file of his own: clients at one server, whose runs take milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

from sim import Closed, Exponential, Model, Poisson, Station, Use
from sim.engine.model.workloads import Open
from sim.system import Parameters, Scenario, Settings, System, count, parameter


@dataclass(frozen=True)
class OwnSettings:
    clients: int = count(1, "clients, or arrivals a second", high=1000)
    load: int = count(0, "0: closed, 1: open, 2: cannot be built, 3: ends its process", low=0, high=3)


@dataclass(frozen=True)
class OwnParameters:
    service_s: float = parameter(0.01, "s", 1e-3, 1.0, "assumed", "made up", likely=(0.008, 0.0125))


def build(settings: OwnSettings, parameters: OwnParameters) -> Scenario:
    path = Use(Station("server"), Exponential(parameters.service_s))
    if settings.load == 2:
        raise ValueError("no such load")
    if settings.load == 1:
        return Scenario(Model([Open("load", Poisson(settings.clients), path)]), "load", 1.0, "1/s")
    load = Closed("load", settings.clients, path, think=Exponential(0.1))
    return Scenario(Model([load]), "load", 1.0, "1/s")


OWN = System("own", "made up", Settings.of(OwnSettings), Parameters.of(OwnParameters), build)
