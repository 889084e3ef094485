"""stacksim against salabim (a closed tandem network) and Ciw (an open one), where these are installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from time import process_time
from typing import Any

from benchmarks import models
from benchmarks.pace import Run, Take, in_turns
from benchmarks.table import Row, missing, per_second
from sim import Model
from sim.engines.compiled import CompiledEngine
from sim.engines.reference import ReferenceEngine


def against_others() -> Iterator[Row]:
    """Visits a second, and how many times the other's that is."""
    for package, model, make in (
        ("salabim", models.closed_tandem(), _salabim),
        ("ciw", models.open_tandem(), _ciw),
    ):
        yield from _compared(package, model, make()) if find_spec(package) else (missing(package),)


def _compared(package: str, model: Model, other: Take) -> Iterator[Row]:
    compiled, reference, rate = in_turns([Run(CompiledEngine(model, 1)), Run(ReferenceEngine(model, 1)), other])
    network = model.workloads[0]
    kind = f"{type(network).__name__.lower()} tandem"
    yield Row(f"{kind}: {package}", per_second(rate), "1 ×")
    yield Row(f"{kind}: reference engine", per_second(reference), f"{reference / rate:.3g} ×")
    yield Row(f"{kind}: compiled engine", per_second(compiled), f"{compiled / rate:.3g} ×")


def _salabim() -> Take:
    import salabim  # here: only benchmarks have it

    environment = salabim.Environment(random_seed=1, trace=False, yieldless=False)
    stations = [
        (
            salabim.Resource(capacity=servers, monitor=False, env=environment),
            salabim.Exponential(mean, env=environment),
        )
        for servers, mean in zip(models.SERVERS, models.SERVICE_S, strict=True)
    ]
    visits = [0]

    class Customer(salabim.Component):  # type: ignore[misc]  # no stubs
        def process(self) -> Iterator[Any]:
            while True:
                for station, time in stations:
                    yield self.request(station)
                    yield self.hold(time())
                    self.release(station)
                    visits[0] += 1

    for _ in range(models.CLIENTS):
        Customer(env=environment)

    def take() -> float:
        before, start = visits[0], process_time()
        environment.run(duration=10.0)
        return (visits[0] - before) / (process_time() - start)

    return take


def _ciw() -> Take:
    import ciw  # here: only benchmarks have it

    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(models.ARRIVALS_PER_S), None],
        service_distributions=[ciw.dists.Exponential(1 / mean) for mean in models.SERVICE_S],
        routing=[[0.0, 1.0], [0.0, 0.0]],
        number_of_servers=list(models.SERVERS),
    )

    def take() -> float:
        ciw.seed(1)
        simulation = ciw.Simulation(network)
        start = process_time()
        simulation.simulate_until_max_time(20.0)
        took = process_time() - start
        return len(simulation.get_all_records()) / took

    return take
