"""A system small enough that its throughput is known exactly: clients think, then queue for one server."""

from __future__ import annotations

from dataclasses import dataclass

from sim import Closed, Constant, Model, Station, Use
from sim.data.dataset import Measurement
from sim.system import Parameters, Scenario, Settings, System, count, parameter
from sim.system.settings import complete


def prior(value: float) -> float:
    return parameter(value, "s", value / 4, value * 4, "fitted", "made up")


@dataclass(frozen=True)
class ToySettings:
    clients: int = count(1, "clients", high=64)
    items: int = count(1, "items of a request", high=64)
    second: int = count(0, "a second server behind", low=0, high=1)


@dataclass(frozen=True)
class ToyParameters:
    """``unseen_s`` counts only with a second server, which no figure is about."""

    fixed_s: float = prior(1e-3)
    each_s: float = prior(1e-3)
    think_s: float = prior(1e-2)
    unseen_s: float = prior(1e-3)
    cores: float = parameter(1, "cores", 1, 8, "published", "made up")


PARAMETERS = Parameters.of(ToyParameters)

TRUTH = {"fixed_s": 0.6e-3, "each_s": 1.7e-3, "think_s": 2.2e-2}


def throughput(values: dict[str, float], clients: int, items: int) -> float:
    """Nothing varies, so nobody waits before the server is always in use."""
    service_s = values["fixed_s"] + items * values["each_s"]
    return min(clients / (values["think_s"] + service_s), 1.0 / service_s)


def build(settings: ToySettings, parameters: ToyParameters) -> Scenario:
    service_s = parameters.fixed_s + settings.items * parameters.each_s
    path = [Use(Station("server"), service_s)]
    if settings.second:
        path.append(Use(Station("second"), parameters.unseen_s))
    load = Closed("load", clients=settings.clients, path=path, think=Constant(parameters.think_s))
    return Scenario(Model([load]), watch="load", amount=1.0, unit="1/s")


TOY = System("toy", "a toy", Settings.of(ToySettings), PARAMETERS, build)

CONDITIONS = [(clients, items) for clients in (1, 2, 8, 30) for items in (1, 2, 4)]


def figure(number: int, value: float, half_width: float = 0.0, **settings: int) -> Measurement:
    return Measurement(
        dataset="toys",
        source="made up",
        table="1",
        row=str(number),
        column="rate",
        measure="throughput",
        value=value,
        unit="1/s",
        half_width=half_width,
        conditions=tuple((name, str(each)) for name, each in settings.items()),
        quality="A",
        line=number,
    )


def figures(values=None, digits: int = 9) -> list[Measurement]:
    """Figures of the toy under all conditions, rounded as a paper would."""
    truth = {**{each.name: each.value for each in PARAMETERS.entries}, **(values or TRUTH)}
    return [
        figure(number, round(throughput(truth, clients, items), digits), clients=clients, items=items)
        for number, (clients, items) in enumerate(CONDITIONS)
    ]


def asked(**settings: int):
    return complete(TOY.settings, settings)
