"""Fixed points that are known."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engine.analytic.fixed_point import fixed_point


def counted(evaluate):
    calls = []

    def counting(point):
        calls.append(point)
        return evaluate(point)

    return counting, calls


def alike(size, weight=1.0):
    return lambda: np.full(size, weight)


def test_a_linear_map_is_solved_in_a_few_rounds():
    """x = 0.9 x + 0.05 y + 1, y = 0.02 x - 0.8 y + 2."""
    matrix, shift = np.array([[0.9, 0.05], [0.02, -0.8]]), np.array([1.0, 2.0])
    evaluate, calls = counted(lambda point: matrix @ point + shift)
    found = fixed_point(evaluate, np.zeros(2), alike(2), 1e-9)
    assert found == pytest.approx(np.linalg.solve(np.eye(2) - matrix, shift), rel=1e-6)
    assert len(calls) <= 10


def test_oscillating_iteration_is_damped(monkeypatch):
    """20 - 3 x: half of a step goes to and fro for a thousand rounds, a tenth of it leaves 0.6 of the error."""
    monkeypatch.setattr("sim.engine.analytic.fixed_point._accelerated", lambda *_: None)
    evaluate, calls = counted(lambda point: 20.0 - 3.0 * point)
    found = fixed_point(evaluate, np.zeros(1), alike(1, 0.1), 1e-3)
    assert len(calls) == 1000 + 15 + 1  # 4 · 5 · 0.6^15 is below 0.01
    assert found == pytest.approx([5.0], abs=0.01)


def test_diverging_iteration_finds_nothing():
    assert fixed_point(lambda point: point + 1.0, np.zeros(1), alike(1), 1e-6) is None
    with np.errstate(over="ignore", invalid="ignore"):
        assert fixed_point(lambda point: point * point + 2.0, np.ones(1), alike(1), 1e-6) is None


def test_elements_of_weight_zero_need_not_converge():
    found = fixed_point(lambda point: np.array([0.5 * point[0] + 1.0, point[1] + 1.0]), np.zeros(2), weigh, 1e-9)
    assert found[0] == pytest.approx(2.0, rel=1e-6)


def weigh():
    return np.array([1.0, 0.0])


def test_an_empty_fixed_point_is_empty():
    assert fixed_point(lambda point: point, np.zeros(0), alike(0), 1e-9).shape == (0,)


def test_an_accelerated_step_is_four_times_a_plain_one_at_most():
    """0.99 x + 1 leads to 100, as two changes tell; the third step is of 0.9801 and four times as much."""
    evaluate, calls = counted(lambda point: 0.99 * point + 1.0)
    found = fixed_point(evaluate, np.zeros(1), alike(1, 0.5), 1e-3)
    assert [float(point[0]) for point in calls[:4]] == pytest.approx([0.0, 1.0, 1.99, 2.9701 + 4 * 0.9801])
    assert found == pytest.approx([100.0], abs=0.2)  # a hundredth of what is left, times 0.5, is below 0.001


def test_long_steps_are_limited_by_weight():
    """Of two entries, one hardly counts and is far away: all that is moved, weighed, is four plain steps."""
    slow, weights = np.array([0.9, 0.99]), np.array([1.0, 0.01])
    evaluate, calls = counted(lambda point: slow * point + 1.0)
    fixed_point(evaluate, np.zeros(2), lambda: weights, 1e-6)
    change = slow**2
    plain = evaluate(calls[2])
    assert calls[2] == pytest.approx(1 + slow)
    assert np.abs(calls[3] - plain) @ weights <= 4 * change @ weights * (1 + 1e-9)


def test_no_entry_is_negative():
    """A step that would lead to -5 ends at 0."""
    evaluate, calls = counted(lambda point: 0.9 * point - 0.5)
    fixed_point(lambda point: np.maximum(evaluate(point), 0.0), np.full(1, 3.0), alike(1), 1e-9)
    assert min(float(point[0]) for point in calls) >= 0.0


def test_fixed_point_at_the_start_is_evaluated_twice():
    evaluate, calls = counted(lambda point: point)
    assert fixed_point(evaluate, np.ones(2), alike(2), 1e-9) == pytest.approx([1.0, 1.0])
    assert len(calls) == 2
