"""The tandem networks of ``benchmarks/models.py`` in other simulators, written as their guides do.

Each function simulates a network from its start for some seconds of simulated time and returns the visits.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import models

Simulate = Callable[[bool, float], int]
"""Of a closed network, or an open one, and of seconds: the visits."""

STATIONS = tuple(zip(models.SERVERS, models.SERVICE_S, strict=True))


def by_simpy(closed: bool, seconds: float) -> int:  # noqa: FBT001  (the contract)
    """SimPy, by hand: a process a customer, a resource a station."""
    import simpy  # here: only this simulator needs it

    environment, random = simpy.Environment(), Random(1)  # noqa: S311  (no secret)
    stations = [(simpy.Resource(environment, servers), mean) for servers, mean in STATIONS]
    visits = [0]

    def customer() -> Generator[Any, Any, None]:
        while True:
            for station, mean in stations:
                with station.request() as granted:
                    yield granted
                    yield environment.timeout(random.expovariate(1 / mean))
                visits[0] += 1
            if not closed:
                return

    def arrivals() -> Generator[Any, Any, None]:
        while True:
            yield environment.timeout(random.expovariate(models.ARRIVALS_PER_S))
            environment.process(customer())

    for begin in [customer] * models.CLIENTS if closed else [arrivals]:
        environment.process(begin())
    environment.run(until=seconds)
    return visits[0]


def by_salabim(closed: bool, seconds: float) -> int:  # noqa: FBT001  (the contract)
    """A component a customer, a resource a station, nothing monitored."""
    import salabim  # here: only benchmarks have it

    environment = salabim.Environment(random_seed=1, trace=False, yieldless=False)
    stations = [
        (
            salabim.Resource(capacity=servers, monitor=False, env=environment),
            salabim.Exponential(mean, env=environment),
        )
        for servers, mean in STATIONS
    ]
    gap = salabim.Exponential(1 / models.ARRIVALS_PER_S, env=environment)
    visits = [0]

    class Customer(salabim.Component):  # type: ignore[misc]  # no stubs
        def process(self) -> Generator[Any, Any, None]:
            while True:
                for station, time in stations:
                    yield self.request(station)
                    yield self.hold(time())
                    self.release(station)
                    visits[0] += 1
                if not closed:
                    return

    class Source(salabim.Component):  # type: ignore[misc]  # no stubs
        def process(self) -> Generator[Any, Any, None]:
            while True:
                yield self.hold(gap())
                Customer(env=environment)

    for kind in [Customer] * models.CLIENTS if closed else [Source]:
        kind(env=environment)
    environment.run(duration=seconds)
    return visits[0]


def by_ciw(closed: bool, seconds: float) -> int:  # noqa: FBT001  (the contract)
    """A network of two nodes; customers of the closed one arrive together, once, and go round."""
    import ciw  # here: only benchmarks have it

    distributions = ciw.dists
    together = distributions.Sequential([1e-9, float("inf")])
    at_random = distributions.Exponential(models.ARRIVALS_PER_S)
    network = ciw.create_network(
        arrival_distributions=[together if closed else at_random, None],
        batching_distributions=[distributions.Deterministic(models.CLIENTS if closed else 1)] * 2,
        service_distributions=[distributions.Exponential(1 / mean) for mean in models.SERVICE_S],
        routing=[[0.0, 1.0], [float(closed), 0.0]],
        number_of_servers=list(models.SERVERS),
    )
    ciw.seed(1)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(seconds)
    return len(simulation.get_all_records())


def nexosim(folder: Path) -> Simulate | None:
    """NexoSim, in Rust: a model a station, a message a customer. None without cargo, or a recent enough one."""
    cargo, crate = shutil.which("cargo"), Path(__file__).with_name("tandem")
    if cargo is None:
        return None
    built = (
        "build",
        "--release",
        "--quiet",
        "--manifest-path",
        str(crate / "Cargo.toml"),
        "--target-dir",
        str(folder),
    )
    if subprocess.run([cargo, *built], check=False, capture_output=True).returncode:  # noqa: S603  (our own)
        return None

    def simulate(closed: bool, seconds: float) -> int:  # noqa: FBT001  (the contract)
        customers = models.CLIENTS if closed else models.ARRIVALS_PER_S
        given = (
            "closed" if closed else "open",
            customers,
            *(number for each in STATIONS for number in each),
            seconds,
        )
        words = [str(folder / "release" / "tandem"), *map(str, given)]
        return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)  # noqa: S603  (our own)

    return simulate
