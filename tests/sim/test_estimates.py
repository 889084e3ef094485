"""Warm-up, independence, intervals and percentiles, on series whose answer is known; and that runs reach it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import (
    Buffer,
    Closed,
    Delay,
    Exponential,
    Lock,
    Lognormal,
    Model,
    Open,
    Poisson,
    Put,
    Station,
    Take,
    Use,
    simulate,
)
from sim.compiled import CompiledEngine
from sim.estimates import Estimate, mean, mser5
from sim.histogram import BINS, Quantiles, bin_of, lowest_of, percentile_ns
from sim.steps import Hold


def noise(seed, count):
    return np.random.default_rng(seed).standard_normal(count)


# Warm-up


@pytest.mark.parametrize("length", [20, 50, 100])
def test_a_known_transient_is_removed_and_little_more(length):
    series = 100.0 + noise(length, 400)
    series[:length] -= 30.0
    assert length <= mser5(series) <= length + 40


def test_a_transient_that_fades_is_removed_until_it_is_lost_in_the_noise():
    series = 100.0 + noise(1, 400) - 50.0 * np.exp(-np.arange(400) / 15)
    assert 45 <= mser5(series) <= 110


def test_a_series_without_transient_keeps_nearly_all():
    removed = [mser5(noise(seed, 250)) for seed in range(40)]
    assert sum(each is not None and each <= 50 for each in removed) >= 30
    assert mser5(np.full(250, 7.0)) == 0


@pytest.mark.parametrize("slope", [-1.0, 1.0])
def test_a_pure_trend_has_no_steady_part(slope):
    assert mser5(slope * np.arange(250.0)) is None
    assert mser5(slope * np.arange(250.0) + noise(2, 250)) is None


# Intervals


def test_a_mean_by_hand():
    found = mean(np.array([1.0, 2.0, 3.0, 6.0]), 0.9)
    half = 2.353363434801824 * math.sqrt(14 / 3 / 4)  # t(3); squares 4 + 1 + 0 + 9
    assert (found.value, found.low, found.high) == pytest.approx((3.0, 3.0 - half, 3.0 + half), rel=1e-12)


def test_what_cannot_be_known_is_not_said():
    assert math.isnan(mean(np.array([3.0]), 0.95).low)
    assert mean(np.array([3.0]), 0.95).precision == math.inf
    assert Estimate(2.0, 1.0, math.inf, 0.95).precision == math.inf
    assert Estimate(2.0, 1.9, 2.4, 0.95).precision == pytest.approx(0.2)
    assert Estimate(0.0, -1.0, 1.0, 0.95).precision == math.inf
    assert Estimate(2.0, 1.0, 3.0, 0.95).scaled(10.0) == Estimate(20.0, 10.0, 30.0, 0.95)


def test_the_interval_of_a_mean_holds_it_as_often_as_said():
    samples = (mean(5.0 + noise(seed, 20), 0.9) for seed in range(2000))
    held = sum(each.low <= 5.0 <= each.high for each in samples)
    assert held / 2000 == pytest.approx(0.9, abs=0.03)


# Histogram

TIMES = st.integers(0, 2**62 - 1) | st.builds(
    lambda bits, off: max(0, min(2**62 - 1, 2**bits + off)), st.integers(0, 62), st.integers(-2, 2)
)


@given(TIMES)
def test_a_bin_counts_what_begins_with_its_lowest_time(time_ns):
    index = bin_of(time_ns)
    assert 0 <= index < BINS
    assert lowest_of(index) <= time_ns < lowest_of(index + 1)
    assert lowest_of(index + 1) - lowest_of(index) <= max(1, time_ns / 64)


@given(TIMES, TIMES)
def test_later_times_are_in_later_bins(one, other):
    low, high = sorted((one, other))
    assert bin_of(low) <= bin_of(high)
    if high > low * 1.02 + 2:
        assert bin_of(low) < bin_of(high)


def test_every_bin_counts_its_own_lowest_time():
    assert all(bin_of(lowest_of(index)) == index for index in range(BINS))


def counted(times_ns):
    counts = np.zeros(BINS, dtype=np.int64)
    np.add.at(counts, [bin_of(each) for each in times_ns], 1)
    return counts


def binned(times_ns):
    """How long walks of these times take in the compiled engine, and what it counts of them."""
    walks = [Closed(f"{each} ns", clients=1, path=[Delay(each / 1e9)], count=1, group="all") for each in times_ns]
    engine = CompiledEngine(Model(walks), 1, record=True)
    engine.advance(1 << 61)
    return [each.ended_ns for each in engine.completions], engine.snapshot().histograms[0].tolist()


@given(st.lists(st.integers(1, 1 << 60), min_size=1, max_size=20, unique=True))
def test_the_compiled_bins_are_the_same(times_ns):
    taken_ns, found = binned(times_ns)
    assert len(taken_ns) == len(times_ns)
    assert found == counted(taken_ns).tolist()


def test_the_compiled_bins_are_the_same_at_every_edge():
    edges = sorted({(1 << bits) + off for bits in range(61) for off in (-1, 0, 1)})
    taken_ns, found = binned(edges)
    exact = [each for each in edges if each < 1 << 50]  # beyond, a time in seconds cannot tell neighbours apart
    assert taken_ns[: len(exact)] == exact
    assert len(taken_ns) == len(edges)
    assert found == counted(taken_ns).tolist()


def test_percentiles_of_a_known_sample():
    counts = counted(range(1, 101))  # exact below 128 ns
    shares = (0.01, 0.011, 0.5, 0.501, 0.95, 0.99, 1.0)
    assert [percentile_ns(counts, share) for share in shares] == [1, 2, 50, 51, 95, 99, 100]
    assert percentile_ns(counted([7, 7, 7, 90]), 0.75) == 7
    assert percentile_ns(counted([7, 7, 7, 90]), 0.76) == 90
    assert math.isnan(percentile_ns(counted([]), 0.5))


def test_percentiles_lie_within_their_bin_in_proportion():
    times_ns = range(1_000_000, 2_000_000, 7)  # evenly, in bins of 8192 and 16384 ns
    found = Quantiles(counted(times_ns))
    for share in (0.1, 0.123, 0.5, 0.9):
        assert found.at(share) == pytest.approx(1_000_000 + share * 1_000_000, abs=200)
        assert found.least(share) == found.at(share) == found.most(share)


def test_of_times_that_may_all_be_alike_only_the_ends_of_their_bin_are_certain():
    found = Quantiles(counted([1_000_000] * 90 + [2_000_000] * 10))
    assert (bin_of(int(found.least(0.5))), bin_of(int(found.most(0.5)))) == (bin_of(1_000_000),) * 2
    assert found.least(0.5) <= 1_000_000 <= found.most(0.5)
    assert found.least(0.95) <= 2_000_000 <= found.most(0.95)
    assert found.most(0.5) - found.least(0.5) > 8_000


def test_percentiles_of_long_times():
    times_ns = [round(10 ** random.Random(each).uniform(0, 15)) for each in range(2001)]  # noqa: S311
    exact = sorted(times_ns)
    for share in (0.1, 0.5, 0.9, 0.999):
        expected = exact[math.ceil(share * 2001) - 1]
        assert percentile_ns(counted(times_ns), share) == pytest.approx(expected, rel=0.008)


# Runs

QUEUE = Open("crowd", arrivals=Poisson(5e5), path=Use(Station("disk"), Exponential(1e-6)))


@pytest.mark.parametrize("precision", [0.05, 0.01, 0.003])
def test_a_run_reaches_the_precision_that_was_asked_for(precision):
    found = simulate(Model([QUEUE]), precision=precision)
    assert found.warnings == ()
    assert found.throughput.precision <= precision
    assert found.throughput.value == pytest.approx(5e5, rel=2 * precision)
    assert found.throughput.confidence == 0.95


def test_more_precision_and_more_confidence_take_more_steps():
    steps = [simulate(Model([QUEUE]), precision=each).steps for each in (0.05, 0.01, 0.003)]
    assert steps[0] < steps[1] < steps[2]
    assert simulate(Model([QUEUE]), precision=0.003, confidence=0.999).steps > steps[2]


def test_the_watched_group_is_the_one_that_is_known():
    rare = Open("rare", arrivals=Poisson(1e4), path=Delay(1e-6))
    careless, careful = (simulate(Model([QUEUE, rare]), watch=each, precision=0.02) for each in ("crowd", "rare"))
    assert careful.groups["rare"].throughput.precision <= 0.02
    assert careful.watched == "rare"
    assert careless.steps < careful.steps / 5


def test_a_run_goes_on_for_the_answers_that_are_watched():
    alone = simulate(Model([QUEUE]), precision=0.02, answers=["throughput"])
    found = simulate(Model([QUEUE]), precision=0.02)
    assert found.warnings == ()
    assert found.steps > alone.steps
    # The sojourn time of M/M/1 is exponential, of mean 1 / (mu - lambda) = 2 µs.
    for name, exact_s in (("mean", 2e-6), ("p50", 2e-6 * math.log(2)), ("p99", 2e-6 * math.log(100))):
        each = found.groups["crowd"].answers[name]
        assert each.known
        assert each.low < each.value < each.high
        assert each.precision <= 0.2
        assert each.value == pytest.approx(exact_s, rel=0.1)


def test_a_run_that_may_not_go_on_says_how_far_it_came():
    found = simulate(Model([QUEUE]), precision=0.0005, most_steps=20_000, answers=["throughput"])
    reached = f"±{found.throughput.precision:.2%}"
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"throughput is not known well enough: {reached} after ")
    assert "±0.05% was asked for; it would take about " in found.warnings[0]
    assert not found.throughput.known
    assert found.throughput.precision > 0.0005
    assert 5_000 <= found.steps < 100_000


def test_who_completes_nothing_is_named_in_a_warning():
    lock = Lock("latch")
    keeper = Closed("keeper", clients=1, path=Hold(lock.exclusive, Delay(1e6)))
    starved = Closed("starved", clients=1, path=[Delay(1e-9), Hold(lock.shared, Delay(1e-6))])
    found = simulate(Model([QUEUE, keeper, starved]), precision=0.05)
    assert "workload 'starved' completed nothing in the whole run" in found.warnings


def test_a_job_of_chance_has_an_elapsed_time_with_an_interval():
    job = Closed("job", clients=2, path=Use(Station("disk"), Lognormal(1e-6, 1.0)), count=500)
    found = simulate(Model([job]), precision=0.02)
    elapsed = found.elapsed
    assert 0.0 < elapsed.low < elapsed.value < elapsed.high
    assert elapsed.precision <= 0.02
    assert elapsed.value == pytest.approx(500e-6, rel=0.05)
    assert found.throughput.value == pytest.approx(500 / elapsed.value, rel=1e-12)
    assert (found.throughput.low, found.throughput.high) == pytest.approx((500 / elapsed.high, 500 / elapsed.low))


def test_a_job_without_chance_is_known_exactly():
    elapsed = simulate(Model([Closed("job", clients=2, path=Delay(1e-6), count=10)])).elapsed
    assert (elapsed.low, elapsed.value, elapsed.high) == pytest.approx((5e-6, 5e-6, 5e-6), rel=1e-12)


def test_a_job_that_stays_uncertain_says_so():
    job = Closed("job", clients=1, path=Delay(Lognormal(1e-6, 5.0)), count=3)
    found = simulate(Model([job]), precision=0.001)
    assert found.elapsed.precision > 0.001
    assert any(
        each.startswith("elapsed time is not known") and " replications, ±0.10% was asked for" in each
        for each in found.warnings
    )


@pytest.mark.parametrize("precision", [0.05, 0.01])
def test_who_fills_a_buffer_does_not_pass_for_settled(precision):
    """In front 1000 a second for two seconds; but all that lasts is the 500 a second of those behind."""
    buffer = Buffer("buffer", capacity=1000)
    front = Closed("front", clients=1, path=[Delay(1e-3), Put(buffer, 1)])
    behind = Closed("behind", clients=1, path=[Take(buffer, 1), Delay(2e-3)])
    found = simulate(Model([front, behind]), watch="front", precision=precision)
    assert found.throughput.value == pytest.approx(500, rel=precision)


@pytest.mark.parametrize("precision", [0.05, 0.02])
def test_who_takes_all_at_once_does_not_pass_for_settled(precision):
    """At first the streams behind take a chunk each, and the fronts run free; but all share one slow station."""
    segment, pairs = Station("segment"), []
    for number in range(80):
        buffer = Buffer(f"buffer {number}", capacity=64)
        front = [Delay(Exponential(1e-3)), Put(buffer, 1)]
        stream = [Take(buffer, 32), Use(segment, 0.5e-3)]
        pairs.append(Closed(f"front {number}", clients=1, path=front, group="front"))
        pairs.append(Closed(f"stream {number}", clients=1, path=stream, group="streams"))
    found = simulate(Model(pairs), watch="front", precision=precision)
    assert found.throughput.value == pytest.approx(32 / 0.5e-3, rel=precision)
