"""Fits are repeatable: they share nothing, and repeats show how far their errors are chance."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

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
from sim.engine.simulation.fixed_length import RunLength
from sim.engine.statistics.estimates import point
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


def test_models_the_analytic_engine_cannot_solve_give_nan(problem, monkeypatch):
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


@pytest.mark.parametrize("processes", [1, 2, 3, 9])
def test_models_are_distributed_to_processes_and_answers_come_back_in_order(processes, monkeypatch):
    """Four models, of which that with two clients is asked for two answers; the third cannot be solved."""
    figures = [toy.figure(row, 1.0, clients=clients, items=1) for row, clients in enumerate((1, 2, 8, 30))]
    figures.insert(2, figures[1].model_copy(update={"measure": "mean", "unit": "s"}))
    problem, dealt = Problem(toy.TOY, figures), []
    problem.processes = processes

    def solve(tasks, points):
        dealt.append([dict(task.settings)["clients"] for task in tasks])
        return [
            None if clients == 8 else [tuple(clients + len(each) / 10 for each in task.measures) for _ in points]
            for task, clients in zip(tasks, dealt[-1], strict=True)
        ]

    monkeypatch.setattr("sim.calibration.problem.computed", solve)
    found = problem.compute([problem.centre] * 2, [4, 3, 2, 1])
    assert found == pytest.approx(np.array([[31.0, math.nan, 2.4, 3.0]] * 2), nan_ok=True)
    clients = [2, 8, 30]
    assert dealt == [clients[first::processes] for first in range(min(processes, 3))]
    assert problem.runs == [0, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("precision", "asked", "narrowed", "without", "share"),
    [
        (0.02, 0.02, False, None, 1.0),
        (0.9, 0.5, False, None, 1.0),
        (1e-6, 1e-4, False, None, 1.0),
        (0.02, 0.02, True, 0.06, 9.0),
        (0.02, 0.02, True, 0.01, 1.0),
    ],
)
def test_run_length_follows_the_pilot_and_the_square_of_the_width_without_controls(
    precision, asked, narrowed, without, share, monkeypatch
):
    """An interval three times as wide takes nine times as long."""
    said = {}

    def pilot_run(_model, **options):
        said.update(options)
        group = SimpleNamespace(narrowed={"throughput": 0.5} if narrowed else {})
        return SimpleNamespace(elapsed=None, warmup_s=1.0, measured_s=2.0, watched="load", groups={"load": group})

    def fixed(_model, watch, length, seed):
        assert (watch, length, seed) == ("load", RunLength(10**9, 2 * 10**9), 5)
        answers = {"throughput": SimpleNamespace(precision=without)}
        return SimpleNamespace(watched="load", groups={"load": SimpleNamespace(answers=answers)})

    monkeypatch.setattr(evaluate, "simulate", pilot_run)
    monkeypatch.setattr(evaluate, "run_for", fixed)
    task = Task(toy.TOY, tuple(toy.asked(clients=2).items()), {}, ("throughput",), seed=5)
    assert evaluate.pilot(task, precision) == RunLength(10**9, round(share * 2e9))
    assert said == {"seed": 5, "precision": pytest.approx(asked), "watch": "load", "answers": ("throughput",)}


def test_run_length_is_that_of_the_slowest_answer(monkeypatch):
    lengths = {"throughput": RunLength(5, 10), "mean": RunLength(1, 30), "p99": None}
    monkeypatch.setattr(evaluate, "_length", lambda _scenario, answer, _precision, _seed: lengths[answer])
    task = Task(toy.TOY, tuple(toy.asked(clients=2).items()), {}, ("iops", "mean", "p99"))
    assert evaluate.pilot(task, 0.02) == lengths["mean"]
    assert evaluate.pilot(replace(task, measures=("iops",)), 0.02) == lengths["throughput"]
    assert evaluate.pilot(replace(task, measures=("p99",)), 0.02) is None
