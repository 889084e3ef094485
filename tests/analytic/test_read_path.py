"""Visits counted along a path, of small models, number by number."""

from __future__ import annotations

import math

import pytest

from analytic_parts import DISK, LINK, MS, at, network, only
from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Custom,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Lookup,
    Model,
    ModelError,
    Open,
    PerItem,
    Poisson,
    Pool,
    Put,
    Repeat,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
)
from sim.engine.analytic.solve import solve

GATE, LOCK, BOX = Gate("gate"), Lock("lock"), Buffer("box", 9)


def read(*path, clients=7, name="disk"):
    """The visits of one closed workload to a place, and its node."""
    visits = at(network(Closed("all", clients=clients, path=path)), name)
    return visits, visits[0].node


def one(*path, clients=7, name="disk"):
    (found,), _ = read(*path, clients=clients, name=name)
    return found


# Stations


def test_uses_of_a_station_are_one_visit_with_their_moments():
    """Three of 2 ms, one exponential of a millisecond, and a quarter of one of 4 ms."""
    path = Repeat(3, Use(DISK, 2 * MS)), Use(DISK, Exponential(MS)), Choose((0.25, Use(DISK, 4 * MS)), (0.75, ()))
    found = one(*path)
    assert (found.visits, found.sequential_visits, found.parallelism) == (4.25, 4.25, 1)
    assert found.work_s == pytest.approx(8 * MS)
    assert found.square_s2 == pytest.approx(12e-6 + 2e-6 + 4e-6)
    assert found.means_s2 == pytest.approx(12e-6 + 1e-6 + 4e-6)
    assert (found.most, found.sources) == (7, 7)
    assert not found.depends_on_waits


def test_open_arrivals_are_free():
    (found,) = at(network(Open("all", arrivals=Poisson(5.0), path=Use(DISK, MS))), "disk")
    assert found.free
    assert found.most == math.inf
    assert not one(Use(DISK, MS)).free


def test_options_of_equal_stations_are_one():
    """Two of three links alike: a sixth and a third of the walks go there, to either with the same."""
    links = [Station(f"link {row}") for row in range(2)]
    path = Choose(*((0.25, Use(each, MS)) for each in links), (0.5, Use(DISK, MS)))
    found = one(path, name="link 0")
    assert (found.visits, found.work_s, found.fan_out, found.node.copies) == (0.5, 0.5 * MS, 2, 2)
    assert one(path).visits == 0.5
    assert only(Closed("all", clients=1, path=path)).throughput == pytest.approx(1000.0)


# Holds


def test_tokens_limit_the_number_of_holders():
    """Of five tokens two each: two holders."""
    path = Delay(MS), Hold(Pool("pool", 5), Use(DISK, MS), tokens=2)
    disk = one(*path)
    (pool,) = disk.holds
    assert (pool.node.servers, pool.most, pool.visits) == (2, 7, 1.0)
    assert (disk.most, disk.capacity_share) == (2, 2.0)
    assert pool.depends_on_waits
    assert pool.exclusive
    assert one(*path, clients=1).most == 1


def test_the_greediest_hold_counts():
    pool = Pool("pool", 7)
    for path in ((Hold(pool, Delay(MS), tokens=3), Hold(pool, Delay(MS))), (Hold(pool, Delay(MS), tokens=3),)):
        for order in (path, path[::-1]):
            assert one(*order, name="pool").node.servers == 2


def test_an_exclusive_lock_lets_one_come_and_a_shared_one_all():
    for mode, most, alone in ((LOCK.exclusive, 1, True), (LOCK.shared, 7, False)):
        path = Hold(mode, Use(DISK, MS))
        lock = one(path, name="lock")
        assert (lock.exclusive, lock.node.servers) == (alone, 1)
        assert one(path).most == most
        assert one(path).capacity_share == (1.0 if alone else math.inf)


def test_nested_holds_all_count():
    path = Hold(Pool("pool", 3), Hold(LOCK.shared, Use(DISK, MS)))
    disk = one(path)
    assert [each.node.place.name for each in disk.holds] == ["pool", "lock"]
    assert (disk.most, disk.capacity_share) == (3, 3.0)


def test_a_use_inside_a_hold_and_one_outside_are_apart():
    visits, _ = read(Use(DISK, MS), Hold(Pool("pool", 3), Use(DISK, 2 * MS)))
    assert [(each.most, each.work_s, len(each.holds)) for each in visits] == [(7, MS, 0), (3, 2 * MS, 1)]


def test_hold_takes_as_long_as_its_inner_steps():
    """Twice a wait of 3 ms and a service of 2 ms; waits count as exponential."""
    made = network(Closed("all", clients=7, path=Repeat(2, Hold(LOCK.exclusive, Use(DISK, 2 * MS)))))
    (disk,), (lock,) = at(made, "disk"), at(made, "lock")
    disk.wait_s, lock.wait_s = 3 * MS, 10 * MS
    mean_s, variance_s2 = made.chains[0].term.moments()
    assert (mean_s, variance_s2) == pytest.approx((30 * MS, 2 * (9e-6 + 100e-6)))
    assert (lock.work_s, lock.square_s2, lock.means_s2) == pytest.approx((10 * MS, 2 * (25e-6 + 9e-6), 50e-6))


# Forks


def test_branches_on_disks_of_their_own_meet_as_many_as_before():
    path = Fork(*(Use(Station(f"disk {row}"), MS) for row in range(3)))
    found = one(path, name="disk 0")
    assert (found.visits, found.parallelism, found.sequential_visits, found.most) == (3.0, 3, 1.0, 7.0)
    assert (found.node.copies, found.fan_out) == (3, 3)
    assert not found.free


def test_branches_at_one_disk_meet_each_other():
    """A disk, and one of three links each, as often as there are links; two branches each with two inside."""
    path = Fork(*([Use(DISK, MS), Use(Station(f"link {row}"), MS)] for row in range(3)))
    assert (one(path).most, one(path).visits, one(path).sequential_visits) == (21.0, 3.0, 1.0)
    assert one(path, name="link 0").most == 7.0
    inner = Fork(Repeat(2, Use(DISK, MS)), Repeat(2, Use(DISK, MS)))
    found = one(Fork(inner, inner))
    assert (found.most, found.visits, found.parallelism, found.sequential_visits) == (28.0, 8.0, 4, 2.0)


def test_unlike_branches_are_strands_of_their_own():
    visits, _ = read(Use(DISK, MS), Fork(Use(DISK, MS), [Use(DISK, MS), Delay(MS)]))
    assert [(each.visits, each.parallelism, each.most) for each in visits] == [(1.0, 1, 7)] * 3
    assert len({each.flow for each in visits}) == 3


def test_background_branches_and_their_inner_steps_are_free():
    path = Use(DISK, MS), Fork([Use(LINK, MS), Fork(Use(Station("cpu"), MS))], wait=False)
    for name, free in (("disk", False), ("link", True), ("cpu", True)):
        assert one(*path, name=name).free == free


# Gates


@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_batch_is_in_hand_from_its_gather_on(before):
    """1 ms and 0.2 ms for each of 2.5 in the batch, wherever on the path that is; and after it is woken."""
    service = PerItem(Exponential(MS), 0.2 * MS)
    path = [*[Delay(MS)] * before, Gather(GATE), Use(DISK, service), Wake(GATE), Use(LINK, service)]
    made = network(Closed("writer", clients=2, path=path), Closed("session", clients=3, path=Await(GATE)))
    (batches,) = made.gates.values()
    batches.batch = 2.5
    made.chains[0].term.moments()
    for name in ("disk", "link"):
        (found,) = at(made, name)
        assert found.depends_on_waits
        assert (found.visits, found.work_s) == (1.0, pytest.approx(1.5 * MS))
        assert found.square_s2 == pytest.approx(1.5**2 * 1e-6 + 1e-6)
    awaiting, gathering = batches.awaiting, batches.gathering
    assert [(each.visits, each.most) for each in (*awaiting, *gathering)] == [(1.0, 3), (1.0, 2)]
    assert gathering[0].depends_on_waits
    assert gathering[0].work_s == pytest.approx(1.5 * MS)


def test_a_time_that_does_not_grow_or_without_a_batch_is_its_fixed_part():
    assert one(Use(DISK, PerItem(Exponential(MS), 0.2 * MS))).square_s2 == pytest.approx(2e-6)
    path = [Gather(GATE), Use(DISK, PerItem(Exponential(MS), 0.0)), Delay(PerItem(2 * MS, 0.0)), Wake(GATE)]
    made = network(Closed("writer", clients=2, path=path), Closed("session", clients=3, path=Await(GATE)))
    (found,) = at(made, "disk")
    assert not found.depends_on_waits
    assert found.work_s == MS
    assert made.chains[0].term.moments() == pytest.approx((3 * MS, 1e-6))


def test_several_gathers_of_a_walk_are_visits_of_their_own():
    """Of one gate, with a service of 1 ms and one of 2 ms, and a use between."""
    writes = [Gather(GATE), Use(DISK, MS), Wake(GATE), Use(LINK, MS), Gather(GATE), Use(DISK, 2 * MS), Wake(GATE)]
    made = network(Closed("writer", clients=2, path=writes), Closed("session", clients=3, path=Await(GATE)))
    (batches,) = made.gates.values()
    made.chains[0].term.moments()
    assert [each.work_s for each in batches.gathering] == [MS, 2 * MS]


# Buffers


def test_a_buffer_between_two_sides_has_a_visit_for_each_step():
    put = Closed("put", clients=2, path=[Delay(MS), Put(BOX, 3), Repeat(2, Put(BOX, 2))])
    made = network(put, Closed("take", clients=1, path=[Take(BOX, 4), Delay(MS)]))
    (box,) = made.buffer_roles.values()
    assert [(each.visits, each.work_s) for each in box.puts] == [(1.0, 3.0), (2.0, 4.0)]
    assert [(each.visits, each.work_s) for each in box.takes] == [(1.0, 4.0)]


def test_units_put_and_taken_back_are_held():
    """Three of nine units, twice in a walk: three holders."""
    path = [Delay(MS), Put(BOX, 3), Use(DISK, MS), Take(BOX, 3), Put(BOX, 3), Delay(MS), Take(BOX, 3)]
    made = network(Closed("all", clients=7, path=path))
    (disk,), boxes = at(made, "disk"), at(made, "box")
    assert [each.visits for each in boxes] == [1.0, 1.0]
    assert (disk.most, disk.holds[0].node.servers) == (3, 3)
    made.chains[0].term.moments()
    assert [each.work_s for each in boxes] == [MS, MS]
    assert not made.buffer_roles[BOX].decoupled


def test_units_taken_and_put_back_are_limited_by_those_held():
    lent = Buffer("box", 9, 4)
    made = network(Closed("all", clients=7, path=[Take(lent, 2), Use(DISK, MS), Put(lent, 2)]))
    (disk,) = at(made, "disk")
    assert disk.most == 2
    with pytest.raises(ModelError, match="changes buffer 'box' in a way the analytic engine cannot follow"):
        network(Closed("all", clients=7, path=[Take(lent, 5), Use(DISK, MS), Put(lent, 5)]))
    whole = network(Closed("all", clients=7, path=[Take(lent, 4), Use(DISK, MS), Put(lent, 4)]))
    assert at(whole, "disk")[0].most == 1


def test_background_take_comes_after_the_steps_before_it():
    """2 ms at least until the take; what comes after it does not matter."""
    later = Fork([Use(DISK, 2 * MS), Take(BOX), Delay(9 * MS)], wait=False)
    made = network(Closed("all", clients=7, path=[Delay(MS), Put(BOX), later]))
    (box,) = made.buffer_roles.values()
    assert box.release_s == pytest.approx(2 * MS)
    assert [each.free for each in (*box.puts, *box.takes)] == [False, True]
    assert box.decoupled


# Caches


def test_look_ups_are_counted_by_source_with_their_ratio():
    """A quarter of uniform addresses are found; three look-ups a walk, and half of one more."""
    cache, source = Cache("cache", 30), Uniform(120)
    inner = Lookup(cache, source, Use(DISK, MS), Use(LINK, MS))
    path = [Repeat(3, inner), Choose((0.5, inner), (0.5, Delay(MS)))]
    made = network(Closed("all", clients=7, path=path))
    (hits,) = made.caches.values()
    assert hits.lookups == {source: [(made.chains[0], 3.0), (made.chains[0], 0.5)]}
    assert at(made, "disk")[0].visits == pytest.approx(3.5 * 0.25)
    assert at(made, "link")[0].visits == pytest.approx(3.5 * 0.75)


@pytest.mark.parametrize(("room", "taken", "left"), [(120, "disk", "link")])
def test_a_branch_that_is_never_taken_has_no_visits(room, taken, left):
    path = Lookup(Cache("cache", room), Zipf(120, 1.0), Use(DISK, MS), Use(LINK, MS))
    made = network(Closed("all", clients=7, path=path))
    assert [node.place.name for node in made.nodes if node.place.name in {taken, left}] == [taken]


# What is refused


def refusal(*path, others=()):
    with pytest.raises(ModelError) as refused:
        solve(Model([Closed("all", clients=2, path=path), *others]))
    return str(refused.value)


def test_unsupported_steps_are_refused_by_name():
    session = Closed("session", clients=2, path=[Delay(MS), Await(GATE)])
    beside = "workload 'all' gathers gate 'gate' and wakes it inside a hold, which the analytic engine"
    assert beside in refusal(Gather(GATE), Hold(LOCK.exclusive, Wake(GATE)), others=[session])
    late = Gather(GATE), Delay(PerItem(MS, MS)), Wake(GATE)
    assert "has a delay that depends on the batch of gate 'gate'" in refusal(*late, others=[session])


def test_an_order_that_does_not_undo_itself_is_refused():
    assert "in an order that does not undo itself" in refusal(Put(BOX, 2), Delay(MS), Take(BOX), Take(BOX))
    later = Fork((Put(BOX), Delay(MS)), wait=False)
    assert "in an order that does not undo itself" in refusal(Delay(MS), later, Take(BOX))


def test_a_custom_step_is_refused_by_its_name():
    def walk(_):
        yield 0.0

    assert "has a Custom step 'mine'" in refusal(Delay(MS), Custom("mine", walk))
