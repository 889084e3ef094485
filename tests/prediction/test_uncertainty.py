"""Uncertainty that a fit leaves in parameters enters a prediction as far as it depends on them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import toy
from sim.engine.statistics.estimates import point
from sim.prediction import predict
from sim.prediction.misses import next_miss
from sim.prediction.uncertainty import _fitted_draws, _Moved, furthest, mirrored_points, prediction_intervals
from sim.system import Measure
from sim.system.parameters import DEVIATIONS, Parameters

SCATTER = 0.05
UNTESTED = SCATTER * 2.920 / 1.6449
"""Half-width, in deviations, of a fit that was held against nothing: Student's t of two degrees of freedom."""

NAMES = ("fixed_s", "each_s", "think_s", "unseen_s")


def with_deviations(**deviations):
    """The toy, fitted: each parameter known to so many deviations of its logarithm."""
    rows = tuple(
        tuple(max(deviations.get(row, 1e-6), 1e-6) ** 2 * (row == column) for column in NAMES) for row in NAMES
    )
    return replace(toy.TOY, parameters=replace(toy.PARAMETERS, covariance=rows, scatter=SCATTER))


def interval_of(system, **settings):
    return predict(system, settings).intervals["throughput"]


def test_parameters_that_are_known_leave_the_scatter():
    interval = interval_of(with_deviations(), clients=1)
    assert interval.parameters < 1e-4
    assert math.log(interval.high / interval.low) / 2 == pytest.approx(1.645 * UNTESTED, rel=0.01)


def test_a_parameter_that_sets_the_throughput_widens_the_band_by_its_own_deviation():
    """Thirty clients keep the server always in use: throughput is 1 / service time, half of it fixed_s."""
    interval = interval_of(with_deviations(fixed_s=0.1, think_s=0.5), clients=30, items=1)
    assert interval.parameters == pytest.approx(0.05, rel=0.5)
    assert interval.parameters == pytest.approx(
        interval_of(with_deviations(fixed_s=0.1), clients=30).parameters, rel=0.05
    )


def test_a_parameter_that_the_model_does_not_use_changes_nothing():
    assert interval_of(with_deviations(unseen_s=1.0)).parameters < 1e-4
    assert interval_of(with_deviations(unseen_s=1.0), second=1).parameters > 0.01


def test_model_error_remains_when_all_parameters_are_certain():
    """A user who sets every parameter knows these, and not what the model leaves out."""
    band = predict(toy.TOY, {}).intervals["throughput"]
    assert band.parameters == band.ranges == 0.0
    assert math.log(band.high / band.low) == pytest.approx(2.0 * DEVIATIONS * band.missed)
    assert band.missed == pytest.approx(next_miss({}, 0.0, "throughput"))


def test_a_system_without_parameters_has_no_band():
    system = replace(
        toy.TOY,
        parameters=Parameters(()),
        build=lambda settings, _: toy.TOY.build(settings, toy.TOY.parameters.values),
    )
    assert predict(system, {}).intervals == {}
    assert predict(system, {}).record()["band"] is None


def test_bands_can_be_left_out():
    system = with_deviations(fixed_s=0.1)
    assert predict(system, {}, intervals=False).intervals == {}
    prediction = predict(system, {})
    assert prediction_intervals(prediction.case, prediction.result) == prediction.opened


def drawn(covariance):
    """Logarithms of the parameters drawn, as shares of their values, shape (draws, 4)."""
    points = list(_fitted_draws(replace(toy.PARAMETERS, covariance=covariance)))
    return np.log([[point[name] / toy.PARAMETERS[name] for name in NAMES] for point in points])


def standard():
    """Eight standard normal points of four coordinates, each scaled to a variance of exactly one."""
    points = np.random.Generator(np.random.PCG64(0)).standard_normal((8, 4))
    return points / np.sqrt((points * points).mean(axis=0))


def test_points_are_drawn_with_their_covariance():
    """(0.04, 0.02; 0.02, 0.02) has the root (0.2, 0; 0.1, 0.1), and not its mirror image."""
    covariance = ((0.04, 0.02, 0.0, 0.0), (0.02, 0.02, 0.0, 0.0), (0.0, 0.0, 0.01, 0.0), (0.0, 0.0, 0.0, 0.09))
    first, second, third, fourth = standard().T
    expected = np.array([0.2 * first, 0.1 * first + 0.1 * second, 0.1 * third, 0.3 * fourth]).T
    assert drawn(covariance) == pytest.approx(np.vstack([expected, -expected]))


def test_where_a_fit_kept_draws_these_are_taken():
    kept = tuple(tuple(share * toy.PARAMETERS[name] for name in NAMES) for share in (0.9, 1.1))
    covariance = tuple(tuple(0.01 * (row == column) for column in range(4)) for row in range(4))
    points = list(_fitted_draws(replace(toy.PARAMETERS, covariance=covariance, draws=kept)))
    assert points == [dict(zip(NAMES, each, strict=True)) for each in kept]


def test_points_stay_within_the_bounds():
    found = drawn(tuple(tuple(9.0 * (row == column) for column in range(4)) for row in range(4)))
    assert (found.min(), found.max()) == pytest.approx((-math.log(4), math.log(4)))


def test_band_equals_draws_and_scatter_by_value():
    """Thirty clients: throughput is 1 / (fixed_s + each_s), and nothing varies."""
    interval = interval_of(with_deviations(fixed_s=0.1), clients=30, items=1)
    logs, mirrored = (np.log(2 / (1 + np.exp(side * 0.1 * standard()[:, 0]))) for side in (1, -1))
    expected = math.sqrt(float(np.concatenate([logs, mirrored]) @ np.concatenate([logs, mirrored])) / 16)
    assert interval.parameters == pytest.approx(expected, rel=0.02)
    assert (interval.scatter, interval.confidence) == (SCATTER, 0.9)
    value = predict(with_deviations(fixed_s=0.1), {"clients": 30, "items": 1}).throughput.value
    for end, side in ((interval.low, -1), (interval.high, 1)):
        shifts = [side * log for log in (*logs, *mirrored) if side * log > 0.0]
        reach = 1.6449 * max(math.sqrt(sum(log**2 for log in shifts) / 8), max(shifts) / furthest(4))
        assert side * math.log(end / value) == pytest.approx(math.hypot(reach, 1.6449 * UNTESTED), rel=0.01)


def idle(system):
    """Answers that are 0 always, where fixed_s is longer than fitted, and in all draws but the least."""
    shortest_s, fitted_s = (
        min(point["fixed_s"] for point in _fitted_draws(system.parameters)),
        toy.PARAMETERS["fixed_s"],
    )

    def build(settings, parameters):
        fixed_s = parameters.fixed_s
        told = {
            "idle": 0.0,
            "seldom": float(fixed_s <= fitted_s),
            "once": fixed_s if fixed_s in (fitted_s, shortest_s) else 0.0,
        }
        measures = {name: Measure("1", partial(_always, value)) for name, value in told.items()}
        return replace(toy.build(settings, parameters), measures=measures)

    return replace(system, build=build)


def _always(value, _result):
    return point(value)


def test_an_answer_of_nothing_has_no_deviation():
    fitted = with_deviations(fixed_s=0.1)
    intervals = predict(idle(fitted), {"clients": 30}).intervals
    idle_of, seldom = intervals["idle"], intervals["seldom"]
    assert (idle_of.low, idle_of.high, idle_of.parameters) == (0.0, 0.0, 0.0)
    assert seldom.low < 1.0 < seldom.high
    assert seldom.parameters == 0.0
    shortest_s = min(point["fixed_s"] for point in _fitted_draws(fitted.parameters))
    assert intervals["once"].parameters == pytest.approx(math.log(toy.PARAMETERS["fixed_s"] / shortest_s))


@pytest.mark.parametrize("noise", [1e-6, -1e-6])
def test_draws_that_change_nothing_do_not_narrow_a_side(noise):
    """Two of sixteen draws lower a cap; on which side noise puts the others says nothing."""
    moved = _Moved([-0.1, -0.12, *[noise] * 14], furthest=10.0)
    assert moved.reach(-1) == pytest.approx(DEVIATIONS * math.sqrt(2 * (0.1**2 + 0.12**2) / 16), rel=1e-4)
    assert moved.reach(1) == pytest.approx(0.0, abs=1e-4)


def test_an_answer_with_long_tails_reaches_as_far_as_its_furthest_draw():
    """Under one draw of eight another place limits; the root mean square alone would say 0.46."""
    assert _Moved([-0.8, *[0.0] * 15], furthest=1.8).reach(-1) == pytest.approx(DEVIATIONS * 0.8 / 1.8)


def test_an_answer_in_proportion_to_the_one_parameter_reaches_as_far_as_that():
    logs = [0.1 * float(step[0]) for step in mirrored_points(1)]
    assert _Moved(logs, furthest(1)).reach(1) == pytest.approx(DEVIATIONS * 0.1)


def test_answer_fixed_by_a_setting_has_no_band():
    """The duration of a job that ends when it is told to; its other answers have bands."""
    bands = predict("array", {"noise": "yes", "cache": "128MiB", "data": "1GiB", "seconds": 2}).intervals
    assert bands["elapsed"].low == bands["elapsed"].high
    assert bands["throughput"].low < bands["throughput"].high
