"""Failures come first: figures that are missed by far, outside their bands, or invalid."""

from __future__ import annotations

import pytest

from sim.data.dataset import Dataset, Measurement
from sim.prediction.cells import Cell
from sim.prediction.report import Report
from sim.prediction.validation import validation


def figure(row, value=100.0, unit="MB/s", measure="throughput"):
    return Measurement(
        dataset="ovens", line=2, source="B1", table="1", row=row, column="bread", measure=measure,
        value=value, unit=unit, half_width=0.5, conditions="users=1 block=1MB", quality="A",
    )  # fmt: skip


def dataset(*figures):
    return Dataset(name="ovens", title="Ovens", system="dbfs", measurements=figures, sources=("A baker, 2026",))


def cell(row, error, role="predicted"):
    return Cell(
        "ovens", row, "bread", "throughput", 100.0, "MB/s", 100.0 * (1 + error), None, None, error, role, None
    )


def found(*cells, bands=None, about=None):
    return validation(Report(cells, ()), [about or dataset(figure("a"))], bands)


def test_badly_missed_figures_of_any_role_fail_worst_first():
    cells = (
        cell("a", 0.1),
        cell("b", -0.21),
        cell("c", 0.9, "fitted"),
        cell("d", 0.19),
        cell("e", -0.3, "restated"),
    )
    assert [each.cell.row for each in found(*cells).failures] == ["c", "e", "b"]


@pytest.mark.parametrize(("band", "fails"), [((90.0, 110.0), False), ((101.0, 110.0), True), ((90.0, 99.0), True)])
def test_a_near_figure_outside_its_band_fails(band, fails):
    judged = found(cell("a", 0.05), bands={("ovens", "a", "bread"): band})
    assert [each.band for each in judged.failures] == [band] * fails
    (line,) = judged.lines
    assert line.inside == (not fails, 1)


def test_a_line_for_each_role_says_how_far_off_and_who_published():
    first, second = found(cell("a", 0.1), cell("b", -0.3), cell("c", 0.02, "fitted")).lines
    assert (first.dataset, first.role, first.summary.cells, first.summary.worst) == ("ovens", "predicted", 2, 0.3)
    assert (second.role, second.summary.median, second.inside) == ("fitted", 0.02, (0, 0))
    assert first.sources == second.sources == "A baker, 2026"


def test_an_invalid_dataset_is_a_problem():
    about = dataset(figure("a"), figure("a2", 500.0, "MB/s", "nothing"))
    (problem,) = found(about=about).problems
    assert problem.startswith("dataset 'ovens' line 2: system 'dbfs' has no measure 'nothing'")
