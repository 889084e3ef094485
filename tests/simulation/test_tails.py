"""Moments of service times, and how many of them tell a mean, by hand."""

from __future__ import annotations

import math

import pytest

from sim import (
    Closed,
    Constant,
    Delay,
    Empirical,
    Exponential,
    Gamma,
    Hold,
    Lock,
    Lognormal,
    Model,
    Open,
    PerItem,
    Poisson,
    Station,
    Use,
)
from sim.engine.simulation.tails import kurtosis_of, min_completions, skewness

FOUR = Empirical([1e-3, 1e-3, 1e-3, 3e-3])


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (Constant(1.0), 1.0),
        (Exponential(1e-3), 6.0),
        (PerItem(Exponential(1e-3), 1.0), 6.0),
        (Lognormal(1e-3, 2.0), 5.0**4),
        (Gamma(1e-3, 0.5), 6 * 7 / (4 * 5)),
        (FOUR, 84 * 4 / 12**2),
        (Empirical([0.0, 0.0]), 1.0),
    ],
)
def test_the_kurtosis_of_a_time(time, expected):
    assert kurtosis_of(time) == pytest.approx(expected)


def test_the_skewness_of_recorded_times():
    """Of p = 1/4: (1 - 2 p) / √(p (1 - p)), whatever the unit."""
    assert skewness(FOUR) == pytest.approx(2 / math.sqrt(3))
    assert skewness(Empirical([2.0, 2.0])) == 0.0


@pytest.mark.parametrize(
    ("path", "kurtosis"),
    [
        (Delay(Exponential(1.0)), 1.0),
        ([Use(Station("s"), Exponential(1.0)), Use(Station("s"), FOUR)], 6.0),
        ([Use(Station("s"), FOUR), Hold(Lock("l").exclusive, Delay(Exponential(1.0)))], 6.0),
    ],
)
def test_rare_long_holders_demand_more_completions(path, kurtosis):
    model = Model([Open("o", Poisson(0.1), path)])
    assert min_completions(model, 0.05) == pytest.approx((kurtosis - 1.0) * (1.959964 / 0.05) ** 2)
    assert min_completions(Model([Closed("c", 1, path)]), 0.05) == 0.0
