"""Buffers between two sides made by hand: who is slowed down, by how much, and where it waits."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from analytic_parts import DISK, MS, arriving, closed, node, only, visit
from sim import (
    Buffer,
    Closed,
    Delay,
    Exponential,
    Fork,
    Lock,
    NoSteadyStateError,
    Pool,
    Put,
    Station,
    Take,
    Use,
)
from sim.engine.analytic.blocking import Side, blocked_rate
from sim.engine.analytic.buffers import (
    BufferRole,
    Limits,
    _balance_flows,
    _blocking_waits,
    _flow,
    _longest_s,
    _relieve,
)
from sim.engine.analytic.stations import Flow


def role(capacity=40, *, two_sided=True, tokens=None, copies=1):
    """A buffer, and its node."""
    place = Buffer("box", capacity)
    return BufferRole(place, tokens or capacity, two_sided), node(place, copies=copies, servers=capacity)


def between(put, take, *, capacity=40, amounts=(1.0, 1.0), visits=(1.0, 1.0)):
    """A buffer with one visit on each side, which moves so much in a walk."""
    made, where = role(capacity)
    for chain, amount, count, putting in zip((put, take), amounts, visits, (True, False), strict=True):
        made.add(visit(where, chain, work_s=amount, visits=count, sequential_visits=count), put=putting)
    return made


def limits(made, *others, chains=None):
    everyone = chains or dict.fromkeys(each.chain for each in (*made.puts, *made.takes))
    return Limits(everyone, [made], others)


# Sides


def test_a_buffer_is_decoupled_if_its_sides_put_and_take_separately():
    made, where = role()
    assert not made.decoupled
    assert made.release_s == 0.0
    made.add(visit(where, closed()), put=False)
    assert made.decoupled
    assert (len(made.puts), len(made.takes)) == (0, 1)
    other, where = role()
    other.add(visit(where, closed()), put=True)
    assert other.decoupled
    assert (len(other.puts), len(other.takes)) == (1, 0)


def test_flow_is_added_up_for_each_of_equal_buffers():
    """Six workloads at two buffers, 50 walks a second of 4 units, and one of 10 walks of half a unit."""
    _, where = role(copies=2)
    side = [visit(where, closed(copies=6, throughput=50.0), work_s=4.0)]
    side.append(visit(where, closed(copies=2, throughput=10.0), work_s=0.5))
    assert _flow(side) == pytest.approx(605.0)
    assert _flow([]) == 0.0


@pytest.mark.parametrize(("puts", "takes"), [(300.0, 100.0), (100.0, 300.0)])
def test_the_faster_side_is_slowed_down_to_the_other(puts, takes):
    """Three units a put and two a take: 900 against 200 a second, and 300 against 600."""
    put, take = closed(throughput=puts), closed(throughput=takes)
    made, blocked = between(put, take, amounts=(3.0, 2.0)), {}
    most = min(3 * puts, 2 * takes)
    assert _balance_flows(made, blocked)
    assert (put.throughput, take.throughput) == pytest.approx((most / 3, most / 2))
    faster = made.puts[0] if 3 * puts > 2 * takes else made.takes[0]
    assert blocked == {faster.chain: faster}
    assert not _balance_flows(made, blocked)


def test_sides_that_move_the_same_but_for_rounding_are_left_alone():
    for more, changed in ((1 + 1e-8, True), (1 - 1e-8, True), (1 + 1e-10, False), (1 - 1e-10, False)):
        assert _balance_flows(between(closed(throughput=100.0 * more), closed(throughput=100.0)), {}) == changed
    for rates in ((0.0, 5.0), (5.0, 0.0)):
        assert not _balance_flows(between(*(closed(throughput=each) for each in rates)), {})


def test_open_arrivals_are_not_slowed_down_and_closed_clients_are():
    """Of 250 a second 100 come from outside: 50 are left of 150."""
    inner, take = closed(throughput=150.0), closed(throughput=150.0)
    made = between(inner, take)
    outer = visit(made.puts[0].node, arriving(100.0), work_s=1.0)
    made.add(outer, put=True)
    assert _balance_flows(made, {})
    assert (inner.throughput, outer.chain.throughput) == (pytest.approx(50.0), 100.0)


@pytest.mark.parametrize("rate", [100.0, 150.0])
def test_more_arrivals_than_the_other_side_can_move_are_refused(rate):
    made = between(closed(throughput=50.0), closed(throughput=100.0))
    made.add(visit(made.puts[0].node, arriving(rate), work_s=1.0), put=True)
    message = f"the arrivals at buffer 'box' move {rate:g} a second, and the other side 100; lower"
    with pytest.raises(NoSteadyStateError, match=message):
        _balance_flows(made, {})
    alone = between(arriving(rate), closed(throughput=50.0))
    with pytest.raises(NoSteadyStateError, match="the other side 50;"):
        _balance_flows(alone, {})


# Branches left behind


def behind(free_work_s, other_work_s=0.0, *, servers=1):
    """A put before a branch left behind that uses a disk, a thousand times a second each, beside other work."""
    chain, other = closed(2, throughput=1000.0), closed(throughput=1000.0)
    made, where = role(two_sided=False)
    made.add(visit(where, chain, work_s=1.0), put=True)
    disk = node(servers=servers)
    visit(disk, chain, flow=Flow(chain, free=True), work_s=free_work_s, square_s2=3 * free_work_s**2)
    visit(disk, other, work_s=other_work_s)
    return made, disk, chain, other


@pytest.mark.parametrize(
    ("free", "other", "servers", "factor"),
    [(1.5, 0.5, 1, 0.5 / 1.5), (0.4, 0.5, 1, None), (2.0, 1.0, 2, 0.5), (0.5, 1.2, 1, None), (1.6, 0.0, 1, 0.625)],
)
def test_put_waits_for_room_needed_by_background_branches(free, other, servers, factor):
    """They have what the others leave of the disk; nothing is done where that is nothing, or enough."""
    made, disk, chain, rest = behind(free * MS, other * MS, servers=servers)
    blocked = {}
    assert _relieve(disk, {chain: made.puts[0]}, blocked) == (factor is not None)
    assert chain.throughput == pytest.approx(1000 * (factor or 1))
    assert rest.throughput == 1000.0
    assert blocked == ({chain: made.puts[0]} if factor else {})


def test_busy_or_unguarded_disk_is_left_alone():
    made, disk, chain, _ = behind(1.0 * MS * (1 + 1e-10))
    assert not _relieve(disk, {chain: made.puts[0]}, {})
    made, disk, chain, _ = behind(1.5 * MS)
    assert not _relieve(disk, {}, {})
    made, disk, chain, _ = behind(MS * (1 + 1e-8))
    assert _relieve(disk, {chain: made.puts[0]}, {})


def test_background_branches_take_at_the_rate_of_buffer_and_disk():
    """Room for 20 for 4 ms each is 5000 a second; half of the disk for 0.4 ms each is 1250."""
    made, disk, chain, _ = behind(0.4 * MS, 0.5 * MS)
    made.release_s = 4 * MS
    allowed = limits(made, disk)
    found = allowed._behind_side(made, 20.0, 1000.0)  # noqa: SLF001  (a side by hand)
    assert (found.rate, found.variation) == pytest.approx((1250.0, 2.0))
    assert found.clients == found.active == pytest.approx(1250 * 4 * MS)
    narrow = allowed._behind_side(made, 4.0, 1000.0)  # noqa: SLF001
    assert (narrow.rate, narrow.clients, narrow.variation) == pytest.approx((1000.0, 4.0, 2.0))
    chain.throughput = 0.0
    idle = allowed._behind_side(made, 4.0, 1000.0)  # noqa: SLF001
    assert (idle.rate, idle.variation) == (1000.0, 0.0)


def test_slowest_of_several_disks_behind_counts_with_its_variation():
    """Of the first 1 / 0.4 thousand a second, of the second 1 / 0.8, of two visits with a variation of one."""
    made, first, chain, _ = behind(0.4 * MS)
    made.release_s = 4 * MS
    second = node(Station("second"))
    flow = first.visits[0].flow
    visit(second, chain, flow=flow, visits=2.0, work_s=0.8 * MS, square_s2=0.64e-6)
    for order in ((first, second), (second, first)):
        found = limits(made, *order)._behind_side(made, 40.0, 1000.0)  # noqa: SLF001
        assert (found.rate, found.variation) == pytest.approx((1250.0, 1.0))


def test_an_overloaded_disk_leaves_a_small_rate():
    made, disk, _, _ = behind(0.5 * MS, 1.2 * MS)
    made.release_s = 4 * MS
    assert limits(made, disk)._behind_side(made, 40.0, 1000.0).rate == pytest.approx(2.0)  # noqa: SLF001


# What a small buffer cannot even out


def test_a_side_is_as_fast_as_its_busiest_station_lets_it_be():
    """Two chains put 2 · 100 and 50 a second, two units at a time; one asks 1.6 of two servers."""
    one, two = closed(3, throughput=100.0), closed(2, throughput=50.0)
    made = between(one, closed(throughput=1.0), amounts=(2.0, 1.0))
    made.add(visit(made.puts[0].node, two, most=1, work_s=1.0, sequential_visits=2.0), put=True)
    one.unqueued, two.unqueued = (6 * MS, 9e-6), (60 * MS, 36e-4)
    disk = node(servers=1)
    visit(disk, one, work_s=12 * MS)
    visit(disk, two, work_s=9 * MS)
    allowed = limits(made, disk)
    side = allowed._side(made.puts, 2.0)  # noqa: SLF001
    assert side.clients == 4.0
    assert side.active == pytest.approx(3 * 0.2 + 1 * 1.0)
    assert side.rate == pytest.approx(250 / 2 / 1.2)
    assert side.variation == pytest.approx((200 * 0.25 + 50 * 2 * 1.0) / 250)


def test_one_client_is_active_at_least_and_stations_that_have_time_do_not_count():
    one = closed(3, throughput=100.0)
    made = between(one, closed(throughput=1.0))
    one.unqueued = (MS, 0.0)
    disk = node(servers=2)
    visit(disk, one, work_s=12 * MS)
    side = limits(made, disk)._side(made.puts, 1.0)  # noqa: SLF001
    assert (side.active, side.rate) == (1.0, 100.0)
    assert limits(made)._side(made.puts, 1.0).rate == 100.0  # noqa: SLF001


def test_open_arrivals_count_as_infinite_and_inactive_clients():
    made = between(arriving(100.0), closed(throughput=1.0))
    side = limits(made)._side(made.puts, 1.0)  # noqa: SLF001
    assert (side.clients, side.active) == (math.inf, 1.0)


def thousand(clients=1, **more):
    """A chain of exponential walks of a millisecond."""
    chain = closed(clients, throughput=1000.0 * clients, **more)
    chain.unqueued = (MS, 1e-6)
    return chain


def test_both_sides_of_a_small_buffer_lose_throughput():
    """Two units each: room for two moves, and one at each side. Nothing is lost in a large one."""
    put, take = thousand(), thousand()
    made = between(put, take, capacity=4, amounts=(2.0, 2.0))
    waits = dict(limits(made).apply())
    side = Side(1.0, 1.0, 1000.0, 1.0)
    moved = blocked_rate(side, side, 4.0)
    assert moved == pytest.approx(800.0, rel=2e-3)
    assert put.throughput == take.throughput == pytest.approx(moved)
    assert list(waits.values()) == pytest.approx([1 / moved - MS] * 2)


def test_the_size_of_a_move_is_the_larger_of_both_amounts():
    """Half a unit at each of two visits on one side, and two on the other: room for two moves of two."""
    put, take = thousand(), thousand()
    put.throughput = 2000.0
    made = between(put, take, capacity=4, amounts=(1.0, 2.0), visits=(2.0, 1.0))
    limits(made).apply()
    unblocked = Side(1.0, 1.0, 1000.0, 2.0), Side(1.0, 1.0, 1000.0, 1.0)
    assert take.throughput == pytest.approx(blocked_rate(*unblocked, 4.0))
    assert put.throughput == pytest.approx(2 * take.throughput)


@pytest.mark.parametrize(("capacity", "lost"), [(2000, True), (2002, False)])
def test_with_room_for_more_than_a_thousand_moves_nothing_is_lost(monkeypatch, capacity, lost):
    monkeypatch.setattr("sim.engine.analytic.buffers.blocked_rate", lambda *_: 500.0)
    put, take = thousand(), thousand()
    limits(between(put, take, capacity=capacity, amounts=(2.0, 2.0))).apply()
    assert put.throughput == pytest.approx(500.0 if lost else 1000.0)


def test_idle_time_of_one_of_equal_buffers_is_used_by_the_others():
    """Two pairs of chains with a buffer each before one disk; with disks of their own it is lost."""
    for disks, lost in ((2, True), (1, False)):
        put, take = thousand(copies=2), thousand(copies=2)
        made, where = role(1, copies=2)
        made.add(visit(where, put, work_s=1.0), put=True)
        made.add(visit(where, take, work_s=1.0), put=False)
        disk = node(copies=disks)
        visit(disk, take, work_s=0.1 * MS)
        limits(made, disk).apply()
        assert (put.throughput < 900.0) == lost


def test_a_put_taken_back_by_a_background_branch_is_lost_to_the_putting_side_alone():
    """M/M/1/T: one who puts, four pages, and a disk of a millisecond: 5 / 6 of the slower."""
    made, disk, chain, _ = behind(MS)
    disk.visits[0].square_s2 = 2e-6
    chain.perturb(0.5)
    chain.unqueued = (MS, 1e-6)
    made.release_s = MS
    made.takes.append(visit(made.puts[0].node, chain, flow=disk.visits[0].flow, work_s=1.0))
    object.__setattr__(made.place, "capacity", 4)
    dict(limits(made, disk).apply())
    assert chain.throughput == pytest.approx(1000 * 5 / 6, rel=2e-3)
    chain.throughput, made.release_s = 1000.0, 0.0
    limits(made, disk).apply()
    assert chain.throughput == 1000.0


# Where it is waited


def test_faster_side_waits_at_the_buffer():
    """Three clients of 300 walks a second, held back to 100: 20 ms longer, at two visits a walk."""
    put = closed(3, throughput=300.0)
    made = between(put, closed(1, throughput=200.0), amounts=(2.0, 1.0), visits=(2.0, 1.0), capacity=10**6)
    waits = dict(limits(made).apply())
    assert waits == {made.puts[0]: pytest.approx(10 * MS), made.takes[0]: 0.0}


def test_a_chain_of_buffers_is_evened_out_to_its_end():
    rates = [500.0, 400.0, 300.0, 200.0]
    chains = [closed(throughput=each) for each in rates]
    buffer_roles = [between(one, other, capacity=10**6) for one, other in pairwise(chains)]
    Limits(chains, buffer_roles, []).apply()
    assert [each.throughput for each in chains] == pytest.approx([200.0] * 4)


def test_every_visit_to_a_buffer_with_two_sides_is_kept():
    made = between(closed(), closed())
    found = limits(made)
    assert found.waits_at_buffer(made.puts[0])
    assert found.waits_at_buffer(made.takes[0])
    assert not found.waits_at_buffer(visit(made.puts[0].node, closed()))


def inside(*, held_s=4 * MS, servers=3, rate=300.0, wait_s=MS, hold_wait_s=2 * MS):
    """A visit to a buffer inside a pool, once a walk; the pool is asked for twice."""
    chain = closed(9, throughput=rate)
    pool = visit(
        node(Pool("pool", 3), servers=servers),
        chain,
        visits=2.0,
        work_s=2 * held_s,
        wait_s=hold_wait_s,
        sequential_visits=2.0,
    )
    return visit(role()[1], chain, work_s=1.0, wait_s=wait_s, holds=(pool,)), pool


def test_waits_inside_a_pool_last_until_all_tokens_are_held():
    """Holds of 4 ms keep 2.4 of three tokens in use: 1 ms and a quarter of a hold, at most."""
    found, pool = inside()
    assert _longest_s(found, pool) == pytest.approx(2 * MS)
    assert _longest_s(*inside(rate=600.0, wait_s=0.0)) == 0.0


def test_short_waits_at_the_buffer_include_the_holds_they_inflate():
    """A second of wait is 1.5 seconds of a walk, for holds of 4 ms are 2 ms late."""
    found, _ = inside()
    assert found.inflation == pytest.approx(1.5)
    assert _blocking_waits(found, 1.5 * MS) == {found: pytest.approx(MS)}
    assert _blocking_waits(found, 3 * MS) == {found: pytest.approx(2 * MS)}


def test_long_waits_are_before_the_pool():
    """Of 8 ms more, 2 ms inside; of the 1 ms waited there, half a ms was waited before; 5.5 are left."""
    found, pool = inside()
    assert _blocking_waits(found, 8 * MS) == {
        found: pytest.approx(2 * MS),
        pool: pytest.approx(2 * MS + 5.5 * MS / 2),
    }
    found, pool = inside(wait_s=10 * MS, hold_wait_s=0.1 * MS)
    longest_s = 10 * MS + MS
    slower_s = found.inflation * longest_s * (1 + 1e-9)
    assert _blocking_waits(found, slower_s)[pool] >= 0.0


def test_without_a_pool_all_waits_are_at_the_buffer():
    """A hold of no time at all keeps nobody out."""
    chain = closed(9, throughput=300.0)
    empty = visit(node(Lock("lock")), chain)
    for holds in ((), (empty,)):
        visits = visit(role()[1], chain, holds=holds)
        assert _blocking_waits(visits, 0.5) == {visits: 0.5}


def test_the_narrowest_pool_limits_the_wait():
    chain = closed(9, throughput=300.0)
    wide = visit(node(Pool("wide", 8), servers=8), chain, work_s=4 * MS)
    narrow = visit(node(Pool("narrow", 2), servers=2), chain, work_s=4 * MS)
    for holds in ((wide, narrow), (narrow, wide)):
        visits = visit(role()[1], chain, work_s=1.0, holds=holds)
        longest_s = 4 * MS * (2 / 1.2 - 1)
        assert _blocking_waits(visits, 10 * MS) == {
            visits: pytest.approx(longest_s),
            narrow: pytest.approx(10 * MS - longest_s),
        }


def test_only_stations_on_the_path_slow_a_side_down():
    """Locks and branches left behind do not make a side slower."""
    one = closed(3, throughput=100.0)
    made = between(one, closed(throughput=1.0))
    lock, disk = node(Lock("lock")), node(DISK)
    visit(lock, one, work_s=50 * MS)
    visit(disk, one, flow=Flow(one, free=True), work_s=50 * MS)
    assert limits(made, lock, disk)._side(made.puts, 1.0).rate == 100.0  # noqa: SLF001


def test_saturated_station_on_the_path_does_not_slow_background_branches():
    """The link allows 2,500 requests a second, the two disks 2,000; without both, 16 clients would do 30,000."""
    pages = Buffer("pages", 8)
    later = Fork((Use(Station("disk", 2), Exponential(MS)), Take(pages)), wait=False)
    path = [Delay(0.1 * MS), Put(pages), later, Use(Station("link"), Exponential(0.4 * MS))]
    assert only(Closed("all", clients=16, path=path)).throughput == pytest.approx(2000, rel=0.02)
