"""Warm-up and intervals, on series whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.engine.statistics.estimates import Estimate, mean, mser5, ratio


def noise(seed, count):
    return np.random.default_rng(seed).standard_normal(count)


def removed_of(*several):
    return mser5(several)


# Rates


@pytest.mark.parametrize("value", [0.0, math.nan])
def test_duration_at_an_unknown_rate_is_unknown(value):
    duration = Estimate(value, math.nan, math.nan, 0.95).duration(3.0)
    assert math.isnan(duration.value)
    assert not duration.known


def test_duration_is_as_precise_as_the_rate():
    assert Estimate(2.0, 1.0, 4.0, 0.9, known=False).duration(8.0) == Estimate(4.0, 2.0, 8.0, 0.9, known=False)
    assert Estimate(2.0, -1.0, 4.0, 0.9).duration(8.0).high == math.inf


# Warm-up


@pytest.mark.parametrize("length", [20, 50, 100])
def test_a_known_transient_is_removed_and_little_more(length):
    series = 100.0 + noise(length, 400)
    series[:length] -= 30.0
    assert length <= removed_of(series) <= length + 40


def test_a_transient_that_fades_is_removed_until_it_is_lost_in_the_noise():
    series = 100.0 + noise(1, 400) - 50.0 * np.exp(-np.arange(400) / 15)
    assert 45 <= removed_of(series) <= 110


def test_a_series_without_transient_keeps_nearly_all():
    removed = [removed_of(noise(seed, 250)) for seed in range(40)]
    assert sum(each is not None and each <= 50 for each in removed) >= 30
    assert removed_of(np.full(250, 7.0)) == 0


def test_last_of_several_series_to_settle_decides():
    early, late = (100.0 + noise(length, 400) for length in (20, 50))
    early[:20] -= 30.0
    late[:50] -= 30.0
    assert removed_of(early, late) == removed_of(late, early) == removed_of(late) > removed_of(early)
    assert removed_of(early, np.arange(400.0)) is None


@pytest.mark.parametrize("slope", [-1.0, 1.0])
def test_a_pure_trend_has_no_steady_part(slope):
    assert removed_of(slope * np.arange(250.0)) is None
    assert removed_of(slope * np.arange(250.0) + noise(2, 250)) is None


def test_a_warm_up_by_hand():
    """Means of five; rest, squares about its mean and their number: 9 3 3 5 3 5, 32/36; 3 3 5 3 5, 4.8/25; …"""
    series = np.repeat([9.0, 3.0, 3.0, 5.0, 3.0, 5.0], 5)
    assert removed_of(series) == 5
    assert removed_of(series + np.tile([1.0, -1.0, 0.0, 2.0, -2.0], 6)) == 5
    assert removed_of(np.append(series, [1e9] * 4)) == 5  # a rest of fewer than five is not looked at
    assert removed_of(np.repeat([9.0, 9.0, 3.0, 4.0, 3.0, 4.0], 5)) == 10
    assert removed_of(np.repeat([9.0, 9.0, 9.0, 3.0, 3.0, 3.0], 5)) is None  # half of all is not enough


# Intervals


def test_a_mean_by_hand():
    found = mean(np.array([1.0, 2.0, 3.0, 6.0]), 0.9)
    half = 2.353363434801824 * math.sqrt(14 / 3 / 4)  # t(3); squares 4 + 1 + 0 + 9
    assert (found.value, found.low, found.high) == pytest.approx((3.0, 3.0 - half, 3.0 + half), rel=1e-12)


def test_a_ratio_by_hand():
    """12 / 6 = 2; errors 0, 1, -1 over the mean denominator 2; squares 1/2, over 2 and 3; then t(2)."""
    found = ratio(np.array([2.0, 5.0, 5.0]), np.array([1.0, 2.0, 3.0]), 0.95)
    half = 4.302652729749464 * math.sqrt(0.5 / 2 / 3)
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0 - half, 2.0 + half), rel=1e-12)
    assert math.isnan(ratio(np.array([2.0]), np.array([0.0]), 0.95).value)


def test_too_few_values_give_no_interval():
    assert math.isnan(mean(np.array([3.0]), 0.95).low)
    assert mean(np.array([3.0]), 0.95).precision == math.inf
    assert Estimate(2.0, 1.0, math.inf, 0.95).precision == math.inf
    assert Estimate(2.0, 1.9, 2.4, 0.95).precision == pytest.approx(0.2)
    assert Estimate(-2.0, -2.6, -1.9, 0.95).precision == pytest.approx(0.3)
    assert Estimate(0.0, -1.0, 1.0, 0.95).precision == math.inf
    assert Estimate(2.0, 1.0, 3.0, 0.95).scaled(10.0) == Estimate(20.0, 10.0, 30.0, 0.95)


def test_interval_of_a_mean_has_its_stated_coverage():
    samples = (mean(5.0 + noise(seed, 20), 0.9) for seed in range(2000))
    held = sum(each.low <= 5.0 <= each.high for each in samples)
    assert held / 2000 == pytest.approx(0.9, abs=0.03)
