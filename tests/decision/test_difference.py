"""Differences of pairs of runs, by value: intervals, errors of histograms and parameters, and who is better."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import t

from sim.decision.difference import Difference, Paired, _above_zero
from sim.decision.joint_draws import JointDraw
from sim.decision.spread import Drawn, Spread, drawn, spread
from sim.engine.statistics.estimates import Estimate

A, B = np.array([9.0, 11.0, 10.0, 10.0]), np.array([22.0, 18.0, 20.0, 20.0])
HALF_A, HALF_B, HALF = (t.ppf(0.975, 3) * np.std(each, ddof=1) / 2.0 for each in (A, B, B - A))
RATIO = t.ppf(0.975, 3) * np.std(B - 2.0 * A, ddof=1) / 2.0 / 10.0
COARSE = (1.0, 0.5)
NARROWER = t.ppf(0.95, 3) / t.ppf(0.975, 3)
DEVIATIONS = 1.6449


def around(value, half):
    return pytest.approx((value - half, value, value + half))


def ends(estimate):
    return estimate.low, estimate.value, estimate.high


def test_open_error_of_either_side_widens_its_interval_and_the_joint_ones():
    found = Paired("p50", "s", A, B, COARSE, known=(True, False)).difference()
    assert ends(found.a) == around(10.0, HALF_A + 1.0)
    assert ends(found.b) == around(20.0, HALF_B + 0.5)
    assert ends(found.difference) == around(10.0, HALF + 1.5)
    assert ends(found.ratio) == around(2.0, RATIO + 2.0 * (1.0 / 10.0 + 0.5 / 20.0))
    assert [each.known for each in (found.a, found.b, found.difference, found.ratio)] == [
        True,
        False,
        False,
        False,
    ]
    assert found.better == pytest.approx(
        t.cdf(10.0 / math.hypot(np.std(B - A, ddof=1) / 2.0, 1.5 / math.sqrt(3)), 3)
    )
    assert Paired("throughput", "1/s", A, B, COARSE).difference().better == pytest.approx(1.0 - found.better)
    assert Paired("misses", "1/s", A, B).difference().better is None


def test_ratio_band_combines_one_sided_parameters_and_histogram_resolution():
    """The ratio is 2; the logarithm of the ratio of either is open by 1/10 and by 0.5/20."""
    noise = np.std((B - 2.0 * A) / 20.0, ddof=1) / 2.0
    coarse = (1.0 / 10.0 + 0.5 / 20.0) / math.sqrt(3)
    for a, b, sign, side in ((A, B, 1.0, 0.3), (B, A, -1.0, 0.1)):
        noise = np.std((b - b.mean() / a.mean() * a) / b.mean(), ddof=1) / 2.0
        coarseness = COARSE if sign > 0.0 else COARSE[::-1]
        paired = Paired("mean", "s", a, b, coarseness)
        found = paired.difference(Spread((0.0, 0.0), (0.3, 0.1), known=True)).likely_better
        assert found == pytest.approx(t.cdf(sign * math.log(2.0) / math.hypot(noise, side, coarse), 3))
    assert Paired("mean", "s", A, A).difference(Spread((0.0, 0.0), (0.3, 0.1), known=True)).likely_better is None


def test_zero_of_a_leaves_the_difference_without_a_ratio():
    paired = Paired("mean", "s", np.zeros(4), np.ones(4), (0.3, 0.3))
    found = paired.difference(Spread((0.2, 0.4), (9.0, 9.0), known=True))
    assert found.likely_better == pytest.approx(t.cdf(1.0 / math.hypot(0.2, 0.6 / math.sqrt(3)), 3))
    assert (math.isnan(found.ratio.value), found.ratio.known) == (True, False)
    assert math.isnan(Paired("mean", "s", np.ones(4), np.zeros(4)).difference().ratio.value)


@pytest.mark.parametrize("known", [True, False])
def test_band_adds_errors_of_runs_and_parameters_as_squares(known):
    found = Paired("mean", "s", A, B, COARSE).difference(Spread((1.0, 2.0), (0.3, 0.1), known=known)).band
    simulated = (HALF + 1.5) * NARROWER
    low, high = (math.hypot(simulated, DEVIATIONS * each) for each in (1.0, 2.0))
    assert found.difference == pytest.approx((10.0 - low, 10.0 + high))
    simulated = (RATIO + 0.25) / 2.0 * NARROWER
    low, high = (math.exp(math.hypot(simulated, DEVIATIONS * each)) for each in (0.3, 0.1))
    assert found.ratio == pytest.approx((2.0 / low, 2.0 * high))
    assert (found.known, found.confidence) == (known, 0.9)


@pytest.mark.parametrize(
    ("low", "value", "high", "seen", "same"),
    [
        (0.0, 1.0, 2.0, False, False),
        (0.1, 1.0, 2.0, True, False),
        (-2.0, -1.0, 0.0, False, False),
        (-2.0, -1.0, -0.1, True, False),
        (-1.0, 0.0, 0.0, False, False),
        (0.0, 0.0, 1.0, False, False),
        (0.0, 0.0, 0.0, False, True),
        (-0.0, 0.0, -0.0, False, True),
        (0.0, -0.0, 0.0, False, True),
    ],
)
def test_a_difference_is_seen_if_its_interval_leaves_out_zero(low, value, high, seen, same):
    one = Estimate(1.0, 1.0, 1.0, 0.95)
    found = Difference("mean", "s", one, one, Estimate(value, low, high, 0.95), one, None)
    assert (found.seen, found.same) == (seen, same)


def test_without_an_error_it_is_certain_which_is_larger():
    assert [_above_zero(each, 0.0, 3) for each in (-2.0, 0.0, 2.0)] == [0.0, 0.5, 1.0]
    assert math.isnan(_above_zero(math.nan, 0.0, 3))
    assert [_above_zero(each, 2.0, 3) for each in (-1.0, 0.0, 1.0)] == pytest.approx(t.cdf([-0.5, 0.0, 0.5], 3))


def draw(kind, a, b):
    return Drawn(JointDraw(kind, {}, {}), a and {"mean": a}, b and {"mean": b})


def test_spread_by_parameters_is_the_root_mean_square_over_joint_and_separate_draws():
    """From 1 and 2: B - A moves by 3, 4, -1, -5, B / A to 5/1, 6/1, 1/1 and 4/8; the last is drawn apart."""
    draws = [draw("both", 1.0, 5.0), draw("both", 1.0, 6.0), draw("both", 1.0, 1.0), draw("b", 8.0, 4.0)]
    found = spread("mean", draw("both", 1.0, 2.0), draws)
    assert found.difference == pytest.approx((math.sqrt(1.0 + 25.0), math.sqrt((9.0 + 16.0) / 2.0)))
    down, up = (1.0, 4.0), (2.5, 3.0)
    low, high = ([math.log(each) ** 2 for each in side] for side in (down, up))
    assert found.log_ratio == pytest.approx((math.sqrt(math.log(2.0) ** 2 + low[1]), math.sqrt(sum(high) / 2.0)))
    assert found.known
    lost = spread("mean", draw("both", 1.0, 2.0), [*draws, draw("b", None, 4.0)])
    assert (lost.difference, lost.known) == (found.difference, False)
    assert not spread("mean", draw("both", 1.0, None), draws).known


def test_both_cases_are_drawn_one_after_the_other(monkeypatch):
    shares = []
    monkeypatch.setattr("sim.decision.spread.answers_under", lambda *given: given)
    a, b = (SimpleNamespace(case=f"case {name}", result=f"result {name}") for name in "ab")
    found = drawn(a, b, JointDraw("both", {"x": 1.0}, {"x": 2.0}), shares.append)
    assert (found.a, found.b) == (("case a", {"x": 1.0}, "result a"), ("case b", {"x": 2.0}, "result b"))
    assert shares == [0.0, 0.5]
