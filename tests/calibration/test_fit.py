"""A fit finds what is known, says what it cannot know, and its bands hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import toy
from sim import InputError
from sim.calibration.confidence import certainty, profile
from sim.calibration.cross_validation import cross_validate, errors
from sim.calibration.design import advise
from sim.calibration.problem import PRIOR_DEVIATIONS, Problem
from sim.calibration.solve import Solution, solve, starts
from sim.calibration.splits import folds

NAMES = ("fixed_s", "each_s", "think_s", "unseen_s")


@pytest.fixture(scope="module")
def problem():
    return Problem(toy.TOY, toy.figures())


@pytest.fixture(scope="module")
def solution(problem):
    return solve(problem, range(len(problem.figures)), problem.centre)


def test_the_simulation_of_an_evaluation_is_the_closed_form(problem):
    point = np.log([toy.TRUTH.get(name, 1e-3) for name in NAMES])
    (predicted,) = problem.predict([point])
    assert predicted == pytest.approx([figure.value for figure in toy.figures()], rel=2e-3)


def test_figures_without_noise_give_the_parameters_back(problem, solution):
    found = problem.values(solution.point)
    for name, value in toy.TRUTH.items():
        assert found[name] == pytest.approx(value, rel=0.1), name
    assert errors(solution.predicted, problem.published).worst < 0.01


def test_every_start_ends_at_the_same_place(problem, solution):
    for start in starts(problem, 4)[1:]:
        again = solve(problem, range(len(problem.figures)), start)
        assert np.exp(again.point[:3] - solution.point[:3]) == pytest.approx(np.ones(3), rel=0.05)


def test_a_parameter_that_no_figure_is_about_stays_at_its_prior(problem, solution):
    known = certainty(problem, solution)
    assert known.at_prior == [False, False, False, True]
    assert solution.point[3] == pytest.approx(problem.centre[3], abs=1e-3)
    low, high = np.exp(profile(problem, solution, 3) - problem.centre[3])
    assert low < 0.4
    assert high > 2.5


def test_intervals_hold_the_truth_and_are_narrow(problem, solution):
    for index, name in enumerate(NAMES[:3]):
        low, high = np.exp(profile(problem, solution, index))
        assert low <= toy.TRUTH[name] * 1.01
        assert high >= toy.TRUTH[name] * 0.99
        assert high / low < 4.0  # of 16, the width of the prior


class Line:
    """Residuals that are exactly linear: what theory says of them is known."""

    def __init__(self, slopes, data):
        self.published, self.weights = np.ones(len(data)), np.ones(len(data))
        self.low, self.high = np.full(slopes.shape[1], -50.0), np.full(slopes.shape[1], 50.0)
        self.prior_weights = PRIOR_DEVIATIONS / (self.high - self.low)
        self.centre = np.zeros(slopes.shape[1])

    def residuals(self, predicted, seen):
        return np.log(predicted)[list(seen)] if len(predicted) != len(seen) else np.log(predicted)

    def pull(self, point):
        return (point - self.centre) * self.prior_weights


def test_the_profile_of_a_line_is_the_interval_of_the_normal_distribution():
    generator = np.random.default_rng(3)
    slopes = generator.standard_normal((400, 2))
    data = 0.01 * generator.standard_normal(400)
    line = Line(slopes, data)
    best = Solution(np.zeros(2), 0.0, tuple(range(400)), np.exp(data), slopes, ())
    cost = float((np.sqrt(1 + data**2) - 1).sum())
    low, high = profile(line, replace(best, cost=cost), 0)
    deviation = math.sqrt(np.linalg.inv(slopes.T @ slopes + np.diag(line.prior_weights**2))[0, 0])
    assert (high - low) / 2 == pytest.approx(1.96 * deviation, rel=0.02)


def test_cross_validation_predicts_every_figure_without_having_seen_it(problem):
    held = cross_validate(problem, lambda _text: None)
    assert sorted(held.predicted) == list(range(len(problem.figures)))
    off = errors(np.array([held.predicted[each] for each in range(len(problem.figures))]), problem.published)
    assert off.worst < 0.05
    assert held.coverage(problem.published) == 1.0


def test_a_figure_that_nothing_explains_does_not_drag_the_others_along():
    spoiled = toy.figures()
    spoiled[4] = toy.figure(4, spoiled[4].value * 2, clients=2, items=2)
    problem = Problem(toy.TOY, spoiled)
    solution = solve(problem, range(len(spoiled)), problem.centre)
    others = [index for index in range(len(spoiled)) if index != 4]
    assert errors(solution.predicted[others], problem.published[others]).median < 0.03
    assert solution.predicted[4] / problem.published[4] < 0.6


def test_advice_is_to_measure_the_unknown_parameter():
    seen = [*toy.figures()[:6], toy.figure(99, 30.0, clients=1, items=1, second=1)]
    problem = Problem(toy.TOY, seen)
    open_twin = np.diag([1e-4, 1e-4, 1e-4, 1.0])
    first, *_ = advise(problem, problem.centre, open_twin, 0.05)
    assert dict(first.shown)["second"] == "1"
    assert first.after < first.before


def test_nothing_to_fit_or_to_fit_to_is_refused():
    fixed = replace(toy.PARAMETERS, entries=toy.PARAMETERS.entries[-1:])
    with pytest.raises(InputError, match="no parameter to fit"):
        Problem(replace(toy.TOY, parameters=fixed), toy.figures())
    with pytest.raises(InputError, match="no figure to fit"):
        Problem(toy.TOY, [])


def test_answers_of_one_run_are_held_out_together():
    runs = [0, 0, 0, 1, 1, 2, 3, 3, 0]
    for fold in folds(runs, most=3):
        assert not {runs[index] for index in fold.seen} & {runs[index] for index in fold.held_out}


@pytest.mark.parametrize("count", [2, 8, 9, 72])
def test_folds_hold_every_figure_out_once(count):
    made = folds(range(count))
    assert sorted(index for fold in made for index in fold.held_out) == list(range(count))
    for fold in made:
        assert sorted(fold.seen + fold.held_out) == list(range(count))
