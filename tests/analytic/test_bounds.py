"""Bounds of small models by hand: which place, and how many walks a second."""

from __future__ import annotations

import pytest

from analytic_parts import DISK, LINK, MS
from sim import (
    Buffer,
    Choose,
    Closed,
    Custom,
    Delay,
    Exponential,
    Hold,
    Lock,
    Model,
    Open,
    Poisson,
    Pool,
    Put,
    Repeat,
    Station,
    Take,
    Use,
)
from sim.engine.analytic.bounds import Bounds
from sim.engine.model.symmetry import symmetry

BOX = Buffer("box", 6)


def bound(group, *workloads, **more):
    found = Bounds(symmetry(Model(workloads))).upper(group, **more)
    return found.place, found.throughput


def test_few_clients_are_bounded_by_walks_without_queueing():
    """Three clients of 2 + 4 ms, each of two alike; a think of no time; arrivals as many as come."""
    path = [Use(DISK, Exponential(MS)), Delay(3 * MS)]
    users = [Closed(f"{row}", clients=1, path=path, think=2 * MS, group="all") for row in range(2)]
    assert bound("all", *users) == ("the clients of '0'", pytest.approx(2 / (6 * MS)))
    assert bound("all", Closed("all", clients=3, path=Delay(4 * MS))) == (
        "the clients of 'all'",
        pytest.approx(750.0),
    )
    opened = Open("all", arrivals=Poisson(70.0), path=Use(DISK, MS))
    assert bound("all", opened) == ("the clients of 'all'", 70.0)


def test_custom_step_adds_no_time_to_the_bound():
    def nothing(_):
        yield None

    path = [Custom("mine", nothing), Delay(3 * MS)]
    assert bound("all", Closed("all", clients=3, path=path, think=MS))[1] == pytest.approx(3000.0)


@pytest.mark.parametrize(
    ("step", "place", "rate"),
    [
        (Use(DISK, 2 * MS), "disk", 500.0),
        (Use(Station("pair", 2), 2 * MS), "pair", 1000.0),
        (Repeat(3, Use(DISK, MS)), "disk", 1000 / 3),
        (Hold(Pool("pool", 5), Delay(MS), tokens=2), "pool", 2500.0),
        (Hold(Lock("lock").exclusive, Delay(2 * MS)), "lock", 500.0),
        (Choose((0.5, Use(DISK, 2 * MS)), (0.5, Use(LINK, 2 * MS))), "disk", 2 / (2 * MS)),
    ],
)
def test_many_clients_are_bounded_by_the_place_they_need_most(step, place, rate):
    assert bound("all", Closed("all", clients=500, path=step)) == (place, pytest.approx(rate))


def test_group_is_bounded_by_the_least_demand_of_its_workloads():
    """2 ms at the disk of one, and 1 ms of the other; the link only one of them needs."""
    one = Closed("one", clients=500, path=Use(DISK, 2 * MS), group="all")
    other = Closed("other", clients=500, path=[Use(DISK, MS), Use(LINK, 9 * MS)], group="all")
    assert bound("all", one, other) == ("disk", pytest.approx(1000.0))
    assert bound("all", other, Closed("x", clients=1, path=Use(LINK, MS)))[0] == "link"


def pipe(*, put=1, take=1):
    writer = Closed("put", clients=500, path=[Delay(MS), Put(BOX, put)])
    return writer, Closed("take", clients=1, path=[Take(BOX, take), Use(DISK, 4 * MS)])


@pytest.mark.parametrize(("put", "take", "rate"), [(1, 1, 250.0), (2, 1, 125.0), (1, 3, 750.0)])
def test_station_behind_a_buffer_bounds_by_units_moved(put, take, rate):
    """A walk of 4 ms behind for so many units; of the drain itself, that is 250 a second."""
    assert bound("put", *pipe(put=put, take=take)) == ("disk", pytest.approx(rate))
    assert bound("take", *pipe(put=put, take=take)) == ("the clients of 'take'", pytest.approx(250.0))


def test_a_walk_of_no_time_is_bounded_by_the_other_side():
    writer, drain = Closed("put", clients=1, path=Put(BOX)), pipe()[1]
    assert bound("put", writer, drain) == ("disk", pytest.approx(250.0))


def test_demands_of_both_sides_on_one_station_add_up():
    writer = Closed("put", clients=500, path=[Use(DISK, MS), Put(BOX)])
    drain = Closed("take", clients=1, path=[Take(BOX), Use(DISK, 4 * MS)])
    assert bound("put", writer, drain) == ("disk", pytest.approx(200.0))


def test_a_short_run_may_exceed_the_bound_by_the_buffer_and_unfinished_walks():
    """In a second: two moves of three fit into the buffer, and one walk of each of two clients has begun."""
    writer = Closed("put", clients=5000, path=[Delay(MS), Put(BOX)])
    drain = Closed("take", clients=2, path=[Take(BOX, 3), Use(DISK, 4 * MS)])
    expected = (1 + (6 / 3 + 2) * 4 * MS / 2.0) / (4 * MS / 3)
    assert bound("put", writer, drain, measured_s=2.0) == ("disk", pytest.approx(expected))
    assert bound("put", writer, drain)[1] == pytest.approx(750.0)


def test_equal_pairs_have_a_bound_each():
    """Two pipes with a disk each, or before one."""
    for disks, rate in ((2, 500.0), (1, 250.0)):
        loads = []
        for row in range(2):
            box, disk = Buffer(f"box {row}", 6), Station(f"disk {row % disks}")
            loads.append(Closed(f"put {row}", clients=500, path=[Delay(MS), Put(box)], group="put"))
            loads.append(Closed(f"take {row}", clients=1, path=[Take(box), Use(disk, 4 * MS)], group="take"))
        assert bound("put", *loads) == ("disk 0", pytest.approx(rate))


def test_workloads_that_share_the_other_side_of_a_buffer_have_no_bound_by_it():
    """Whose of the moves the drain makes, nobody knows; nor where two drain."""
    one = Closed("one", clients=500, path=[Delay(MS), Put(BOX)], group="all")
    two = Closed("two", clients=500, path=[Delay(2 * MS), Put(BOX)], group="all")
    drain = Closed("take", clients=1, path=[Take(BOX), Use(DISK, 4 * MS)])
    assert bound("all", one, two, drain)[1] == pytest.approx(500e3 + 250e3)
    other = Closed("other", clients=1, path=[Take(BOX), Use(DISK, 3 * MS)])
    assert bound("all", one, drain, other)[1] == pytest.approx(500e3)


def test_second_putting_workload_is_no_other_side():
    """Two put, of different groups, and nobody is known to take."""
    one = Closed("one", clients=500, path=[Delay(MS), Put(BOX)])
    two = Closed("two", clients=1, path=[Use(DISK, 4 * MS), Put(BOX)])
    keeper = Closed("both", clients=1, path=[Put(BOX), Delay(MS), Take(BOX)])
    assert bound("one", one, two, keeper) == ("the clients of 'one'", pytest.approx(500e3))


def test_two_buffers_with_one_other_side_count_once():
    empty = Buffer("empty", 6, 6)
    writer = Closed("put", clients=500, path=[Take(empty), Delay(MS), Put(BOX)])
    drain = Closed("take", clients=1, path=[Take(BOX), Use(DISK, 4 * MS), Put(empty)])
    assert bound("put", writer, drain) == ("disk", pytest.approx(250.0))
