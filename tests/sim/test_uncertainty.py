"""What a fit leaves open about the parameters goes into a prediction, as far as the prediction depends on them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import toy
from sim.prediction import Choices, predict
from sim.uncertainty import bands

SCATTER = 0.05


def with_deviations(**deviations):
    """The toy, fitted: each parameter known to so many deviations of its logarithm."""
    names = ("fixed_s", "each_s", "think_s", "unseen_s")
    rows = tuple(
        tuple(max(deviations.get(row, 1e-6), 1e-6) ** 2 * (row == column) for column in names) for row in names
    )
    return toy.Toy(parameters=replace(toy.PARAMETERS, covariance=rows, scatter=SCATTER))


def band_of(system, **settings):
    return predict(system, settings).bands["throughput"]


def test_parameters_that_are_known_leave_the_scatter():
    band = band_of(with_deviations(), clients=1)
    assert band.parameters < 1e-4
    assert math.log(band.high / band.low) / 2 == pytest.approx(1.645 * SCATTER, rel=0.01)


def test_a_parameter_that_sets_the_throughput_widens_the_band_by_its_own_deviation():
    """Thirty clients keep the server always in use: throughput is 1 / service time, half of it fixed_s."""
    band = band_of(with_deviations(fixed_s=0.1, think_s=0.5), clients=30, items=1)
    assert band.parameters == pytest.approx(0.05, rel=0.5)
    assert band.parameters == pytest.approx(band_of(with_deviations(fixed_s=0.1), clients=30).parameters, rel=0.05)


def test_a_parameter_that_the_model_does_not_use_changes_nothing():
    assert band_of(with_deviations(unseen_s=1.0)).parameters < 1e-4
    assert band_of(with_deviations(unseen_s=1.0), twin=1).parameters > 0.01


def test_without_a_fit_there_is_no_band():
    assert predict(toy.Toy(), {}).bands == {}
    assert predict(toy.Toy(), {}).record()["band"] is None


def test_bands_can_be_left_out():
    system = with_deviations(fixed_s=0.1)
    assert predict(system, {}, Choices(bands=False)).bands == {}
    found = predict(system, {})
    assert bands(system, found.settings, found.result) == found.bands
