"""Misses that claims are judged with are those of a report. `python tests/golden/test_misses.py` writes them."""

import csv
import io
import math
from statistics import fmean

import pytest

from models import data_folder
from sim.data import misses as file_of_misses
from sim.decision.probability import NORMAL
from sim.engine.files import write_atomically
from sim.engine.simulation.options import RunOptions
from sim.prediction import misses
from sim.prediction.report import datasets, report
from sim.prediction.roles import role_of
from sim.system.derivation import REPEATS
from sim.system.installed import find, systems
from stacksim.claims.verdict import UNLIKELY

PATH = data_folder() / file_of_misses.FILE
RIVALS = data_folder() / file_of_misses.RIVALS
COLUMNS = ("dataset", "row", "column", "system", "measure", "miss")
SIMULATED = 0.01
"""Tolerance between two versions of a model, and the digits that are written."""


def made():
    """The lines: figures that no parameter was made from, by how much the models miss each."""
    about = datasets(())
    system_of = {each.name: each.system for each in about}
    for cell in report(about, RunOptions()).cells:
        if cell.role == "predicted":
            miss = f"{math.log(cell.predicted / cell.published):.4f}"
            yield (cell.dataset, cell.row, cell.column, system_of[cell.dataset], cell.measure, miss)


def made_of_rivals():
    """Errors of each structure of a system that was not cross-validated, of equal figures."""
    for system in systems().values():
        if system.rivals and not system.parameters.missed:
            about = [each for each in datasets(()) if each.system == system.name]
            same = {(line["dataset"], line["row"], line["column"]) for line in file_of_misses.lines(PATH)}
            for rival in map(find, system.rivals):
                for cell in report(about, RunOptions(), refitted=rival).cells:
                    if (cell.dataset, cell.row, cell.column) in same:
                        miss = f"{math.log(cell.predicted / cell.published):.4f}"
                        yield (cell.dataset, cell.row, cell.column, rival.name, cell.measure, miss)


def written(made_lines):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *made_lines])
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
    """Misses fitted later still count: bands do not shrink because figures have changed sides."""
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


def test_structures_are_weighted_by_the_same_figures_in_the_same_order(lines):
    rivals = file_of_misses.lines(RIVALS)
    for name in dict.fromkeys(line["system"] for line in rivals):
        assert name in find(find(name).measured_as).rivals
        own = [line for line in lines if line["system"] == find(name).measured_as]
        others = [line for line in rivals if line["system"] == name]
        for line, other in zip(own, others, strict=True):
            assert {**line, "system": name, "miss": other["miss"]} == other


@pytest.mark.slow
@pytest.mark.parametrize(("path", "made_lines"), [(PATH, made), (RIVALS, made_of_rivals)], ids=["own", "rivals"])
def test_lines_are_those_of_a_report(path, made_lines):
    for line, (*names, miss) in zip(file_of_misses.lines(path), made_lines(), strict=True):
        assert [line[name] for name in COLUMNS[:-1]] == names
        assert float(line["miss"]) == pytest.approx(float(miss), abs=SIMULATED), names


if __name__ == "__main__":
    write_atomically(PATH, written(made()).encode())
    write_atomically(RIVALS, written(made_of_rivals()).encode())
