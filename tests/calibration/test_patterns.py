"""Errors that follow a setting, against draws of which it is known whether they do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f

from linear import Linear
from sim.calibration.patterns import chance, curve, patterns
from sim.calibration.warnings import cautions

CLIENTS = [1, 2, 3, 4, 6, 8, 12, 16, 32]
LOGS = np.log(CLIENTS)
FITTED = np.stack([50.0 * np.ones(9), 30.0 * LOGS], axis=1)
"""A level and a slope, both determined by the figures."""

BEND = (LOGS - LOGS.mean()) ** 2


def alarms(bend, rows=slice(None), draws=2000):
    """The share of fits with luck of 1 %, and with a ``bend`` that nothing fitted can follow, that are noticed."""
    generator = np.random.default_rng(7)
    shapes = curve(CLIENTS[rows])
    errors = generator.standard_normal((draws, 9)) * 0.01 + bend * BEND
    return np.mean([chance(each[rows], FITTED[rows], shapes) < 0.01 for each in errors])


def test_false_alarms_are_as_rare_as_stated():
    """The probability of 26 of 2,000 at 1 % is 0.07."""
    assert alarms(0.0) <= 26 / 2000


def test_a_bend_is_noticed_below_the_scatter_that_is_assumed():
    """Bends of 3 and 6 % at either end, where weights say 4 %."""
    assert alarms(0.01) > 0.4
    assert alarms(0.02) > 0.95


def test_errors_that_parameters_can_follow_are_no_pattern():
    assert chance(FITTED @ [1.0, -2.0], FITTED, curve(CLIENTS)) == 1.0
    generator = np.random.default_rng(1)
    errors = generator.standard_normal(9)
    moved = chance(errors + FITTED @ [3.0, 1.0], FITTED, curve(CLIENTS))
    assert moved == pytest.approx(chance(errors, FITTED, curve(CLIENTS)))


def test_the_probability_is_that_of_analysis_of_variance():
    """Two choices, a level fitted: the textbook's test of two means, with F = t²."""
    from scipy.stats import ttest_ind

    one, other = [0.3, -0.1, 0.4, 0.2], [1.1, 0.8, 1.4]
    errors, level = np.array([*one, *other]), np.full((7, 1), 10.0)
    found = chance(errors, level, curve([False] * 4 + [True] * 3))
    assert found == pytest.approx(ttest_ind(one, other).pvalue)


def test_a_direction_that_the_prior_decides_takes_no_pattern_away():
    line = LOGS - LOGS.mean()
    assert chance(line, 1e-3 * FITTED, curve(CLIENTS)) < 1e-9
    assert chance(line, FITTED, curve(CLIENTS)) == 1.0


def test_too_few_figures_show_no_pattern():
    assert chance(np.array([1.0, -1.0, 5.0]), FITTED[:3], curve(CLIENTS[:3])) == 1.0
    assert curve([4, 4, 4]) is None


def test_choices_and_zeros_have_levels_and_numbers_a_curve():
    assert curve(["ext4", "xfs", "ext4"]).tolist() == [[0.0], [1.0], [0.0]]
    assert curve([0, 1, 2]).tolist() == [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert curve([1, 10, 100])[:, 0] == pytest.approx([-np.log(10), 0.0, np.log(10)])


def bent(bend):
    """A fit of a level and a slope to figures that bend; noise of half a per cent."""
    noise = 0.005 * np.random.default_rng(3).standard_normal(9)
    problem = Linear(np.stack([np.ones(9), LOGS], axis=1), bend * BEND + noise, clients=CLIENTS)
    return problem, problem.solution(problem.closed_form(list(range(9))))


def test_a_fit_says_which_setting_its_errors_follow():
    (found,) = patterns(*bent(0.03))
    assert (found.measure, found.setting, list(found.errors)) == ("throughput", "clients", list(map(str, CLIENTS)))
    (warning,) = cautions(*bent(0.03))
    assert warning.startswith("errors of throughput follow clients: ")
    assert "a mechanism that depends on clients is missing" in warning
    assert not patterns(*bent(0.0))


def test_errors_that_simulated_values_have_anyway_are_no_pattern():
    problem, solution = bent(0.03)
    assert patterns(problem, solution)
    problem.precision = 0.2
    assert not patterns(problem, solution)


@pytest.mark.parametrize(("weight", "follows"), [(0.5, False), (1e4, True)])
def test_priors_limit_the_errors_that_parameters_follow(weight, follows):
    problem = Linear(np.stack([np.ones(9), LOGS], axis=1), 0.01 * (LOGS - LOGS.mean()), clients=CLIENTS)
    problem.prior_weights = np.full(2, weight)
    assert bool(patterns(problem, problem.solution([0.0, 0.0]))) is follows


def test_repeats_of_one_run_count_once():
    """The luck of a run, which its repeats share, is not told apart from a pattern by making more of them."""
    clients, luck = np.repeat([1, 2, 4, 8], 3).tolist(), np.repeat([0.03, -0.02, -0.03, 0.02], 3)
    problem = Linear(np.ones((12, 1)), luck, clients=clients)
    solution = problem.solution([0.0])
    problem.runs = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert not patterns(problem, solution)
    problem.runs = list(range(12))
    assert patterns(problem, solution)


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_a_curve_is_the_same_in_any_unit(unit):
    errors = np.random.default_rng(1).standard_normal(9)
    assert chance(errors, FITTED, unit * curve(CLIENTS)) == pytest.approx(chance(errors, FITTED, curve(CLIENTS)))


@pytest.mark.parametrize("figures", [4, 5, 9])
def test_probability_is_that_of_the_variance_a_curve_explains(figures):
    """A level is fitted; a line and a bend explain more: F with two, and what is left, degrees of freedom."""
    errors = np.random.default_rng(2).standard_normal(figures)
    level, shapes = np.ones((figures, 1)), curve(CLIENTS[:figures])
    before, after = (
        np.linalg.lstsq(columns, errors, rcond=None)[1][0] for columns in (level, np.hstack([level, shapes]))
    )
    ratio = (before - after) / 2.0 / (after / (figures - 3))
    assert chance(errors, 10.0 * level, shapes) == pytest.approx(f.sf(ratio, 2, figures - 3))


def test_a_direction_is_the_data_s_from_one_deviation_of_the_prior_on():
    errors, shapes = np.random.default_rng(5).standard_normal(9), curve(CLIENTS)
    first = np.eye(9)[:, :1]
    by_data, at_one, by_prior = (chance(errors, size * first, shapes) for size in (9.0, 1.0, 0.99))
    assert at_one == by_data != by_prior


def test_errors_are_named_at_both_ends_and_in_the_middle():
    problem, solution = bent(0.03)
    off = solution.predicted / problem.published - 1.0
    (found,) = patterns(problem, solution)
    assert list(found.errors.values()) == pytest.approx(off.tolist())
    named = ", ".join(f"{off[row]:+.1%} at {CLIENTS[row]}" for row in (0, 4, 8))
    assert (
        f"follow clients: {named}; luck does that in one fit of {1 / found.probability:,.0f}; "
        in cautions(problem, solution)[0]
    )
    two = Linear(np.ones((4, 1)), [0.03, 0.0, 0.031, 0.001], clients=[1, 2, 1, 2])
    (found,) = patterns(two, two.solution([0.0155]))
    assert list(found.errors) == ["1", "2"]
    assert found.errors["1"] == pytest.approx((np.exp(0.0155 - 0.03) + np.exp(0.0155 - 0.031)) / 2.0 - 1.0)
