"""Waits before stations and pools made by hand: what a visitor finds, and each limit of its wait."""

from __future__ import annotations

import math
from itertools import accumulate

import pytest

from analytic_parts import MS, arriving, closed, node, visit
from sim import Pool
from sim.engine.analytic.arrivals import regularity_factor
from sim.engine.analytic.closed_forms import erlang_c, machine_repairman
from sim.engine.analytic.finite import finite_residual
from sim.engine.analytic.queues import (
    Queue,
    _arrival_weights,
    _away_s,
    _finite,
    _longest_s,
    _most_clients,
    _varied,
    _weights,
    all_busy,
    min_s,
    own_share,
)
from sim.engine.analytic.stations import Flow
from textbook import mg1

EXPONENTIAL = {"work_s": MS, "square_s2": 2e-6, "means_s2": 1e-6}


def waits(where):
    queue = Queue(where)
    queue.update_arrival_weights()
    return [wait_s for _, wait_s in queue.waits()]


# What a visitor finds


def test_one_of_a_chain_is_the_visitor_itself():
    """Eight clients, of whom all or two come to the disk at a time; those of a walk by where they stand."""
    where, chain = node(), closed(8)
    free = visit(where, chain)
    visit(where, closed(3))
    held = visit(where, chain, most=2, flow=free.flow)
    apart = visit(where, chain, flow=Flow(chain, free=False))
    assert own_share(where, free) == [(0, 1 / 8), (2, 1 / 8)]
    assert own_share(where, held) == [(0, 1 / 8), (2, 1 / 2)]
    assert own_share(where, apart) == [(3, 1 / 8)]
    assert own_share(where, visit(where, arriving(5.0))) == []


def test_a_part_of_a_client_is_still_one():
    where, chain = node(copies=4), closed(2)
    assert own_share(where, visit(where, chain)) == [(0, 1.0)]


def test_open_arrivals_find_all():
    where = node()
    other = visit(where, closed(3))
    assert _weights(visit(where, arriving(5.0)), other, 0.0) == (1.0, 1.0)
    assert list(_arrival_weights(where, where.visits[1])) == [(0, 1.0, 1.0), (1, 1.0, 1.0)]


def test_a_closed_client_finds_all_but_itself():
    """Four clients, each a quarter of what is there; the only one of another chain finds nobody of its own."""
    where = node()
    visitor, single = visit(where, closed(4)), visit(where, closed(1))
    assert list(_arrival_weights(where, visitor)) == [(0, 0.75, 0.75), (1, 1.0, 1.0)]
    assert list(_arrival_weights(where, single)) == [(0, 1.0, 1.0)]
    assert _weights(visitor, visitor, 1.0) == (0.0, 0.0)


def test_other_branches_of_a_walk_are_found_whole():
    where, chain = node(), closed(4)
    visitor, branch = visit(where, chain), visit(where, chain, flow=Flow(chain, free=False))
    assert _weights(visitor, branch, 0.0) == (1.0, 1.0)


def test_queue_and_service_are_weighted_by_their_elasticity():
    """A client fewer of four leaves (3/4)^2 of the queue and (3/4)^0.5 of the service; all, if it grows."""
    where = node()
    visitor, other = visit(where, closed(4)), visit(where, closed(3))
    visitor.elasticity[visitor.chain] = (2.0, 0.5)
    assert _weights(visitor, visitor, 0.25) == pytest.approx((0.75**2, 0.75**0.5))
    visitor.elasticity[visitor.chain] = (-1.0, -2.0)
    assert _weights(visitor, visitor, 0.25) == (1.0, 1.0)
    other.elasticity[visitor.chain] = (1.2, -0.8)
    assert _weights(visitor, other, 0.0) == pytest.approx((1 - 1.2 / 4, 1 + 0.8 / 4))


def test_weights_of_another_chain_are_between_zero_and_two():
    where = node()
    visitor, other = visit(where, closed(4)), visit(where, closed(3))
    other.elasticity[visitor.chain] = (5.0, -7.0)
    assert _weights(visitor, other, 0.0) == (0.0, 2.0)
    other.elasticity[visitor.chain] = (-7.0, 5.0)
    assert _weights(visitor, other, 0.0) == (2.0, 0.0)
    few = visit(where, closed(1, copies=1))
    few.chain.perturb(0.5)
    other.elasticity[few.chain] = (0.25, 0.5)
    assert _weights(few, other, 0.0) == (0.75, 0.5)


@pytest.mark.parametrize(("most", "capacity_share"), [(3, math.inf), (4, 3.0)])
def test_where_tokens_limit_who_arrives_elasticities_do_not_count(most, capacity_share):
    inside = visit(node(), closed(4), most=most, capacity_share=capacity_share)
    inside.elasticity[inside.chain] = (2.0, 0.5)
    assert _weights(inside, inside, 0.25) == (0.75, 0.75)


def test_at_a_place_there_are_the_most_of_each_flow():
    """Of eight clients three or all, of two workloads with three clients each, of arrivals any number."""
    where, chain = node(), closed(8)
    held = visit(where, chain, most=3)
    visit(where, chain, flow=held.flow)
    assert _most_clients(where) == {held.flow: 8.0}
    other = visit(where, closed(3, copies=2))
    assert _most_clients(where) == {held.flow: 8.0, other.flow: 6.0}
    outside = visit(where, arriving(5.0))
    assert _most_clients(where)[outside.flow] == math.inf


# The longest and the least wait


def test_the_longest_service_is_a_whole_one_or_the_rest_of_a_long_one():
    """Two visits of 1.5 ms; half of 8 / 2 ms."""
    where, chain = node(), closed(8)
    assert _longest_s(visit(where, chain)) == 0.0
    assert _longest_s(visit(where, chain, visits=2.0, work_s=3 * MS, square_s2=4.5e-6)) == pytest.approx(1.5 * MS)
    assert _longest_s(visit(where, chain, visits=2.0, work_s=2 * MS, square_s2=8e-6)) == pytest.approx(2 * MS)


def longest_wait(where):
    queue = Queue(where)
    queue.update_arrival_weights()
    return queue.max_s(where.visits[0])


def test_a_client_waits_for_all_others_at_most():
    """Six others at two servers, 2 ms each, and three of another kind, 4 ms each."""
    where = node(servers=2)
    visit(where, closed(7), work_s=2 * MS, square_s2=4e-6)
    assert longest_wait(where) == pytest.approx(6 * MS)
    visit(where, closed(3), work_s=4 * MS, square_s2=16e-6)
    assert longest_wait(where) == pytest.approx(12 * MS)
    visit(where, arriving(5.0), work_s=MS, square_s2=1e-6)
    assert longest_wait(where) == math.inf


def test_single_client_does_not_wait():
    where = node()
    visit(where, closed(1, throughput=100.0), **EXPONENTIAL)
    queue = Queue(where)
    assert not queue.update_arrival_weights()
    assert [wait_s for _, wait_s in queue.waits()] == [0.0]
    assert longest_wait(where) == 0.0
    fewer = node(copies=2)
    visit(fewer, closed(1, throughput=100.0), **EXPONENTIAL)
    assert longest_wait(fewer) == 0.0


def test_a_client_waits_only_while_others_are_served():
    """One token: others are served for 0.5 s of a second, in which it comes 200 times. 20 others would queue."""
    where, others = node(), closed(20, throughput=500.0)
    visit(where, others, **EXPONENTIAL, wait_s=30 * MS)
    visit(where, closed(4, throughput=200.0), most=1, work_s=0.2 * MS, square_s2=0.08e-6, means_s2=0.04e-6)
    assert waits(where)[1] == pytest.approx(500 * MS / 200)


def test_client_waits_while_others_occupy_both_servers():
    """With one server more, of which others use 1.2: the probability that both are in use."""
    where, others = node(servers=2), closed(1000, throughput=1200.0)
    visit(where, others, **EXPONENTIAL, wait_s=5 * MS)
    visit(where, closed(4, throughput=200.0), most=1, work_s=0.2 * MS, square_s2=0.08e-6, means_s2=0.04e-6)
    assert waits(where)[1] == pytest.approx(erlang_c(1.2, 2) / 200)


def test_where_all_demand_too_much_all_wait_longer_by_the_same():
    """Twice what the server can do: each waits longer, so that the demand is what there is."""
    where = node()
    visit(where, closed(3, throughput=1000.0), **EXPONENTIAL)
    visit(where, closed(3, throughput=1000.0), **EXPONENTIAL, wait_s=MS)
    found = waits(where)
    assert found[0] == pytest.approx(found[1], rel=0.2)
    assert sum(found) / 2 == pytest.approx((0.0 + 3 * MS + MS + 3 * MS) / 2, rel=1e-9)


def test_least_wait_is_the_excess_demand_of_a_walk():
    """Six clients, 300 walks a second of two visits each, a tenth too much: 20 ms / 2 · 0.1 more."""
    chain = closed(6, throughput=300.0)
    visits = visit(node(), chain, sequential_visits=2.0, wait_s=3 * MS)
    assert min_s(visits, 0.1) == pytest.approx(4 * MS)
    assert min_s(visits, -0.1) == pytest.approx(2 * MS)
    visits.most = 3
    assert min_s(visits, 0.1) == pytest.approx(3.5 * MS)
    chain.population_share = 0.5
    assert min_s(visits, 0.1) == pytest.approx(3.25 * MS)
    chain.throughput = 0.0
    assert min_s(visits, 0.1) == 0.0


# Several servers


@pytest.mark.parametrize(("servers", "sources", "ratio"), [(1, 3, 0.5), (2, 5, 0.3), (3, 4, 1.7)])
def test_all_servers_are_busy_as_in_the_birth_and_death_process(servers, sources, ratio):
    """M/M/c//N: from one here to one more with N - n idle sources, back with up to c servers."""
    steps = [(sources - here) * ratio / min(here + 1, servers) for here in range(sources)]
    weights = list(accumulate(steps, lambda one, other: one * other, initial=1.0))
    assert _finite(ratio, servers, float(sources)) == pytest.approx(sum(weights[servers:]) / sum(weights))


def test_waiting_grows_between_whole_numbers_of_sources():
    low, between, high = (_finite(0.3, 2, sources) for sources in (4.0, 4.5, 5.0))
    assert low < between < high
    assert between == pytest.approx((low + high) / 2, rel=0.01)


def test_very_many_sources_that_rarely_call_wait_as_in_erlang_c():
    assert _finite(1.5 / 1e6, 2, 1e6) == pytest.approx(erlang_c(1.5, 2), rel=1e-4)


@pytest.mark.parametrize(
    ("others", "load", "expected"),
    [
        (1.0, 0.7, 0.0),  # two servers, and one other
        (81.0, 1.5, erlang_c(1.5, 2)),
        (81.0, 2.0, 1.0),
        (81.0, 2.5, 1.0),
        (math.inf, 1.5, erlang_c(1.5, 2)),
        (5.0, 1.5, _finite(1.5 / (5 - 1.5 - 0.6 * 5 / 6), 2, 5.0)),
        (80.0, 1.5, _finite(1.5 / (80 - 1.5 - 0.6 * 80 / 81), 2, 80.0)),
        (1.5, 1.4, 1.0),  # nobody is left to come
    ],
)
def test_probability_of_finding_both_servers_busy(others, load, expected):
    """With 0.6 in the queue: of those, one that arrives finds so many as are not itself."""
    where = node(servers=2)
    visit(where, closed(9, throughput=200.0), wait_s=3 * MS)
    assert all_busy(where, others, load) == pytest.approx(expected)


# The wait


@pytest.mark.parametrize("wait_s", [0.0, 5 * MS])
def test_open_arrivals_at_one_server_are_those_of_pollaczek_and_khinchine(wait_s):
    """Their queue follows from the services in progress, independently of the last estimate."""
    where = node()
    visit(where, arriving(600.0), work_s=MS, square_s2=5e-6, means_s2=1e-6, wait_s=wait_s)
    assert waits(where) == [pytest.approx(mg1(600.0, MS, 2.0).waiting_s)]


def test_capacity_taken_by_open_flows_lengthens_waits():
    """Open: 0.2 in service, with 0.4 ms left, and no queue of its own. Closed: 0.3, but a third for itself."""
    where = node()
    visit(where, arriving(100.0), work_s=2 * MS, square_s2=8e-6, means_s2=4e-6, wait_s=7 * MS)
    visit(where, closed(3, throughput=300.0), **EXPONENTIAL, wait_s=2 * MS)
    outside, inside = waits(where)
    queue, left = 0.3 * 2 * MS, 0.3 * MS
    assert outside == pytest.approx((queue + left + 0.4 * MS) / 0.8)
    assert inside == pytest.approx(((queue + left) * 2 / 3 + 0.4 * MS) / 0.8)


def test_two_servers_are_as_often_busy_as_few_sources_make_them():
    """Four others, of whom each finds 4 / 5 of what is there."""
    where = node(servers=2)
    visit(where, closed(5, throughput=1200.0), **EXPONENTIAL, wait_s=0.5 * MS)
    (found,) = waits(where)
    load = 1.2 * 0.8
    busy = _finite(load / (4 - load - 0.6 * 4 / 5), 2, 4.0)
    assert found == pytest.approx((0.6 * MS * 0.8 + busy * MS) / 2)


def test_evenly_coming_open_arrivals_wait_the_less():
    """Constant services after periodic arrivals never wait; as for Poisson ones if closed clients come between."""
    for arrival_variation, others in ((0.0, 0), (1.0, 0), (0.0, 1)):
        where = node()
        visit(
            where, arriving(600.0), work_s=MS, square_s2=1e-6, means_s2=1e-6, arrival_variation=arrival_variation
        )
        for _ in range(others):
            visit(where, closed(2))
        assert waits(where)[0] == pytest.approx(0.3 * MS / 0.4 if arrival_variation or others else 0.0)


def test_open_flows_leave_closed_clients_a_thousandth_of_a_place():
    where = node()
    visit(where, arriving(2000.0), work_s=MS, square_s2=1e-6, means_s2=1e-6)
    assert waits(where)[0] == pytest.approx(MS / 1e-3)
    pair = node(servers=2)
    visit(pair, arriving(3000.0), work_s=MS, square_s2=1e-6, means_s2=1e-6)
    visit(pair, arriving(3000.0), work_s=MS, square_s2=1e-6, means_s2=1e-6)
    assert waits(pair)[0] == pytest.approx(0.5 * MS / 2e-3)


def test_overloaded_station_lengthens_waits_of_closed_clients():
    """1.2 of 0.75 that open flows leave: 0.6 of a walk of 10 ms more. Of a pool that some share, nobody knows."""
    where = node()
    visit(where, arriving(250.0), work_s=MS, square_s2=1e-6, means_s2=1e-6)
    visit(where, closed(12, throughput=1200.0), work_s=MS, square_s2=1e-6, means_s2=1e-6, wait_s=2 * MS)
    assert waits(where)[1] == pytest.approx(2 * MS + 10 * MS * 0.6)
    where.visits[0].exclusive = False
    assert waits(where)[1] < 5 * MS


def test_no_closed_client_waits_longer_than_for_all_others():
    where = node()
    visit(where, closed(3, throughput=3000.0), work_s=MS, square_s2=1e-6, means_s2=1e-6, wait_s=MS)
    assert waits(where) == [pytest.approx(2 * MS)]


def test_long_services_of_few_clients_are_found_as_few_come():
    """Three clients of 200 walks a second, each away for 5 ms · 3 - 4 ms - 1 ms of a turn of 15 ms."""
    where = node()
    visit(where, closed(3, throughput=200.0), work_s=MS, square_s2=10e-6, means_s2=1e-6, wait_s=4 * MS)
    (found,) = waits(where)
    left = 0.2 * MS * finite_residual(3.0, 1 / 10, 9.0)
    assert left < 200 * 10e-6 / 2
    assert found == pytest.approx((0.2 * 4 * MS + left) * 2 / 3)


def test_work_found_is_at_most_half_the_second_moment():
    """Thirty clients who are hardly ever there."""
    where = node()
    visit(where, closed(30, throughput=1.0), work_s=MS, square_s2=2.2e-6, means_s2=1e-6)
    other = Queue(where)
    other.update_arrival_weights()
    assert [each for _, each in other.waits()] == [pytest.approx(29 / 30 * 1.1e-6, rel=1e-3)]


@pytest.mark.parametrize(("square_s2", "varied"), [(2e-6, False), (2.001e-6, True), (1e-6, False)])
def test_times_that_vary_more_than_exponential_are_highly_variable(square_s2, varied):
    visits = visit(node(), closed(), work_s=MS, square_s2=square_s2, means_s2=1e-6)
    assert _varied(visits) == varied
    assert not _varied(visit(node(), closed(), work_s=2 * MS, square_s2=10e-6, means_s2=5e-6))


def test_time_away_is_the_rest_of_a_cycle():
    """Six of three clients' turns of 10 ms each: a wait of 2 ms, and services of 1.5 ms."""
    chain = closed(3, throughput=150.0)
    visits = visit(node(), chain, visits=2.0, work_s=3 * MS, wait_s=2 * MS)
    assert _away_s(visits) == pytest.approx(6.5 * MS)
    visits.wait_s = 20 * MS
    assert _away_s(visits) == pytest.approx(0.01 * MS)
    chain.throughput = 0.0
    assert _away_s(visits) == math.inf


def test_two_clients_of_exponential_times_are_the_machine_repairman():
    """In balance an arrival finds the other client, as often as it is there."""
    exact = machine_repairman(2, 4 * MS, MS)
    chain = closed(2, throughput=exact.throughput)
    where = node()
    visit(where, chain, **EXPONENTIAL, wait_s=exact.waiting_s)
    assert waits(where)[0] == pytest.approx(exact.throughput * (MS + exact.waiting_s) * MS / 2)


def test_a_pool_is_limited_unless_some_share_it():
    where = node(Pool("pool", 2), servers=2)
    visit(where, closed())
    assert Queue(where).limited
    visit(where, closed(), exclusive=False)
    assert not Queue(where).limited


# How evenly open arrivals come


def test_arrivals_and_services_of_several_flows_are_mixed():
    """900 of 1000 arrivals Poisson, and 100 with 0.4: 0.94. Services of 0.5 ms and 1 ms, of which two a walk."""
    where = node()
    visit(where, arriving(450.0), visits=2.0, work_s=MS, square_s2=0.5e-6)
    visit(where, arriving(100.0), work_s=MS, square_s2=4e-6, arrival_variation=0.4)
    work, square = 0.55, 450 * 0.5e-6 + 100 * 4e-6
    served, arrival_variation = square * 1000 / work**2 - 1, 0.94
    power = -2 * 0.45 * 0.06**2 / (3 * 0.55 * (arrival_variation + served))
    assert regularity_factor(where) == pytest.approx((arrival_variation + served) / (1 + served) * math.exp(power))


def test_clumped_arrivals_at_two_servers():
    where = node(servers=2)
    visit(where, arriving(800.0), work_s=MS, square_s2=1.5e-6, arrival_variation=3.0)
    expected = 3.5 / 1.5 * math.exp(-0.6 * 2 / (3 + 4 * 0.5))
    assert regularity_factor(where) == pytest.approx(expected)


def test_even_arrivals_at_constant_services_leave_nothing_of_a_wait():
    for work_s, part in ((MS, 0.0), (0.0, 1.0)):
        where = node()
        visit(where, arriving(800.0), work_s=work_s, square_s2=work_s**2, arrival_variation=0.0)
        assert regularity_factor(where) == part
