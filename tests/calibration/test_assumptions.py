"""Of what is assumed, a fit names what would explain its worst figure, where the answer is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

import toy
from sim.calibration.assumptions import assumption
from sim.calibration.problem import Problem
from sim.calibration.solve import solve
from sim.output.views.fit import suspected


def problem(second_s=10e-3, likely=None):
    """Figures of the truth, one about a second server: assumed to take 4 ms, in the range ``likely``."""
    entries = tuple(
        replace(each, basis="assumed", value=4e-3, low=1e-4, high=1.0, likely=likely)
        if each.name == "unseen_s"
        else each
        for each in toy.PARAMETERS.entries
    )
    figures = [
        toy.figure(number, toy.throughput(toy.TRUTH, clients, items), clients=clients, items=items)
        for number, (clients, items) in enumerate(toy.CONDITIONS)
    ]
    behind = toy.figure(99, 1.0 / second_s, clients=30, items=1, second=1)
    system = replace(toy.TOY, parameters=replace(toy.PARAMETERS, entries=entries))
    return Problem(system, [*figures, behind])


def named(asked):
    solution = solve(asked, range(len(asked.figures)), asked.centre)
    return assumption(asked, solution)


def test_the_assumed_time_of_the_worst_figure_is_named_with_how_far_it_would_move():
    found = named(problem(likely=(1e-3, 20e-3)))
    assert found.parameter.name == "unseen_s"
    assert found.figure.row == "99"
    assert found.error == pytest.approx(1.5, abs=0.1)
    assert found.value == pytest.approx(10e-3, rel=0.03)
    assert found.left == pytest.approx(0.0, abs=0.03)
    (line,) = suspected(found)
    assert "unseen_s, which no figure was fitted to: 10" in str(line)
    assert "(4 is assumed, 1 … 20 possible) would bring the worst figure, 99 rate, from +1" in str(line)


def test_assumption_moves_no_further_than_its_range():
    found = named(problem(likely=(3e-3, 7e-3)))
    assert found.value == pytest.approx(7e-3)
    assert found.left == pytest.approx(10 / 7 - 1, abs=0.03)


def test_assumption_that_explains_less_than_a_third_is_not_named():
    assert named(problem(likely=(3e-3, 5e-3))) is None


def test_nothing_is_named_where_nothing_is_missed_or_nothing_is_assumed():
    assert named(problem(4e-3, likely=(1e-3, 20e-3))) is None
    fitted = Problem(toy.TOY, problem().figures)
    assert named(fitted) is None
    assert list(suspected(None)) == []


def test_without_a_range_it_is_the_bounds_that_it_may_not_pass():
    assert named(problem()).value == pytest.approx(10e-3, rel=0.03)
