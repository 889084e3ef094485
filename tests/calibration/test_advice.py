"""Next measurements, by values worked out by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import toy
from sim.calibration import design
from sim.calibration.design import (
    MAX_CANDIDATES,
    STEP,
    _apart,
    _candidates,
    _mean_deviation,
    _slopes,
    _updated,
    advise,
)
from sim.calibration.problem import Problem
from sim.engine.simulation.fixed_length import RunLength
from sim.system import find


@dataclass
class Measured:
    """All that is looked at for candidates."""

    settings: list[dict[str, int]]


@pytest.fixture(scope="module")
def problem():
    return Problem(toy.TOY, [toy.figure(1, 40.0, clients=1, items=1), toy.figure(2, 80.0, clients=30, items=2)])


def test_candidates_are_the_crossings_that_were_not_measured(problem):
    assert [tuple(each.values()) for each in _candidates(problem)] == [(1, 2, 0), (30, 1, 0)]


def test_many_crossings_are_thinned_out_evenly():
    found = _candidates(Measured([{"clients": number, "items": number} for number in range(8)]))
    assert len(found) == 19
    assert len(found) <= MAX_CANDIDATES
    assert [tuple(each.values()) for each in found[:3]] == [(0, 1), (0, 4), (0, 7)]


def test_where_all_was_measured_it_can_be_measured_again():
    settings = [{"clients": 1, "items": 2}, {"clients": 3, "items": 2}]
    assert _candidates(Measured(settings)) == settings


def test_one_of_several_equal_models_is_proposed():
    """A file for each job, or one for all, is the same to one job."""
    jobs = [{"jobs": number, "files": files} for number in (1, 2) for files in ("each", "shared")]
    assert _apart(find("nvme-xfs"), jobs) == [jobs[0], jobs[2], jobs[3]]


def test_slopes_are_those_of_the_closed_form(problem, monkeypatch):
    """Thirty clients keep the server always in use: throughput is 1 / (fixed_s + each_s)."""
    seconds = RunLength(warmup_ns=10**8, measured_ns=2 * 10**11)  # one request more or less hardly counts
    monkeypatch.setattr(design, "pilot", lambda _task, _precision: seconds)
    found = _slopes(problem, problem.centre, [{"clients": 30, "items": 1, "second": 0}], "throughput")
    assert found.shape == (1, 4)
    assert found[0, :2] == pytest.approx(-math.log((math.exp(STEP) + 1) / 2) / STEP, rel=1e-3)
    assert found[0, 2:] == pytest.approx(0.0, abs=1e-3)


def test_measurement_narrows_its_own_parameter():
    """Of variance 1 and a measurement of variance 1/4, a fifth stays; the other parameter is as open as before."""
    found = _updated(np.diag([1.0, 2.0]), np.array([1.0, 0.0]), 0.5)
    assert found == pytest.approx(np.diag([0.2, 2.0]))
    together = _updated(np.diag([1.0, 1.0]), np.array([1.0, 1.0]), 0.0)
    assert together == pytest.approx(np.array([[0.5, -0.5], [-0.5, 0.5]]))


def test_predictions_are_known_by_the_mean_of_their_deviations():
    slopes = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert _mean_deviation(slopes, np.diag([0.09, 0.04])) == pytest.approx((0.3 + 0.4) / 2)


def test_the_advice_lowers_the_mean_deviation_step_by_step(problem):
    covariance, scatter = np.diag([0.04, 0.04, 0.01, 1.0]), 0.05
    first, second = advise(problem, problem.centre, covariance, scatter)
    slopes = _slopes(problem, problem.centre, _candidates(problem), "throughput")
    options = [_updated(covariance, slope, scatter) for slope in slopes]
    best = int(np.argmin([_mean_deviation(slopes, each) for each in options]))
    assert first.shown == (("clients", ("1", "30")[best]), ("items", ("2", "1")[best]), ("second", "0"))
    assert first.before == pytest.approx(_mean_deviation(slopes, covariance))
    assert first.after == second.before == pytest.approx(_mean_deviation(slopes, options[best]))
    assert second.after < second.before
