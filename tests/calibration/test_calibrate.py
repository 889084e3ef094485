"""The parts of a fit put together, on the toy whose parameters are known."""

from __future__ import annotations

import math
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest

import toy
from sim.calibration.calibrate import _spread, _values, calibrate
from sim.calibration.cross_validation import Unseen
from sim.calibration.problem import Problem
from sim.calibration.splits import folds
from sim.data.dataset import Dataset, Selection
from sim.engine.errors import InputError


def toys(name="toys", system="toy", figures=None):
    return Dataset(name=name, title="Toys", system=system, measurements=tuple(figures or toy.figures()))


def fit(*datasets, first_guesses=2, cross_validated=False, repeats=1, on_stage=lambda _stage: None):
    return calibrate(
        datasets,
        first_guesses=first_guesses,
        cross_validated=cross_validated,
        repeats=repeats,
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


def test_stages_are_reported_as_they_begin_and_the_quickest_fit_is_timed(fitted):
    calibration, stages, took_s = fitted
    assert stages == ["pilot runs", "fit 1 of 2", "fit 2 of 2", "intervals"]
    assert 0.0 < calibration.seconds <= took_s / 2


def test_figures_are_paired_with_their_predictions(fitted):
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


def test_folds_and_transfers_are_refitted_and_reported_separately(monkeypatch):
    """Folds are missed by a tenth, what a transfer holds out by three; so in both repeats."""
    asked = []

    def fit_again(problem, splits, _start, _on_stage):
        asked.append(([each.name for each in splits], problem.seed))
        off = [1.1 if each.name.startswith("cross-validation") else 1.3 for each in splits]
        return [
            Unseen(each, problem.published[list(each.held_out)] * factor, np.full(len(each.held_out), 0.1), 0)
            for each, factor in zip(splits, off, strict=True)
        ]

    for module in ("calibrate", "repeats"):
        monkeypatch.setattr(f"sim.calibration.{module}.hold_out", fit_again)
    transfer = Selection(name="many clients", setting="clients", values=("2",))
    dataset = toys(figures=toy.figures()[:6]).model_copy(update={"transfers": (transfer,)})
    fitted = fit(dataset, first_guesses=1, cross_validated=True, repeats=2).fitted
    names = [*(each.name for each in folds(range(6))), "many clients"]
    assert asked == [(names, 1), (["in sample", *names], 2)]
    assert {name: each.system.figures for name, each in fitted.errors.items()} == {
        "in sample": 6, "cross-validated": 6, "many clients": 3
    }  # fmt: skip
    assert fitted.errors["cross-validated"].system.worst == pytest.approx(0.1)
    assert fitted.errors["many clients"].system.worst == pytest.approx(0.3)
    assert fitted.repeats["many clients"] == pytest.approx((0.3, 0.3))
    assert fitted.held_out == pytest.approx({each.cell: 1.1 * each.value for each in toy.figures()[:6]})
    assert fitted.coverage == 1.0
    assert fitted.warnings == ()
