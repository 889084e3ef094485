"""Rules of the analytic engine one by one: against what is solved or integrated without them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from analytic_parts import DISK, LINK, MS, only, steady
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
    Lognormal,
    Lookup,
    Model,
    ModelError,
    Open,
    Poisson,
    Pool,
    Put,
    Repeat,
    Replayed,
    Sequential,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
)
from sim.engine.analytic.blocking import Side, blocked_rate
from sim.engine.analytic.caches import Hits, popularity
from sim.engine.analytic.closed_forms import balanced_job_bounds
from sim.engine.analytic.forks import greatest
from sim.engine.analytic.solve import solve
from sim.engine.analytic.terms import mixed
from sim.engine.result import Bound
from textbook import mg1

# Forks


@pytest.mark.parametrize(("first", "second"), [(1.0, 3.0), (2.0, 2.5), (1.0, 9.0)])
def test_the_greater_of_two_exponential_times(first, second):
    """Exact for alike ones; of times far apart up to 8 % too long."""
    exact = first + second - first * second / (first + second)
    for order in ((first, second), (second, first)):
        assert exact < greatest([(1, (each, each * each)) for each in order])[0] < 1.085 * exact


@pytest.mark.parametrize(("first", "second"), [((1.0, 0.3), (1.2, 0.1)), ((2.0, 0.5), (1.0, 0.2))])
def test_the_variance_of_the_greater_is_that_of_normal_times(first, second):
    one, other = (stats.norm(mean, math.sqrt(variance)) for mean, variance in (first, second))

    def density(time):
        return one.pdf(time) * other.cdf(time) + other.pdf(time) * one.cdf(time)

    mean, square = (integrate.quad(lambda t, k=k: t**k * density(t), -9.0, 12.0)[0] for k in (1, 2))
    assert greatest([(1, first), (1, second)])[1] == pytest.approx(square - mean * mean, rel=1e-6)


def test_one_of_several_times_varies_within_and_between():
    assert mixed([(0.25, (2.0, 1.0)), (0.75, (4.0, 3.0))]) == pytest.approx((3.5, 0.25 + 2.25 + 0.75))


# Buffers


@pytest.mark.parametrize(
    ("puts", "takes", "put_rate", "take_rate"),
    [(1, 1, 1.0, 1.5), (2, 3, 1.2, 1.0), (3, 1, 1, 1), (1, 1, 2.0, 1.0)],
)
@pytest.mark.parametrize("room", [1, 4])
def test_exponential_times_around_a_small_buffer(puts, takes, put_rate, take_rate, room):
    """So many clients on each side, each of whom is held up while the buffer is full, or empty."""
    most = room + puts + takes
    rates = np.zeros((most + 1, most + 1))
    for level in range(most + 1):
        if level < most:
            rates[level, level + 1] = put_rate * min((most - level) / puts, 1.0)
        if level:
            rates[level, level - 1] = take_rate * min(level / takes, 1.0)
    exact = float(steady(rates) @ np.append(np.diag(rates, 1), 0.0))
    sides = Side(puts, puts, put_rate, 1.0), Side(takes, takes, take_rate, 1.0)
    slower = min(put_rate, take_rate)
    assert blocked_rate(*sides, most) == pytest.approx(min(exact + 1e-3 * slower, slower), rel=1e-4)


def hyperexponential(rate, variation, room):
    """Rate through M/H2/1 with ``room``, of 1 arrival a second: two kinds of services of equal weight."""
    part = (1.0 + math.sqrt((variation - 1.0) / (variation + 1.0))) / 2.0
    kinds = ((part, 2.0 * part * rate), (1.0 - part, 2.0 * (1.0 - part) * rate))
    states = [(0, 0), *itertools.product(range(1, room + 1), (0, 1))]
    rates = np.zeros((len(states), len(states)))
    for row, (level, kind) in enumerate(states):
        if level < room:
            for new, (share, _) in enumerate(kinds):
                if not level or new == kind:
                    rates[row, states.index((level + 1, new))] = 1.0 if level else share
        if level:
            for new, (share, _) in enumerate(kinds):
                to = (level - 1, new) if level > 1 else (0, 0)
                rates[row, states.index(to)] += share * kinds[kind][1]
    full = [level == room for level, _ in states]
    return 1.0 - float(steady(rates) @ full)


@pytest.mark.parametrize("variation", [4.0, 9.0])
@pytest.mark.parametrize("rate", [0.8, 1.0, 1.5])
def test_loss_of_highly_variable_services_equals_the_markov_chain(variation, rate):
    """Six places; of exponential services, a six-fold loss less."""
    many, exponential = (
        blocked_rate(Side(1, 1, 1.0, 1.0), Side(1, 1, rate, each), 6.0) for each in (variation, 1.0)
    )
    share = hyperexponential(rate, variation, 6) / hyperexponential(rate, 1.0 + 1e-9, 6)
    least = 1e-3 * min(1.0, rate)
    assert many - least == pytest.approx((exponential - least) * share, rel=1e-4)


@pytest.mark.parametrize("ratio", [2.0, 0.5, 1.25])
def test_times_of_half_the_variation_have_room_for_twice_as_many(ratio):
    """M/M/1/T lets (1 - r^T) / (1 - r^(T + 1)) through."""
    sides = Side(1, 1, ratio, 0.5), Side(1, 1, 1.0, 0.5)
    exact = ratio * (1 - ratio**6) / (1 - ratio**7)
    assert blocked_rate(*sides, 3.0) == pytest.approx(exact + 1e-3 * min(ratio, 1.0), rel=1e-4)


def test_with_room_enough_nothing_is_lost():
    one, other = Side(1, 1, 1.0, 1.0), Side(1, 1, 1.2, 1.0)
    assert blocked_rate(one, other, 60.0) == 1.0
    assert blocked_rate(other, one, 60.0) == 1.0
    assert blocked_rate(one, other, 20.0) < 1.0
    assert blocked_rate(Side(1, 1, 1.0, 0.0), Side(1, 1, 1.2, 0.0), 2.0) == 1.0
    assert blocked_rate(Side(math.inf, 1, 1.0, 1.0), other, 2.0) == 1.0


def test_long_bursts_in_a_large_room_lose_nothing():
    quick, slow = Side(1, 1, 2.0, 10.0), Side(1, 1, 1.0, 10.0)
    assert blocked_rate(quick, slow, 60.0) == 1.0
    assert blocked_rate(slow, quick, 60.0) == 1.0


# Queues


def test_arrival_after_a_long_think_finds_the_residual_of_a_long_service():
    """Half the second moment over the mean, which is five services, and then the own one."""
    long = Use(DISK, Lognormal(MS, 3.0))
    far = Closed("far", clients=1, path=long, think=Exponential(1.0))
    assert only(far, Closed("near", clients=1, path=long)).latency_s == pytest.approx(6 * MS, rel=0.02)


# Caches


def characteristic(policy, room, asked):
    """Probability that each block is found."""
    if policy == "lru":
        time = optimize.brentq(lambda t: (-np.expm1(-asked * t)).sum() - room, 1e-9, 1e9)
        return -np.expm1(-asked * time)
    time = optimize.brentq(lambda t: (asked * t / (1 + asked * t)).sum() - room, 1e-9, 1e9)
    return asked * time / (1 + asked * time)


@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_two_sources_share_a_cache_by_how_often_they_look_up(policy):
    often, seldom = Zipf(300, 0.9), Uniform(200)
    blocks = Cache("blocks", 60, policy)
    solution = solve(
        Model(
            [
                Closed("often", clients=3, path=[Delay(MS), Lookup(blocks, often)]),
                Closed("seldom", clients=1, path=[Delay(2 * MS), Lookup(blocks, seldom)]),
            ]
        )
    )
    asked = 3000 * popularity(often)
    asked[:200] += 500 * popularity(seldom)
    found_by = characteristic(policy, 60, asked)
    ratios = float(popularity(often) @ found_by), float(popularity(seldom) @ found_by[:200])
    assert [solution.groups[name].hit_ratio for name in ("often", "seldom")] == pytest.approx(ratios, rel=1e-4)
    assert solution.places["blocks"].hit_ratio == pytest.approx(
        (3000 * ratios[0] + 500 * ratios[1]) / 3500, rel=1e-4
    )
    assert solution.places["blocks"].visits == pytest.approx(3500)


def test_the_hit_ratio_of_a_group_is_that_of_all_its_look_ups():
    """Three of a quarter, and one of a half; others look up three times as often, of a tenth."""
    quarter, half, tenth = (Lookup(Cache(f"{room}", room), Uniform(120)) for room in (30, 60, 12))
    one = Closed("one", clients=1, path=[Delay(MS), Repeat(3, quarter), half], group="all")
    other = Closed("other", clients=6, path=[Delay(MS), Repeat(2, tenth)], group="all")
    assert only(one).hit_ratio == pytest.approx((3 * 0.25 + 0.5) / 4)
    assert only(one, other).hit_ratio == pytest.approx((3 * 0.25 + 0.5 + 12 * 0.1) / 16)


def test_a_hit_ratio_that_still_changes_is_sought_again():
    hits = Hits(Cache("blocks", 60))
    chain = type("Chain", (), {"throughput": 1000.0, "copies": 2})()
    for source in (Zipf(300, 0.9), Uniform(200)):
        hits.ratio(source)
        hits.lookups[source] = [(chain, 1.0)]
    before = dict(hits.ratios)
    changed = hits.update()
    assert changed == pytest.approx(max(abs(hits.ratios[each] - before[each]) for each in before))
    assert changed > 0.01
    assert hits.update() == pytest.approx(0.0, abs=1e-9)


def test_hit_ratios_and_throughputs_settle_in_turn():
    """Hits of 1 ms, misses of 11 or 21: who asks more depends on who hits, and that on who asks more."""
    blocks, loads = Cache("blocks", 60), []
    for name, source, miss_s in (("near", Zipf(300, 0.9), 11 * MS), ("far", Zipf(200, 0.2), 21 * MS)):
        loads.append(Closed(name, clients=3, path=Lookup(blocks, source, Delay(MS), Delay(miss_s))))
    found = solve(Model(loads)).groups
    for name, miss_s in (("near", 11 * MS), ("far", 21 * MS)):
        hits = found[name].hit_ratio
        assert found[name].throughput == pytest.approx(3 / (hits * MS + (1 - hits) * miss_s), rel=1e-4)


@pytest.mark.parametrize(
    ("policy", "room", "addresses", "ratio"),
    [
        ("lru", 2, [1, 1, 2, 3], 0.25),
        ("lru", 3, [1, 2, 3], 1.0),
        ("lru", 3, [1, 2, 3, 4], 0.0),
        ("lru", 2, [1, 2, 1, 3], 0.5),
        ("fifo", 2, [1, 2, 1, 3], 0.25),
        ("fifo", 2, [0, 1, 0, 2, 0, 3], 0.25),  # one hit in each odd round, two in each even one
    ],
)
def test_a_fixed_order_is_followed(policy, room, addresses, ratio):
    path = [Delay(MS), Lookup(Cache("k", room, policy), Replayed(addresses))]
    assert only(Closed("all", clients=1, path=path)).hit_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(("most", "hits"), [(1, 3.0), (31, 3.0), (32, 8 / 3), (10**6, 8 / 3)])
def test_a_fixed_order_is_followed_until_it_begins_again_or_is_too_long(monkeypatch, most, hits):
    """Two hits of eight in a cold cache, then three, three and two again and again; three rounds at least."""
    monkeypatch.setattr("sim.engine.analytic.caches.MAX_LOOKUPS", most)
    path = [Delay(MS), Lookup(Cache("k", 3, "fifo"), Replayed([0, 1, 0, 2, 0, 3, 0, 4]))]
    assert only(Closed("all", clients=1, path=path)).hit_ratio == pytest.approx(hits / 8)


@pytest.mark.parametrize(("room", "ratio"), [(9, 0.0), (10, 1.0), (11, 1.0)])
def test_blocks_in_their_order_are_hits_if_all_fit(room, ratio):
    path = [Delay(MS), Lookup(Cache("k", room), Sequential(10))]
    assert only(Closed("all", clients=1, path=path)).hit_ratio == ratio
    path = [Delay(MS), Lookup(Cache("k", room), Uniform(10))]
    assert only(Closed("all", clients=1, path=path)).hit_ratio == pytest.approx(min(1.0, room / 10))


# Arrivals


def test_clumped_departures_make_the_next_queue_longer():
    """Services of cv 2 at half load leave 0.75 + 0.25 · 4 of the variation of Poisson arrivals."""
    path = [Use(DISK, Lognormal(MS, 2.0)), Use(LINK, Exponential(MS))]
    found = only(Open("all", arrivals=Poisson(500.0), path=path))
    coming = 0.75 + 0.25 * 4.0
    more = (coming + 1) / 2 * math.exp(-0.5 * (coming - 1) / (coming + 4.0))
    waits = mg1(500.0, MS, 2.0).waiting_s + more * mg1(500.0, MS, 1.0).waiting_s
    assert found.latency_s == pytest.approx(2 * MS + waits)


# The record


def test_places_by_hand():
    """Walks of 3 ms: a lock shared for a third of the time by three clients, and a pool of four tokens."""
    lock, pool = Lock("lock"), Pool("pool", 4)
    reader = Closed("reader", clients=3, path=[Hold(lock.shared, Delay(MS)), Hold(pool, Delay(2 * MS))])
    solution = solve(Model([reader]))
    assert solution.groups["reader"].throughput == pytest.approx(1000.0)
    assert (solution.places["lock"].visits, solution.places["pool"].visits) == pytest.approx((1000.0, 1000.0))
    assert solution.places["pool"].utilisation == pytest.approx(0.5)
    assert (solution.places["pool"].residence_s, solution.places["pool"].wait_s) == pytest.approx((2 * MS, 0.0))
    assert solution.places["pool"].queue == pytest.approx(0.0)
    assert solution.limits["reader"] == (Bound("pool", pytest.approx(2000.0)),)


def test_a_gate_is_visited_by_those_who_wait():
    gate = Gate("gate")
    writer = Closed("writer", clients=1, path=[Gather(gate), Use(DISK, MS), Wake(gate)])
    session = Closed("session", clients=1, path=[Delay(Exponential(2 * MS)), Await(gate)])
    solution = solve(Model([session, writer]))
    place = solution.places["gate"]
    assert (place.visits, place.wait_s, place.queue) == pytest.approx((1000 / 3, MS, 1 / 3), rel=1e-3)
    assert (place.residence_s, place.batch) == pytest.approx((MS, 1.0), rel=1e-3)
    assert math.isnan(place.utilisation)
    assert solution.places["disk"].utilisation == pytest.approx(1 / 3, rel=1e-3)
    assert solution.groups["writer"].latency_s == pytest.approx(3 * MS, rel=1e-3)  # it waits for somebody to come


def test_client_without_a_token_waits_before_the_pool():
    """Six clients of a drain of 1 ms: one thinks, two have a token and wait for room, three wait for a token."""
    pipe = Buffer("pipe", 40)
    path = [Delay(MS), Hold(Pool("threads", 2), Delay(0.2 * MS), Put(pipe))]
    drain = Closed("drain", clients=1, path=[Take(pipe), Delay(MS)])
    solution = solve(Model([Closed("all", clients=6, path=path), drain]))
    assert solution.groups["all"].throughput == pytest.approx(1000.0)
    assert solution.places["threads"].queue == pytest.approx(3.0, rel=0.08)
    assert solution.places["threads"].utilisation == pytest.approx(1.0, rel=0.12)


def test_the_place_that_allows_least_comes_first():
    """500 walks a second: of four tokens two for 3 ms, of two links one for 1 ms, and the disk for 1 ms."""
    pool, links = Pool("pool", 4), Station("links", 2)
    path = [Hold(pool, Use(DISK, MS), Use(links, MS), Delay(MS), tokens=2)]
    solution = solve(Model([Open("all", arrivals=Poisson(500.0), path=path)]))
    allowed = {bound.place: bound.throughput for bound in solution.limits["all"]}
    assert allowed == pytest.approx({"pool": 2000 / 3, "disk": 1000.0, "links": 2000.0})
    assert next(iter(allowed)) == "pool"


def test_equal_stations_and_workloads_count_by_their_number():
    """Four clients of two workloads, half a walk at each of two disks."""
    disks = [Station(f"disk {row}") for row in range(2)]
    path = Choose(*((0.5, Use(each, Exponential(MS))) for each in disks))
    users = [Closed(f"user {row}", clients=1, path=path, think=Exponential(MS), group="users") for row in range(2)]
    solution = solve(Model(users))
    throughput = solution.groups["users"].throughput
    assert [solution.places[each.name].visits for each in disks] == pytest.approx([throughput / 2] * 2)
    assert [bound.throughput for bound in solution.limits["users"]] == pytest.approx([2000.0])  # both disks as one
    assert solution.groups["users"].latency_s == pytest.approx(2 / throughput - MS)


def test_a_lower_bound_by_balanced_jobs_where_the_answer_is_exact():
    path = [Use(DISK, Exponential(MS)), Delay(4 * MS), Use(LINK, Exponential(3 * MS))]
    found = only(Closed("all", clients=5, path=path, think=Exponential(2 * MS)))
    assert found.lower == pytest.approx(balanced_job_bounds((MS, 3 * MS), 5, 6 * MS)[0])
    assert only(Closed("all", clients=5, path=Use(DISK, MS))).lower == 0.0


# What is refused


def test_untraceable_changes_of_a_buffer_are_refused():
    buffer = Buffer("box", 50)
    keeper = Closed("keeper", clients=1, path=[Delay(MS), Put(buffer, 2), Take(buffer)])
    other = Closed("other", clients=1, path=[Delay(MS), Take(buffer)])
    with pytest.raises(ModelError, match="buffer 'box' is changed in a way"):
        solve(Model([keeper, other]))


@pytest.mark.parametrize(
    ("counts", "refused"), [((1000, 1049), False), ((1000, 1051), True), ((1051, 1000), True)]
)
def test_jobs_may_end_a_twentieth_apart(counts, refused):
    jobs = [Closed(f"job {row}", clients=1, path=Delay(MS), count=each) for row, each in enumerate(counts)]
    if refused:
        with pytest.raises(ModelError, match="would end after 1 s and"):
            solve(Model(jobs))
    else:
        assert solve(Model(jobs)).elapsed_s == pytest.approx(max(counts) * MS)


@pytest.mark.parametrize(("count", "refused"), [(499, True), (501, False)])
def test_a_buffer_may_hold_a_twentieth_of_what_a_job_moves(count, refused):
    """Four pages a walk: 100 are a twentieth of 500 walks."""
    pages = Buffer("pages", 100)
    later = Fork((Use(DISK, MS), Take(pages, 4)), wait=False)
    job = Closed("job", clients=1, path=[Delay(0.1 * MS), Put(pages, 4), later], count=count)
    if refused:
        with pytest.raises(ModelError, match=r"buffer 'pages' has room for 100, and workload 'job' .* move 1996 "):
            solve(Model([job]))
    else:
        assert solve(Model([job])).elapsed_s == pytest.approx(count * MS, rel=0.01)
