"""Held-out figures beside predictions in docs/systems/exadata.md. As a script, this file writes the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import bands as held
from models.systems.exadata import EXADATA
from page_tables import between, head, row, write, written
from sim.engine.simulation.options import RunOptions
from sim.engine.units.text import figure_text
from sim.prediction.misses import misses_of
from sim.prediction.prediction import predict_case
from sim.prediction.report import case_of, datasets

PAGE = Path(__file__).parents[2] / "docs" / "systems" / "exadata.md"
MARKS = ("<!-- table of what was held out -->\n", "<!-- end of the table -->\n")
OPTIONS = RunOptions(precision=0.02, answers=("throughput", "mean"))


def figures():
    """Those that were held out and do not follow from others."""
    (dataset,) = datasets(["exadata-generations"])
    for figure in dataset.predicted():
        if dataset.never_fitted[0].holds(figure) and dataset.why_restated(figure) is None:
            yield figure


def line(figure):
    """Published, predicted, by how much that is off, and the band as if the figure itself were not known."""
    found = predict_case(case_of(EXADATA, figure), OPTIONS, intervals=True)
    value = found.answers[figure.measure].estimate.value
    name = f"{figure.row}, {figure.column}"
    shown = [figure_text(each, figure.unit, 3) for each in (figure.value, value)]
    error = f"{100 * (value / figure.value - 1):+.0f} %"
    tested = held.Tested(figure, found, "predicted", shift=1.0)
    band = held.band_of(tested, held.without(misses_of(EXADATA), [tested]), EXADATA.parameters.scatter)
    low, high = band.low - figure.half_width, band.high + figure.half_width
    ends = " … ".join(figure_text(each, figure.unit, 3) for each in (low, high))
    return row(name, *shown, error, ends, "yes" if low <= figure.value <= high else "**no**")


def table():
    yield from head("held out", "published", "predicted", "error", "band", "inside")
    yield from map(line, figures())


def test_the_page_has_each_figure_that_was_held_out():
    found = [each.split(" | ")[0].removeprefix("| ") for each in written(PAGE, MARKS).splitlines()[3:] if each]
    assert sorted(found) == sorted(f"{figure.row}, {figure.column}" for figure in figures())


@pytest.mark.slow
def test_all_rows_equal_predictions():
    assert written(PAGE, MARKS) == between(table())


if __name__ == "__main__":
    write(PAGE, MARKS, table())
