"""The first table of a report: a line for each dataset, and for roles where there are few."""

from dataclasses import replace

import pytest

from sim.prediction.cells import Cell, summarise
from sim.prediction.ledger import First
from sim.prediction.report import Report
from sim.prediction.totals import FEW, as_first_predicted, totals


def cell(dataset, role, error):
    return Cell(dataset, "row", role, "throughput", 1.0, "MB/s", 1.0 + error, None, None, error, role, None)


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
def test_each_of_few_datasets_has_lines_by_role(count):
    levels = [level for level, _ in totals(report(count))]
    assert levels.count("role") == 3 * (count + (count > 1))


def test_only_the_total_of_many_datasets_has_lines_by_role():
    lines = list(totals(report(FEW + 1)))
    assert [level for level, _ in lines] == ["whole"] * (FEW + 2) + ["role"] * 3
    assert [each.name for _, each in lines[-3:]] == ["predicted", "restated", "fitted"]


def test_figures_restated_by_a_fit_are_counted_separately():
    cells = [cell("d", "fitted", 0.2), replace(cell("d", "fitted", 0.0), restated_by_fit=True)]
    (_, *lines) = totals(Report(tuple(cells), (summarise("d", cells),)))
    assert [(each.name, each.cells, each.worst) for _, each in lines] == [
        ("fitted", 1, 0.2),
        ("restated by fit", 1, 0.0),
    ]


def test_predictions_count_as_they_were_when_they_were_first_made():
    same, changed = First(0.1, "2026-11-23", "f1ebf159"), First(-0.5, "2026-11-23", "f1ebf159")
    cells = (
        replace(cell("d", "predicted", 0.105), first=same),
        replace(cell("d", "predicted", 0.1), first=changed),
        cell("d", "fitted", 0.9),
    )
    errors, unchanged = as_first_predicted(Report(cells, ()))
    assert (errors.cells, errors.median, errors.worst, unchanged) == (2, pytest.approx(0.3), 0.5, 1)
    assert as_first_predicted(report(2)) is None
