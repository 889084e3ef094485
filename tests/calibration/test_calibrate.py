"""The parts of a fit put together, on the toy whose parameters are known."""

from __future__ import annotations

import math
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest

import toy
from sim.calibration.calibrate import _spread, _values, calibrate
from sim.calibration.problem import Problem
from sim.data.dataset import Dataset
from sim.errors import InputError


def toys(name="toys", system="toy", figures=None):
    return Dataset(name=name, title="Toys", system=system, measurements=tuple(figures or toy.figures()))


def fit(*datasets, first_guesses=2, cross_validated=False, on_stage=lambda _stage: None):
    return calibrate(
        datasets,
        first_guesses=first_guesses,
        cross_validated=cross_validated,
        workers=None,
        command="fit",
        on_stage=on_stage,
        system=toy.TOY,
    )


@pytest.fixture(scope="module")
def fitted():
    stages, begun = [], perf_counter()
    return fit(toys(), on_stage=stages.append), stages, perf_counter() - begun


def test_a_fit_finds_the_parameters_that_made_the_figures(fitted):
    calibration, _, _ = fitted
    for name, truth in toy.TRUTH.items():
        value = calibration.fitted.parameters[name]
        assert value.value == pytest.approx(truth, rel=0.1)
        assert value.low < truth < value.high
        assert not value.at_prior
    assert calibration.fitted.parameters["unseen_s"].at_prior
    assert max(calibration.spread[:3]) < 1.1


def test_stages_are_told_as_they_begin_and_the_quickest_fit_is_timed(fitted):
    calibration, stages, took_s = fitted
    assert stages == ["pilot runs", "fit 1 of 2", "fit 2 of 2", "intervals"]
    assert 0.0 < calibration.seconds <= took_s / 2


def test_figures_stand_beside_what_is_predicted_of_them(fitted):
    calibration, _, _ = fitted
    shown = calibration.fitted.figures
    assert len(shown) == len(toy.CONDITIONS)
    assert calibration.fitted.cells == tuple(figure.cell for figure in toy.figures())


def test_datasets_of_two_systems_are_refused():
    with pytest.raises(InputError, match="systems other and toy; fit those of one system at a time"):
        fit(toys(), toys(system="other"))


def test_a_problem_that_is_sent_to_another_process_has_simulated_nothing():
    problem = Problem(toy.TOY, toy.figures())
    problem.simulated, problem.first_lengths = 7, (None,) * len(toy.CONDITIONS)
    assert (problem.alone().simulated, problem.simulated) == (0, 7)
    assert problem.alone().first_lengths is problem.first_lengths


def test_a_spread_is_of_the_fits_that_ended_within_a_unit_of_the_best():
    ended = [(1.0, (0.0, 1.0)), (2.0, (0.5, 0.7)), (2.01, (9.0, 9.0))]
    solutions = [SimpleNamespace(cost=cost, point=np.array(point)) for cost, point in ended]
    assert _spread(solutions, solutions[0]) == pytest.approx((math.exp(0.5), math.exp(0.3)))


def test_a_parameter_at_a_bound_is_not_left_at_its_prior():
    problem = Problem(toy.TOY, toy.figures())
    point, confidence = problem.centre.copy(), SimpleNamespace(at_prior=[True, True, False, False])
    point[:3:2] = problem.low[:3:2]
    found = _values(problem, SimpleNamespace(point=point), confidence, [(1e-9, 1e9)] * 4).values()
    assert [each.at_prior for each in found] == [False, True, False, False]
    assert [each.at_bound for each in found] == [True, False, True, False]
    assert {(each.low, each.high) for each in found} == {(1e-9, 1e9)}
