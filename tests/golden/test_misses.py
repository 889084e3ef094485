"""Misses that claims are judged with are those of a report. `python tests/golden/test_misses.py` writes them."""

import csv
import io
import math
from statistics import fmean

import pytest

from models import data_folder
from sim.data import misses as file_of_misses
from sim.decision.claims.verdict import UNLIKELY
from sim.decision.probability import NORMAL
from sim.files import write_atomically
from sim.prediction import misses
from sim.prediction.report import datasets, report
from sim.prediction.roles import role_of
from sim.simulation.options import RunOptions
from sim.system.derivation import REPEATS
from sim.system.installed import find

PATH = data_folder() / file_of_misses.FILE
COLUMNS = ("dataset", "row", "column", "system", "measure", "miss")
SIMULATED = 0.01
"""What two versions of a model may differ by, and the digits that are written."""


def made():
    """The lines: figures that no parameter was made from, by how much the models miss each."""
    about = datasets(())
    system_of = {each.name: each.system for each in about}
    for cell in report(about, RunOptions()).cells:
        if cell.role == "predicted":
            miss = f"{math.log(cell.predicted / cell.published):.4f}"
            yield (cell.dataset, cell.row, cell.column, system_of[cell.dataset], cell.measure, miss)


def written():
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *made()])
    return file.getvalue()


@pytest.fixture(scope="module")
def lines():
    return file_of_misses.lines(PATH)


def test_every_figure_that_is_predicted_has_its_line(lines):
    predicted = [
        {"dataset": each.name, "row": figure.row, "column": figure.column}
        for each in datasets(())
        for figure in each.predicted()
        if role_of(find(each.system), each, figure) == "predicted"
    ]
    assert [{name: line[name] for name in ("dataset", "row", "column")} for line in lines] == predicted


def test_models_miss_no_further_at_large_than_bands_allow_for(lines):
    """What was missed and then fitted counts on: bands do not shrink because figures have changed sides."""
    squares: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        squares.setdefault((line["system"], line["measure"]), []).append(float(line["miss"]) ** 2)
    assert misses.MISSED / 2 < math.sqrt(fmean(map(fmean, squares.values()))) < misses.MISSED


def test_no_figure_is_implausible_beside_the_others_of_its_answer(lines):
    """Each held out: the misses of the same answer elsewhere, without its own, leave room for it."""
    for line in lines:
        same = [
            float(other["miss"])
            for other in lines
            if other is not line and all(other[name] == line[name] for name in ("system", "measure"))
        ]
        deviation = math.hypot(misses.deviation(same), REPEATS)
        assert 2.0 * NORMAL.cdf(-abs(float(line["miss"])) / deviation) >= UNLIKELY, line


@pytest.mark.slow
def test_lines_are_those_of_a_report(lines):
    for line, (*names, miss) in zip(lines, made(), strict=True):
        assert [line[name] for name in COLUMNS[:-1]] == names
        assert float(line["miss"]) == pytest.approx(float(miss), abs=SIMULATED), names


if __name__ == "__main__":
    write_atomically(PATH, written().encode())
