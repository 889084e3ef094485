"""The probability of keeping a goal, where a normal table says what it is."""

from __future__ import annotations

import math

import pytest

from sim.decision.goals import Goal
from sim.decision.probability import probability
from sim.engine.statistics.estimates import Estimate, point
from sim.prediction.uncertainty import PredictionInterval

LEAST = Goal("throughput>=100", "throughput", at_least=True, limit=100.0, unit="1/s")
MOST = Goal("mean<=100s", "mean", at_least=False, limit=100.0, unit="s")


def estimate(value, share):
    """A value with the 95 % interval of a normal logarithm whose standard deviation is ``share``."""
    return Estimate(value, value * math.exp(-1.959964 * share), value * math.exp(1.959964 * share), 0.95)


@pytest.mark.parametrize(("deviations", "share"), [(0.0, 0.5), (1.0, 0.841345), (-2.0, 0.022750)])
def test_simulation_noise_alone(deviations, share):
    value = 100.0 * math.exp(deviations * 0.02)
    assert probability(LEAST, estimate(value, 0.02)) == pytest.approx(share, abs=1e-4)
    assert probability(MOST, estimate(value, 0.02)) == pytest.approx(1.0 - share, abs=1e-4)


def test_parameters_and_noise_add_up_as_independent():
    """0.03 and 0.04 make 0.05."""
    value = 100.0 * math.exp(0.05)
    band = PredictionInterval(value * math.exp(-1.6449 * 0.04), value * math.exp(1.6449 * 0.04), 0.9, 0.04, 0.0)
    assert probability(LEAST, estimate(value, 0.03), band) == pytest.approx(0.841345, abs=1e-4)


def test_only_the_side_of_the_limit_counts():
    value = 100.0 * math.exp(0.05)
    above = PredictionInterval(value, value * 9.0, 0.9, 0.0, 0.0)
    assert probability(LEAST, point(value), above) == 1.0
    below = PredictionInterval(value * math.exp(-1.6449 * 0.05), value, 0.9, 0.0, 0.0)
    assert probability(LEAST, point(value), below) == pytest.approx(0.841345, abs=1e-4)


def test_without_uncertainty_the_probability_is_zero_or_one():
    assert probability(LEAST, point(100.0)) == 1.0
    assert probability(LEAST, point(99.0)) == 0.0
    assert probability(MOST, point(0.0)) == 1.0
    assert math.isnan(probability(LEAST, point(math.nan)))


def test_an_unknown_end_gives_one_half():
    assert probability(MOST, Estimate(90.0, 80.0, math.inf, 0.95)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("low", "kept"),
    [(0.0, 0.5), (-1.0, 0.5), (math.nan, 1.0), (110.0, 1.0)],
)
def test_an_end_at_zero_gives_one_half(low, kept):
    assert probability(LEAST, Estimate(110.0, low, 120.0, 0.95)) == pytest.approx(kept)


@pytest.mark.parametrize(("low", "high", "kept"), [(0.0, 200.0, 1.0), (110.0, 110.0, 1.0), (50.0, 200.0, 0.579)])
def test_a_band_from_zero_or_of_no_width_adds_no_uncertainty(low, high, kept):
    """Else ln 1.1 of ln 2.2 over 1.645."""
    found = probability(LEAST, point(110.0), PredictionInterval(low, high, 0.9, 0.0, 0.0))
    assert found == pytest.approx(kept, abs=1e-3)


def test_limits_and_values_of_zero_are_compared_directly():
    nothing = Goal("mean<=0s", "mean", at_least=False, limit=0.0, unit="s")
    assert [probability(nothing, point(each)) for each in (-1.0, 0.0, 1.0)] == [1.0, 1.0, 0.0]
    assert [probability(LEAST, point(each)) for each in (0.0, -200.0)] == [0.0, 0.0]
