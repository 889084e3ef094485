"""Errors left by controls: by hand, on series with a known part that is luck, and where they say nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.engine.statistics import intervals
from sim.engine.statistics.control_variates import unexplained
from sim.engine.statistics.histogram import BINS, bin_of
from sim.engine.statistics.intervals import Batches

COUNT = 64


def batches(seed, share=0.9, controls=1):
    """Batches of mean 5 and variance 1, of which ``share`` goes with the first control; the others are useless."""
    rng = np.random.default_rng(seed)
    control = rng.standard_normal((COUNT, controls))
    rest = rng.standard_normal(COUNT)
    return 5.0 + math.sqrt(share) * control[:, 0] + math.sqrt(1.0 - share) * rest, 2.0 * control


def test_control_variates_equal_those_by_hand():
    """Controls 1, 0, 2, whose mean is 1: errors -1, -1, 2 go with them by 3/2 for each 1, and so much was luck."""
    left = unexplained(np.array([-1.0, -1.0, 2.0]), np.array([[1.0], [0.0], [2.0]]))
    assert left.errors == pytest.approx([-1.0, 0.5, 0.5])
    assert left.luck == pytest.approx(1.5)
    assert left.lost == 1
    assert left.wider == pytest.approx(math.sqrt(1.0 + 3.0 * 1.0 / 2.0))  # 1 + n c̄² / Σ (c - c̄)²


def test_a_ratio_is_corrected_by_the_luck_of_a_batch():
    sums, control = np.array([4.0, 4.0, 7.0, 5.0]), np.array([[1.0], [0.0], [2.0], [1.0]])
    left = unexplained(sums - 5.0, control)
    found = intervals.ratio(sums, np.full(4, 2.0), 0.95, controls=control)
    assert found.estimate.value == pytest.approx((5.0 - left.luck) / 2.0)


@pytest.mark.parametrize("controls", [1, 6])
def test_controls_narrow_intervals_and_keep_their_coverage(controls):
    plain, controlled = [], []
    for seed in range(2000):
        sums, control = batches(seed, controls=controls)
        plain.append(intervals.ratio(sums, np.ones(COUNT), 0.95))
        controlled.append(intervals.ratio(sums, np.ones(COUNT), 0.95, controls=control))
    held = np.mean([each.estimate.low <= 5.0 <= each.estimate.high for each in controlled])
    assert 0.935 <= held <= 0.965  # three standard errors
    variance = [np.var([each.estimate.value for each in found]) for found in (plain, controlled)]
    lost = (COUNT - 2) / (COUNT - 2 - controls)  # Lavenberg and Welch: what estimating coefficients costs
    assert variance[1] / variance[0] == pytest.approx(0.1 * lost, rel=0.1)
    standard = np.mean([each.standard**2 for each in controlled])
    assert standard == pytest.approx(variance[1], rel=0.15)


def test_controls_that_are_one_count_once():
    sums, control = batches(1)
    twice = unexplained(sums - sums.mean(), np.hstack([control, -3.0 * control]))
    once = unexplained(sums - sums.mean(), control)
    assert twice.lost == once.lost == 1
    assert twice.luck == pytest.approx(once.luck)
    assert twice.wider == pytest.approx(once.wider)


def of_times(seed, share=0.9):
    """Batches of 100,000 requests: half take 1 to 1.5 µs, more or fewer by luck, and the others up to 2."""
    sums, control = batches(seed, share)
    quick = np.round(50_000.0 + 5000.0 * (sums - 5.0)).astype(np.int64)[:, None]
    histograms = np.zeros((COUNT, BINS), np.int64)
    low, middle, high = (bin_of(time_ns) for time_ns in (1024, 1536, 2048))
    histograms[:, low:middle] = quick // (middle - low)
    histograms[:, middle:high] = (100_000 - quick) // (high - middle)
    counts = histograms.sum(axis=1).astype(np.float64)
    return Batches(np.full(COUNT, 1e6), counts, 1e3 * counts, lambda: histograms, controls=control)


def test_a_quantile_is_corrected_by_the_luck_of_its_share():
    runs = [of_times(seed) for seed in range(600)]
    plain = [intervals.quantile(run.histograms(), 0.5, 0.95) for run in runs]
    controlled = [run.answer("p50", 0.95) for run in runs]
    variance = [np.var([each.estimate.value for each in found]) for found in (plain, controlled)]
    assert variance[1] / variance[0] == pytest.approx(0.1, rel=0.25)
    held = np.mean([each.estimate.low <= 1535.5 <= each.estimate.high for each in controlled])
    assert 0.92 <= held <= 0.98
    assert np.mean([each.narrowed for each in controlled]) == pytest.approx(math.sqrt(0.1), rel=0.1)


def test_an_answer_without_gain_by_controls_is_unchanged():
    sums, control = batches(5, share=0.1)
    found = Batches(np.ones(COUNT), sums, sums, lambda: np.zeros((COUNT, BINS), np.int64), controls=control)
    plain = Batches(np.ones(COUNT), sums, sums, lambda: np.zeros((COUNT, BINS), np.int64))
    assert found.answer("throughput", 0.95) == plain.answer("throughput", 0.95)
    assert found.answer("throughput", 0.95).narrowed == 1.0


def test_interval_explained_by_controls_keeps_room_for_unseen_events():
    """The rule of three: of 6,400 requests that met nothing else, at 95 % less than 3 would."""
    control = np.random.default_rng(1).normal(0.0, 3.0, 64)
    completed = 100.0 + control - control.mean()
    times = np.full(64, 1e6)
    answer = Batches(times, completed, completed, None, controls=control[:, None]).answer("throughput", 0.95)
    one = answer.estimate.value / 6400
    assert answer.standard == pytest.approx(one)
    assert answer.estimate.high - answer.estimate.value == pytest.approx(-math.log(0.05) * one)
    assert answer.estimate.value - answer.estimate.low == pytest.approx(-math.log(0.05) * one)


def test_controls_take_degrees_of_freedom():
    """Student's t of n - 1 - q, by hand: eight runs, three controls."""
    generator = np.random.default_rng(5)
    counts, controls = 100.0 + generator.normal(size=8), generator.normal(size=(8, 3))
    found = intervals.ratio(counts, np.ones(8), 0.95, runs=True, controls=controls)
    half = (found.estimate.high - found.estimate.low) / 2
    assert half / found.standard == pytest.approx(2.776, abs=1e-3)  # 4 degrees of freedom, from a table
