"""Quantiles of Student's t distribution against SciPy's."""

from __future__ import annotations

import math

import pytest
from scipy.special import stdtr, stdtrit

from sim.engine.statistics.student_t import quantile, within

FREEDOM = (1, 2, 3, 4, 5, 29, 30, 31, 63, 1000)


@pytest.mark.parametrize("freedom", FREEDOM)
@pytest.mark.parametrize("probability", [0.5001, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999])
def test_quantiles_are_those_of_scipy(probability: float, freedom: int) -> None:
    assert quantile(probability, freedom) == pytest.approx(stdtrit(freedom, probability), rel=1e-10)


@pytest.mark.parametrize("freedom", FREEDOM)
@pytest.mark.parametrize("limit", [0.1, 1.0, 2.5, 10.0])
def test_the_share_within_a_limit_is_that_of_scipy(limit: float, freedom: int) -> None:
    assert within(limit, freedom) == pytest.approx(2.0 * stdtr(freedom, limit) - 1.0, rel=1e-12)


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    assert quantile(0.75, 1) == pytest.approx(1.0, rel=1e-13)
    assert quantile(0.975, 1) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-13)
