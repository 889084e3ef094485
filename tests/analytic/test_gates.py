"""Batches at a gate made by hand: who comes, how large a batch is, who waits and how long."""

from __future__ import annotations

import math

import pytest

from analytic_parts import MS, arriving, closed, node, visit
from sim import Gate
from sim.engine.analytic.gates import Batches, _cycle


def gate():
    place = Gate("gate")
    return Batches(place), node(place)


def writers(batches, where, clients=1, *, walk_s=4 * MS, work_s=2 * MS, square_s2=4e-6, **more):
    """Clients that think for a millisecond and are out for the rest of their walk."""
    chain = closed(clients, response_s=walk_s - MS, think=MS)
    visits = visit(where, chain, work_s=work_s, square_s2=square_s2, **more)
    batches.gathering.append(visits)
    return visits


def sessions(batches, where, chain, **more):
    visits = visit(where, chain, **more)
    batches.awaiting.append(visits)
    return visits


def test_a_cycle_is_a_walk_without_waiting_for_arrivals():
    """Two gathers a walk of 4 ms by each of three clients, each after a wait of half a millisecond."""
    batches, where = gate()
    found = writers(batches, where, 3, visits=2.0, sequential_visits=2.0, wait_s=0.5 * MS)
    assert _cycle(found) == pytest.approx((6.0, 3 * MS))
    found.wait_s = 2 * MS
    assert _cycle(found)[1] == 1e-12


def test_open_arrival_gathers_its_own_batch():
    _, where = gate()
    assert _cycle(visit(where, arriving(100.0, response_s=3 * MS), visits=2.0, sequential_visits=2.0)) == (
        2.0,
        3 * MS,
    )


def test_a_batch_of_open_arrivals():
    """Three writers of a cycle of 3.5 ms: a gather each 7 / 6 ms, for which 0.7 come, and nobody with e^-0.7.

    Services of 2 ms, whose second moment is 6 ms²: a variation of a half, mixed of three.
    """
    batches, where = gate()
    found = sessions(batches, where, arriving(600.0))
    gathers = writers(batches, where, 3, square_s2=6e-6, wait_s=0.5 * MS)
    waits = dict(batches.waits())
    batch = 0.7 + math.exp(-0.7)
    assert batches.batch == pytest.approx(batch)
    rest_s = 7 / 6 * MS * (1 + 0.5 / 3) / 2
    assert waits[found] == pytest.approx(2 * MS + 0.7 / batch * rest_s)
    longer = (6000 / 7) / (600 / batch)
    assert waits[gathers] == pytest.approx(3.5 * MS * (longer - 1))


def test_services_and_gathers_of_several_who_gather_are_added_up():
    """One gathers twice in 8 ms for a millisecond each, one once in 4 ms for 3 ms: 500 gathers a second."""
    batches, where = gate()
    found = sessions(batches, where, arriving(1000.0), visits=0.5)
    often = writers(
        batches, where, walk_s=8 * MS, visits=2.0, sequential_visits=2.0, work_s=2 * MS, square_s2=2e-6
    )
    seldom = writers(batches, where, work_s=3 * MS, square_s2=18e-6)
    waits = dict(batches.waits())
    batch = 1 + math.exp(-1)
    service_s = 5 / 3 * MS
    variation = 20e-6 / 3 / service_s**2 - 1
    assert batches.batch == pytest.approx(batch)
    assert waits[found] == pytest.approx(service_s + 1 / batch * 2 * MS * (1 + variation / 2) / 2)
    longer = 500 / (500 / batch) - 1
    assert (waits[often], waits[seldom]) == pytest.approx((8 * MS * longer / 2, 4 * MS * longer))


def test_constant_services_leave_half_of_an_interval():
    """Rounding makes no variation below nothing; and services of no time at all have none."""
    for work_s, square_s2 in ((2 * MS, 3.9e-6), (0.0, 0.0)):
        batches, where = gate()
        found = sessions(batches, where, arriving(500.0))
        writers(batches, where, work_s=work_s, square_s2=square_s2)
        waits = dict(batches.waits())
        expected = work_s + 2 / batches.batch * 4 * MS / 2
        assert waits[found] == pytest.approx(expected)


def test_gather_does_not_wait_if_arrivals_exceed_the_batch():
    """A batch of ten is all that come in 10 ms; as many gathers as there can be."""
    batches, where = gate()
    sessions(batches, where, arriving(5000.0))
    busy = writers(batches, where)
    assert dict(batches.waits())[busy] == pytest.approx(4 * MS * math.exp(-20) / 20, rel=0.01)


def test_gather_of_sessions_that_never_arrive_adds_no_wait():
    """Before the first walk nothing is known of them: they stand at the gate without end, or not at all."""
    batches, where = gate()
    found = sessions(batches, where, closed(4))
    idle = writers(batches, where)
    waits = dict(batches.waits())
    assert waits[idle] == 0.0
    assert waits[found] == 2 * MS
    assert batches.batch == 1.0


@pytest.mark.parametrize("waited_s", [2.5 * MS, 0.5 * MS])
def test_clients_elsewhere_arrive_with_equal_probability(waited_s):
    """Of nine clients with 600 walks a second, in 5 / 6 ms: two writers keep each for 2 ms or more.

    1.2 are being served, of which the half is not in the batch of one; at the gate are 1.5, or at least the 1.2.
    """
    batches, where = gate()
    sessions(batches, where, closed(9, throughput=600.0), wait_s=waited_s)
    writers(batches, where, 2)
    batches.batch = 2.5
    arrived, nobody = batches._arrivals(600.0, 2 * MS, 5 / 6 * MS)  # noqa: SLF001  (numbers of its own)
    could = 9 - 2.5 - 1.2 / 2
    chance = 1 - math.exp(-0.5 / (9 - max(600 * waited_s, 1.2)))
    assert (arrived, nobody) == pytest.approx((could * chance, (1 - chance) ** could))


def test_clients_at_the_gate_or_in_a_batch_cannot_arrive():
    batches, where = gate()
    sessions(batches, where, closed(2, throughput=100.0), wait_s=30 * MS)
    writers(batches, where)
    batches.batch = 3.0
    assert batches._arrivals(100.0, 2 * MS, 4 * MS) == (0.0, 1.0)  # noqa: SLF001


def test_a_small_batch_of_few_clients():
    """One client and one writer: whoever comes is the batch, and waits for the write alone."""
    batches, where = gate()
    found = sessions(batches, where, closed(1, throughput=100.0), wait_s=2 * MS)
    batches.batch = 1.0
    gathers = writers(batches, where)
    waits = dict(batches.waits())
    assert batches.batch == 1.0
    assert waits[found] == pytest.approx(2 * MS)
    assert waits[gathers] == pytest.approx(4 * MS * (250 / 100 - 1))
