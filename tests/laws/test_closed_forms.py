"""Simulations against closed forms: Student's 99.9 % interval over eight seeds contains the exact value.

The values are those of independent runs, so the interval is that of the simulator itself; no test says by
how many percent a simulation may be off. Only percentiles are given more room: what a bin of the histogram
is off at most.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sim import (
    Closed,
    Constant,
    Delay,
    Exponential,
    Gamma,
    Hold,
    Lognormal,
    Model,
    Open,
    Poisson,
    Pool,
    Station,
    Use,
    simulate,
)
from sim.engine.analytic.closed_forms import erlang_b, machine_repairman
from sim.engine.statistics.histogram import SUB_BITS
from textbook import md1, mg1, mm1, mm1_response_percentile, mmc, mva

SEEDS = range(1, 9)
CONFIDENCE = 0.999
PRECISION = 0.005
"""Of each run's throughput; the last test shows that the intervals are then narrow enough to prove something."""

OFF = 2.0 ** -(SUB_BITS + 1)
"""Largest error of the middle of a histogram's bin, as a share."""

SERVICE_S = 1e-3


def figures(result):
    """Values of closed forms, by name; those of places with the place's name."""
    group = result.groups[result.watched]
    found = {
        "throughput": group.throughput.value,
        "response_s": group.latency.mean.value,
        "p95_s": group.latency.p95.value,
        "population": group.population,
    }
    for name, place in result.places.items():
        found |= {f"{name}: utilisation": place.utilisation, f"{name}: queue": place.queue}
        found[f"{name}: wait_s"] = place.wait_s
    return found


def intervals(model):
    """The interval of every figure over the seeds."""
    runs = [simulate(model, seed=seed, precision=PRECISION, answers=["throughput"]) for seed in SEEDS]
    assert not any(run.warnings for run in runs)
    found = [figures(run) for run in runs]
    limit = stats.t.ppf(0.5 + CONFIDENCE / 2, len(SEEDS) - 1)
    table = {}
    for name in found[0]:
        values = np.array([each[name] for each in found])
        half = limit * values.std(ddof=1) / np.sqrt(len(values))
        table[name] = (values.mean() - half, values.mean() + half)
    low, high = table["p95_s"]
    table["p95_s"] = (low / (1 + OFF), high / (1 - OFF))
    return table


def assert_contain(found, exact):
    outside = {name: (found[name], value) for name, value in exact.items() if not _inside(found[name], value)}
    assert not outside


def _inside(interval, value):
    low, high = interval
    return low <= value <= high


def waiting_line(steady, place="server"):
    """The figures of one open queue before ``place``."""
    return {
        "throughput": steady.throughput,
        "response_s": steady.response_s,
        "population": steady.population,
        f"{place}: utilisation": steady.utilisation,
        f"{place}: queue": steady.queue,
        f"{place}: wait_s": steady.waiting_s,
    }


def open_queue(utilisation, time, servers=1):
    """Poisson arrivals at one station, and their rate."""
    rate = utilisation * servers / SERVICE_S
    path = [Use(Station("server", servers), time)]
    return Model([Open("jobs", arrivals=Poisson(rate), path=path)]), rate


@pytest.mark.parametrize("utilisation", [0.5, 0.8])
def test_simulation_agrees_with_mm1(utilisation):
    model, rate = open_queue(utilisation, Exponential(SERVICE_S))
    percentile = {"p95_s": mm1_response_percentile(rate, SERVICE_S, 0.95)}
    assert_contain(intervals(model), waiting_line(mm1(rate, SERVICE_S)) | percentile)


@pytest.mark.parametrize("utilisation", [0.5, 0.8])
def test_simulation_agrees_with_mmc(utilisation):
    model, rate = open_queue(utilisation, Exponential(SERVICE_S), servers=3)
    assert_contain(intervals(model), waiting_line(mmc(rate, SERVICE_S, 3)))


def test_simulation_agrees_with_md1():
    model, rate = open_queue(0.8, SERVICE_S)
    assert_contain(intervals(model), waiting_line(md1(rate, SERVICE_S)))


@pytest.mark.parametrize("time", [Gamma(SERVICE_S, 0.5), Lognormal(SERVICE_S, 2.0)], ids=str)
def test_simulation_agrees_with_mg1(time):
    model, rate = open_queue(0.5, time)
    assert_contain(intervals(model), waiting_line(mg1(rate, SERVICE_S, time.cv)))


@pytest.mark.parametrize("servers", [1, 2])
def test_simulation_agrees_with_the_machine_repairman(servers):
    think_s = 4 * SERVICE_S
    path = [Use(Station("server", servers), Exponential(SERVICE_S))]
    machines = Closed("machines", clients=6, path=path, think=Exponential(think_s))
    exact = machine_repairman(6, think_s, SERVICE_S, servers)
    assert_contain(intervals(Model([machines])), waiting_line(exact))


@pytest.mark.parametrize("service", [Exponential(SERVICE_S), Constant(SERVICE_S)], ids=str)
def test_simulation_agrees_with_erlang_loss(service):
    """As many customers as the loss system has lines: at the delay they are lines in use, at the source free ones.

    The source works at the arrival rate while a line is free, so it is idle while all lines are in use. By
    Erlang's formula that share depends on the mean service time only.
    """
    lines, load = 4, 2.5
    source = Use(Station("source"), Exponential(SERVICE_S / load))
    model = Model([Closed("lines", clients=lines, path=[source, Delay(service)])])
    blocked = erlang_b(load, lines)
    carried = (1 - blocked) * load / SERVICE_S
    assert_contain(intervals(model), {"source: utilisation": 1 - blocked, "throughput": carried})


@pytest.mark.parametrize("clients", [1, 4, 12])
def test_simulation_agrees_with_a_product_form_network(clients):
    demands_s, think_s = (1e-3, 0.6e-3, 1.5e-3), 5e-3
    path = [Use(Station(f"station {row}"), Exponential(demand)) for row, demand in enumerate(demands_s)]
    model = Model([Closed("clients", clients=clients, path=path, think=Exponential(think_s))])
    exact = mva(demands_s, clients, think_s)
    told = {"throughput": exact.throughput, "response_s": exact.response_s}
    told["population"] = exact.throughput * exact.response_s
    for row, utilisation in enumerate(exact.utilisation):
        told[f"station {row}: utilisation"] = utilisation
        if clients > 1:  # nobody ever waits for oneself
            told[f"station {row}: queue"] = exact.queue_length[row] - utilisation
    assert_contain(intervals(model), told)


def test_one_token_held_for_a_delay_is_a_server():
    rate = 0.7 / SERVICE_S
    path = [Hold(Pool("token", tokens=1), Delay(Exponential(SERVICE_S)))]
    model = Model([Open("jobs", arrivals=Poisson(rate), path=path)])
    percentile = {"p95_s": mm1_response_percentile(rate, SERVICE_S, 0.95)}
    assert_contain(intervals(model), waiting_line(mm1(rate, SERVICE_S), "token") | percentile)


def test_an_interval_that_should_not_contain_a_value_does_not():
    """M/M/1 is told from one with services 5 % longer, from one that varies less, and from two half servers."""
    model, rate = open_queue(0.8, Exponential(SERVICE_S))
    found = intervals(model)
    for wrong in (mm1(rate, 1.05 * SERVICE_S), mg1(rate, SERVICE_S, 0.9), mmc(rate, 2 * SERVICE_S, 2)):
        assert not _inside(found["response_s"], wrong.response_s)
