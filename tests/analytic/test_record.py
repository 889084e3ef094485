"""The record of a solution: figures of places and groups by hand, and the methods that it names."""

from __future__ import annotations

import math

import pytest

from analytic_parts import DISK, LINK, MS, only
from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Lookup,
    Model,
    Open,
    Poisson,
    Pool,
    Put,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
)
from sim.engine.analytic import record
from sim.engine.analytic.solve import solve
from sim.engine.result import Bound

LOCK, BOX, GATE = Lock("lock"), Buffer("box", 4), Gate("gate")


def closed(*path, name="all", **more):
    return Closed(name, clients=1, path=path, **more)


def test_a_lock_is_in_use_while_it_is_held_exclusively():
    """Walks of 6 ms: held exclusively for two of them, and shared for one."""
    solution = solve(
        Model([closed(Hold(LOCK.exclusive, Delay(2 * MS)), Delay(3 * MS), Hold(LOCK.shared, Delay(MS)))])
    )
    place = solution.places["lock"]
    assert place.kind == "lock"
    assert place.visits == pytest.approx(2000 / 6)
    assert place.residence_s == pytest.approx(MS)  # 2 ms in two visits
    assert (place.wait_s, place.queue) == (0.0, 0.0)
    assert (place.batch, place.hit_ratio) == (None, None)


def test_a_station_of_a_queue_by_hand():
    """M/D/1 at half load: a wait of half a service; of two servers' time that is a half each."""
    solution = solve(
        Model([Open("all", arrivals=Poisson(500.0), path=[Use(DISK, MS), Use(Station("two", 2), MS)])])
    )
    disk = solution.places["disk"]
    assert disk.kind == "station"
    assert (disk.visits, disk.utilisation) == pytest.approx((500.0, 0.5))
    assert (disk.wait_s, disk.residence_s, disk.queue) == pytest.approx((0.5 * MS, 1.5 * MS, 0.25))
    assert solution.places["two"].utilisation == pytest.approx(0.25)


def test_equal_stations_have_the_figures_of_one():
    """Two walks of 4 ms each over two of four disks."""
    disks = [Station(f"disk {row}") for row in range(4)]
    users = [
        Closed(f"user {row}", clients=1, path=[Use(each, MS) for each in pair], think=2 * MS, group="users")
        for row, pair in enumerate((disks[:2], disks[2:]))
    ]
    solution = solve(Model(users))
    assert [solution.places[each.name].visits for each in disks] == pytest.approx([250.0] * 4)
    assert [solution.places[each.name].utilisation for each in disks] == pytest.approx([0.25] * 4)
    assert solution.groups["users"].throughput == pytest.approx(500.0)


def test_a_buffer_between_two_sides_has_a_queue_and_no_utilisation():
    """Who puts every millisecond waits for who takes every four: three quarters of one stand there."""
    solution = solve(
        Model([closed(Delay(MS), Put(BOX), name="put"), closed(Take(BOX), Delay(4 * MS), name="take")])
    )
    box = solution.places["box"]
    assert math.isnan(box.utilisation)
    assert box.kind == "buffer"
    assert (box.visits, box.queue) == pytest.approx((500.0, 0.75))
    assert box.wait_s == box.residence_s == pytest.approx(1.5 * MS)  # of those who put 3 ms, who take none


def test_a_buffer_that_is_given_back_is_used():
    """Two of four units for 2 ms of a walk of 4 ms; a unit at a time, of four."""
    solution = solve(Model([closed(Put(BOX), Delay(2 * MS), Take(BOX), Delay(2 * MS))]))
    box = solution.places["box"]
    assert (box.visits, box.utilisation, box.residence_s) == pytest.approx((250.0, 0.125, 2 * MS))


def test_cache_holds_no_clients():
    path = [Delay(MS), Lookup(Cache("cache", 30), Uniform(120), (), Delay(4 * MS))]
    solution = solve(Model([Closed("all", clients=2, path=path)]))
    cache = solution.places["cache"]
    assert (cache.kind, cache.batch) == ("cache", None)
    assert (cache.visits, cache.hit_ratio) == pytest.approx((500.0, 0.25))
    assert (cache.queue, cache.residence_s, cache.wait_s) == (0.0, 0.0, 0.0)
    assert math.isnan(cache.utilisation)


def test_a_place_on_a_branch_that_is_never_taken_is_idle():
    solution = solve(Model([closed(Choose((1.0, Delay(MS)), (0.0, Use(DISK, MS))))]))
    disk = solution.places["disk"]
    assert disk.kind == "station"
    assert (disk.visits, disk.utilisation, disk.queue, disk.residence_s, disk.wait_s) == (0.0,) * 5
    assert solution.limits["all"] == ()


def test_a_gate_counts_visits_of_waiters_and_not_of_writers():
    """Two sessions, one of whom waits at half the rate: 400 and 200 a second, with 1 ms."""
    writer = closed(Gather(GATE), Use(DISK, MS), Wake(GATE), name="writer")
    loads = [Open(f"{rate}", arrivals=Poisson(rate), path=Await(GATE)) for rate in (40.0, 20.0)]
    solution = solve(Model([*loads, writer]))
    gate = solution.places["gate"]
    assert (gate.kind, gate.hit_ratio) == ("gate", None)
    assert gate.visits == pytest.approx(60.0)
    assert gate.queue == pytest.approx(60 * gate.wait_s)
    assert gate.wait_s == pytest.approx(solution.groups["40.0"].latency_s)
    assert gate.residence_s == gate.wait_s
    assert solution.groups["20.0"].latency_s == pytest.approx(gate.wait_s)


def test_a_group_of_unlike_workloads_is_added_up():
    """A thousand walks of 1 ms and 500 of 2 ms: 4 / 3 ms on average."""
    one, other = closed(Delay(MS), name="one", group="g"), closed(Delay(2 * MS), name="two", group="g")
    found = only(one, other)
    assert found.throughput == pytest.approx(1500.0)
    assert found.latency_s == pytest.approx(4 / 3 * MS)
    assert found.hit_ratio is None


def test_limit_of_equal_stations_is_multiplied_by_their_number():
    """Two chains at the disk; at either of two links 0.5 · 0.5 ms of a walk of one."""
    links = Choose(*((0.5, Use(Station(f"link {row}"), MS)) for row in range(2)))
    one = Open("one", arrivals=Poisson(300.0), path=[Use(DISK, MS), links])
    other = Open("other", arrivals=Poisson(100.0), path=Use(DISK, 2 * MS))
    found = solve(Model([one, other]))
    assert found.limits["one"] == (Bound("disk", pytest.approx(1000.0)), Bound("link 0", pytest.approx(2000.0)))
    assert found.limits["other"] == (Bound("disk", pytest.approx(500.0)),)
    found = solve(Model([Open("one", arrivals=Poisson(300.0), path=[Use(DISK, 0.1 * MS), links])]))
    assert found.limits["one"][0] == Bound("link 0", pytest.approx(2000.0))  # 1 ms of the two together


@pytest.mark.parametrize("count", [None, 4000])
def test_a_job_is_no_endless_load(count):
    """Four thousand exact milliseconds; what is approximate is the end, of which the load knows nothing."""
    solution = solve(Model([closed(Use(DISK, Exponential(MS)), count=count)]))
    assert solution.exact == (count is None)
    assert solution.elapsed_s == (pytest.approx(4.0) if count else None)
    assert (solution.groups["all"].accuracy is None) == (count is None)
    assert solution.methods == ((record.EXACT,) if count is None else (record.EXACT, record.JOBS))


def writes(*inside):
    return [
        closed(Gather(GATE), *inside, Wake(GATE), name="writer"),
        closed(Delay(MS), Await(GATE), name="session"),
    ]


POOL = Pool("pool", 2)
METHODS = [
    ([Open("all", arrivals=Poisson(1.0), path=Use(DISK, MS))], (record.OPEN,)),
    ([closed(Use(DISK, MS))], (record.CLOSED,)),
    ([closed(Use(Station("two", 2), MS))], (record.CLOSED, record.SERVERS)),
    ([closed(Hold(LOCK.exclusive, Delay(MS)))], (record.CLOSED, record.HELD)),
    ([closed(Hold(POOL, Delay(MS)))], (record.CLOSED, record.SERVERS, record.HELD)),
    ([closed(Hold(LOCK.shared, Delay(MS)))], (record.CLOSED, record.HELD, record.SHARED)),
    ([closed(Fork(Use(DISK, MS), Use(LINK, MS)))], (record.CLOSED, record.FORKS)),
    ([closed(Use(DISK, 2 * MS), Fork(Use(LINK, MS), wait=False))], (record.CLOSED, record.OPEN)),
    ([closed(Use(DISK, MS), Lookup(Cache("cache", 5), Uniform(9)))], (record.CLOSED, record.CACHES)),
    (writes(Use(DISK, MS)), (record.CLOSED, record.GATES)),
    (
        [closed(Put(Buffer("one", 1)), Delay(MS), Take(Buffer("one", 1)))],
        (record.CLOSED, record.STREAMS),
    ),
]


@pytest.mark.parametrize(("workloads", "methods"), METHODS)
def test_methods_are_named_where_they_are_used(workloads, methods):
    assert solve(Model(workloads)).methods == methods
