"""Closed forms by hand; what simulations say of them is in `tests/laws`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analytic_parts import MS, steady
from sim import NoSteadyStateError
from sim.engine.analytic.closed_forms import (
    balanced_job_bounds,
    erlang_b,
    erlang_c,
    machine_repairman,
    mva_classes,
)
from sim.engine.errors import InputError
from textbook import md1, mg1, mm1, mm1_response_percentile, mmc, mva


def test_one_server_equals_mm1():
    """Load 0.6: M/M/1 waits for 0.6 / 0.4 services, M/D/1 for half of that, and a cv of 2 for 5/2 of it."""
    for found, wait in ((mm1(300.0, 2 * MS), 3.0), (md1(300.0, 2 * MS), 1.5), (mg1(300.0, 2 * MS, 2.0), 7.5)):
        assert (found.throughput, found.utilisation) == pytest.approx((300.0, 0.6))
        assert (found.waiting_s, found.response_s) == pytest.approx((wait * MS, (wait + 2) * MS))
        assert (found.queue, found.population) == pytest.approx((0.3 * wait, 0.3 * (wait + 2)))


def test_a_percentile_of_an_exponential_time():
    """95 % within ln 20 times the mean, which is 5 ms."""
    assert mm1_response_percentile(300.0, 2 * MS, 0.95) == pytest.approx(5 * MS * math.log(20))


def test_erlangs_formulas():
    """Two lines at a load of 2: 2 / (1 + 2 + 2) are turned away; three at 1.5: 0.5625 / 4.1875."""
    assert erlang_b(1.0, 1) == pytest.approx(0.5)
    assert erlang_b(2.0, 2) == pytest.approx(0.4)
    assert erlang_b(1.5, 3) == pytest.approx(0.5625 / (1 + 1.5 + 1.125 + 0.5625))
    assert erlang_c(0.6, 1) == pytest.approx(0.6)
    assert erlang_c(1.5, 3) == pytest.approx(0.5625 * 2 / (1 + 1.5 + 1.125 + 0.5625 * 2))


def test_several_servers():
    found, wait = mmc(750.0, 2 * MS, 3), erlang_c(1.5, 3) * 2 / 1.5
    assert (found.utilisation, found.throughput) == pytest.approx((0.5, 750.0))
    assert (found.waiting_s, found.response_s) == pytest.approx((wait * MS, (wait + 2) * MS))
    assert (found.queue, found.population) == pytest.approx((0.75 * wait, 0.75 * (wait + 2)))


@pytest.mark.parametrize(("machines", "servers"), [(1, 1), (4, 1), (5, 2), (3, 4)])
def test_machine_repairman_equals_its_markov_chain(machines, servers):
    """The shares of time that so many are down, from the rates of the Markov chain; 7 ms to break, 3 to repair."""
    rates = np.zeros((machines + 1, machines + 1))
    for down in range(machines):
        rates[down, down + 1] = (machines - down) / (7 * MS)
        rates[down + 1, down] = min(down + 1, servers) / (3 * MS)
    shares = steady(rates)
    busy = sum(share * min(down, servers) for down, share in enumerate(shares))
    queue = sum(share * max(down - servers, 0) for down, share in enumerate(shares))
    found = machine_repairman(machines, 7 * MS, 3 * MS, servers)
    assert (found.throughput, found.utilisation) == pytest.approx((busy / (3 * MS), busy / servers))
    assert found.queue == pytest.approx(queue, abs=1e-12)
    assert found.waiting_s == pytest.approx(queue / busy * 3 * MS, abs=1e-12)
    assert found.population == pytest.approx(busy + queue)


def test_machine_repairman_has_one_server_by_default():
    assert machine_repairman(4, 7 * MS, 3 * MS) == machine_repairman(4, 7 * MS, 3 * MS, 1)


def test_very_many_machines_do_not_overflow():
    assert machine_repairman(3000, MS, MS).throughput == pytest.approx(1000.0)


def test_a_cycle_of_two_stations():
    """1 and 3 ms, a think of 2. One client: 1000 / 6 cycles. Two: 7/6 and 4.5 ms, as each finds the other."""
    alone = mva([MS, 3 * MS], 1, 2 * MS)
    assert alone.throughput == pytest.approx(1000 / 6)
    assert alone.queue_length == pytest.approx((1 / 6, 1 / 2))
    both = mva([MS, 3 * MS], 2, 2 * MS)
    assert both.residence_s == pytest.approx((7 / 6 * MS, 4.5 * MS))
    assert both.response_s == pytest.approx(17 / 3 * MS)
    rate = 2 / (2 * MS + 17 / 3 * MS)
    assert both.throughput == pytest.approx(rate)
    assert both.utilisation == pytest.approx((rate * MS, rate * 3 * MS))
    assert both.queue_length == pytest.approx((rate * 7 / 6 * MS, rate * 4.5 * MS))
    assert mva([MS], 3).throughput == pytest.approx(1000.0)


def test_one_class_is_the_cycle():
    (found,) = mva_classes([[MS, 3 * MS]], [4], [2 * MS])
    assert found.throughput == pytest.approx(mva([MS, 3 * MS], 4, 2 * MS).throughput)
    assert found.queue_length == pytest.approx(mva([MS, 3 * MS], 4, 2 * MS).queue_length)


def test_equal_classes_are_parts_of_one():
    parts = mva_classes([[MS, 3 * MS]] * 2, [1, 3], [2 * MS] * 2)
    whole = mva([MS, 3 * MS], 4, 2 * MS)
    for part, clients in zip(parts, (1, 3), strict=True):
        assert part.throughput == pytest.approx(whole.throughput * clients / 4)
        assert part.residence_s == pytest.approx(whole.residence_s)
        assert part.utilisation == pytest.approx([each * clients / 4 for each in whole.utilisation])


def test_two_clients_of_different_classes():
    """Each finds what the other does alone: 1 of 3 ms at the first station, and 1 of 4 at the second."""
    one, other = mva_classes([[MS, 2 * MS], [3 * MS, 0.0]], [1, 1], [0.0, MS])
    assert one.residence_s == pytest.approx((MS * (1 + 3 / 4), 2 * MS))
    assert other.residence_s == pytest.approx((3 * MS * (1 + 1 / 3), 0.0))
    assert (one.throughput, other.throughput) == pytest.approx((1 / (3.75 * MS), 1 / (5 * MS)))
    assert one.utilisation == pytest.approx((1 / 3.75, 2 / 3.75))
    assert one.response_s == pytest.approx(3.75 * MS)


def test_bounds_of_balanced_jobs():
    """1 and 3 ms, a think of 2, five clients: 5 / (6 + 4 · 3 / 1.1), and no more than the slower station."""
    least, most = balanced_job_bounds([MS, 3 * MS], 5, 2 * MS)
    assert least == pytest.approx(5 / (6 * MS + 12 * MS / 1.1))
    assert most == pytest.approx(1 / (3 * MS))
    assert balanced_job_bounds([MS, 3 * MS], 2, 2 * MS)[1] == pytest.approx(2 / (6 * MS + 2 * MS / 1.5))
    assert balanced_job_bounds([MS, 3 * MS], 1) == pytest.approx((250.0, 250.0))


@pytest.mark.parametrize("load", [2.0, 2.4])
def test_full_servers_have_no_steady_state(load):
    with pytest.raises(NoSteadyStateError, match=f"utilisation is {load / 2:g}, and only below 1"):
        erlang_c(load, 2)
    assert erlang_c(1.999, 2) < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: erlang_b(1.0, 0), "servers is 0; allowed: a whole number of at least 1"),
        (lambda: erlang_b(1.0, 1.5), "servers is 1.5"),
        (lambda: erlang_b(1.0, True), "servers is True"),  # noqa: FBT003
        (lambda: machine_repairman(0, MS, MS), "machines is 0"),
        (lambda: balanced_job_bounds([], 1), "demands_s is empty"),
        (lambda: balanced_job_bounds([MS, 0.0], 1), r"demands_s\[1\] is 0.0"),
        (lambda: mva_classes([], [], []), "differ in length"),
        (lambda: mva_classes([[MS], [MS, MS]], [1, 1], [0.0, 0.0]), "differ in length"),
        (lambda: mva_classes([[MS]], [1, 1], [0.0]), "differ in length"),
        (lambda: mva_classes([[MS]], [1], [0.0, 0.0]), "differ in length"),
        (lambda: mva_classes([[MS], [0.0]], [1, 1], [0.0, 0.0]), "class 1 has neither demand nor think time"),
        (lambda: mva_classes([[MS], [-MS]], [1, 1], [0.0, 0.0]), r"demands_s\[1\] is -0.001"),
        (lambda: mva_classes([[MS]], [0], [0.0]), r"clients\[0\] is 0"),
        (lambda: mva_classes([[MS]], [1], [-1.0]), r"think_s\[0\] is -1.0"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_smallest_arguments_are_accepted():
    assert mva_classes([[0.0]], [1], [MS])[0].throughput == pytest.approx(1000.0)
    assert erlang_b(1, np.int64(1)) == 0.5


@pytest.mark.parametrize("servers", [1, 2, 3, 8])
@pytest.mark.parametrize("clients", [1, 2, 5, 24])
@pytest.mark.parametrize("think_s", [0.01, 1.0, 20.0])
def test_a_station_of_several_servers_is_that_of_the_machine_repairman(servers, clients, think_s):
    found, expected = (
        mva_classes([[1.0]], [clients], [think_s], [servers])[0],
        machine_repairman(clients, think_s, 1.0, servers),
    )
    assert found.throughput == pytest.approx(expected.throughput, rel=1e-9)
    assert found.utilisation == pytest.approx((expected.utilisation,), rel=1e-9)
    assert found.queue_length == pytest.approx((expected.population,), rel=1e-9)


def test_equal_classes_at_several_servers_are_parts_of_one():
    one, two = mva_classes([[1.0, 2.0], [1.0, 2.0]], [2, 3], [3.0, 3.0], [2, 3])
    whole = mva_classes([[1.0, 2.0]], [5], [3.0], [2, 3])[0]
    assert one.throughput == pytest.approx(2 / 5 * whole.throughput)
    assert two.residence_s == pytest.approx(whole.residence_s)


def test_servers_are_one_entry_for_each_station():
    with pytest.raises(InputError, match="servers and demands_s differ in length"):
        mva_classes([[1.0]], [2], [0.0], [1, 2])
