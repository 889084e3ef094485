"""The first table of a report: a line for each dataset, and for roles where there are few."""

import math

import pytest

from sim.prediction.cells import Cell, summarise
from sim.prediction.report import Report
from sim.prediction.totals import FEW, independent, totals


def cell(dataset, role, error):
    return Cell(
        dataset, "row", role, "throughput", 1.0, "MB/s", 1.0 + error, math.nan, math.nan, error, role, None
    )


def report(count):
    names = [f"d{number}" for number in range(count)]
    cells = [
        cell(name, role, error)
        for name in names
        for role, error in (("fitted", 0.01), ("predicted", -0.2), ("restated", 0.3))
    ]
    return Report(
        tuple(cells), tuple(summarise(name, [each for each in cells if each.dataset == name]) for name in names)
    )


@pytest.mark.parametrize("count", [1, FEW])
def test_of_few_datasets_each_has_its_roles(count):
    levels = [level for level, _ in totals(report(count))]
    assert levels.count("role") == 3 * (count + (count > 1))


def test_of_many_only_the_last_line_has():
    lines = list(totals(report(FEW + 1)))
    assert [level for level, _ in lines] == ["whole"] * (FEW + 2) + ["role"] * 3
    assert [each.name for _, each in lines[-3:]] == ["predicted", "restated", "fitted"]


def test_the_headline_is_about_what_is_predicted_and_says_something_new():
    tested = independent(report(2))
    assert (tested.cells, tested.median, tested.worst) == (2, 0.2, 0.2)
    assert independent(Report((), ())) is None
