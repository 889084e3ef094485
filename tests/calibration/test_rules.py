"""Every rule of a fit, by a value worked out by hand: a rule that is changed fails here."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import toy
from linear import Linear
from sim import InputError
from sim.calibration.confidence import certainty, inflation, profile, scatter
from sim.calibration.cross_validation import (
    Held,
    Unseen,
    _of_baseline,
    _without,
    band_deviations,
    compare,
    cross_validate,
    errors,
    hold_out,
)
from sim.calibration.patterns import Pattern
from sim.calibration.problem import Problem
from sim.calibration.slopes import slopes
from sim.calibration.solve import _descend, opened, solve, starts
from sim.calibration.splits import Split, folds, transfers
from sim.calibration.warnings import cautions, refuse_nonsense
from sim.data.dataset import Dataset, Selection

T95_OF_2, T95_OF_6, NORMAL95 = 2.919986, 1.943180, 1.644854
"""Quantiles of Student's t with 2 and 6 degrees of freedom, and of the normal distribution, from tables."""


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


def test_rough_runs_come_first_and_a_pilot_where_they_end(monkeypatch):
    problem, asked = few(), []
    predict = problem.predict
    monkeypatch.setattr(
        problem, "predict", lambda points, seen, lengths: asked.append(lengths) or predict(points, seen)
    )
    solution = solve(problem, range(5), problem.centre)
    changes = [lengths for before, lengths in zip([None, *asked], asked, strict=False) if lengths != before]
    assert changes == ["rough", "long enough"]
    assert solution.lengths == "long enough"
    assert problem.piloted[0] == pytest.approx(solution.point, abs=0.05)


class Bent(Linear):
    """One figure, whose logarithm is the square of its parameter: what slopes promise is not what comes."""

    def __init__(self, measured):
        super().__init__([[1.0]], [measured])
        self.tried = []

    def predict(self, points, _figures=None, _lengths=None):
        self.tried += [point[0] for point in points]
        return np.exp(np.array(points) ** 2)

    compute = predict


def test_steps_go_no_further_than_a_deviation_of_a_prior():
    problem = Bent(9.0)
    solution = solve(problem, [0], np.array([0.01]))
    steps = np.abs(np.diff([each for each in problem.tried if each >= 0.0]))
    assert steps.max() <= 2.0 + 1e-6
    assert solution.point[0] == pytest.approx(3.0, abs=0.01)


def test_rough_runs_go_on_from_a_step_that_ends_at_its_reach():
    """A deviation of the prior is 2, and the figure 3 away; only what ends nearer may be where they end."""
    problem = Linear([[1.0]], [3.0])
    end = _descend(opened(problem, problem.centre), 0.01, roughly=True)
    assert end.point == pytest.approx(problem.closed_form([0]), abs=0.02)


def test_failed_step_is_halved():
    """By the slope at 0.2, which is 0.45, the best is 0.26 / 0.45 further on; there the figure is as far off."""
    problem = Bent(0.3)
    solution = solve(problem, [0], np.array([0.2]))
    far, half = problem.tried[problem.tried.index(pytest.approx(0.25)) + 1 :][:2]
    assert far - 0.2 == pytest.approx(0.26 / 0.45, abs=0.01)
    assert half - 0.2 == pytest.approx((far - 0.2) / 2.0, abs=0.01)
    assert solution.point[0] == pytest.approx(math.sqrt(0.3), abs=0.01)


def test_a_descent_ends_where_slopes_promise_too_little():
    """A figure whose residual no parameter moves is simulated once at each length."""
    problem = Linear([[0.0]], [0.4])
    solve(problem, [0], problem.centre)
    assert problem.simulated == 2


def test_slopes_at_the_upper_bound_step_downwards():
    problem = few()
    point = np.array([4.0, 3.0, -4.0])
    seen = [1, 4]
    found = slopes(problem, point, problem.predict([point], seen)[0], seen)
    assert found == pytest.approx(problem.slopes[seen] * 25.0)
    points_computed = []
    problem.compute = lambda points, _seen: points_computed.extend(points) or np.ones((4, 2))
    slopes(problem, point, np.ones(2), seen)
    assert np.array(points_computed)[1:] - point == pytest.approx(np.diag([-0.05, 0.05, 0.05]))


@pytest.mark.parametrize(
    ("off", "simulated"),
    [(1.0, []), (1.10, []), (0.91, []), (1.11, [4]), (0.90, [4]), (math.nan, [4]), (0.0, [4]), (-1.0, [4])],
)
def test_slopes_are_computed_if_the_analytic_engine_agrees_and_else_simulated(off, simulated):
    """By the second of two figures; its slopes, as computed, are ten times as steep as they are."""
    problem, point, asked = few(), np.array([0.1, 0.2, 0.0]), []
    predict = problem.predict

    def compute(points, seen):
        answers = predict(points, seen)
        answers[:, 1] = off * answers[0, 1] * (answers[:, 1] / answers[0, 1]) ** 10
        return answers

    problem.compute = compute
    problem.predict = lambda points, seen, _lengths: asked.extend(seen) or predict(points, seen)
    found = slopes(problem, point, predict([point], [0, 4])[0], [0, 4], "long enough")
    assert asked == simulated
    assert found[0] == pytest.approx(problem.slopes[0] * 25.0)
    assert found[1] == pytest.approx(problem.slopes[4] * (25.0 if simulated else 250.0))


def test_starts_are_drawn_from_the_priors_within_their_bounds():
    problem = few()
    first, *others = starts(problem, 400)
    assert first.tolist() == [0.0, 0.0, 0.0]
    drawn = np.array(others)
    assert drawn.shape == (399, 3)
    assert (drawn.min(), drawn.max()) == (-4.0, 4.0)
    assert drawn.std() == pytest.approx(1.9, abs=0.1)  # 2, but for the share beyond the bounds
    assert starts(problem, 3)[2].tolist() == others[1].tolist()


@pytest.mark.parametrize(
    ("answer", "text"), [(0.0, "0 1/s"), (-1.0, "-1 1/s"), (math.nan, "nothing"), (math.inf, "inf 1/s")]
)
def test_a_start_without_a_rate_is_refused(answer, text):
    problem = few()
    problem.predict = lambda points, seen, _lengths: np.full((len(points), len(seen)), answer)
    with pytest.raises(InputError, match=rf"toys/1/rate is .* 1/s, where {text} is simulated; allowed"):
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


def test_inflation_widens_the_data_and_not_the_priors():
    problem, solution = missing([[0.06], [0.0], [0.0], [0.0]], [0.08, -0.12, 0.04, 0.0])
    found = certainty(problem, solution)
    variance = 1 / (1.5**2 / (14 / 3.1) + 0.25)
    assert found.covariance.tolist() == [[pytest.approx(variance)]]
    assert found.shrunk.tolist() == [pytest.approx(math.sqrt(variance) / 2)]
    assert found.singular_values.tolist() == [pytest.approx(3.0)]


def test_a_prior_counts_by_the_square_of_its_weight():
    """A third of a deviation: the first figure tells 1.5² / (1.5² + 3²) of the parameter."""
    problem, solution = missing([[0.06], [0.0], [0.0], [0.0]], [0.08, -0.12, 0.04, 0.0])
    problem.prior_weights = np.array([3.0])
    spread = inflation(problem, solution)
    assert spread == pytest.approx(math.sqrt(14 / (4 - 2.25 / 11.25)))
    found = certainty(problem, solution)
    assert found.covariance.tolist() == [[pytest.approx(1 / (2.25 / spread**2 + 9.0))]]
    assert found.shrunk.tolist() == [pytest.approx(3.0 / math.sqrt(2.25 / spread**2 + 9.0))]
    assert found.singular_values.tolist() == [pytest.approx(0.5)]
    assert found.scatter == scatter(problem, solution)


@pytest.mark.parametrize(("slope", "left"), [(0.0, True), (0.0149, True), (0.0151, False), (0.1, False)])
def test_a_parameter_narrowed_by_less_than_a_fifth_is_left_at_its_prior(slope, left):
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


def test_scatter_without_free_figures_is_the_assumed_one():
    """A figure that its parameter follows leaves two assumed ones: 4 % by Student's t of 2 degrees of freedom."""
    problem, solution = missing([[1000.0]], [0.0])
    assert scatter(problem, solution) == pytest.approx(0.04 * T95_OF_2 / NORMAL95, rel=1e-4)


def test_scatter_pools_the_residuals_of_free_figures_with_the_assumed_scatter():
    problem, solution = missing([[0.0]] * 4, [0.1, -0.2, 0.1, 0.0])
    deviation = math.sqrt((2 * 0.04**2 + 0.01 + 0.04 + 0.01) / (2 + 4))
    assert scatter(problem, solution) == pytest.approx(deviation * T95_OF_6 / NORMAL95, rel=1e-5)


def test_assumed_scatter_comes_from_the_datasets():
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


def test_band_combines_parameter_uncertainty_and_scatter():
    problem, solution = missing([[1.0]], [0.0])
    (deviation,) = band_deviations(problem, solution, np.array([[2.0]]))
    variance = 4 / (25**2 + 0.25) + scatter(problem, solution) ** 2
    assert deviation == pytest.approx(math.sqrt(variance))


def test_cross_validation_fits_without_the_figures_that_it_predicts():
    problem = few()
    stages = []
    held = cross_validate(problem, stages.append)
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


def test_a_fit_counts_the_runs_since_it_began():
    problem = few()
    opening = opened(problem, problem.centre)
    problem.simulated = 1023
    unseen = _without(folds(problem.runs)[0], opening)
    assert unseen.simulated == problem.simulated - 1023 > 0


def test_errors_are_relative_to_the_measurement():
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
        "sim.calibration.cross_validation.baselines",
        lambda shape, _machine: (Mean(),) if shape == "a shape" else (),
    )
    problem = few()
    best, stages = solve(problem, range(5), problem.centre), []
    problem.settings = [dict(each.conditions) for each in problem.figures]
    transfer = Selection(name="to four items", setting="items", values=("4",))  # the third figure
    dataset = Dataset.model_construct(transfers=(transfer,), shape="a shape")
    crossed = [
        Unseen(each, problem.published[list(each.held_out)] * 1.1, np.zeros(1), 0) for each in folds(range(5))
    ]
    moved = hold_out(problem, transfers(dataset, problem.figures), problem.centre, stages.append)
    assert stages == ["to four items"]
    found = compare(problem, dataset, best, crossed, moved)
    assert list(found) == ["in sample", "cross-validated", "to four items"]
    measured = problem.published
    assert found["in sample"].system == errors(best.predicted, measured)
    assert found["in sample"].baselines == {"mean": errors(np.full(5, measured.mean()), measured)}
    assert found["cross-validated"].system.mean == pytest.approx(0.1)
    others = (measured.sum() - measured) / 4
    assert found["cross-validated"].baselines["mean"].mean == pytest.approx(errors(others, measured).mean)
    point = problem.closed_form([0, 1, 3, 4])
    transferred = found["to four items"]
    assert transferred.system.figures == 1
    assert transferred.system.mean == pytest.approx(
        abs(math.exp(problem.slopes[2] @ point) / measured[2] - 1), abs=1e-4
    )
    assert transferred.baselines["mean"].mean == pytest.approx(abs(others[2] / measured[2] - 1))
    plain = compare(problem, dataset.model_copy(update={"shape": None}), best, crossed, moved)
    assert plain["in sample"].baselines == {}


def test_a_baseline_has_a_curve_for_each_measure_and_a_common_one_for_others():
    measures = ["mean", "p99", "throughput", "p99", "throughput", "mean", "p50"]
    figures = [SimpleNamespace(measure=each) for each in measures]
    problem = SimpleNamespace(
        figures=figures, settings=list(range(7)), published=np.array([1.0, 2.0, 6.0, 4.0, 9.0, 9.0, 9.0])
    )
    found = dict(_of_baseline(problem, Mean(), Split("held", (0, 1, 2, 3), (4, 5, 6, 3))))
    assert found == {4: 6.0, 5: 1.0, 6: 13 / 4, 3: 3.0}


# What must not be trusted.


@pytest.mark.parametrize(("figures", "warned"), [(2, True), (3, True), (4, False)])
def test_no_more_figures_than_parameters_are_too_few(figures, warned):
    problem = few()
    found = cautions(problem, problem.solution([0.1, 0.05, 0.0], list(range(figures))))
    assert bool(found) == warned
    if warned:
        assert found[0].startswith(f"too few figures: {figures} for 3 free parameters")


@pytest.mark.parametrize(("sign", "error"), [(1, "26.0%"), (-1, "20.6%")])
@pytest.mark.parametrize(("factor", "warned"), [(1.24, False), (1.26, True)])
def test_a_fit_that_misses_by_a_quarter_is_bad(sign, error, factor, warned):
    problem, solution = missing([[1.0]] * 3, [sign * math.log(factor)] * 3)
    assert bool(cautions(problem, solution)) == warned
    if warned:
        assert cautions(problem, solution)[0].startswith(f"bad fit: figures are missed by {error} in the mean")


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


def follows(values, probability=1e-9, measure="mean"):
    return Pattern(measure, "size", probability, {str(each): each / 100.0 for each in range(values)})


@pytest.mark.parametrize(("values", "named"), [(4, [0, 1, 2, 3]), (5, [0, 2, 4]), (8, [0, 4, 7])])
def test_errors_that_follow_a_setting_are_named_at_four_values_or_three(values, named, monkeypatch):
    """Of more than four patterns the four clearest are named, and luck of one in a million at most."""
    problem, solution = missing([[1.0]] * 3, [0.0] * 3)
    found = [follows(values, 0.004), *(follows(values) for _ in range(4))]
    monkeypatch.setattr("sim.calibration.warnings.patterns", lambda *_: found)
    first, *others = cautions(problem, solution)
    said = ", ".join(f"{each:+d}.0% at {each}" for each in named)
    assert first.startswith(f"errors of mean follow size: {said}; luck does that in one fit of 250; a mechanism")
    assert len(others) == 3
    assert all("in one fit of 1,000,000;" in each for each in others)


def test_a_fit_that_was_not_made_again_without_its_folds_says_so():
    problem, solution = missing([[1.0]] * 3, [0.0] * 3)
    assert cautions(problem, solution) == ()
    (warning,) = cautions(problem, solution, cross_validated=False)
    assert warning.startswith("not cross-validated: ")
