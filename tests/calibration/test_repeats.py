"""What is found once is found again: fits share nothing, and repeats say how far their errors are chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import toy
from sim import Closed, Exponential, Model, ModelError, Use
from sim.calibration import evaluate
from sim.calibration.cross_validation import Unseen, hold_out
from sim.calibration.evaluate import Task, computed, run
from sim.calibration.problem import Problem
from sim.calibration.repeats import repeats_of
from sim.calibration.solve import solve, starts
from sim.calibration.splits import Split, folds
from sim.statistics.estimates import point
from sim.system import Measure, System


def noisy(settings, parameters):
    """The toy, with times that vary: other random numbers give other answers."""
    scenario = toy.build(settings, parameters)
    (load,) = scenario.model.workloads
    path = [Use(step.station, Exponential(step.time.mean)) for step in load.path]
    varied = Closed("load", clients=load.clients, path=path, think=load.think)
    return replace(scenario, model=Model([varied]))


NOISY = replace(toy.TOY, build=noisy)
SPLITS = [Split("few", (0, 3, 5), (1, 4)), Split("many", (0, 1, 2, 3), (5,))]


def made():
    return Problem(NOISY, toy.figures()[:6], scatter={"toys": 0.4})


@pytest.fixture
def problem():
    return made()


def answers(unseen):
    return {each.split.name: (each.predicted.tolist(), each.deviations.tolist()) for each in unseen}


def test_the_order_of_fits_changes_no_bit_of_them(problem):
    """In one process and one problem; lengths that one fit had found would change the runs of the next."""
    forth = answers(hold_out(problem, SPLITS, problem.centre, lambda _: None))
    solve(problem, range(6), problem.centre)
    back = answers(hold_out(problem, SPLITS[::-1], problem.centre, lambda _: None))
    again = answers(hold_out(made(), SPLITS[1:], problem.centre, lambda _: None))
    assert forth == back
    assert again["many"] == forth["many"]


def test_other_seeds_give_other_answers_and_the_same_seed_the_same(problem):
    (first,), (other,), (same,) = (problem.seeded(seed).predict([problem.centre]) for seed in (1, 2, 1))
    assert first.tolist() == same.tolist() == problem.predict([problem.centre])[0].tolist()
    assert first.tolist() != other.tolist()
    assert first == pytest.approx(other, rel=0.3)


def test_a_repeat_has_a_seed_and_a_first_guess_of_its_own(problem, monkeypatch):
    begun = []

    def fit(problem, splits, start, _on_stage):
        """As many per cent too high as the seed says, and in the split ``few`` twice as many."""
        begun.append((problem.seed, start.tolist()))
        high = [1.0 + 0.01 * problem.seed * (2.0 if each.name == "few" else 1.0) for each in splits]
        return [
            Unseen(each, problem.published[list(each.held_out)] * factor, np.zeros(len(each.held_out)), 0)
            for each, factor in zip(splits, high, strict=True)
        ]

    monkeypatch.setattr("sim.calibration.repeats.hold_out", fit)
    first, stages = {"in sample": 0.5, "cross-validated": 0.25, "few": 0.125}, []
    found = repeats_of(problem, first, 3, folds(problem.runs), SPLITS[:1], stages.append)
    assert begun == [(seed, start.tolist()) for seed, start in zip((2, 3), starts(problem, 3)[1:], strict=True)]
    assert stages == ["repeat 2 of 3", "repeat 3 of 3"]
    assert found["in sample"] == pytest.approx((0.5, 0.02, 0.03))
    assert found["cross-validated"] == pytest.approx((0.25, 0.02, 0.03))
    assert found["few"] == pytest.approx((0.125, 0.04, 0.06))


def test_a_model_that_a_parameter_does_not_change_is_not_run_again(monkeypatch):
    """But its answers are read again: a measure may depend on what the model does not."""
    runs = []

    def build(settings, parameters):
        scenario = toy.build(settings, parameters)
        return replace(scenario, measures={"twice": Measure("1/s", lambda _: point(2.0 * parameters.unseen_s))})

    system = System("toy", "a toy", toy.TOY.settings, toy.PARAMETERS, build)
    task = Task(system, tuple(toy.asked(clients=2).items()), {}, ("throughput", "twice"))
    points = [{}, {"unseen_s": 2e-3}, {"think_s": 2e-2}]
    monkeypatch.setattr(
        evaluate, "run_for", lambda *args, original=evaluate.run_for: runs.append(args[0]) or original(*args)
    )
    for first, second, third in (run(replace(task, length=None), points), *computed([task], points)):
        assert first[0] == second[0] != third[0]
        assert (first[1], second[1]) == pytest.approx((2e-3, 4e-3))
    assert len(runs) == 2


def test_what_the_analytic_engine_cannot_solve_is_not_known(problem, monkeypatch):
    def refuse(_folded):
        raise ModelError("no")

    monkeypatch.setattr("sim.calibration.evaluate.solved", refuse)
    assert np.isnan(problem.compute([problem.centre], [0, 1])).all()
    solution = solve(problem, range(6), problem.centre)
    assert solution.predicted == pytest.approx(problem.published, rel=0.3)


def test_every_fold_is_fitted_from_the_start_that_it_is_given(problem, monkeypatch):
    begun = []
    monkeypatch.setattr(
        "sim.calibration.cross_validation._without",
        lambda split, opening: begun.append((split, opening.point.tolist())) or Unseen(split, None, None, 7),
    )
    hold_out(problem, folds(problem.runs), problem.centre + 0.1, lambda _: None)
    assert begun == [(fold, (problem.centre + 0.1).tolist()) for fold in folds(problem.runs)]
    assert problem.simulated == len(problem.first_lengths) + 7 * len(begun)
