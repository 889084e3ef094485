"""Parameters that a fit determines of a system without priors: those assumed within a range."""

from __future__ import annotations

import math

import pytest

from sim.system.parameters import Parameter, Parameters

ASSUMED = Parameter("work_s", 30e-6, "s", 1e-6, 1e-3, "assumed", "a guess", likely=(15e-6, 60e-6))
CORES = Parameter("cores", 8, "1", 1, 64, "assumed", "a guess", likely=(4, 32))
FITTED = Parameter("other_s", 1e-3, "s", 1e-4, 1e-2, "fitted", "a fit")


def test_an_assumed_range_becomes_the_prior():
    """Nine of ten lie in the range, 1.645 deviations to each side; a prior has two, in its bounds."""
    found = Parameters((ASSUMED, CORES)).to_fit()
    (free,) = found.free()
    deviation = math.log(60 / 15) / 2 / 1.6449
    assert math.log(free.high / free.low) / 4 == pytest.approx(deviation, rel=1e-3)
    assert (free.name, free.value, free.likely) == ("work_s", 30e-6, None)
    assert found["cores"] == 8


def test_parameters_beside_the_free_ones_are_unchanged():
    parameters = Parameters((ASSUMED, FITTED))
    assert parameters.to_fit() is parameters


def test_a_prior_stays_within_the_bounds():
    near = Parameter("near_s", 30e-6, "s", 20e-6, 1e-3, "assumed", "a guess", likely=(20e-6, 60e-6))
    assert Parameters((near,)).to_fit().entries[0].low == 20e-6


@pytest.mark.parametrize("basis", ["derived", "assumed"])
def test_a_parameter_that_figures_measure_is_free_within_its_bounds(basis):
    large = Parameter("large_s", 2e-3, "s", 1e-4, 1e-2, basis, "arithmetic")
    other = Parameter("huge_s", 9e-3, "s", 1e-4, 1e-1, basis, "arithmetic")
    free = Parameters((FITTED, large, other)).to_fit({"large_s"}).free()
    assert [(each.name, each.low, each.high) for each in free] == [
        ("other_s", 1e-4, 1e-2),
        ("large_s", 1e-4, 1e-2),
    ]


@pytest.mark.parametrize(("basis", "high"), [("derived", math.inf), ("published", 1e-2), ("set", 1e-2)])
def test_a_parameter_without_bounds_or_with_a_source_of_its_own_stays(basis, high):
    parameters = Parameters((FITTED, Parameter("large_s", 2e-3, "s", 1e-4, high, basis, "a source")))
    assert parameters.to_fit({"large_s"}) is parameters
