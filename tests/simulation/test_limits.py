"""Limits: a full place, latency, or the load; told from what places are needed for."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sim import (
    Await,
    Buffer,
    Choose,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Lognormal,
    Model,
    Open,
    PerItem,
    Poisson,
    Pool,
    Put,
    ReplayedTimes,
    Station,
    Take,
    Use,
    Wake,
    simulate,
)
from sim.engine.analytic.closed_forms import machine_repairman
from sim.engine.model.steps import iter_steps
from sim.engine.model.symmetry import symmetry
from sim.engine.result import Bound
from sim.engine.simulation.allowances import allowed, lowest_bounds, refilling
from sim.engine.simulation.limits import Limit, limit_of
from sim.engine.simulation.more_clients import gain_of_twice
from sim.prediction import RunOptions, predict
from sim.prediction.prediction_record import limit_record
from toy import TOY

MS = 1e-3
DISK = Station("disk")
EMPTY = Buffer("nothing in it", 1)
UNKNOWN = IfAny(EMPTY, (), Delay(1 * MS))
"""A millisecond of work, of which a path alone does not tell: as far as it says, it may be none."""
ASKING = IfAny(EMPTY, Delay(1 * MS), ())
"""Takes no time, and keeps the analytic engine from saying what twice the clients would get."""


def limit(*workloads, watch=None):
    never = Closed("never", clients=1, path=[Delay(1.0), Put(EMPTY), Take(EMPTY)])
    asked = any(step in (UNKNOWN, ASKING) for each in workloads for step in iter_steps(each.path))
    model = Model([*workloads, never] if asked else workloads)
    result = simulate(model, precision=0.02, watch=watch)
    return limit_of(model, result), result


def closed(*path, clients=1, name="w", **more):
    return Closed(name, clients=clients, path=path, **more)


def test_a_station_that_is_always_in_use_limits():
    found, _ = limit(closed(Use(DISK, 1 * MS), Delay(1 * MS), clients=20))
    assert (found.kind, found.place) == ("place", "disk")
    assert found.allows == pytest.approx(1000, rel=0.01)
    assert found.reached == pytest.approx(1.0, abs=0.001)
    assert found.words(0.001, "MB/s") == "saturated: disk, 100% in use, allows 1 MB/s"
    assert found.short == "saturated: disk, 100%"


def test_clients_alone_take_as_long_as_their_own_path():
    found, _ = limit(closed(Use(DISK, 1 * MS), Delay(3 * MS)))
    assert (found.kind, found.place, found.reached) == ("path", "disk", pytest.approx(0.25, abs=0.002))
    assert found.words(1.0, "I/O/s") == (
        "latency-bound: each client waits for its own request; busiest resource: disk, 25% in use"
    )
    assert found.short == "latency-bound (disk, 25%)"


@pytest.mark.parametrize(
    ("think_s", "steps", "kind"),
    [
        (0.04 * MS, [], "place"),
        (0.08 * MS, [], "path"),
        (0.08 * MS, [ASKING], "place"),
        (0.15 * MS, [ASKING], "path"),
    ],
)
def test_nine_tenths_are_nearly_always_unless_twice_the_clients_get_more_for_certain(think_s, steps, kind):
    """Two clients get 1.04 and 1.08 times as much as one."""
    found, _ = limit(closed(Use(DISK, 1 * MS), Delay(think_s), *steps), watch="w")
    assert found.kind == kind


@pytest.mark.parametrize("share", [0.3, 0.95])
def test_offered_load_is_the_limit_at_any_utilisation(share):
    found, _ = limit(Open("w", arrivals=Poisson(1000 * share), path=[Use(DISK, 1 * MS)]))
    assert (found.kind, found.place) == ("load", "disk")
    assert found.reached == pytest.approx(share, rel=0.04)
    assert found.words(1.0, "I/O/s").startswith(
        "not saturated: the offered load is served; busiest resource: disk, "
    )
    assert found.short.startswith("not saturated (disk, ")


@pytest.mark.parametrize(("gap_s", "kind"), [(0.1 * MS, "place"), (2 * MS, "load")])
def test_arrivals_that_end_may_come_faster_than_a_place_allows(gap_s, kind):
    times = ReplayedTimes([number * gap_s for number in range(500)])
    found, _ = limit(Open("w", arrivals=times, path=[Use(DISK, 1 * MS)], count=500))
    assert (found.kind, found.place) == (kind, "disk")


def test_without_any_place_only_the_path_limits():
    found, _ = limit(closed(Delay(1 * MS)))
    assert (found.kind, found.place) == ("path", None)
    assert found.words(1.0, "x/s") == "latency-bound: each client waits for its own request"
    assert (found.short, found.allows) == ("latency-bound", 0.0)
    assert limit_record(found) == {"kind": "path", "place": None, "alike": 0, "reached": 0.0, "brought_by": []}


def test_a_full_pool_whose_holders_queue_at_another_place_does_not_limit():
    threads = Pool("threads", 10)
    found, result = limit(closed(Hold(threads, Use(DISK, 1 * MS), Delay(1 * MS)), clients=30))
    assert result.places["threads"].utilisation == pytest.approx(1.0, abs=0.001)
    assert (found.kind, found.place) == ("place", "disk")
    assert {each.place: 1000 / each.throughput for each in result.limits}["threads"] < 0.25


def test_server_limits_rather_than_its_queue():
    found, result = limit(closed(Hold(Pool("slots"), Use(DISK, 1 * MS)), clients=3))
    assert (result.places["slots"].queue, result.places["disk"].queue) == (pytest.approx(2, abs=0.01), 0)
    assert (found.kind, found.place) == ("place", "disk")


def test_demand_for_a_lock_includes_custom_steps_of_its_holders():
    found, result = limit(closed(Hold(Lock("latch").exclusive, UNKNOWN, Delay(1 * MS)), clients=3), watch="w")
    assert (found.kind, found.place) == ("place", "latch")
    assert found.allows == pytest.approx(1000, rel=0.01)  # if the work that nobody can tell were none
    assert result.throughput.value == pytest.approx(500, rel=0.01)
    assert found.words(1.0, "1/s") == "saturated: latch, 100% held"


def test_demand_for_a_lock_excludes_waits_of_its_holders():
    """Two latches, whose holders meet at one disk: each is held all the time, and 8 of 18 ms waiting."""
    ways = [
        closed(Hold(Lock(f"latch {n}").exclusive, UNKNOWN, Use(DISK, 9 * MS)), name=f"w{n}", clients=2, group="w")
        for n in (1, 2)
    ]
    found, result = limit(*ways, watch="w")
    assert result.places["latch 1"].utilisation == pytest.approx(1.0, abs=0.001)
    assert (found.kind, found.place) == ("place", "disk")
    (latch,) = (each for each in result.limits if each.place == "latch 1")
    assert result.throughput.value / latch.throughput == pytest.approx(
        9 / 18, abs=0.01
    )  # at least, as the path says


def test_holders_that_wait_at_a_gate_are_not_at_work():
    gate, pool = Gate("commit"), Pool("syncs", 4)
    keeper = closed(Gather(gate), Delay(5 * MS), Wake(gate), name="keeper")
    waits = closed(Hold(pool, Await(gate)), clients=8)
    _, result = limit(waits, keeper, watch="w")
    assert result.places["syncs"].utilisation == pytest.approx(1.0, abs=0.001)
    assert not result.limits
    turned = closed(Hold(Pool("keepers"), Gather(gate), Delay(1 * MS), Wake(gate)), name="keeper")
    _, result = limit(closed(Await(gate), Delay(9 * MS)), turned, watch="w")
    assert not result.limits  # only one keeper ever wants it


@pytest.mark.parametrize(("fixed_s", "kind", "reached"), [(0.05 * MS, "place", 0.975), (0.5 * MS, "path", 0.75)])
def test_twice_the_clients_may_save_half_of_the_work_of_a_batch(fixed_s, kind, reached):
    """A disk that is never idle, as whoever is served first has to be gathered next, each time alone."""
    gate = Gate("commit")
    waits = closed(Use(DISK, 1 * MS - fixed_s), Await(gate))
    keeper = closed(Gather(gate), Use(DISK, fixed_s), Wake(gate), name="keeper")
    found, result = limit(waits, keeper, watch="w")
    assert result.places["disk"].utilisation == pytest.approx(1.0, abs=0.001)
    assert (found.kind, found.place, found.reached) == (kind, "disk", pytest.approx(reached, abs=0.01))
    assert f"disk, {found.reached:.0%} needed" in found.words(1.0, "1/s")


@pytest.mark.parametrize(("clients", "kind"), [(2, "place"), (1, "path")])
def test_full_buffer_limits_even_without_waiters(clients, kind):
    room = Buffer("room", 4)
    found, result = limit(closed(Put(room, 2), Delay(1 * MS), Take(room, 2), Delay(0.01 * MS), clients=clients))
    assert result.places["room"].queue == 0.0
    assert (found.kind, found.place) == (kind, "room")


def test_room_that_is_often_free_does_not_limit_though_those_under_way_wait():
    room = Buffer("room", 1)
    path = [Put(room), Delay(1 * MS), Take(room)]
    found, result = limit(Closed("w", clients=20, path=path, think=Exponential(25 * MS)))
    assert result.places["room"].utilisation < 0.9
    assert (found.kind, found.place) == ("path", "room")


@pytest.mark.parametrize("place", ["outer", "inner"])
def test_lock_with_waiters_limits_among_two_always_held(place):
    """Inside the first lock the second is free when it is asked for; unless others ask for it, too."""
    inner = Hold(Lock("inner").exclusive, Delay(1 * MS))
    waiting = closed(Hold(Lock("outer").exclusive, Delay(0.01 * MS), inner), clients=8)
    others = [closed(inner, Delay(3 * MS), name="other")] if place == "inner" else []
    found, result = limit(waiting, *others, watch="w")
    assert min(result.places[each].utilisation for each in ("inner", "outer")) > 0.95
    assert (found.kind, found.place) == ("place", place)
    assert found.words(1.0, "x/s").startswith(f"saturated: {place}, {found.reached:.0%} held")


def test_a_lock_whose_readers_are_gathered_lets_more_of_them_be_gathered():
    gate, lock = Gate("batch"), Lock("lock")
    path = [Choose((0.9, Hold(lock.shared, Await(gate))), (0.1, Hold(lock.exclusive, Delay(0.1 * MS))))]
    keeper = closed(Gather(gate), Delay(1 * MS), Wake(gate), name="keeper")
    found, result = limit(closed(*path, Delay(Exponential(0.1 * MS)), clients=8), keeper, watch="w")
    _, doubled = limit(closed(*path, Delay(Exponential(0.1 * MS)), clients=16), keeper, watch="w")
    assert result.places["lock"].utilisation > 0.99
    assert result.places["lock"].queue > 0.25 * 8
    assert doubled.throughput.value > 1.3 * result.throughput.value
    assert found.kind == "path"


def test_shared_holders_have_room_for_more():
    found, result = limit(closed(Hold(Lock("latch").shared, Delay(1 * MS)), clients=3))
    assert result.places["latch"].utilisation == pytest.approx(1.0, abs=0.001)
    assert (found.kind, found.place) == ("path", None)


def test_places_that_differ_by_number_are_counted():
    users = [closed(Use(Station(f"node {n} disk"), 1 * MS), name=f"w{n}", group="w") for n in range(1, 4)]
    found, _ = limit(*users, closed(Hold(Lock("node 4 disk").shared, Delay(1 * MS)), name="x"), watch="w")
    assert (found.family, found.identical) == ("node * disk", 3)
    assert found.place in {"node 1 disk", "node 2 disk", "node 3 disk"}
    assert found.words(1.0, "I/O/s") == "saturated: node * disk (3 identical), 100% in use, allows 3000 I/O/s"


@pytest.mark.parametrize("engine", ["auto", "analytic"])
@pytest.mark.parametrize(("clients", "kind"), [(1, "path"), (60, "place")])
def test_limit_is_equal_in_every_engine_and_json(engine, clients, kind):
    prediction = predict(TOY, {"clients": clients, "items": 4}, RunOptions(precision=0.02, engine=engine))
    share = clients * 5 / 15 if clients == 1 else 1.0
    record = prediction.record()
    assert record["limit"] == {
        "kind": kind,
        "place": "server",
        "alike": 1,
        "reached": pytest.approx(share, abs=0.01),
        "brought_by": [],
    }
    assert record["bottleneck"] == "server"
    assert record["bound"]["value"] == pytest.approx(200, rel=0.02)


def seen(workloads, place, population=None, **changed):
    """Limit where a run has seen other values of ``place`` than it did."""
    model = Model([*workloads, closed(Delay(1.0), Put(EMPTY), Take(EMPTY), name="never")])
    result = simulate(model, precision=0.1, answers=("throughput",), watch="w")
    group = replace(result.groups["w"], population=population or result.groups["w"].population)
    places = {**result.places, place: replace(result.places[place], **changed)}
    return limit_of(model, replace(result, places=places, groups={**result.groups, "w": group})).kind


@pytest.mark.parametrize(("used", "kind"), [(0.9, "place"), (0.899, "path")])
def test_a_place_limits_from_nine_tenths_on(used, kind):
    assert seen([closed(Use(DISK, 1 * MS), Delay(1 * MS), ASKING)], "disk", utilisation=used) == kind


@pytest.mark.parametrize(("queue", "kind"), [(5.0, "place"), (4.9, "path")])
def test_a_lock_limits_where_half_of_all_wait_for_it(queue, kind):
    waits = closed(Hold(Lock("latch").exclusive, Delay(1 * MS)), Delay(9 * MS), ASKING, clients=2)
    assert seen([waits], "latch", 10.0, utilisation=0.5, queue=queue) == kind


@pytest.mark.parametrize(
    ("clients", "used", "queue", "kind"),
    [(40, 0.49, 1.0, "place"), (40, 0.5, 0.0, "place"), (40, 0.49, 0.99, "path"), (1, 0.5, 1.0, "path")],
)
def test_twice_the_clients_must_gain_nothing_if_a_tenth_waits_or_half_is_needed(clients, used, queue, kind):
    waits = closed(Use(DISK, Exponential(1 * MS)), Delay(9 * MS), clients=clients)
    assert seen([waits], "disk", 10.0, utilisation=used, queue=queue) == kind


def test_gain_of_twice_the_clients_is_that_of_the_machine_repairman():
    """Clients who think for 9 ms, and are served for 1 ms one after the other."""
    for clients in (1, 10, 20):
        once, twice = (machine_repairman(times * clients, 9 * MS, 1 * MS).throughput for times in (1, 2))
        model = Model([Closed("w", clients, Use(DISK, Exponential(1 * MS)), think=Exponential(9 * MS))])
        assert gain_of_twice(symmetry(model), "w") == pytest.approx(twice / once, rel=0.01)


def test_job_has_no_gain_of_twice_the_clients():
    model = Model([closed(Use(DISK, 1 * MS), clients=4, count=10)])
    assert gain_of_twice(symmetry(model), "w") is None


def test_lock_that_clients_bypass_when_held_does_not_limit():
    """A client that finds a leader waits for a batch, which grows with the clients."""
    lock, gate, disk = Lock("leader"), Gate("batch"), Station("disk")
    path = [IfAny(lock, Await(gate), Hold(lock.exclusive, Use(disk, 1 * MS)))]
    flusher = closed(Gather(gate), Use(disk, PerItem(1 * MS, 0.2 * MS)), Wake(gate), name="flusher")
    found, result = limit(closed(*path, clients=4), flusher, watch="w")
    more, _ = limit(closed(*path, clients=16), flusher, watch="w")
    assert result.places["leader"].utilisation > 0.99
    assert more.throughput > 1.5 * found.throughput
    assert (found.kind, found.place) == ("path", "disk")


@pytest.mark.parametrize(("clients", "kind", "most"), [(2, "path", 2.0), (4, "path", 2.0), (64, "place", 1.05)])
def test_a_lock_that_some_share_limits_once_a_writer_is_always_in_the_queue(clients, kind, most):
    lock = Lock("lock")
    read, write = Delay(Exponential(0.3 * MS)), Delay(Exponential(0.1 * MS))
    path = Choose((0.9, Hold(lock.shared, read)), (0.1, Hold(lock.exclusive, write)))
    found, result = limit(closed(path, clients=clients))
    _, doubled = limit(closed(path, clients=2 * clients))
    assert result.places["lock"].utilisation > 0.99
    assert (found.kind, found.place) == (kind, "lock")
    assert most - 0.95 < doubled.throughput.value / result.throughput.value < most
    assert kind == "path" or found.words(1.0, "1/s") == "saturated: lock, 100% held"


@pytest.mark.parametrize("steps", [[], [ASKING]])
@pytest.mark.parametrize(("reads", "clients", "kind"), [(True, 8, "path"), (False, 2, "place")])
def test_readers_enter_together_while_a_writer_takes_a_share_of_the_time(reads, clients, kind, steps):
    """Both get more if there are twice as many; but one who writes, less than twice as much, as at a station."""
    lock = Lock("lock")
    modes = (lock.shared, lock.exclusive) if reads else (lock.exclusive, lock.shared)
    own, other = (Hold(mode, Delay(Exponential(0.1 * MS))) for mode in modes)
    others = closed(other, clients=8, name="others")
    found, result = limit(closed(own, *steps, clients=clients), others, watch="w")
    _, doubled = limit(closed(own, *steps, clients=2 * clients), others, watch="w")
    assert result.places["lock"].queue > 0.5 * clients
    assert doubled.throughput.value > 1.2 * result.throughput.value
    assert found.kind == kind


@pytest.mark.parametrize(("tokens", "kind"), [(4, "place"), (8, "path")])
def test_pool_with_a_token_for_each_client_limits_without_waiters(tokens, kind):
    found, result = limit(closed(Hold(Pool("slots", tokens), Delay(1 * MS)), Delay(0.01 * MS), clients=4))
    assert result.places["slots"].queue == 0.0
    assert (found.kind, found.place) == (kind, "slots" if kind == "place" else None)


def test_a_hold_for_each_client_of_a_batch_limits_even_if_its_holder_waits():
    """Two log writers, of which one posts at a time: whom it posts is in its way for the other half."""
    gate, cpu, post = Gate("commit"), Station("cpu", 4), PerItem(0.0, 0.05 * MS)
    posting = Hold(Pool("posting"), Use(cpu, post), Wake(gate), Use(cpu, post))
    writers = closed(Gather(gate), posting, clients=2, name="writers")
    sessions = [closed(Use(cpu, Exponential(0.3 * MS)), Await(gate), clients=clients) for clients in (16, 32)]
    (found, result), (_, doubled) = (limit(each, writers, watch="w") for each in sessions)
    assert doubled.throughput.value < result.throughput.value
    assert (found.kind, found.place, found.reached) == ("place", "posting", pytest.approx(1.0, abs=0.01))


@pytest.mark.parametrize(("inside", "kind"), [(False, "path"), (True, "place")])
def test_a_lock_held_for_a_batch_whose_requests_wait_outside_does_not_limit(inside, kind):
    """A log that is written for all who came meanwhile. Who keeps the lock until his own is written is alone."""
    busy, called, gate = Lock("busy"), Buffer("called", 1), Gate("written")
    write = IfAny(gate, (Gather(gate), Use(DISK, 1 * MS), Wake(gate)))
    if inside:
        path = (Hold(busy.exclusive, Fork(write, wait=False), Await(gate)),)
    else:
        turn = Fork(Hold(busy.exclusive, Take(called), write), wait=False)
        path = (IfAny(called, (), (Put(called), turn)), Await(gate))
    (found, result), (_, doubled) = (limit(closed(*path, Delay(0.1 * MS), clients=clients)) for clients in (8, 16))
    assert result.places["busy"].utilisation > 0.9
    gain = doubled.throughput.value / result.throughput.value
    assert found.kind == kind
    assert gain == pytest.approx(1.0 if inside else 2.0, rel=0.05)


def test_holders_that_wait_for_a_batch_are_not_at_work():
    gate, turn = Gate("batch"), Pool("turn")
    path = Hold(turn, Gather(gate), Delay(PerItem(0.0, 0.1 * MS)), Wake(gate))
    keepers = closed(path, clients=2, name="keepers")
    found, result = limit(closed(Await(gate), Delay(0.3 * MS)), keepers, watch="w")
    assert result.places["turn"].utilisation == pytest.approx(1.0, abs=0.01)
    assert (found.kind, found.place, found.reached) == ("path", "turn", pytest.approx(0.25, abs=0.01))


@pytest.mark.parametrize(
    ("changed", "words", "short"),
    [
        ({}, "saturated: disk, 90% in use, allows 2000 B/s", "saturated: disk, 90%"),
        ({"identical": 2}, "saturated: disk (2 identical), 90% in use, allows 2000 B/s", "saturated: disk, 90%"),
        ({"throughput": 0.89}, "saturated: disk, 90% in use", "saturated: disk, 90%"),
        ({"allows": 0.0}, "saturated: disk, 90% in use", "saturated: disk, 90%"),
        (
            {"role": "stand-in", "allows": 0.0},
            "saturated: disk (stand-in), 90% in use",
            "saturated: disk (stand-in), 90%",
        ),
        (
            {"role": "throttle", "waiting": 29.94},
            "throttled: disk, 90% in use, allows 2000 B/s; 29.9 requests wait",
            "throttled: disk, 90%",
        ),
        (
            {"kind": "load"},
            "not saturated: the offered load is served; busiest resource: disk, 90% in use",
            "not saturated (disk, 90%)",
        ),
        ({"kind": "path", "place": None}, "latency-bound: each client waits for its own request", "latency-bound"),
        (
            {"kind": "path", "own": True},
            "latency-bound: each client waits for a place of its own: disk, 90% in use",
            "latency-bound (disk, 90%)",
        ),
    ],
)
def test_a_limit_in_words(changed, words, short):
    """The capacity of a place is stated from nine tenths of it on; a kind is compared by value."""
    found = replace(Limit(b"place".decode(), "disk", "disk", 1, 1.0, 0.9, "in use", 0.9), **changed)
    assert (found.words(2000.0, "B/s"), found.short) == (words, short)


@pytest.mark.parametrize(
    ("changed", "helps"),
    [
        ({}, "more or faster disk"),
        ({"place_kind": "pool"}, "more of disk, or a shorter use of each"),
        ({"place_kind": "lock"}, "a shorter hold of disk"),
        ({"place_kind": "buffer"}, ""),
        ({"brought_by": ("hosts", "users")}, "more hosts or users, as each brings its own"),
        ({"role": "throttle"}, "a higher limit of disk"),
        ({"role": "stand-in"}, "not known: disk stands in for an unknown mechanism"),
        ({"kind": "load"}, "more load: nothing is saturated"),
        ({"kind": "path"}, "more clients, or a shorter time per request"),
        ({"kind": "path", "idle": ("clients",)}, "a shorter time per request; not more clients"),
        (
            {"kind": "path", "beyond": "cpu", "idle": ("clients",)},
            "a shorter time per request; not more clients, limited by cpu",
        ),
        (
            {"kind": "path", "beyond": "cpu", "gaining": ("users",), "idle": ("depth",)},
            "more users, or a shorter time per request; not more depth, limited by cpu",
        ),
    ],
)
def test_limit_says_what_would_help(changed, helps):
    found = replace(Limit("place", "disk", "disk", 1, 1.0, 0.9, "in use", 0.9, place_kind="station"), **changed)
    assert found.helps == helps


def test_requests_that_want_tokens_wait_for_the_rate_of_the_bucket():
    """The pace limits: the clock that sets it is always at work, and requests wait at what it empties."""
    taken, pace = Buffer("taken", 1), Station("pace", role="throttle")
    refill = Closed("refill", clients=1, path=[Use(pace, 1 * MS), Take(taken)])
    found, _ = limit(closed(Put(taken), Delay(1 * MS), clients=8), refill, watch="w")
    assert (found.state, found.place) == ("throttled", "pace")
    assert found.waiting == pytest.approx(7.0, abs=0.2)


def test_lowest_bound_of_identical_places_is_at_least_the_observed_rate():
    bounds = [Bound("disk 2", 5.0), Bound("cpu", 7.0), Bound("disk 1", 9.0)]
    found = lowest_bounds(SimpleNamespace(limits=bounds), 2.0)
    assert found == (Bound("disk *", 10.0), Bound("cpu", 14.0))
    own, fast = Hold(Pool("own", 3), Delay(9 * MS)), Use(Station("fast"), 0.5 * MS)
    model = Model([closed(Use(DISK, 1 * MS), own, fast, clients=3)])
    told = [(each.place, pytest.approx(each.throughput)) for each in allowed(model, "w", 1200.0)]
    assert told == [("disk", 1200.0), ("fast", 2000.0)]


def test_limit_of_a_short_run_is_not_the_observed_rate():
    """A disk allows 1,000 a second; so few of its services were drawn that they were shorter than their mean."""
    model = Model([closed(Use(DISK, Lognormal(1 * MS, 20.0)), clients=8)])
    for seed, most in ((5, 0.0), (11, 1000.0)):
        result = simulate(model, seed=seed, max_steps=3000, answers=("throughput",))
        assert not result.throughput.known
        assert (result.throughput.value > 1000.0) is (most == 0.0)
        found = limit_of(model, result)
        assert (found.place, found.allows) == ("disk", pytest.approx(most))
        assert found.words(1.0, "1/s") == "saturated: disk, 100% in use"


@pytest.mark.parametrize(
    ("path", "refills"),
    [
        ([Use(DISK, 1.0), Take(EMPTY)], True),
        ([Use(DISK, 1.0), Put(EMPTY)], True),
        ([Put(EMPTY), Use(DISK, 1.0)], False),
        ([Use(DISK, 1.0)], False),
        ([Use(DISK, 1.0), Take(EMPTY), Delay(1.0)], False),
    ],
)
def test_a_bucket_is_refilled_by_who_does_nothing_else(path, refills):
    both = Closed("both", 1, [Put(EMPTY), Take(EMPTY), Delay(1.0)], group="mixed")
    model = Model([closed(*path), both, Closed("bucket", 1, path, group="mixed"), Open("o", Poisson(0.5), path)])
    assert refilling(model) == ({"w"} if refills else set())


def test_a_batch_of_batches_is_shared_once():
    """A flush of file-sync serves a commit, who joins it, and its queue: half of it may be saved, and no more."""
    found = predict("file-sync", {"jobs": 4}, RunOptions(precision=0.05, answers=("throughput",)))
    assert (found.limit.kind, found.limit.place) == ("path", "drive flush")
    assert found.limit.reached == pytest.approx(0.5 * found.result.places["drive flush"].utilisation)


@pytest.mark.parametrize(("clients", "kind"), [(30, "path"), (80, "place")])
def test_at_one_of_several_that_are_identical_not_all_wait_though_most_do(clients, kind):
    """Any of eight arms: of n clients n / (n + 7) of them are in use, by the closed form of such a network."""
    arms = [Lock(f"arm {number}") for number in range(8)]
    path = Choose(*((1 / 8, Hold(arm.exclusive, Delay(Exponential(1 * MS)))) for arm in arms))
    found, result = limit(*(closed(path, name=f"w {number}", group="w") for number in range(clients)), watch="w")
    assert result.throughput.value == pytest.approx(8e3 * clients / (clients + 7), rel=0.03)
    assert sum(result.places[arm.name].queue for arm in arms) > 0.75 * clients
    assert found.kind == kind


ARMS = [Lock(f"arm {number}") for number in range(8)]


def at_arms(arms):
    """A request to any of them."""
    return Choose(*((1 / len(arms), Hold(arm.exclusive, Delay(Exponential(1 * MS)))) for arm in arms))


@pytest.mark.parametrize(("threads", "family"), [(16, "arm *"), (2, "threads")])
def test_threads_most_of_which_wait_for_the_same_do_not_limit(threads, family):
    """Of n threads n / (n + 7) of eight arms are in use: 70 % of 16, each of which works for 35 % of the time."""
    found, result = limit(closed(Hold(Pool("threads", threads), at_arms(ARMS)), clients=64))
    assert result.places["threads"].utilisation == pytest.approx(1.0, abs=0.001)
    assert result.throughput.value == pytest.approx(8e3 * threads / (threads + 7), rel=0.03)
    assert (found.kind, found.family) == ("place", family)


@pytest.mark.parametrize("clients", [4, 64])
@pytest.mark.parametrize(
    ("writers", "arms", "delay_s", "family"),
    [(8, 4, 0.0, "arm *"), (4, 4, 0.0, "arm *"), (8, 8, 5 * MS, "dirty")],
)
def test_drain_limits_rather_than_memory_full_of_dirty_data(clients, writers, arms, delay_s, family):
    """Those who write behind do nothing but wait for arms, or else are as fast as their own path lets them be."""
    dirty = Buffer("dirty", 100)
    behind = closed(Take(dirty), Delay(delay_s), at_arms(ARMS[:arms]), clients=writers, name="behind")
    found, result = limit(closed(Hold(Pool("threads", 8), Put(dirty)), clients=clients), behind, watch="w")
    assert result.places["dirty"].utilisation > 0.99
    assert result.places["threads"].utilisation == pytest.approx(min(1.0, clients / 8), abs=0.01)
    assert (found.kind, found.family) == ("place", family)


@pytest.mark.parametrize("clients", [9, 16])
def test_window_limits_rather_than_the_busy_threads_around_it(clients):
    """More clients may wait for it, or for the threads around it."""
    room = Buffer("room", 2)
    path = Hold(Pool("threads", 8), Put(room), Delay(1 * MS), Take(room))
    found, result = limit(closed(path, clients=clients))
    assert result.places["threads"].utilisation == pytest.approx(1.0, abs=0.001)
    assert (found.kind, found.place) == ("place", "room")


def test_buffer_taken_as_a_whole_does_not_limit():
    """It holds 6 of 10 for most of the time: not because there is no room, but as the taker waits for 10."""
    box = Buffer("box", 10)
    path = (Put(box, 6), Delay(Exponential(1 * MS)), Put(box, 4), Delay(0.1 * MS))
    found, result = limit(closed(*path), closed(Use(DISK, 0.01 * MS), Take(box, 10), name="taker"), watch="w")
    assert result.places["box"].utilisation > 0.5
    assert found.kind == "path"
