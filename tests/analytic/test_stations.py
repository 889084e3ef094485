"""Chains, visits and nodes made by hand: each figure worked out from theirs."""

from __future__ import annotations

import math

import pytest

from analytic_parts import MS, arriving, closed, node, visit
from sim import Exponential, Gate, Lock, Pool, Station
from sim.engine.analytic.buffer_roles import BufferRole
from sim.engine.analytic.caches import Hits
from sim.engine.analytic.gates import Batches
from sim.engine.analytic.network import _always_in_use
from sim.engine.analytic.read_path import Nodes, Reader
from sim.engine.analytic.stations import Chain, Flow, Node, Visit
from sim.engine.analytic.terms import (
    Fixed,
    Held,
    Joined,
    LeftBehind,
    Met,
    Mixture,
    PerBatch,
    Repeated,
    Series,
    Served,
)

# Chains


def test_think_time_is_the_mean_of_its_distribution():
    assert closed(3, think=Exponential(2 * MS)).think_s == 2 * MS
    assert closed(3).think_s == 0.0
    assert arriving(5.0).think_s == 0.0


def test_new_chain_has_no_throughput():
    fresh = Chain(closed(3).workload, 2)
    assert (fresh.throughput, fresh.response_s, fresh.unqueued) == (0.0, 0.0, (0.0, 0.0))


def test_a_thinned_chain_has_that_share_of_its_clients():
    chain = closed(8)
    assert (chain.clients, chain.population_share) == (8, 1.0)
    chain.perturb(0.25)
    assert (chain.clients, chain.population_share) == (2.0, 0.25)
    chain.perturb(0.5)
    assert chain.clients == 4.0
    outside = arriving(5.0)
    outside.perturb(0.5)
    assert (outside.clients, outside.population_share) == (math.inf, 0.5)


def test_clients_who_do_not_wait_are_active():
    """Five clients, 500 walks a second of 3 ms without waiting: 1.5 clients at a time, three tenths of them."""
    chain = closed(5, throughput=500.0)
    chain.unqueued = (3 * MS, 0.0)
    assert chain.active == pytest.approx(0.3)
    chain.throughput = 5000.0
    assert chain.active == 1.0


def test_the_variation_of_a_walk_is_its_variance_over_its_square():
    chain = closed()
    chain.unqueued = (4 * MS, 8e-6)
    assert chain.variation == pytest.approx(0.5)
    for nothing_s in (0.0, 1e-200):
        chain.unqueued = (nothing_s, 0.0)
        assert chain.variation == 1.0
    outside = arriving(5.0)
    outside.unqueued = (4 * MS, 8e-6)
    assert outside.variation == 1.0


# Visits


def test_a_new_visit_has_counted_nothing_and_is_bound_by_nothing():
    where, chain = node(), closed(3)
    fresh = Visit(where, Flow(chain, free=False), 3, 1)
    numbers = (
        fresh.visits,
        fresh.work_s,
        fresh.square_s2,
        fresh.means_s2,
        fresh.wait_s,
        fresh.sequential_visits,
        fresh.row,
    )
    assert numbers == (0.0,) * 7
    assert (fresh.parallelism, fresh.capacity_share, fresh.arrival_variation, fresh.holds, fresh.elasticity) == (
        1,
        math.inf,
        1.0,
        (),
        {},
    )
    assert fresh.exclusive
    assert not fresh.depends_on_waits
    fresh.reset()
    assert (fresh.work_s, fresh.square_s2, fresh.means_s2) == (0.0, 0.0, 0.0)


def test_one_of_equal_stations_sees_its_share_of_the_workloads():
    """Six workloads at four places: one and a half for each; 200 walks a second of each, 1.4 ms of service."""
    visits = visit(node(copies=4), closed(2, copies=6, throughput=200.0), work_s=1.4 * MS)
    assert visits.ratio == 1.5
    assert visits.request_rate == pytest.approx(300.0)
    assert visits.busy == pytest.approx(0.42)


def test_clients_that_may_be_at_one_place():
    """Three of each workload's seven are let through, each turns to two of four places, six share them."""
    chain = closed(7, copies=6)
    visits = visit(node(copies=4), chain, most=3, fan_out=2)
    assert (visits.sources, visits.unlimited_sources) == (pytest.approx(9.0), pytest.approx(21.0))
    chain.perturb(0.9)
    assert (visits.sources, visits.unlimited_sources) == (pytest.approx(8.1), pytest.approx(18.9))
    visits.capacity_share = 5.0
    assert (visits.sources, visits.unlimited_sources) == (5.0, pytest.approx(18.9))


def test_holders_of_the_places_before_one_may_visit_it():
    """Four pools of two tokens, of which a workload has two; behind them five disks, and it turns to three."""
    chain = closed(6, copies=2)
    pool = visit(node(Pool("pool", 2), copies=4, servers=2), chain, fan_out=2)
    disk = visit(node(copies=5), chain, fan_out=3)
    assert pool.admitted_to(disk) == pytest.approx(2 * 3 * 4 / (5 * 2))


def test_one_pool_before_many_places_may_let_all_its_holders_to_one():
    chain = closed(6, copies=3)
    pool = visit(node(Pool("pool", 4), servers=4), chain)
    assert pool.admitted_to(visit(node(copies=3), chain)) == 4.0


def test_wait_inside_a_hold_inflates_the_hold():
    """Holds of 2.5 ms with waits of 2 ms before, and of 2 ms with 3 ms before: 1.8 times 2.5."""
    chain = closed(6)
    outer = visit(node(), chain, visits=2.0, work_s=5 * MS, wait_s=2 * MS)
    inner = visit(node(), chain, visits=3.0, work_s=6 * MS, wait_s=3 * MS)
    empty = visit(node(), chain, wait_s=3 * MS)
    assert visit(node(), chain).inflation == 1.0
    assert visit(node(), chain, holds=(outer,)).inflation == pytest.approx(1.8)
    assert visit(node(), chain, holds=(outer, empty, inner)).inflation == pytest.approx(1.8 * 2.5)


def test_services_are_counted_with_their_weight():
    visits = visit(node(), closed())
    visits.add(3.0, 2.0, 5.0)
    visits.add(0.5, 4.0, 20.0)
    assert (visits.work_s, visits.square_s2, visits.means_s2) == (8.0, 25.0, 20.0)


def test_constants_survive_a_reset():
    visits = visit(node(), closed(), visits=6.0, parallelism=4)
    visits.add(3.0, 2.0, 5.0)
    visits.freeze_constants()
    assert visits.sequential_visits == 1.5
    visits.add(1.0, 1.0, 1.0)
    visits.reset()
    assert (visits.work_s, visits.square_s2, visits.means_s2) == (6.0, 15.0, 12.0)


def test_the_narrowest_hold_around_is_the_room():
    """A shared holder of a lock keeps nobody out."""
    chain = closed(6)
    wide, narrow = (visit(node(Pool("pool", each), servers=each), chain) for each in (5, 3))
    shared = visit(node(Lock("lock")), chain, exclusive=False)
    for holds, room in (((), math.inf), ((shared,), math.inf), ((wide, shared, narrow), 3.0), ((wide,), 5.0)):
        visits = visit(node(), chain, holds=holds)
        visits.freeze_constants()
        assert visits.capacity_share == room


# Nodes


def test_a_node_is_kept_busy_by_all_its_visits():
    """Of three servers 0.3 + 0.9; in the queue 100 · 2 · 4 ms + 300 · 1 · 1 ms."""
    where = node(servers=3)
    visit(where, closed(throughput=100.0), visits=2.0, work_s=3 * MS, wait_s=4 * MS)
    visit(where, closed(copies=3, throughput=100.0), work_s=3 * MS, wait_s=MS)
    assert where.busy == pytest.approx(1.2)
    assert where.utilisation == pytest.approx(0.4)
    assert where.queue == pytest.approx(1.1)
    assert (node().busy, node().queue) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("place", "share", "always"),
    [(Station("disk"), 0.9991, True), (Station("disk"), 0.9989, False), (Lock("lock"), 1.0, False)],
)
def test_a_station_counts_as_always_in_use_from_a_thousandth_less(place, share, always):
    where = node(place)
    visit(where, closed(throughput=1000.0), work_s=share * MS)
    assert _always_in_use(where) == always


PARTS = (Chain, Flow, Visit, Node, Batches, BufferRole, Hits, Nodes, Reader, Fixed, Served, PerBatch, Held, Met)
TERMS = (Series, Mixture, Repeated, Joined, LeftBehind)


@pytest.mark.parametrize("kind", [*PARTS, *TERMS])
def test_parts_of_a_network_are_compared_by_identity(kind):
    """They refer to each other in circles, and two branches may hold the same numbers."""
    assert kind.__eq__ is object.__eq__
    assert kind.__hash__ is object.__hash__


def test_a_new_gate_has_batches_of_one():
    assert Batches(Gate("gate")).batch == 1.0
