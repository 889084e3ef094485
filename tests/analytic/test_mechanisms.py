"""The rules of the analytic engine by value: each against a closed form, or what is counted by hand."""

from __future__ import annotations

import math
from collections import OrderedDict

import numpy as np
import pytest

from analytic_parts import DISK, MS, only
from sim import (
    Await,
    Buffer,
    Cache,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Lognormal,
    Lookup,
    Model,
    Open,
    Periodic,
    Poisson,
    Put,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
)
from sim.engine.analytic.blocking import Side, blocked_rate
from sim.engine.analytic.caches import popularity
from sim.engine.analytic.finite import finite_residual, residual_service
from sim.engine.analytic.forks import greatest, of_many
from sim.engine.analytic.solve import solve
from textbook import mg1


def test_residual_of_exponential_service_is_a_whole_service():
    for sources in (2.0, 7.0, 40.0):
        assert finite_residual(sources, 0.3, 1.0) == pytest.approx(1.0)


def test_residual_for_two_sources_equals_the_transform():
    """M/G/1//2 by hand: an arrival finds one service or none; hyperexponential with balanced means."""
    calls, variation = 0.4, 9.0
    part = (1 + math.sqrt(8 / 10)) / 2
    left = part / (1 + calls / (2 * part)) + (1 - part) / (1 + calls / (2 * (1 - part)))
    busy = (1 / left) / (1 / left + 1 / (2 * calls))
    wait = 2 / busy - 1 / calls - 1
    assert finite_residual(2.0, calls, variation) == pytest.approx(wait / (calls / (1 + calls)))


def test_with_very_many_sources_the_rest_is_half_the_second_moment():
    assert finite_residual(4000.0, 0.3 / 4000.0, 4.0) == pytest.approx(2.5, rel=0.02)
    assert residual_service(math.inf, 0.3, 4.0) == 2.5
    assert residual_service(3.0, 0.3, 0.25) == 0.625


@pytest.mark.parametrize(("clients", "throughput"), [(4, 542.3), (16, 985.2)])
def test_a_lock_held_over_times_of_high_variance(clients, throughput):
    """Simulated to 0.5 %; half the second moment over the mean would say a third less."""
    path = [Hold(Lock("lock").exclusive, Delay(Lognormal(MS, 5.0)))]
    found = only(Closed("all", clients=clients, path=path, think=Exponential(5 * MS)))
    assert found.throughput == pytest.approx(throughput, rel=0.03)


def test_arrival_after_a_long_think_finds_the_residual_of_long_holds():
    """Two others always hold the lock: who was away for long finds half the second moment and one hold more."""
    held = Hold(Lock("lock").exclusive, Delay(Lognormal(MS, 3.0)))
    far = Closed("far", clients=1, path=held, think=Exponential(1.0))
    near = Closed("near", clients=2, path=held)
    assert only(far, near).latency_s == pytest.approx(5 * MS + MS + MS, rel=0.1)


def test_a_station_used_inside_a_lock_and_outside_is_always_in_use():
    """Who holds the lock waits for those who came since the last holder did, not for all 32."""
    inside = Hold(Lock("lock").exclusive, Use(DISK, Exponential(MS)))
    found = only(Closed("all", clients=32, path=[Use(DISK, Exponential(5 * MS)), inside]))
    assert found.throughput == pytest.approx(1 / (6 * MS), rel=0.02)


def test_arrivals_one_at_a_time_wait_for_one_hold_of_each_other():
    """16, of whom one at a time comes for a file that four others keep in use: five take turns."""
    file = Hold(Lock("file").exclusive, Delay(Exponential(2 * MS)))
    both = Closed("both", clients=16, path=Hold(Lock("directory").exclusive, Delay(Exponential(2 * MS)), file))
    found = only(both, Closed("only", clients=4, path=file))
    assert found.throughput == pytest.approx(1 / (2 * MS + 5 * 2 * MS), rel=0.01)


@pytest.mark.parametrize("count", [2, 3, 8, 40])
def test_greatest_of_equal_exponential_times(count):
    harmonic = sum(1 / each for each in range(1, count + 1))
    squares = sum(1 / each**2 for each in range(1, count + 1))
    assert greatest([(count, (2.0, 4.0))]) == pytest.approx((2 * harmonic, 4 * squares), rel=1e-3)


def test_the_greatest_of_two_weibull_times():
    """Shape 2: the lesser of two is 1/√2 of one, and both add up to two."""
    mean, variance = math.gamma(1.5), 1.0 - math.gamma(1.5) ** 2
    assert greatest([(2, (mean, variance))])[0] == pytest.approx(mean * (2 - math.sqrt(0.5)), rel=1e-3)


def test_the_greatest_of_constant_times_is_the_greatest():
    assert greatest([(3, (2.0, 0.0)), (1, (5.0, 0.0))]) == (5.0, 0.0)


def test_between_whole_numbers_of_times_the_greatest_grows_evenly():
    assert of_many(2.5, 1.0, 1.0) == pytest.approx((1.5 + 1.5 + 1 / 3) / 2, rel=1e-3)


def test_branches_on_disks_of_their_own_do_not_wait_for_each_other():
    disks = [Station(f"disk {row}") for row in range(4)]
    branches = [(Use(disk, Exponential(MS)),) for disk in disks]
    found = only(Closed("all", clients=1, path=Fork(*branches)))
    assert found.latency_s == pytest.approx(MS * (1 + 1 / 2 + 1 / 3 + 1 / 4), rel=1e-3)


def test_periodic_arrivals_at_constant_service_never_wait():
    found = only(Open("all", arrivals=Periodic(MS / 0.95), path=Use(DISK, MS)))
    assert found.latency_s == pytest.approx(MS)


def test_periodic_arrivals_at_exponential_service():
    """D/M/1 at half load: the root of s = exp(-2 (1 - s)) is 0.2032, and the wait s / (1 - s) services."""
    found = only(Open("all", arrivals=Periodic(2 * MS), path=Use(DISK, Exponential(MS))))
    assert found.latency_s == pytest.approx(MS / (1 - 0.20319), rel=0.02)


def test_even_departures_make_the_next_queue_shorter():
    """Constant services of 0.8 load leave (1 - 0.64) + 0.64 · 0.2 of the variation of Poisson arrivals."""
    path = [Use(DISK, MS), Use(Station("link"), Exponential(MS))]
    found = only(Open("all", arrivals=Poisson(800.0), path=path))
    coming = 0.36 + 0.64 * 0.2
    evened = (coming + 1) / 2 * math.exp(-2 * 0.2 * (1 - coming) ** 2 / (3 * 0.8 * (coming + 1)))
    waits = mg1(800.0, MS, 0.0).waiting_s + evened * mg1(800.0, MS, 1.0).waiting_s
    assert found.latency_s == pytest.approx(2 * MS + waits)


@pytest.mark.parametrize("room", [1, 2, 7])
@pytest.mark.parametrize("slower", [1.0, 3.0])
def test_a_small_buffer_between_exponential_times(room, slower):
    """M/M/1/T, T two more than the buffer holds: one at each side."""
    pipe = Buffer("pipe", room)
    put = Closed("put", clients=1, path=[Delay(Exponential(MS)), Put(pipe)])
    take = Closed("take", clients=1, path=[Take(pipe), Delay(Exponential(slower * MS))])
    weights = [slower**level for level in range(room + 3)]
    expected = (1 - weights[-1] / sum(weights)) / MS
    assert only(put, take).throughput == pytest.approx(expected, rel=2e-3)


def test_a_write_back_cache_of_few_pages():
    """M/M/1/T again: one writer, four pages, and who waits for a page counts."""
    pages = Buffer("pages", 4)
    later = Fork((Use(DISK, Exponential(MS)), Take(pages)), wait=False)
    found = only(Closed("all", clients=1, path=[Delay(Exponential(MS)), Put(pages), later]))
    assert found.throughput == pytest.approx(5 / 6 / MS, rel=2e-3)


def test_pages_in_flight_fill_a_write_back_cache():
    """Two pages, each in flight for 4 ms: never more than one in 2 ms, whatever the servers."""
    pages = Buffer("pages", 2)
    later = Fork((Use(Station("disks", 8), 4 * MS), Take(pages)), wait=False)
    found = only(Closed("all", clients=1, path=[Delay(0.1 * MS), Put(pages), later]))
    assert found.throughput == pytest.approx(0.5 / MS, rel=0.01)


def test_times_that_vary_more_get_less_through():
    least, exponential, more, most = (
        blocked_rate(Side(1.0, 1.0, 1.0, each), Side(1.0, 1.0, 1.0, each), 4.0) for each in (0.25, 1.0, 4.0, 25.0)
    )
    assert exponential == pytest.approx(0.8, rel=2e-3)
    assert least == pytest.approx(16 / 17, rel=2e-3)
    assert 0.5 < most < more < 0.75


def test_bursts_of_a_server_with_room_for_one_lose_nothing_more():
    """M/G/1/1 is insensitive: what it lets through depends on the mean alone."""
    put, bursty = Side(1.0, 1.0, 1.0, 1.0), Side(1.0, 1.0, 1.0, 9.0)
    exponential = blocked_rate(put, Side(1.0, 1.0, 1.0, 1.0), 1.0)
    assert blocked_rate(put, bursty, 1.0) == pytest.approx(exponential, rel=1e-6)


def test_batch_of_open_arrivals_is_at_least_one():
    """Arrivals from outside at a gate: c a batch, e^-c of none, for which one is waited; 1 ms a write."""
    gate = Gate("gate")
    writer = Closed("writer", clients=1, path=[Gather(gate), Use(DISK, MS), Wake(gate)])
    session = Open("session", arrivals=Poisson(500.0), path=Await(gate))
    solution = solve(Model([session, writer]))
    assert solution.places["gate"].batch == pytest.approx(0.5 + math.exp(-0.5), rel=1e-3)


def test_a_batch_of_few_clients():
    """One session meets one writer every time: no batch is more than one."""
    gate = Gate("gate")
    writer = Closed("writer", clients=1, path=[Gather(gate), Use(DISK, MS), Wake(gate)])
    session = Closed("session", clients=1, path=[Delay(Exponential(2 * MS)), Await(gate)])
    solution = solve(Model([session, writer]))
    assert solution.places["gate"].batch == pytest.approx(1.0)
    assert solution.groups["session"].latency_s == pytest.approx(3 * MS, rel=1e-3)


def test_arrival_during_a_write_waits_for_its_rest_and_one_more():
    """Twenty clients of 5 ms, writes of 2 ms: a client away comes within one with probability 1 - e^(-2 / 5)."""
    gate = Gate("gate")
    writer = Closed("writer", clients=1, path=[Gather(gate), Use(DISK, 2 * MS), Wake(gate)])
    session = Closed("session", clients=20, path=[Delay(Exponential(5 * MS)), Await(gate)])
    solution = solve(Model([session, writer]))
    batch = solution.places["gate"].batch
    came = 1 - math.exp(-2 / 5)
    assert batch == pytest.approx((20 - batch) * came + (1 - came) ** (20 - batch), rel=0.05)
    assert solution.groups["session"].throughput == pytest.approx(batch / (2 * MS), rel=0.05)


@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_hit_ratio_of_uniform_addresses_is_the_share_cached(policy):
    path = [Delay(MS), Lookup(Cache("cache", 30, policy), Uniform(120))]
    assert only(Closed("all", clients=1, path=path)).hit_ratio == pytest.approx(0.25, rel=1e-6)


@pytest.mark.parametrize(("policy", "other"), [("lru", "fifo"), ("fifo", "lru")])
def test_hits_are_those_of_the_policy_and_not_of_the_other(policy, other):
    """Look-ups counted one by one; the two policies differ by five times the tolerance."""
    source, room = Zipf(2000, 1.0), 200
    path = [Delay(MS), Lookup(Cache("cache", room, policy), source)]
    found = only(Closed("all", clients=1, path=path)).hit_ratio
    counted = {each: _counted(source, room, each) for each in (policy, other)}
    assert found == pytest.approx(counted[policy], abs=0.007)
    assert abs(found - counted[other]) > 0.03


def _counted(source, room, policy):
    rows = np.random.default_rng(5).choice(source.extent, 200_000, p=popularity(source))
    kept, hits = OrderedDict(), 0
    for number, row in enumerate(rows):
        if row in kept:
            hits += number >= 20_000
            if policy == "lru":
                kept.move_to_end(row)
            continue
        if len(kept) == room:
            kept.popitem(last=False)
        kept[row] = None
    return hits / (len(rows) - 20_000)


def test_readers_alone_never_wait_and_one_writer_alternates_with_them():
    inode = Lock("inode")
    reader = Closed("reader", clients=8, path=Hold(inode.shared, Delay(MS)))
    assert only(reader).throughput == pytest.approx(8 / MS)
    writer = Closed("writer", clients=1, path=Hold(inode.exclusive, Delay(MS)))
    assert only(reader, writer).throughput == pytest.approx(8 / (2 * MS), rel=0.05)


def test_a_phase_of_readers_takes_as_long_as_the_longest():
    """Four exponential holds, 25/12 of one on average, then the writer's."""
    inode = Lock("inode")
    reader = Closed("reader", clients=4, path=Hold(inode.shared, Delay(Exponential(MS))))
    writer = Closed("writer", clients=1, path=Hold(inode.exclusive, Delay(MS)))
    assert only(writer, reader).throughput == pytest.approx(1 / (MS + 25 / 12 * MS), rel=0.05)


def test_readers_stay_together_between_many_writers():
    """Eight who read go together once in a round of four writers, all of a millisecond."""
    inode = Lock("inode")
    reader = Closed("reader", clients=8, path=Hold(inode.shared, Delay(MS)))
    writer = Closed("writer", clients=4, path=Hold(inode.exclusive, Delay(MS)))
    assert only(reader, writer).throughput == pytest.approx(8 / (5 * MS), rel=0.1)


def test_a_lock_that_a_walk_holds_in_both_modes_is_not_shared_all_the_time():
    """2 ms exclusively and 1 ms shared, by four clients: 398 walks a second simulated; 667 if nobody waited."""
    lock = Lock("lock")
    held = [Hold(lock.exclusive, Delay(2 * MS)), Delay(Exponential(3 * MS)), Hold(lock.shared, Delay(MS))]
    for path in (held, held[::-1]):
        solution = solve(Model([Closed("all", clients=4, path=path)]))
        found = solution.groups["all"]
        assert found.accuracy.throughput.holds(398 / found.throughput)
        assert solution.places["lock"].visits == pytest.approx(2 * solution.groups["all"].throughput)


def test_an_approximate_answer_has_an_interval_and_a_warning_with_its_cause():
    inode = Lock("inode")
    reader = Closed("reader", clients=4, path=Hold(inode.shared, Delay(MS)), think=Exponential(MS))
    writer = Closed("writer", clients=1, path=Hold(inode.exclusive, Delay(MS)), think=Exponential(MS))
    solution = solve(Model([reader, writer]))
    result, stated = solution.result("reader", seed=1), solution.groups["reader"].accuracy
    rate, latency = result.throughput, result.groups["reader"].latency.mean
    assert rate.low / rate.value == pytest.approx(stated.throughput.low)
    assert latency.high / latency.value == pytest.approx(stated.latency.high)
    assert result.warnings == (stated.warning,)
    assert "(read-write lock)" in stated.warning


def test_the_interval_ends_at_the_bound():
    result = solve(Model([Closed("all", clients=50, path=Use(DISK, MS))])).result("all", seed=1)
    assert result.throughput.high == pytest.approx(1 / MS, rel=2e-4)


def test_an_exact_answer_has_no_warning():
    result = solve(Model([Closed("all", clients=5, path=Use(DISK, Exponential(MS)))])).result("all", seed=1)
    assert not result.warnings
