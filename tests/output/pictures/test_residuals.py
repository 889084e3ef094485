"""Pictures of a report: every error, the worst by name, and how errors are spread."""

from __future__ import annotations

from sim.output.pictures.residuals import distribution, residuals
from sim.prediction.cells import Cell


def cell(row, error, role="predicted"):
    return Cell("dbfs-dd", row, "write", "throughput", 1.0, "MB/s", 1.0 + error, None, None, error, role, None)


def test_figures_are_counted_in_whole_numbers():
    (axes,) = residuals([cell("1u", 0.01), cell("2u", -0.3)]).axes
    assert all(each == int(each) for each in axes.get_xticks())


def test_the_pictures_show_each_role_and_name_the_worst():
    cells = [cell("1u", 0.01), cell("2u", -0.3), cell("3u", 0.02, "fitted")]
    (axes,) = residuals(cells).axes
    assert "2u write" in [each.get_text() for each in axes.texts]
    assert sum(len(each.lines[0].get_xdata()) for each in axes.containers) == len(cells)
    (axes,) = distribution(cells).axes
    assert [each.get_text() for each in axes.get_legend().get_texts()] == ["predicted (2)", "fitted (1)"]
