"""Intervals from batches: by hand, and how often they hold on series whose mean is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from sim.engine.statistics import intervals
from sim.engine.statistics.histogram import BINS, bin_of, lowest_of

LIMIT = stats.t.ppf(0.975, 3)
LOWEST = np.array([lowest_of(index) for index in range(BINS)])


def correlated(seed, count, correlation):
    """AR(1) in its steady state."""
    shocks = np.random.default_rng(seed).standard_normal(count + 200) * math.sqrt(1 - correlation * correlation)
    return lfilter([1.0], [1.0, -correlation], shocks)[200:]


def held(draw, estimate=intervals.mean, runs=2000, exact=5.0):
    """Coverage of the interval of a mean of 5, from 64 batches."""
    found = (estimate(draw(seed), np.ones(64), 0.95).estimate for seed in range(runs))
    return sum(each.low <= exact <= each.high for each in found) / runs


def test_a_ratio_of_runs_by_hand():
    found = intervals.ratio(np.array([2.0, 5.0, 5.0]), np.array([1.0, 2.0, 3.0]), 0.95, runs=True)
    # 12 / 6 = 2; deviations 0, 1, -1 over the mean denominator 2; squares 1/2, over 2 and 3; then t(2)
    standard = math.sqrt(0.5 / 2 / 3)
    assert found.estimate.value == 2.0
    assert found.standard == pytest.approx(standard, rel=1e-12)
    assert found.estimate.high - 2.0 == pytest.approx(stats.t.ppf(0.975, 2) * standard, rel=1e-9)
    assert 2.0 - found.estimate.low == pytest.approx(found.estimate.high - 2.0)


def test_batches_that_resemble_their_neighbours_widen_it():
    """Deviations -1.5, -0.5, 0.5, 1.5, not skewed: (0.75 - 0.25 + 0.75) / 5 + 1 / 4 = 1/2; 1.5 / 0.5 = 3."""
    rising = np.array([1.0, 2.0, 3.0, 4.0])
    found = intervals.ratio(rising, np.ones(4), 0.95)
    assert found.correlation == pytest.approx(0.5)
    half = LIMIT * math.sqrt(5.0 / 3 / 4) * math.sqrt(3.0)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((2.5 - half, 2.5 + half), rel=1e-9)
    assert found.independent
    assert not intervals.ratio(np.arange(64.0), np.ones(64), 0.95).independent


def test_a_long_upper_tail_makes_room_above():
    """Errors -1, -1, -1, 3, by Willink's formula, and two more batches like the last."""
    batches = np.array([4.0, 8.0, 4.0, 4.0])
    found = intervals.ratio(batches, np.ones(4), 0.95)
    lean = stats.skew(batches, bias=False) / (6 * 2)
    up, down = ((np.cbrt(1 + 6 * lean * (z - lean)) - 1) / (2 * lean) for z in (-LIMIT, LIMIT))
    standard = math.sqrt(12.0 / 3 / 4)  # the correlation is negative: nothing is widened
    assert found.correlation == 0.0
    assert found.estimate.high - 5.0 == pytest.approx(-up * standard, rel=1e-9)
    assert 5.0 - found.estimate.low == pytest.approx(down * standard, rel=1e-9)
    assert found.estimate.high - 5.0 > LIMIT * standard > 5.0 - found.estimate.low
    roomy = intervals.mean(batches, np.ones(4), 0.95)
    assert roomy.estimate.low == found.estimate.low
    assert roomy.estimate.high - found.estimate.high == pytest.approx(2.0 * standard * 3.0 / math.sqrt(12.0))


def test_too_few_values_give_no_interval():
    alone = intervals.ratio(np.array([3.0]), np.array([2.0]), 0.95)
    assert alone.estimate.value == 1.5
    assert math.isnan(alone.estimate.low)
    assert math.isnan(intervals.mean(np.array([3.0, 4.0]), np.ones(2), 0.95).estimate.high)
    assert math.isnan(intervals.mean(np.zeros(64), np.zeros(64), 0.95).estimate.value)
    assert math.isnan(intervals.quantile(np.zeros((64, BINS), np.int64), 0.5, 0.95).estimate.value)


def test_constant_values_are_known_exactly():
    found = intervals.mean(np.full(64, 0.1) * 3, np.ones(64), 0.95)
    assert found.estimate.low == found.estimate.high == found.estimate.value
    assert found.correlation == 0.0


def test_interval_of_a_mean_has_its_stated_coverage():
    normal = held(lambda seed: 5.0 + np.random.default_rng(seed).standard_normal(64), intervals.ratio)
    assert normal == pytest.approx(0.95, abs=0.015)


def test_plain_intervals_of_correlated_or_skewed_batches_lack_coverage():
    def alike(seed):
        return 5.0 + correlated(seed, 64, 0.4)

    def skewed(seed):
        return 4.0 + np.random.default_rng(seed).lognormal(-0.5, 1.0, 64)  # mean 5

    def plain(*arguments):
        return intervals.ratio(*arguments, runs=True)

    assert held(alike, plain) < 0.85
    assert held(alike, intervals.ratio) > 0.91
    assert held(skewed, plain) < 0.92
    assert held(skewed, intervals.ratio) > held(skewed, plain) + 0.01
    assert held(skewed) > 0.93


def batches_of(times_ns, batches):
    """A histogram a batch, of times drawn one after the other."""
    rows = np.repeat(np.arange(batches), len(times_ns) // batches)
    bins = np.searchsorted(LOWEST, times_ns.astype(np.int64), side="right") - 1
    return np.bincount(rows * BINS + bins, minlength=batches * BINS).reshape(batches, BINS)


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_interval_of_a_quantile_has_its_stated_coverage(share):
    exact = -1e6 * math.log(1.0 - share)
    inside = 0
    for seed in range(300):
        drawn = np.random.default_rng(seed).exponential(1e6, 6400)
        found = intervals.quantile(batches_of(drawn, 64), share, 0.95).estimate
        inside += found.low <= exact <= found.high
    assert 0.91 <= inside / 300 <= 0.985


def test_the_interval_of_a_quantile_is_as_wide_as_theory_has_it():
    """Of the share below, √(p (1 - p) / n); of the time, that over the density: 1 % of all a millisecond."""
    drawn = np.random.default_rng(2).uniform(100e6, 200e6, 64_000)
    found = intervals.quantile(batches_of(drawn, 64), 0.9, 0.95)
    standard = math.sqrt(0.9 * 0.1 / 64_000)
    assert found.standard == pytest.approx(standard, rel=0.25)
    half = stats.t.ppf(0.975, 63) * found.standard * 100e6
    assert found.estimate.high - found.estimate.value == pytest.approx(half, rel=0.1)
    assert found.estimate.value - found.estimate.low == pytest.approx(half, rel=0.1)


def test_the_interval_of_a_quantile_by_hand():
    """Eight batches, of which one was slow, and times that lie evenly over sixty bins in the run as a whole.

    52 of 100 are below the median in seven batches, 36 in the other: errors of the share of 0.02 and -0.14.
    """
    below = np.array([52, 52, 52, 36, 52, 52, 52, 52])
    first, width = bin_of(1 << 20), 1 << 14
    histograms = np.zeros((8, BINS), np.int64)
    histograms[:, first : first + 30] = below[:, None]
    histograms[:, first + 30 : first + 60] = 100 - below[:, None]
    found = intervals.quantile(histograms, 0.5, 0.95)
    limit, lean = stats.t.ppf(0.975, 7), stats.skew(below, bias=False) / (6 * math.sqrt(8))
    up, down = ((np.cbrt(1 + 6 * lean * (z - lean)) - 1) / (2 * lean) * 0.02 for z in (limit, -limit))
    assert found.correlation == 0.0
    assert found.standard == pytest.approx(0.02)
    assert found.estimate.confidence == 0.95
    for time, share in (
        (found.estimate.value, 0.5),
        (found.estimate.low, 0.5 + down),
        (found.estimate.high, 0.5 + up),
    ):
        assert time == pytest.approx((1 << 20) + share * 60 * width, abs=1.0)
    runs = intervals.quantile(histograms, 0.5, 0.95, runs=True).estimate
    half = limit * 0.02 * 60 * width
    assert (runs.low, runs.high) == pytest.approx((runs.value - half, runs.value + half), abs=1.0)


def test_where_too_few_were_slower_nothing_bounds_a_quantile():
    drawn = np.random.default_rng(1).exponential(1e6, 640)
    found = intervals.quantile(batches_of(drawn, 64), 0.999, 0.95).estimate
    assert found.high == math.inf
    assert found.low < found.value


def states(seed, batches=96):
    """Batches of two states, each of which lasts for twelve on average; they differ less than batches scatter."""
    draws = np.random.default_rng(seed)
    state = np.cumprod(np.where(draws.random(batches) < 1 / 12, -1.0, 1.0)) * draws.choice([-1.0, 1.0])
    latency_ns = 1e9 + 1e7 * (0.6 * state + draws.normal(0.0, 1.0, batches))
    return intervals.Batches(np.full(batches, 1e9), np.full(batches, 1000.0), latency_ns, lambda: None)


def test_longer_batches_reveal_correlation_over_several():
    """Neighbours are hardly alike, and the mean of both states is 1 ms."""

    def share_held(*, cautiously):
        found = [states(seed).answer("mean", 0.95, cautiously=cautiously).estimate for seed in range(500)]
        return np.mean([each.low <= 1e6 <= each.high for each in found])

    plain, cautious = share_held(cautiously=False), share_held(cautiously=True)
    assert plain < 0.89
    assert cautious > 0.93


def test_longer_batches_hardly_widen_intervals_of_independent_ones():
    draws, widths = np.random.default_rng(1), []
    for _ in range(300):
        latency_ns = 1e9 + draws.normal(0.0, 1e7, 96)
        batches = intervals.Batches(np.full(96, 1e9), np.full(96, 1000.0), latency_ns, lambda: None)
        plain, cautious = (batches.answer("mean", 0.95, cautiously=each).estimate for each in (False, True))
        assert cautious.low <= plain.low < plain.high <= cautious.high
        assert cautious.value == plain.value
        widths.append((cautious.high - cautious.low) / (plain.high - plain.low))
    assert np.median(widths) < 1.35


def test_few_batches_make_no_longer_ones():
    batches = intervals.Batches(np.full(13, 1e9), np.arange(13) + 10.0, np.full(13, 1e7), lambda: None)
    assert batches.answer("throughput", 0.95, cautiously=True) == batches.answer("throughput", 0.95)
