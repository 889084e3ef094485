"""The probability of keeping a goal, where a normal table says what it is."""

from __future__ import annotations

import math

import pytest

from sim.decision.goals import Goal
from sim.decision.probability import probability
from sim.prediction.uncertainty import PredictionInterval
from sim.statistics.estimates import Estimate, point

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


def test_the_side_on_which_the_limit_lies_counts():
    value = 100.0 * math.exp(0.05)
    above = PredictionInterval(value, value * 9.0, 0.9, 0.0, 0.0)
    assert probability(LEAST, point(value), above) == 1.0
    below = PredictionInterval(value * math.exp(-1.6449 * 0.05), value, 0.9, 0.0, 0.0)
    assert probability(LEAST, point(value), below) == pytest.approx(0.841345, abs=1e-4)


def test_without_any_doubt_it_is_kept_or_not():
    assert probability(LEAST, point(100.0)) == 1.0
    assert probability(LEAST, point(99.0)) == 0.0
    assert probability(MOST, point(0.0)) == 1.0
    assert math.isnan(probability(LEAST, point(math.nan)))


def test_an_end_that_is_not_known_leaves_it_open():
    assert probability(MOST, Estimate(90.0, 80.0, math.inf, 0.95)) == pytest.approx(0.5)
