"""Every rule of a fit, by a value worked out by hand: a rule that is changed fails here."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import toy
from sim import InputError
from sim.calibration.confidence import certainty, inflation, profile, scatter
from sim.calibration.cross_validation import Held, band_deviations, compare, cross_validate, errors
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution, _Objective, differences, solve, starts
from sim.calibration.warnings import cautions, refuse_nonsense
from sim.data.dataset import Dataset, Selection
from sim.system import Parameter

T95_OF_2, T95_OF_6, NORMAL95 = 2.919986, 1.943180, 1.644854
"""Quantiles of Student's t with 2 and 6 degrees of freedom, and of the normal distribution, from tables."""


class Linear:
    """A problem whose logarithms are linear in the parameters: least squares have a closed form.

    The free parameters are called p1, p2, …, with priors from exp(-4) to exp(4): deviations of 2.
    """

    def __init__(self, slopes, measured, scatter=0.04, weights=None):
        self.slopes, self.published = np.array(slopes, dtype=float), np.exp(measured)
        count, free = self.slopes.shape
        self.figures = toy.figures()[:count] if count <= 12 else [*toy.figures(), *toy.figures()][:count]
        self.free = [
            Parameter(f"p{number + 1}", 1.0, "s", math.exp(-4), math.exp(4), "fitted", "made up")
            for number in range(free)
        ]
        self.runs = list(range(count))
        self.scatter = np.full(count, scatter)
        self.weights = np.full(count, 1.0 / scatter) if weights is None else np.array(weights, dtype=float)
        self.centre, self.low, self.high = np.zeros(free), np.full(free, -4.0), np.full(free, 4.0)
        self.prior_weights = np.full(free, 0.5)
        self.piloted, self.asked = [], 0

    pull, residuals, at_bound, values, value = (
        Problem.pull,
        Problem.residuals,
        Problem.at_bound,
        Problem.values,
        Problem.value,
    )

    def pilot(self, point):
        self.piloted.append(point)

    def predict(self, points, figures=None):
        chosen = list(range(len(self.published))) if figures is None else list(figures)
        self.asked += len(points) * len(chosen)
        return np.array([np.exp(self.slopes[chosen] @ point) for point in points])

    def closed_form(self, seen):
        """Ridge regression towards the centres of the priors."""
        weighted = self.slopes[seen] * self.weights[seen, None]
        information = weighted.T @ weighted + np.diag(self.prior_weights**2)
        return np.linalg.solve(information, weighted.T @ (np.log(self.published[seen]) * self.weights[seen]))

    def solution(self, point, seen=None, cost=0.0):
        seen = list(range(len(self.published))) if seen is None else seen
        point = np.array(point, dtype=float)
        predicted = self.predict([point], seen)[0]
        return Solution(point, cost, tuple(seen), predicted, self.slopes[seen] * self.weights[seen, None])


def few(**more):
    """Five figures within a fifth of their deviations of a plane; p3 is in none of them."""
    slopes = [[1, 0, 0], [1, 1, 0], [1, 2, 0], [0, 1, 0], [2, 1, 0]]
    return Linear(slopes, [0.108, 0.152, 0.203, 0.049, 0.253], **more)


# What is minimised.


def test_the_pull_of_a_prior_is_away_from_its_centre_in_deviations():
    problem = few()
    assert problem.pull(np.array([2.0, -1.0, 0.0])).tolist() == [1.0, -0.5, 0.0]


def test_a_prior_draws_to_its_centre_from_either_side():
    """One figure at 0.4, weight 1, and one prior of deviation 2: the answer is 0.4 / (1 + 1/4)."""
    for measured in (0.4, -0.4):
        problem = Linear([[1.0]], [measured], weights=[1.0])
        solution = solve(problem, [0], problem.centre)
        assert solution.point[0] == pytest.approx(measured / 1.25, rel=0.01)


@pytest.mark.parametrize("seen", [[0, 1, 2, 3, 4], [0, 2, 3]])
def test_a_linear_problem_ends_at_its_closed_form(seen):
    problem = few()
    solution = solve(problem, seen, np.array([0.5, -0.5, 0.5]))
    assert solution.point == pytest.approx(problem.closed_form(seen), abs=1e-3)
    assert solution.seen == tuple(seen)
    assert solution.predicted == pytest.approx(problem.predict([solution.point], seen)[0])
    assert solution.jacobian == pytest.approx(problem.slopes[seen] * 25.0, abs=1e-6)
    rest = np.concatenate([problem.residuals(solution.predicted, seen), problem.pull(solution.point)])
    assert solution.cost == pytest.approx((np.sqrt(1 + rest**2) - 1).sum(), rel=1e-6)
    assert len(problem.piloted) == 1


def test_a_near_start_with_known_slopes_takes_one_descent_and_no_differences():
    problem = few()
    best = solve(problem, range(5), problem.centre)
    problem.piloted, problem.asked = [], 0
    again = solve(problem, [0, 1, 2, 3], best.point, jacobian=best.jacobian[:4])
    assert again.point == pytest.approx(problem.closed_form([0, 1, 2, 3]), abs=1e-3)
    assert (problem.piloted, again.jacobian.tolist()) == ([], best.jacobian[:4].tolist())
    assert problem.asked < 4 * 6


@pytest.mark.parametrize(
    ("costs", "descents"),
    [([8.0, 4.0, 2.0, 1.0, 0.5], 4), ([8.0, 7.0, 6.99, 1.0], 3), ([8.0, 7.985, 1.0], 2), ([8.0, 7.9, 7.89], 3)],
)
def test_descents_follow_one_another_until_one_gains_less_than_two_in_a_thousand(monkeypatch, costs, descents):
    problem, left, calls = few(), iter(costs), []

    def descend(_walk, start, loss, max_steps):
        calls.append((loss, max_steps, start[0]))
        cost = 99.0 if loss == "linear" else next(left)
        return Solution(start + 1.0, cost, (0,), np.ones(1), np.ones((1, 3)))

    monkeypatch.setattr("sim.calibration.solve._descend", descend)
    solution = solve(problem, [0], problem.centre)
    assert calls == [("linear", 5, 0.0), *(("soft_l1", 10, 1.0 + number) for number in range(descents))]
    assert solution.cost == costs[descents - 1]


def test_slopes_follow_every_step_and_change_along_it_alone():
    """Broyden: what the step showed is met; across it, in deviations of the priors, all is as before."""
    problem = few()
    problem.prior_weights = np.array([0.5, 1.0, 0.25])
    linear = problem.predict
    problem.predict = lambda points, seen: linear(points, seen) * [[math.exp(each @ each)] for each in points]
    objective, first = _Objective(problem, [0, 1, 4]), np.array([0.1, 0.2, -0.1])
    before = objective.jacobian(first)
    assert before[3:].tolist() == np.diag(problem.prior_weights).tolist()
    assert objective.jacobian(first) == pytest.approx(before)
    step = np.array([0.3, -0.2, 0.1])
    after = objective.jacobian(first + step)
    assert after @ step == pytest.approx(objective.residuals(first + step) - objective.residuals(first))
    assert not np.allclose(before @ step, after @ step)
    across = np.array([0.2 * 1.0, 0.3 * 0.25, 0.0])  # the product of both in deviations is 0
    assert after @ across == pytest.approx(before @ across)
    assert objective.differences == pytest.approx(before[:3])


def test_differences_step_down_from_the_upper_bound():
    problem = few()
    point = np.array([4.0, 3.0, -4.0])
    seen = [1, 4]
    slopes = differences(problem, point, problem.predict([point], seen)[0], seen)
    assert slopes == pytest.approx(problem.slopes[seen] * 25.0)
    points_simulated = []
    problem.predict = lambda points, _seen: points_simulated.extend(points) or np.ones((3, 2))
    differences(problem, point, np.ones(2), seen)
    assert np.array(points_simulated) - point == pytest.approx(np.diag([-0.05, 0.05, 0.05]))


def test_starts_are_drawn_from_the_priors_within_their_bounds():
    problem = few()
    first, *others = starts(problem, 400)
    assert first.tolist() == [0.0, 0.0, 0.0]
    drawn = np.array(others)
    assert drawn.shape == (399, 3)
    assert (drawn.min(), drawn.max()) == (-4.0, 4.0)
    assert drawn.std() == pytest.approx(1.9, abs=0.1)  # 2, but for the share beyond the bounds
    assert starts(problem, 3)[2].tolist() == others[1].tolist()


@pytest.mark.parametrize("answer", [0.0, -1.0, math.nan, math.inf])
def test_a_start_without_a_rate_is_refused(answer):
    problem = few()
    problem.predict = lambda points, seen: np.full((len(points), len(seen)), answer)
    with pytest.raises(InputError, match=rf"toys/1/rate is .* 1/s, where {answer:g} 1/s is simulated; allowed"):
        solve(problem, [1, 2], problem.centre)


# What a figure weighs.


@pytest.fixture(scope="module")
def weighed():
    """Figures of two datasets, the first rounded to a tenth of its value, which scatter by 4 and by 10 %."""
    rounded = toy.figure(1, 40.0, half_width=4.0, clients=1, items=1)
    other = toy.figure(2, 80.0, clients=2, items=1).model_copy(update={"dataset": "others"})
    return Problem(toy.TOY, [rounded, other], scatter={"others": 0.1})


def test_rounding_weighs_a_figure_like_a_uniform_error_of_its_half_width(weighed):
    assert weighed.weights.tolist() == pytest.approx([1 / math.sqrt(0.04**2 + 0.1**2 / 3), 10.0])
    assert weighed.scatter.tolist() == [0.04, 0.1]
    assert weighed.precision == pytest.approx(0.04 / 16 * math.sqrt(2))


def test_residuals_are_logarithms_of_predicted_to_measured_by_weight(weighed):
    found = weighed.residuals(np.array([40.0 * math.e, 80.0 / math.e]))
    assert found.tolist() == pytest.approx([1 / math.sqrt(0.04**2 + 0.1**2 / 3), -10.0])
    assert weighed.residuals(np.array([80.0 * math.e]), [1]).tolist() == pytest.approx([10.0])


def test_the_bounds_of_a_prior_are_four_deviations_apart(weighed):
    assert weighed.prior_weights.tolist() == pytest.approx([4 / math.log(16)] * 4)
    assert weighed.values(weighed.high + 1) == {each.name: each.high for each in weighed.free}
    assert weighed.values(weighed.low - 1) == {each.name: each.low for each in weighed.free}


def test_within_one_per_cent_of_a_bound_is_at_it(weighed):
    offsets = np.array([0.009, 0.011, 1.0, 1.0])
    assert weighed.at_bound(weighed.low + offsets) == [True, False, False, False]
    assert weighed.at_bound(weighed.high - offsets) == [True, False, False, False]


# What is known afterwards.


def missing(slopes, logs, **more):
    """A problem and a solution, all parameters at 0, that misses the measured by ``logs``."""
    problem = Linear(slopes, [-each for each in logs], **more)
    return problem, problem.solution([0.0] * problem.slopes.shape[1])


def test_residuals_as_wide_as_their_weights_say_or_narrower_inflate_nothing():
    assert inflation(*missing([[0.0]] * 4, [0.04, -0.04, 0.01, 0.0])) == 1.0


def test_wider_residuals_inflate_by_their_root_mean_square():
    """Of four figures, of which the first tells nine tenths of a parameter: 9 / (9 + 1)."""
    problem, solution = missing([[0.06], [0.0], [0.0], [0.0]], [0.08, -0.12, 0.04, 0.0])
    assert inflation(problem, solution) == pytest.approx(math.sqrt((4 + 9 + 1) / (4 - 0.9)))


def test_a_single_figure_that_is_missed_counts_as_one():
    """However much of it a parameter follows, by a tenth of a figure nothing is divided."""
    assert inflation(*missing([[0.06]], [0.2])) == pytest.approx(5.0)


def test_inflation_widens_what_the_data_say_and_not_the_priors():
    problem, solution = missing([[0.06], [0.0], [0.0], [0.0]], [0.08, -0.12, 0.04, 0.0])
    found = certainty(problem, solution)
    variance = 1 / (1.5**2 / (14 / 3.1) + 0.25)
    assert found.covariance.tolist() == [[pytest.approx(variance)]]
    assert found.shrunk.tolist() == [pytest.approx(math.sqrt(variance) / 2)]
    assert found.singular_values.tolist() == [pytest.approx(3.0)]


@pytest.mark.parametrize(("slope", "left"), [(0.0, True), (0.0149, True), (0.0151, False), (0.1, False)])
def test_a_parameter_whose_deviation_shrinks_by_less_than_a_fifth_is_left_at_its_prior(slope, left):
    """1 / (J² + 1/4) is 0.8² of 4 where J = 0.375, a slope of 0.015."""
    assert certainty(*missing([[slope]], [0.0])).at_prior == [left]


def test_correlation_is_that_of_the_covariance():
    problem, solution = missing([[1, 1], [1, 0], [1, -0.5]], [0.0, 0.0, 0.0])
    found = certainty(problem, solution)
    weighted = problem.slopes * 25
    expected = np.linalg.inv(weighted.T @ weighted + 0.25 * np.eye(2))
    assert found.covariance == pytest.approx(expected)
    across = expected[0, 1] / math.sqrt(expected[0, 0] * expected[1, 1])
    assert found.correlation == pytest.approx(np.array([[1, across], [across, 1]]))
    assert found.directions @ found.directions.T == pytest.approx(np.eye(2))


def test_scatter_of_no_free_figure_is_what_was_assumed_and_hardly_known():
    """A figure that its parameter follows leaves two assumed ones: 4 % by Student's t of 2 degrees of freedom."""
    problem, solution = missing([[1000.0]], [0.0])
    assert scatter(problem, solution) == pytest.approx(0.04 * T95_OF_2 / NORMAL95, rel=1e-4)


def test_scatter_adds_the_residuals_that_are_free_to_what_was_assumed():
    problem, solution = missing([[0.0]] * 4, [0.1, -0.2, 0.1, 0.0])
    deviation = math.sqrt((2 * 0.04**2 + 0.01 + 0.04 + 0.01) / (2 + 4))
    assert scatter(problem, solution) == pytest.approx(deviation * T95_OF_6 / NORMAL95, rel=1e-5)


def test_scatter_assumes_what_the_datasets_say():
    problem, solution = missing([[1000.0]], [0.0], scatter=0.1)
    assert scatter(problem, solution) == pytest.approx(0.1 * T95_OF_2 / NORMAL95, rel=1e-4)


def test_scatter_of_many_figures_is_their_own():
    """Of 10 % each, whatever was assumed; half of a 90 % band holds 1.645 deviations."""
    problem, solution = missing([[0.0]] * 24, [0.1, -0.1] * 12)
    assert scatter(problem, solution) == pytest.approx(0.1, rel=0.03)


def test_a_profile_ends_where_twice_the_cost_has_risen_by_chi_squared():
    """With one figure of weight 1/0.04 the cost is nearly a parabola of deviation 0.04."""
    problem = Linear([[1.0, 0.0]], [0.0])
    low, high = profile(problem, problem.solution([0.0, 0.0]), 0)
    soft = math.sqrt((1 + 3.841 / 2) ** 2 - 1)  # where soft L1 reaches 3.841 / 2
    assert (low, high) == pytest.approx((-0.04 * soft, 0.04 * soft), rel=0.01)


def test_a_profile_of_an_inflated_fit_is_as_much_wider():
    problem, solution = missing([[0.0, 0.0]] * 3 + [[1.0, 0.0]], [0.1, 0.1, 0.1, 0.0])
    widened = inflation(problem, solution)
    assert widened == pytest.approx(2.5, rel=0.01)
    soft = math.sqrt((1 + 3.841 / 2 * widened**2) ** 2 - 1)
    cost = float((np.sqrt(1 + problem.residuals(solution.predicted) ** 2) - 1).sum())
    low, high = profile(problem, replace(solution, cost=cost), 0)
    assert (low, high) == pytest.approx((-0.04 * soft, 0.04 * soft), rel=0.03)


def test_a_profile_that_never_rises_ends_at_the_bounds():
    problem = Linear([[0.0, 1.0]], [0.0])
    assert profile(problem, problem.solution([0.0, 0.0]), 0) == (-4.0, 4.0)


# Held out.


def test_coverage_is_the_share_of_figures_within_their_bands_ends_included():
    held = Held({0: 1.0, 1: 1.0, 2: 1.0}, {0: 0.9, 1: 0.9, 2: 0.9}, {0: 1.1, 1: 1.1, 2: 1.1})
    assert held.coverage(np.array([0.9, 1.1, 1.2])) == pytest.approx(2 / 3)
    assert held.coverage(np.array([0.8, 1.05, 1.0])) == pytest.approx(2 / 3)


def test_a_band_has_what_is_open_about_the_parameters_and_the_scatter():
    problem, solution = missing([[1.0]], [0.0])
    (deviation,) = band_deviations(problem, solution, np.array([[2.0]]))
    variance = 4 / (25**2 + 0.25) + scatter(problem, solution) ** 2
    assert deviation == pytest.approx(math.sqrt(variance))


def test_cross_validation_fits_without_the_figures_that_it_predicts():
    problem = few()
    stages = []
    held = cross_validate(problem, solve(problem, range(5), problem.centre), stages.append)
    assert stages == [f"cross-validation, fold {number}" for number in range(1, 6)]
    for index in range(5):
        seen = [each for each in range(5) if each != index]
        expected = math.exp(problem.slopes[index] @ problem.closed_form(seen))
        assert held.predicted[index] == pytest.approx(expected, rel=5e-3)
        (deviation,) = band_deviations(
            problem, problem.solution(problem.closed_form(seen), seen), problem.slopes[[index]]
        )
        ratio = math.exp(1.645 * deviation)
        assert held.high[index] / held.predicted[index] == pytest.approx(ratio, rel=0.01)
        assert held.low[index] * held.high[index] == pytest.approx(held.predicted[index] ** 2)


def test_errors_are_shares_of_what_was_measured():
    found = errors(np.array([90.0, 120.0, 300.0]), np.array([100.0, 100.0, 200.0]))
    assert (found.figures, found.mean, found.median, found.worst) == pytest.approx((3, 0.8 / 3, 0.2, 0.5))


class Mean:
    """A baseline that is the mean of what it saw."""

    name = "mean"

    def fit(self, settings, values):
        assert len(settings) == len(values)
        return lambda _settings: float(np.mean(values))


def test_errors_are_compared_over_the_same_figures(monkeypatch):
    monkeypatch.setattr(
        "sim.calibration.cross_validation.baselines", lambda shape: (Mean(),) if shape == "a shape" else ()
    )
    problem = few()
    best, stages = solve(problem, range(5), problem.centre), []
    problem.settings = [dict(each.conditions) for each in problem.figures]
    transfer = Selection(name="to four items", setting="items", values=("4",))  # the third figure
    dataset = Dataset.model_construct(transfers=(transfer,), shape="a shape")
    held = Held({index: float(problem.published[index] * 1.1) for index in range(5)}, {}, {})
    found = compare(problem, dataset, best, held, stages.append)
    assert stages == ["to four items"]
    assert list(found) == ["in sample", "cross-validated", "to four items"]
    measured = problem.published
    assert found["in sample"].system == errors(best.predicted, measured)
    assert found["in sample"].baselines == {"mean": errors(np.full(5, measured.mean()), measured)}
    assert found["cross-validated"].system.mean == pytest.approx(0.1)
    others = (measured.sum() - measured) / 4
    assert found["cross-validated"].baselines["mean"].mean == pytest.approx(errors(others, measured).mean)
    point = problem.closed_form([0, 1, 3, 4])
    moved = found["to four items"]
    assert moved.system.figures == 1
    assert moved.system.mean == pytest.approx(abs(math.exp(problem.slopes[2] @ point) / measured[2] - 1), abs=1e-4)
    assert moved.baselines["mean"].mean == pytest.approx(abs(others[2] / measured[2] - 1))
    plain = compare(problem, dataset.model_copy(update={"shape": None}), best, held, stages.append)
    assert plain["in sample"].baselines == {}


# What must not be trusted.


@pytest.mark.parametrize(("figures", "warned"), [(2, True), (3, True), (4, False)])
def test_no_more_figures_than_parameters_are_too_few(figures, warned):
    problem = few()
    found = cautions(problem, problem.solution([0.1, 0.05, 0.0], list(range(figures))))
    assert bool(found) == warned
    if warned:
        assert found[0].startswith(f"too few figures: {figures} for 3 free parameters")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("factor", "warned"), [(1.24, False), (1.26, True)])
def test_a_fit_that_misses_by_a_quarter_is_bad(sign, factor, warned):
    problem, solution = missing([[1.0]] * 3, [sign * math.log(factor)] * 3)
    assert bool(cautions(problem, solution)) == warned
    if warned:
        assert cautions(problem, solution)[0].startswith("bad fit: figures are missed by 26% in the mean")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_fit_that_misses_by_a_factor_of_two_is_refused(sign):
    problem, solution = missing([[1.0]] * 3, [sign * math.log(each) for each in (1.0, 1.5, 3.4)])
    refuse_nonsense(problem, solution)
    problem, solution = missing([[1.0]] * 3, [sign * math.log(each) for each in (1.0, 1.5, 3.6)])
    with pytest.raises(
        InputError, match=r"a factor of 2.03 in the mean; allowed: up to 2; the worst is toys/2/rate"
    ):
        refuse_nonsense(problem, solution)


def test_bounds_that_are_reached_are_named():
    problem = few()
    (warning,) = cautions(problem, problem.solution([0.1, 0.05, -3.995]))
    assert warning.startswith("bounds are reached by p3 (0.01841 s): the figures want them beyond")
