"""Open arrivals beside closed clients at one place: exact cases, limits, and figures simulated to 1 %."""

from __future__ import annotations

import math

import pytest

from sim import Closed, Delay, Exponential, Gamma, Hold, Lock, Model, Open, Periodic, Poisson, Station, Use
from sim.engine.analytic.solve import solve
from sim.engine.analytic.stalls import Services
from textbook import mva

MS = 1e-3
DISK, PAIR, INODE = Station("disk"), Station("pair", 2), Lock("inode")


def groups(*workloads):
    return solve(Model(workloads)).groups


@pytest.mark.parametrize("load", [0.1, 0.8])
@pytest.mark.parametrize("clients", [1, 4, 20])
def test_where_the_product_form_holds_open_arrivals_make_services_longer(clients, load):
    """Of the closed clients by 1 / (1 - load); open ones find those at the disk, and themselves."""
    path = Use(DISK, Exponential(MS))
    model = Model(
        [Closed("c", clients, path, think=Exponential(5 * MS)), Open("o", Poisson(load / MS), path)],
    )
    found, exact = solve(model), mva([MS / (1 - load)], clients, 5 * MS)
    assert found.exact
    assert found.groups["c"].throughput == pytest.approx(exact.throughput)
    closed = exact.throughput * exact.response_s
    assert found.groups["o"].latency_s == pytest.approx(MS * (1 + closed) / (1 - load))


def test_arrivals_by_the_clock_have_no_product_form():
    path = Use(DISK, Exponential(MS))
    assert not solve(Model([Closed("c", 2, path), Open("o", Periodic(2 * MS), path)])).exact


@pytest.mark.parametrize("clients", [1, 4])
@pytest.mark.parametrize("service_ms", [0.1, 100.0])
def test_clients_without_think_time_get_the_capacity_left_by_open_work(clients, service_ms):
    """The utilisation law: the disk is never idle, and open clients find whoever is not served."""
    found = groups(
        Closed("c", clients, Use(DISK, Gamma(MS, 0.1))),
        Open("o", Poisson(0.5 / (service_ms * MS)), Use(DISK, Gamma(service_ms * MS, 0.5))),
    )
    assert found["c"].throughput == pytest.approx(0.5 / MS, rel=1e-3)
    wait_s = clients * MS / 0.5 - MS
    rests_s = 0.5 * (MS * 1.01 + service_ms * MS * 1.25) / 2
    assert found["o"].latency_s == pytest.approx((0.5 * wait_s + rests_s) / 0.5 + service_ms * MS, rel=1e-3)


SHORT, LONG = Exponential(0.1 * MS), Exponential(10 * MS)
READ, WRITE = INODE.shared, INODE.exclusive
SIMULATED = {
    "a long open service stalls each client once": (
        [Closed("c", 4, Use(DISK, SHORT), think=Exponential(MS)), Open("o", Poisson(50), Use(DISK, LONG))],
        (1850, 20.7 * MS),
        0.1,
    ),
    "two servers": (
        [
            Closed("c", 6, Use(PAIR, Exponential(0.5 * MS)), think=Exponential(2 * MS)),
            Open("o", Poisson(60), Use(PAIR, Gamma(20 * MS, 1.5))),
        ],
        (1124, 42.1 * MS),
        0.08,
    ),
    "an exclusive lock": (
        [
            Closed("c", 3, Hold(WRITE, Delay(Exponential(0.2 * MS))), think=Exponential(2 * MS)),
            Open("o", Poisson(50), Hold(WRITE, Delay(Gamma(10 * MS, 0.5)))),
        ],
        (755, 17.0 * MS),
        0.08,
    ),
    "open writers, and readers that think": (
        [
            Closed("c", 6, Hold(READ, Delay(Exponential(MS))), think=Exponential(4 * MS)),
            Open("o", Poisson(60), Hold(WRITE, Delay(Exponential(5 * MS)))),
        ],
        (936, 9.15 * MS),
        0.05,
    ),
    "open writers, and readers that come back at once": (
        [
            Closed("c", 4, Hold(READ, Delay(Exponential(2 * MS)))),
            Open("o", Poisson(100), Hold(WRITE, Delay(Exponential(MS)))),
        ],
        (1418, 6.42 * MS),
        0.2,
    ),
}


@pytest.mark.parametrize("what", SIMULATED)
def test_answers_are_near_the_simulated_ones(what):
    """The throughput of the closed clients, and the latency of the open ones."""
    workloads, simulated, within = SIMULATED[what]
    found = groups(*workloads)
    assert (found["c"].throughput, found["o"].latency_s) == pytest.approx(simulated, rel=within)


def test_at_a_disk_always_in_use_all_closed_clients_wait_longer_by_the_same():
    """A few beside many who keep it in use: simulated to 1 %."""
    found = groups(
        Closed("few", 2, Use(DISK, Gamma(0.4 * MS, 0.6)), think=Exponential(9 * MS)),
        Closed("many", 12, Use(DISK, Gamma(1.4 * MS, 2.0)), think=Exponential(3 * MS)),
        Open("o", Poisson(300), Use(DISK, Exponential(MS))),
    )
    assert found["few"].throughput == pytest.approx(62.7, rel=0.05)
    assert found["many"].throughput == pytest.approx(480.0, rel=0.02)


def test_time_until_a_service_ends_or_a_client_arrives():
    """Exponential times end at the sum of the rates; a constant one is cut off by hand."""
    assert Services(1.0, 2.0, 1.0).race_s(3.0) == pytest.approx(1 / (1 / 2 + 1 / 3))
    assert Services(1.0, 2.0, 0.0).race_s(3.0) == pytest.approx(3 * (1 - math.exp(-2 / 3)))
    assert Services(1.0, 2.0, 0.5).race_s(0.0) == 0.0


def what(*workloads):
    return solve(Model(workloads)).groups["c"].accuracy.what


def test_warning_names_the_kinds_of_load_that_meet():
    closed, arrivals = Closed("c", 2, Use(DISK, 2 * MS)), Open("o", Poisson(50), Use(DISK, MS))
    elsewhere = Open("o", Poisson(50), Use(PAIR, MS))
    readers = Closed("c", 2, Hold(READ, Delay(MS)))
    writers = Open("o", Poisson(50), Hold(WRITE, Delay(MS)))
    assert what(closed, arrivals) == "open beside closed"
    assert what(closed, elsewhere) == "arrivals from outside"
    assert what(readers, writers) == "open beside closed at a read-write lock"
