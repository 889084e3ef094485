"""Meaning of each step, in scenarios small enough to work out by hand. Nanoseconds, for both engines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import examples
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
    IfAny,
    Lock,
    Lookup,
    Model,
    NoSteadyStateError,
    Open,
    Periodic,
    PerItem,
    Poisson,
    Pool,
    Put,
    Repeat,
    Replayed,
    ReplayedTimes,
    Station,
    Take,
    Use,
    Wake,
    simulate,
)
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS
from sim.engine.events.reference import ReferenceEngine

NS = 1e-9
LONG_NS = 1_000_000


@pytest.fixture(params=[ReferenceEngine, CompiledEngine], ids=["reference", "compiled"])
def engine(request):
    return request.param


def ran(engine, *workloads, until_ns=LONG_NS, seed=1):
    run = engine(Model(workloads), seed, record=True)
    run.advance(until_ns)
    return run


def at(name, time_ns, *path):
    """One client that arrives at ``time_ns``."""
    return Open(name, arrivals=ReplayedTimes([time_ns * NS]), path=path)


def ends(run):
    """Who ended when, in the order in which it happened."""
    return [(each.workload, each.ended_ns) for each in run.completions]


def counters(run, row=0):
    return dict(zip(WORKLOAD_COLUMNS, run.snapshot().workloads[row].tolist(), strict=True))


def place(run, row=0):
    return dict(zip(PLACE_COLUMNS, run.snapshot().places[row].tolist(), strict=True))


def test_one_server_serves_first_come_first(engine):
    disk = Station("disk")
    run = ran(engine, *(at(name, due, Use(disk, 100 * NS)) for name, due in [("a", 0), ("c", 30), ("b", 20)]))
    assert ends(run) == [("a", 100), ("b", 200), ("c", 300)]
    assert place(run) == {"visits": 3, "busy_ns": 300, "queue_ns": 80 + 170, "extra": 0}


def test_two_servers_of_one_queue(engine):
    disk = Station("disk", 2)
    times = [("a", 0, 100), ("b", 1, 30), ("c", 2, 50), ("d", 3, 10)]
    run = ran(engine, *(at(name, due, Use(disk, time * NS)) for name, due, time in times))
    assert ends(run) == [("b", 31), ("c", 81), ("d", 91), ("a", 100)]
    assert place(run) == {"visits": 4, "busy_ns": 190, "queue_ns": 29 + 78, "extra": 0}


def test_a_large_request_blocks_smaller_ones_behind_it(engine):
    pool = Pool("threads", 3)
    run = ran(
        engine,
        at("two", 0, Hold(pool, Delay(100 * NS), tokens=2)),
        at("big", 10, Hold(pool, Delay(50 * NS), tokens=3)),
        at("small", 20, Hold(pool, Delay(5 * NS))),  # a token is free, and it waits all the same
        at("last", 30, Hold(pool, Delay(7 * NS), tokens=2)),
    )
    assert ends(run) == [("two", 100), ("big", 150), ("small", 155), ("last", 157)]
    assert place(run) == {"visits": 4, "busy_ns": 200 + 150 + 5 + 14, "queue_ns": 90 + 130 + 120, "extra": 0}


def test_takes_wait_for_the_high_watermark_and_continue_to_the_low_one(engine):
    dirty = Buffer("dirty", 6, low=1, high=3)
    puts = [at(f"put {due}", due, Put(dirty)) for due in (10, 20, 30, 40, 90, 100)]
    takes = [at(f"take {due}", due, Take(dirty)) for due in (1, 2, 3, 50)]
    run = ran(engine, *puts, *takes)
    taken = [end for end in ends(run) if end[0].startswith("take")]
    # At 30 the level is 3: two are taken and it is 1. At 40 it is 2, below the high watermark; at 90, 3.
    assert taken == [("take 1", 30), ("take 2", 30), ("take 3", 90), ("take 50", 90)]


def test_a_full_buffer_makes_the_writer_wait_for_takes(engine):
    dirty = Buffer("dirty", 4, initial=4, low=1, high=3)
    run = ran(engine, at("writer", 5, Put(dirty, 2)), at("a", 50, Take(dirty)), at("b", 60, Take(dirty)))
    assert ends(run) == [("a", 50), ("writer", 60), ("b", 60)] or ends(run) == [
        ("a", 50),
        ("b", 60),
        ("writer", 60),
    ]


def test_clients_start_and_stop_at_the_given_times(engine):
    noise = Closed("noise", clients=2, path=Delay(10 * NS), start_s=25 * NS, stop_s=50 * NS)
    run = ran(engine, noise, Closed("clock", clients=1, path=Delay(100 * NS), count=1))
    assert ends(run) == [("noise", due) for due in (35, 35, 45, 45, 55, 55)] + [("clock", 100)]


def test_look_ups_and_hits_are_counted_for_each_workload(engine):
    cache = Cache("cache", 8)
    first = Closed("first", clients=1, path=[Lookup(cache, Replayed([0, 1, 2, 3])), Delay(10 * NS)], count=4)
    second = Closed("second", clients=1, path=[Delay(100 * NS), Lookup(cache, Replayed([0, 1, 2, 3, 4]))], count=5)
    run = ran(engine, first, second)
    assert [(counters(run, row)["lookups"], counters(run, row)["hits"]) for row in (0, 1)] == [(4, 0), (5, 4)]


def test_tokens_are_released_after_the_last_inner_step(engine):
    pool = Pool("threads", 2)
    run = ran(
        engine,
        at("a", 0, Hold(pool, Delay(10 * NS), Delay(20 * NS), tokens=2), Delay(100 * NS)),
        at("b", 1, Hold(pool, Delay(1 * NS))),
    )
    assert ends(run) == [("b", 31), ("a", 130)]


def test_a_second_reader_waits_behind_the_writer(engine):
    lock = Lock("latch")
    run = ran(
        engine,
        at("reader", 0, Hold(lock.shared, Delay(100 * NS))),
        at("writer", 10, Hold(lock.exclusive, Delay(50 * NS))),
        at("late", 20, Hold(lock.shared, Delay(30 * NS))),
        at("later", 40, Hold(lock.shared, Delay(10 * NS))),
    )
    assert ends(run) == [("reader", 100), ("writer", 150), ("later", 160), ("late", 180)]
    assert place(run) == {"visits": 4, "busy_ns": 180, "queue_ns": 90 + 130 + 110, "extra": 0}


def test_readers_share_and_writers_do_not(engine):
    lock = Lock("latch")
    readers = ran(engine, Closed("r", clients=3, path=Hold(lock.shared, Delay(100 * NS)), count=3))
    writers = ran(engine, Closed("w", clients=3, path=Hold(lock.exclusive, Delay(100 * NS)), count=3))
    assert [each for _, each in ends(readers)] == [100, 100, 100]
    assert [each for _, each in ends(writers)] == [100, 200, 300]
    assert (place(readers)["busy_ns"], place(writers)["busy_ns"]) == (100, 300)


def test_a_put_waits_for_room_and_blocks_those_behind(engine):
    buffer = Buffer("log", 4, 3)
    run = ran(
        engine,
        at("big", 0, Put(buffer, 3)),
        at("small", 5, Put(buffer, 1)),  # it would fit
        at("one", 10, Take(buffer, 1)),
        at("another", 20, Take(buffer, 1)),
        at("third", 30, Take(buffer, 1)),
    )
    assert ends(run) == [("one", 10), ("another", 20), ("big", 20), ("third", 30), ("small", 30)]
    assert place(run)["queue_ns"] == 20 + 25
    assert place(run)["busy_ns"] == 3 * 10 + 2 * 10 + 4 * 10


def test_a_take_waits_for_its_units_and_blocks_those_behind(engine):
    buffer = Buffer("log", 10, 1)
    run = ran(
        engine,
        at("big", 0, Take(buffer, 4)),
        at("small", 5, Take(buffer, 1)),  # so much is in
        at("two", 10, Put(buffer, 2)),
        at("more", 20, Put(buffer, 2)),
    )
    assert ends(run) == [("two", 10), ("more", 20), ("big", 20), ("small", 20)]
    assert place(run) == {"visits": 4, "busy_ns": 10 + 30, "queue_ns": 20 + 15, "extra": 0}


def test_a_batch_takes_all_that_wait_and_a_time_for_each(engine):
    gate = Gate("commit")
    flush = Delay(PerItem(10 * NS, 100 * NS))
    keeper = Closed("keeper", clients=1, path=[Gather(gate), flush, Wake(gate)])
    due = {"a": 5, "b": 6, "c": 7, "d": 400}
    run = ran(engine, keeper, *(at(name, each, Await(gate), Delay(1 * NS)) for name, each in due.items()))
    # a alone from 5 to 115; b and c, who came meanwhile, from 115 to 325; d from 400 to 510
    assert ends(run) == [
        ("keeper", 115),
        ("a", 116),
        ("keeper", 325),
        ("b", 326),
        ("c", 326),
        ("keeper", 510),
        ("d", 511),
    ]
    assert place(run) == {"visits": 4, "busy_ns": 110 + 420 + 110, "queue_ns": 109 + 108, "extra": 3}


def test_if_any_branches_on_waiters_at_a_gate(engine):
    gate = Gate("commit")
    asked = IfAny(gate, Delay(1 * NS), Delay(5 * NS))
    keeper = at("keeper", 20, Gather(gate), Delay(30 * NS), Wake(gate))
    run = ran(
        engine,
        at("early", 0, asked),
        at("commit", 10, Await(gate)),
        at("late", 15, asked),
        at("later", 25, asked),
        keeper,
    )
    assert ends(run) == [("early", 5), ("late", 16), ("later", 30), ("keeper", 50), ("commit", 50)]


def test_if_any_branches_on_units_in_a_buffer(engine):
    log = Buffer("log", 2)
    asked = IfAny(log, Delay(1 * NS), Delay(5 * NS))
    run = ran(
        engine,
        at("early", 0, asked),
        at("put", 10, Put(log)),
        at("late", 15, asked),
        at("take", 20, Take(log)),
        at("later", 25, asked),
    )
    assert ends(run) == [("early", 5), ("put", 10), ("late", 16), ("take", 20), ("later", 30)]


@pytest.mark.parametrize("mode", ["shared", "exclusive"])
def test_if_any_branches_on_a_held_lock(engine, mode):
    latch = Lock("latch")
    asked = IfAny(latch, Delay(1 * NS), Delay(5 * NS))
    run = ran(
        engine,
        at("early", 0, asked),
        at("holder", 10, Hold(getattr(latch, mode), Delay(10 * NS))),
        at("late", 15, asked),
        at("later", 25, asked),
    )
    assert ends(run) == [("early", 5), ("late", 16), ("holder", 20), ("later", 30)]


def test_a_released_lock_is_not_free_while_clients_wait_for_it(engine):
    """A releasing client continues first, and asks at once: the next one waits, and does not hold it yet."""
    latch = Lock("latch")
    asked = IfAny(latch, Delay(1 * NS), Delay(5 * NS))
    keeps, frees = (Hold(latch.exclusive, Delay(10 * NS)) for _ in range(2))
    run = ran(engine, at("first", 0, keeps, asked), at("second", 5, frees, asked))
    assert ends(run) == [("first", 11), ("second", 25)]


def test_free_lock_is_acquired_at_once(engine):
    """Three ask at one instant: the first alone need not wait."""
    latch = Lock("latch")
    slept = Hold(latch.exclusive, Delay(3 * NS), Delay(10 * NS))
    asked = IfAny(latch, slept, Hold(latch.exclusive, Delay(10 * NS)))
    run = ran(engine, *(at(name, 0, asked) for name in "abc"))
    assert ends(run) == [("a", 10), ("b", 23), ("c", 36)]


def test_branches_inherit_the_batch_of_their_parent_and_a_new_walk_has_none(engine):
    gate = Gate("commit")
    each = Use(Station("log", 2), PerItem(0.0, 100 * NS))
    keeper = Closed("keeper", clients=1, path=[each, Delay(50 * NS), Gather(gate), Fork(each, each), Wake(gate)])
    run = ran(engine, keeper, *(at(name, 1, Await(gate), Delay(500 * NS)) for name in "abc"))
    assert ends(run) == [("keeper", 350), ("a", 850), ("b", 850), ("c", 850)]
    assert counters(run)["steps"] == 7 + 3  # the second request waits at the gate
    assert place(run, 0)["busy_ns"] == 600  # nothing for a batch of nobody, before and after


def test_a_fork_waits_for_its_slowest_branch(engine):
    disk = Station("disk")
    path = [Fork([Use(disk, 30 * NS)], [Use(disk, 40 * NS), Delay(5 * NS)], [Delay(60 * NS)]), Delay(1 * NS)]
    run = ran(engine, at("w", 0, *path))
    assert ends(run) == [("w", 76)]
    assert counters(run) == {
        "started": 1,
        "completed": 1,
        "latency_ns": 76,
        "population_ns": 76,
        "background": 0,
        "lookups": 0,
        "hits": 0,
        "steps": 6,
    }


def test_a_fork_that_does_not_wait_leaves_branches_behind(engine):
    path = [Fork(Delay(100 * NS), Delay(40 * NS), wait=False), Delay(10 * NS)]
    workload = Closed("w", clients=1, path=path, think=20 * NS)
    run = engine(Model([workload]), 1, record=True)
    behind = {}
    for until_ns in (10, 25, 50, 61, 71, 130):
        run.advance(until_ns)
        behind[until_ns] = counters(run)["background"]
    # Requests begin at 20, 50, 80 and 110; a long branch ends 100 and a short one 40 later.
    assert behind == {10: 0, 25: 2, 50: 2, 61: 3, 71: 3, 130: 4}
    assert ends(run) == [("w", 30), ("w", 60), ("w", 90), ("w", 120)]


def test_a_fork_goes_on_when_enough_branches_have_ended(engine):
    branches = (Delay(100 * NS), Delay(40 * NS), [Delay(40 * NS), Delay(30 * NS)])
    workload = Closed("w", clients=1, path=[Fork(*branches, needed=2), Delay(10 * NS)])
    run = engine(Model([workload]), 1, record=True)
    behind = {}
    for until_ns in (39, 71, 99, 101, 151, 179, 181):
        run.advance(until_ns)
        behind[until_ns] = counters(run)["background"]
    # The second request begins at 80: an end of the first at 100 is none of its own.
    assert ends(run) == [("w", 80), ("w", 160)]
    assert behind == {39: 0, 71: 1, 99: 1, 101: 0, 151: 1, 179: 1, 181: 0}


def test_surplus_branch_ends_count_for_no_other_client(engine):
    slow, quick = Delay(1000 * NS), Delay(10 * NS)
    run = ran(
        engine,
        at("all but one", 0, Fork(quick, quick, slow, needed=2)),
        at("first", 0, Fork(slow, quick, quick, needed=1)),
        at("all", 0, Fork(slow, quick, quick, needed=3)),
    )
    assert ends(run) == [("all but one", 10), ("first", 10), ("all", 1000)]
    assert counters(run)["background"] == 0


@pytest.mark.parametrize(("branches", "needed"), [(3, 1), (3, 2), (5, 3)])
def test_the_last_of_those_needed_takes_as_long_as_the_order_statistic(branches, needed):
    """The k-th of n exponential times: mean (1/n + … + 1/(n-k+1)) (David and Nagaraja, Order Statistics, 2003)."""
    path = Fork(*[Delay(Exponential(1e-3))] * branches, needed=needed)
    latency = simulate(Model([Closed("w", clients=3, path=path)]), precision=0.01).groups["w"].latency.mean
    mean_s = 1e-3 * sum(1 / left for left in range(branches - needed + 1, branches + 1))
    assert latency.low <= mean_s <= latency.high
    assert latency.value == pytest.approx(mean_s, rel=0.02)


def test_branches_left_behind_that_pile_up_are_no_steady_state():
    path = Fork(Use(Station("quick"), Exponential(1e-3)), Use(Station("slow"), Exponential(2e-3)), needed=1)
    with pytest.raises(NoSteadyStateError, match=r"station 'slow'|background branches of 'w' pile up"):
        simulate(Model([Closed("w", clients=1, path=path)]))


def test_choices_fall_as_often_as_their_probabilities_say(engine):
    shares = (0.5, 0.3, 0.15, 0.05)
    options = [(share, Delay((10 + each) * NS)) for each, share in enumerate(shares)]
    requests = 20_000
    run = ran(engine, Closed("w", clients=2, path=Choose(*options), count=requests), until_ns=LONG_NS * 10)
    lengths = [each.ended_ns - each.started_ns - 10 for each in run.completions]
    assert len(lengths) == requests
    for option, share in enumerate(shares):
        # Two-sided, 1e-6 in all.
        low, high = stats.binom.ppf([1.25e-7, 1 - 1.25e-7], requests, share)
        assert low <= lengths.count(option) <= high
    # Independent of the choice before: two of the first option in a row.
    twice = sum(a == b == 0 for a, b in pairwise(lengths))
    assert abs(twice - requests / 4) < 5 * (requests * 5 / 16) ** 0.5


def test_a_choice_of_probability_zero_never_falls(engine):
    options = [(0.0, Delay(1 * NS)), (1.0, Delay(2 * NS)), (0.0, Delay(3 * NS))]
    run = ran(engine, Closed("w", clients=1, path=Choose(*options), count=3000))
    assert {each.ended_ns - each.started_ns for each in run.completions} == {2}


def expected_hits(capacity, policy, addresses):
    """A list, the next to go in front."""
    kept, hits = [], []
    for address in addresses:
        hits.append(address in kept)
        if address not in kept:
            kept = [*kept, address][-capacity:]
        elif policy == "lru":
            kept = [each for each in kept if each != address] + [address]
    return hits, kept


@given(
    st.integers(1, 6),
    st.sampled_from(["lru", "fifo"]),
    st.lists(st.integers(0, 8) | st.sampled_from([2**40, 2**62]), min_size=1, max_size=40),
    st.sampled_from([ReferenceEngine, CompiledEngine]),
)
@settings(max_examples=examples(100), derandomize=True)
def test_cache_equals_a_list_implementation(capacity, policy, addresses, engine):
    look_up = Lookup(Cache("pages", capacity, policy), Replayed(addresses), hit=Delay(1 * NS), miss=Delay(2 * NS))
    requests = 2 * len(addresses)
    run = ran(engine, Closed("w", clients=1, path=look_up, count=requests))
    hits, kept = expected_hits(capacity, policy, addresses * 2)
    assert [each.ended_ns - each.started_ns == 1 for each in run.completions] == hits
    counted = place(run)
    assert (counted["visits"], counted["extra"]) == (requests, sum(hits))
    filled = [len(expected_hits(capacity, policy, (addresses * 2)[: number + 1])[1]) for number in range(requests)]
    area = sum(level * (1 if hit else 2) for level, hit in zip(filled, hits, strict=True))
    assert counted["busy_ns"] == area
    assert len(set(kept)) == len(kept) <= capacity


def test_policies_differ_on_a_known_sequence(engine):
    def hits(policy):
        look_up = Lookup(Cache("pages", 2, policy), Replayed([1, 2, 1, 3, 1]), Delay(1 * NS), Delay(2 * NS))
        run = ran(engine, Closed("w", clients=1, path=look_up, count=5))
        return [each.ended_ns - each.started_ns == 1 for each in run.completions]

    assert hits("lru") == [False, False, True, False, True]
    assert hits("fifo") == [False, False, True, False, False]


def test_nested_loops_have_the_stated_number_of_rounds(engine):
    path = [Repeat(3, Delay(1 * NS), Repeat(4, Delay(10 * NS))), Delay(1000 * NS)]
    run = ran(engine, Closed("w", clients=1, path=path, count=2))
    assert ends(run) == [("w", 1123), ("w", 2246)]
    assert counters(run)["steps"] == 2 * (1 + 3 + 3 + 12 + 1)


def test_a_count_is_for_all_clients_together(engine):
    run = ran(engine, Closed("job", clients=3, path=Delay(10 * NS), think=5 * NS, count=7))
    assert [each.ended_ns for each in run.completions] == [15, 15, 15, 30, 30, 30, 45]
    assert [each.client for each in run.completions] == [0, 1, 2, 0, 1, 2, 0]
    assert [each.started_ns for each in run.completions] == [5, 5, 5, 20, 20, 20, 35]
    assert (run.finished, run.stuck, run.now_ns) == (True, False, 45)


def test_steps_before_a_request_are_no_part_of_it(engine):
    """Two clients at one door: 10 ns each to pass it, of which a request of 5 ns knows nothing."""
    path = [Use(Station("door"), 10 * NS), Delay(5 * NS)]
    run = ran(engine, Closed("w", clients=2, path=path, begins=1, think=1 * NS, count=3))
    assert [(each.started_ns, each.ended_ns) for each in run.completions] == [(11, 16), (21, 26), (31, 36)]
    assert counters(run) | {"latency_ns": 15, "population_ns": 15, "steps": 6} == counters(run)
    assert place(run)["busy_ns"] == 30


@pytest.mark.parametrize("name", ["reference", "compiled"])
def test_elapsed_is_the_end_of_the_last_request(name):
    job = Closed("job", clients=3, path=Use(Station("disk", 2), 1e-6), count=7)
    result = simulate(Model([job]), engine=name)
    assert result.elapsed.value == pytest.approx(4e-6, rel=1e-12)
    assert result.groups["job"].completed == 7
    assert result.throughput.value == pytest.approx(7 / 4e-6, rel=1e-12)


def test_a_run_with_counts_ends_when_all_counts_are_done(engine):
    endless = Closed("endless", clients=1, path=Delay(30 * NS))
    jobs = [Closed(name, clients=1, path=Delay(time * NS), count=2) for name, time in (("a", 10), ("b", 40))]
    run = ran(engine, endless, *jobs)
    assert (run.now_ns, run.finished) == (80, True)
    assert [name for name, _ in ends(run)].count("endless") == 2
    run.advance(LONG_NS)
    assert run.now_ns == 80


def test_arrivals_come_at_the_given_times_even_together(engine):
    times_s = [0.0, 7e-9, 7e-9, 1.00000000049e-7, 1.006e-7]
    run = ran(engine, Open("w", arrivals=ReplayedTimes(times_s), path=Delay(5 * NS)))
    assert [(each.client, each.started_ns, each.ended_ns) for each in run.completions] == [
        (0, 0, 5),
        (1, 7, 12),
        (2, 7, 12),
        (3, 100, 105),
        (4, 101, 106),
    ]
    assert (run.finished, run.now_ns) == (True, 106)


def test_periodic_arrivals_come_once_an_interval_up_to_their_count(engine):
    run = ran(engine, Open("w", arrivals=Periodic(20 * NS), path=Delay(50 * NS), count=3))
    assert [(each.started_ns, each.ended_ns) for each in run.completions] == [(20, 70), (40, 90), (60, 110)]


def test_poisson_arrivals_are_gaps_of_the_stream_of_the_workload(engine):
    def started(per_second):
        run = ran(engine, Open("w", arrivals=Poisson(per_second), path=Delay(1 * NS), count=200), seed=4)
        return [each.started_ns for each in run.completions]

    slow, fast = started(1e6), started(2e6)
    assert len(slow) == 200
    assert all(abs(a - 2 * b) <= 2 * len(slow) for a, b in zip(slow, fast, strict=True))
    assert slow[-1] == pytest.approx(200_000, rel=5 / 200**0.5)


def test_a_run_ends_before_the_events_that_are_due_at_its_end(engine):
    run = engine(Model([Closed("w", clients=1, path=Delay(10 * NS))]), 1, record=True)
    run.advance(20)
    assert (run.now_ns, ends(run)) == (20, [("w", 10)])
    run.advance(21)
    assert ends(run) == [("w", 10), ("w", 20)]


def test_simultaneous_events_run_in_order_of_scheduling(engine):
    late = at("set out later", 10, Delay(20 * NS))
    early = at("set out first", 5, Delay(25 * NS))
    assert [name for name, _ in ends(ran(engine, late, early))] == ["set out first", "set out later"]


def test_workloads_begin_in_their_order(engine):
    disk = Station("disk")
    pair = [Closed(name, clients=2, path=Use(disk, 10 * NS), count=2) for name in ("b", "a")]
    assert ends(ran(engine, *pair)) == [("b", 10), ("b", 20), ("a", 30), ("a", 40)]


def test_releasing_client_continues_before_the_next_is_served(engine):
    """The one that leaves at 10 asks for the pool before the one that then gets the server can."""
    disk, pool = Station("disk"), Pool("threads")
    first = at("first", 0, Use(disk, 10 * NS), Hold(pool, Delay(10 * NS)))
    second = at("second", 1, Use(disk, 0.0), Hold(pool, Delay(10 * NS)))
    assert ends(ran(engine, first, second)) == [("first", 20), ("second", 30)]


def test_returning_client_joins_the_end_of_the_queue(engine):
    disk = Station("disk")
    run = ran(engine, Closed("w", clients=3, path=Use(disk, 10 * NS)), until_ns=61)
    assert [(each.client, each.ended_ns) for each in run.completions] == [
        (0, 10),
        (1, 20),
        (2, 30),
        (0, 40),
        (1, 50),
        (2, 60),
    ]


def test_branches_begin_before_other_events_of_their_instant(engine):
    """The other asks at the same instant, by an event that was there before the fork."""
    disk = Station("disk")
    fork = at("fork", 0, Delay(10 * NS), Fork(Use(disk, 5 * NS)))
    other = at("other", 0, Delay(10 * NS), Use(disk, 5 * NS))
    assert ends(ran(engine, fork, other)) == [("fork", 15), ("other", 20)]


def test_requests_in_flight_are_counted(engine):
    disk = Station("disk")
    crowd = Open("crowd", arrivals=Periodic(10 * NS), path=Use(disk, 4 * NS))
    slow = Open("slow", arrivals=ReplayedTimes([3 * NS, 5 * NS]), path=[Use(Station("tape"), 100 * NS)])
    run = ran(engine, crowd, slow, until_ns=52)
    assert counters(run, 0) == {
        "started": 5,
        "completed": 4,
        "latency_ns": 16,
        "population_ns": 16 + 2,
        "background": 0,
        "lookups": 0,
        "hits": 0,
        "steps": 5,
    }
    assert counters(run, 1) == {
        "started": 2,
        "completed": 0,
        "latency_ns": 0,
        "population_ns": 49 + 47,
        "background": 0,
        "lookups": 0,
        "hits": 0,
        "steps": 2,
    }
    assert place(run, 1) == {"visits": 1, "busy_ns": 49, "queue_ns": 47, "extra": 0}


@pytest.mark.parametrize("name", ["reference", "compiled"])
def test_requests_in_flight_at_the_end_are_in_the_result(name):
    closed = Closed("closed", clients=5, path=[Delay(Exponential(1e-6))])
    thinking = Closed("thinking", clients=3, path=Delay(1e-9), think=1.0)
    result = simulate(Model([closed, thinking]), engine=name, precision=0.1)
    assert result.groups["closed"].in_flight == 5
    assert result.groups["closed"].population == pytest.approx(5.0, rel=1e-9)
    assert result.groups["thinking"].in_flight == 0


def test_a_custom_step_waits_for_its_events():
    seen = []

    def process(environment):
        seen.append(environment.now)
        yield environment.timeout(30)
        yield environment.timeout(12)

    path = [Delay(5 * NS), Hold(Lock("latch").exclusive, Custom("mine", process)), Delay(1 * NS)]
    run = ran(ReferenceEngine, Closed("w", clients=2, path=path, count=2))
    assert seen == [5, 47]
    assert ends(run) == [("w", 48), ("w", 90)]
