"""Each value of an axis left out in turn, where what the rest says has a closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linear import Linear
from sim.calibration.axes import along_axes, axes
from sim.data.dataset import Dataset

SLOPES = [[1, 0], [1, 1], [1, 2], [0, 1], [2, 1], [2, 2], [1, 3], [3, 1]]
MEASURED = [0.108, 0.152, 0.203, 0.049, 0.253, 0.31, 0.24, 0.36]
CLIENTS = [1, 2, 4, 8, 1, 2, 4, 8]
NO_CURVES = Dataset.model_construct(shape=None, machines=None)


def problem(clients=CLIENTS, figures=8):
    return Linear(SLOPES[:figures], MEASURED[:figures], clients=clients[:figures])


def test_an_axis_is_a_number_with_four_values_or_more():
    ((name, splits),) = axes(problem())
    assert name == "clients"
    assert [split.held_out for split in splits] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert all(sorted((*split.seen, *split.held_out)) == list(range(8)) for split in splits)
    assert not list(axes(problem([1, 2, 4, 4, 1, 2, 4, 4])))
    assert not list(axes(problem(["a", "b", "c", "d"] * 2)))


def test_fewer_than_three_figures_a_parameter_are_not_worth_it():
    assert list(axes(problem(figures=6)))
    assert not list(axes(problem(figures=5)))


def test_each_value_is_predicted_by_a_fit_to_the_others():
    linear, stages = problem(), []
    solution = linear.solution(linear.closed_form(list(range(8))))
    found = along_axes(linear, NO_CURVES, solution, stages.append)
    (errors,) = found.values()
    assert list(found) == ["each value left out of clients"]
    assert stages == [f"clients without {each}" for each in (1, 2, 4, 8)]
    assert errors.system.figures == len(errors.moved) == 8
    for value in set(CLIENTS):
        seen = [index for index, each in enumerate(CLIENTS) if each != value]
        for index in set(range(8)) - set(seen):
            expected = math.exp(linear.slopes[index] @ linear.closed_form(seen))
            assert errors.moved[linear.figures[index].cell].predicted == pytest.approx(expected, rel=2e-3)
    off = [abs(errors.moved[figure.cell].predicted / value - 1.0) for figure, value in _measured(linear)]
    assert errors.system.mean == pytest.approx(np.mean(off))
    assert 0.0 < errors.inside <= 1.0


def _measured(linear):
    return zip(linear.figures, linear.published.tolist(), strict=True)
