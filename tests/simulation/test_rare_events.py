"""Nothing is known before everything that matters in a model is likely to have come several times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recorded import snapshots_of
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    Constant,
    Delay,
    Empirical,
    Exponential,
    Fork,
    Gamma,
    Hold,
    Lock,
    Lognormal,
    Lookup,
    Model,
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
    simulate,
)
from sim.engine.simulation.rare_events import RareEvents, _long_thinks, _rate_at_most, _steps_of
from sim.engine.simulation.rarities import OFTEN, _tails, effect_of

DISK = Station("disk")
SHORT = Use(DISK, 1e-3)


def missing(workloads, completed, steps=None, precision=0.01, seconds=1.0):
    taken = np.full(len(workloads), 1e9) if steps is None else np.array(steps)
    return RareEvents(Model(workloads), [0], precision).missing(np.array(completed), taken, seconds)


def test_branches_have_to_come_ten_times():
    path = [SHORT, Choose((1e-3, Delay(1.0)), (1 - 1e-3, ()))]
    workloads = [Closed("c", clients=1, path=path)]
    assert OFTEN == 10.0
    assert missing(workloads, [10_000.0]) is None
    assert missing(workloads, [9_999.0]) == (
        "branches of workload 'c' with a probability of 0.001 have to come 10 times: about 10 expected so far"
    )


def test_branches_are_counted_as_often_as_their_loops_go_round():
    inner = Choose((1e-3, Delay(1.0)), (1 - 1e-3, ()))
    for path, requests in ((Repeat(4, inner), 2_500.0), (Choose((0.5, inner), (0.5, Delay(1e-6))), 20_000.0)):
        workloads = [Closed("c", clients=1, path=[SHORT, path])]
        assert missing(workloads, [requests]) is None
        assert missing(workloads, [requests - 1]) is not None


def test_a_branch_with_little_effect_on_the_mean_does_not_matter():
    """A share of 1e-4 of twice the rest adds 2e-4, half of a precision of 4e-4."""
    workloads = [Closed("c", clients=1, path=[Delay(1.0), Choose((1e-4, Delay(2.0)), (1 - 1e-4, ()))])]
    assert missing(workloads, [1.0], precision=4.1e-4) is None
    assert missing(workloads, [1.0], precision=3.9e-4) is not None


def test_rare_holders_matter_by_the_share_they_take_and_the_waits_they_cause():
    """At 1 %: once in 0.2 s, 1 ms take 0.5 % of a disk; once in 200 s, 0.1 s let all wait for 25 µs,
    half of 5 % of 1 ms."""
    watched = Closed("c", clients=1, path=SHORT)
    for service_s, seconds in ((1e-3, 0.2), (0.1, 200.0)):
        rare = Choose((1e-3, Use(DISK, service_s)), (1 - 1e-3, ()))
        other = Open("o", arrivals=Poisson(1.0), path=[Delay(1.0), rare])
        assert missing([watched, other], [1e6, 1000.0], seconds=seconds * 0.99) is not None
        assert missing([watched, other], [1e6, 1000.0], seconds=seconds * 1.01) is None


@pytest.mark.parametrize(("longer", "known"), [(0.99, False), (1.01, True)])
def test_the_time_that_counts_is_that_between_the_edges(longer, known):
    """Eight intervals of ten, of 0.2 s together, in which a thousand requests have one of 1 ms among them."""
    rare = Choose((1e-3, SHORT), (1 - 1e-3, ()))
    loads = [Closed("c", clients=1, path=SHORT), Open("o", arrivals=Poisson(1.0), path=[Delay(1.0), rare])]
    counts = {"c": {"completed": 10**5, "steps": 10**5}, "o": {"completed": 125, "steps": 10**5}}
    snapshots = snapshots_of(Model(loads), 10, round(longer * 25e6), workloads=counts)
    assert (RareEvents(Model(loads), [0], 0.01).changing(snapshots, [2, 4, 6, 8, 10]) is None) is known


@pytest.mark.parametrize(
    ("workload", "rate"),
    [
        (Open("o", Poisson(5.0), SHORT), 5.0),
        (Open("o", Periodic(0.25), SHORT), 4.0),
        (Open("o", ReplayedTimes([1.0, 2.0]), SHORT), math.inf),
        (Closed("c", 3, Delay(0.5), think=1.0), 2.0),
        (Closed("c", 3, Delay(0.5)), 6.0),
        (Closed("c", 3, [Put(Buffer("b", 9)), Take(Buffer("b", 9))]), math.inf),
    ],
)
def test_workload_without_completions_has_its_largest_rate(workload, rate):
    assert _rate_at_most(workload) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ([SHORT, Delay(1.0)], 2.0),
        ([Repeat(4, SHORT, Delay(1.0))], 9.0),
        ([Repeat(999_999_999, SHORT)], 1e9),
        ([Repeat(10**9, SHORT)], 2.0),
        ([Fork(SHORT, [SHORT, SHORT])], 4.0),
        ([Choose((0.5, SHORT), (0.5, [SHORT, Hold(Lock("l").shared, SHORT)]))], 5.0),
    ],
)
def test_steps_of_a_request_are_those_of_all_its_branches(path, steps):
    assert _steps_of(Closed("c", 1, path).path) == steps


def test_the_tails_of_recorded_times_are_of_one_two_and_four_values():
    """Of ten times five values: 9 once, 7 twice, 5 and 3 once, 1 five times."""
    found = list(_tails(PerItem(Empirical([1.0] * 5 + [3.0, 5.0, 7.0, 7.0, 9.0]), 1.0)))
    assert found == [(9.0, 9.0, 0.1), (7.0, pytest.approx(23 / 3), 0.3), (3.0, pytest.approx(31 / 5), 0.5)]


def test_rare_branches_that_fork_or_move_buffers_count():
    behind = Choose((1e-5, Fork([Use(DISK, 2.0)], wait=False)), (1 - 1e-5, ()))
    assert missing([Closed("c", clients=1, path=[SHORT, behind])], [1e4]) is not None
    buffer = Buffer("b", 10)
    moved = Choose((1e-5, (Put(buffer, 1), Take(buffer, 1))), (1 - 1e-5, ()))
    assert missing([Closed("c", clients=1, path=[SHORT, moved])], [1e4]) is not None


def test_recorded_times_have_to_come_the_longest_above_all():
    """One in a thousand takes a hundred times as long: 10 % of the mean."""
    workloads = [Closed("c", clients=1, path=Use(DISK, Empirical([1e-4] * 999 + [1e-2])))]
    assert missing(workloads, [10_000.0]) is None
    assert missing(workloads, [9_990.0]) == (
        "times from 0.01 s on, of workload 'c', have to come 10 times: one in 1e+03: about 10 expected so far"
    )
    hardly = [Closed("c", clients=1, path=Use(DISK, Empirical([1e-4] * 999 + [1.01e-4])))]
    assert missing(hardly, [100.0], seconds=0.01) is None


def test_rare_branches_add_up():
    """Each of a hundred adds 0.1 % to the mean, which is known to 1 %; all of them, 10 %."""
    few, many = ([SHORT, Choose(*[(1e-6, Delay(1.0))] * number, (1 - number * 1e-6, ()))] for number in (4, 100))
    assert missing([Closed("c", clients=1, path=few)], [1e4]) is None
    assert missing([Closed("c", clients=1, path=many)], [1e4]) is not None


def test_effect_of_a_path_is_its_busy_time():
    lock, pool = Lock("l"), Pool("p", 2)
    path = [Hold(lock.shared, Repeat(3, Use(DISK, 1.0))), Choose((0.5, Hold(pool, Delay(4.0))), (0.5, ()))]
    found = effect_of(Closed("c", clients=1, path=path).path)
    assert found.work_s == {lock: 3.0, DISK: 3.0, pool: 2.0}
    assert (found.time_s, found.moves) == (5.0, False)


def test_a_workload_beside_the_watched_one_has_to_come_round():
    """Ten times its steps; but not where it shares no place, directly or by way of others."""
    watched, other = Closed("c", clients=1, path=SHORT), Station("other")
    beside = Open("checkpoint", arrivals=Periodic(60.0), path=[Use(other, 1.0), Delay(1.0)])
    between = Closed("between", clients=1, path=[SHORT, Use(other, 1e-3)])
    for workloads, concerned in (([watched, beside], False), ([watched, beside, between], True)):
        steps = [1e9, 19.0, 1e9][: len(workloads)]
        reason = missing(workloads, [1e6, 7.0, 1e6][: len(workloads)], steps)
        assert reason == ("workload 'checkpoint' has come round 7 times only" if concerned else None)
        loops, requests = ([1e6, 7.0, 1e6], [1e9, 20.0, 1e9]), ([1e6, 10.0, 1e6], [1e9, 10.0, 1e9])
        for completed, taken in (loops, requests):
            assert missing(workloads, completed[: len(workloads)], taken[: len(workloads)]) is None
    hardly = Open("hourly", arrivals=Periodic(3600.0), path=Use(DISK, 1e-3))
    assert missing([watched, hardly], [1e6, 0.0], [1e9, 0.0]) is None


def test_every_round_of_a_long_or_endless_loop_counts():
    watched = Closed("c", clients=1, path=SHORT)
    for times, steps in ((100_000, 10 * 200_001.0), (10**18, 30.0)):
        loop = Closed("loop", clients=1, path=Repeat(times, SHORT, Delay(1e-3)))
        assert missing([watched, loop], [1e6, 0.0], [1e9, steps - 1]) is not None
        assert missing([watched, loop], [1e6, 0.0], [1e9, steps]) is None


@pytest.mark.parametrize("when", [{"start_s": 1.0}, {"stop_s": 1.0}])
def test_workload_with_a_start_or_an_end_has_to_be_past_it(when):
    model = Model([Closed("c", clients=1, path=SHORT), Closed("d", clients=1, path=SHORT, **when)])
    counts = {"c": {"completed": 1000, "steps": 1000}, "d": {"completed": 1, "steps": 1}}
    for intervals, known in ((9, False), (10, True)):
        snapshots = snapshots_of(model, intervals, interval_ns=10**9, workloads=counts)
        reason = RareEvents(model, [0], 0.01).changing(snapshots, list(range(intervals + 1)))
        assert reason == (None if known else f"workload 'd' {next(iter(when))[:-2]}s at 1 s only, of 9 s")


@pytest.mark.parametrize(
    ("think", "left_s"),
    [
        (Empirical([1.0, 1.0, 1.0, 97.0]), 9412 / 4 / (2 * 25)),
        (Empirical([1.0, 9.0]), None),
        (Empirical([0.0, 0.0]), None),
        (Lognormal(2.0, 3.0), 10.0),
        (Gamma(2.0, 2.0), 5.0),
        (Exponential(2.0), None),
        (None, None),
    ],
)
def test_residual_think_time_is_half_the_second_moment_over_the_mean(think, left_s):
    """The inspection paradox: it counts where it is more than a mean think, and a run lasts ten times as long."""
    model = Model([Closed("c", clients=1, path=SHORT, think=think), Open("o", Poisson(1.0), SHORT)])
    assert dict(_long_thinks(model, [0, 1])) == ({} if left_s is None else {0: pytest.approx(left_s)})
    counts = {each: {"completed": 10**5, "steps": 10**5} for each in "co"}
    for longer, known in ((0.99, left_s is None), (1.01, True)):
        snapshots = snapshots_of(model, 10, round(longer * 1e9 * (left_s or 1.0)), workloads=counts)
        found = RareEvents(model, [0], 0.01).changing(snapshots, [0, 10])
        assert found is None if known else found.startswith(f"workload 'c' has {left_s:.3g} s of a think left")


def test_replayed_addresses_have_to_be_read_to_their_end():
    look_up = Lookup(Cache("k", 10), Replayed(range(1000)), Delay(1e-6), Delay(1e-5))
    workloads = [Closed("c", clients=1, path=Repeat(2, look_up))]
    assert missing(workloads, [500.0]) is None
    assert missing(workloads, [499.0]) == (
        "workload 'c' looks 1000 replayed addresses up in cache 'k': about 1e+03 expected so far"
    )


def test_only_events_after_the_warm_up_count():
    model = Model([Closed("c", clients=1, path=[SHORT, Choose((1e-3, Delay(1.0)), (1 - 1e-3, ()))])])
    snapshots = snapshots_of(model, 70, workloads={"c": {"completed": 150, "steps": 300}})
    rare = RareEvents(model, [0], 0.01)
    assert rare.changing(snapshots, list(range(70))) is None  # 69 intervals of 150
    assert rare.changing(snapshots, list(range(4, 70))) is not None


def test_checkpoints_are_waited_for():
    """Closed clients keep a disk busy, but for five seconds a minute."""
    clients = Closed("c", clients=8, path=Use(DISK, Exponential(1e-3)))
    result = simulate(
        Model([clients, Open("checkpoint", arrivals=Periodic(60.0), path=Use(DISK, 5.0))]),
        answers=("throughput",),
        precision=0.02,
    )
    assert result.throughput.value == pytest.approx(1000.0 * 55 / 60, rel=0.02)


def test_missing_rare_branches_are_named():
    result = simulate(
        Model([Closed("c", clients=1, path=Choose((0.9999, Delay(1e-5)), (1e-4, Delay(1.0))))]), max_steps=50_000
    )
    assert not result.throughput.known
    assert "branches of workload 'c' with a probability of 0.0001 have to come 10 times" in result.warnings[0]


def test_crowd_behind_a_rare_long_service_is_not_refused():
    """One of two servers is away for a second in ten, when arrivals take 150 % of the other; 80 % in all."""
    servers = Station("s", servers=2)
    arrivals = Open("o", arrivals=Poisson(1.5e4), path=Use(servers, Exponential(1e-4)))
    away = Closed("away", clients=1, path=[Use(servers, Constant(1.0)), Delay(9.0)])
    result = simulate(Model([arrivals, away]), answers=("throughput",), max_steps=1_000_000)
    assert result.throughput.value == pytest.approx(1.5e4, rel=0.05)


def test_a_job_is_run_until_its_rare_branches_are_likely_to_have_come():
    path = Choose((0.99, Delay(1e-3)), (0.01, Delay(1.0)))
    result = simulate(Model([Closed("c", clients=1, path=path, count=50)]), precision=0.5, parts=True)
    assert len(result.parts) >= 20  # ten of a hundredth of fifty requests
    few = simulate(Model([Closed("c", clients=1, path=path, count=5)]), precision=0.5)
    assert not few.elapsed.known
    assert few.warnings[0].endswith("after 64 replications; lengthen the job")
    assert few.throughput.low >= 0.0
    assert few.throughput.high >= few.throughput.value
