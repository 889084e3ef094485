"""The figures of dbfs-file-ops, dbfs-external-table and dbfs-dump are those of the paper, with its conditions."""

from __future__ import annotations

import re

import pytest

from models.systems.dbfs import DBFS_FILES, DBFS_LOAD
from sim.data.package import DataPackage
from sim.system.settings import complete

NAMES = ("dbfs-file-ops", "dbfs-external-table", "dbfs-dump")

COLUMNS = {
    "ls -IFR": "ls -lFR",
    "ls -IFR  wc -l": "ls -lFR | wc -l",
}
"""Headings as the text version of the paper has them, and as the commands above the table spell them."""

OPERATIONS = {
    "tar xvf": "tar-x",
    "ls -lFR": "ls",
    "ls -lFR | wc -l": "ls",
    "ls -l /*/*/*a.gif": "ls-wildcard",
    "ls -l /a/b/c/d/z.txt": "ls-qualified",
    "tar cvf": "tar-c",
    "rm -rf": "rm",
    "Flatfile generation": "generate",
    "External table load": "load",
    "Export dump": "export",
    "Import Dump": "import",
}
RACKS = {"Quarter-X2-2 (1 db-node)": (1, 3), "Half-X2-2 (4 db node)": (4, 7)}
REGRESSION = r"range of regression varies from (\d+)% - (\d+)x depending on data size"


@pytest.fixture(scope="module")
def figures(calibration_data):
    package = DataPackage(calibration_data)
    return {name: package.read(name).measurements for name in NAMES}


def table(text, first):
    """Cells as text by (row, column) of the table whose first column after the name is ``first``."""
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"Exadata Configuration\t{first}"))
    columns = [COLUMNS.get(each, each) for each in lines[at].split("\t")[1:]]
    rows = [line.split("\t") for line in lines[at + 1 : at + 3]]
    return {(row, column): cell for row, *cells in rows for column, cell in zip(columns, cells, strict=True)}


@pytest.mark.parametrize(
    ("name", "first", "count"),
    [("dbfs-file-ops", "tar", 14), ("dbfs-external-table", "Flat", 4), ("dbfs-dump", "Exp", 4)],
)
def test_the_tables_hold_the_figures_of_the_paper(figures, source_text, name, first, count):
    published = table(source_text("S0"), first)
    found = {(each.row, each.column): each for each in figures[name] if each.row in RACKS}
    assert found.keys() == published.keys()
    assert len(found) == count
    for key, cell in published.items():
        if cell == "<1":
            assert (found[key].measure, found[key].value, found[key].half_width) == ("shown", 1, 0)
        else:
            assert found[key].value == float(cell)
            assert found[key].half_width == 2.5
            assert found[key].value % 5 == 0


def test_the_sentence_on_imports_is_that_of_the_paper(figures, source_text):
    at_least, at_most = re.search(REGRESSION, source_text("S0")).groups()
    found = {each.column: each.value for each in figures["dbfs-dump"] if each.row == "Import dump"}
    assert found == {"regression from": float(at_least), "regression to": float(at_most)}


def test_conditions_are_those_of_the_paper(figures, source_text):
    text = source_text("S0")
    assert "approximately 93,000 files and up to 9 levels of subdirectories" in text
    assert "Quarter-X2-2 (1 db-node)\t128GB\t128GB\t128GB\t3GB\t1024GB\t1024GB\t1024GB\t1024GB" in text
    assert "Half-X2-2 (4 db node)\t32x4\t32x4\t32x4\t3x4\t250x4\t250x4\t250x4\t250x4" in text
    assert "using a degree of parallelism (DOP) of 16" in text
    assert "above generated 8 flat files" in text
    for each in (each for name in NAMES for each in figures[name] if each.row in RACKS):
        system = DBFS_FILES if each.dataset == "dbfs-file-ops" else DBFS_LOAD
        asked = complete(system.settings, dict(each.conditions))
        assert (asked["nodes"], asked["cells"]) == RACKS[each.row]
        if system is DBFS_FILES:
            assert asked["op"] == OPERATIONS[each.column]
            assert (asked["files"], asked["bytes"], asked["levels"]) == (93_000, 3 * 10**9, 9)
        else:
            assert asked["work"] == OPERATIONS[each.column]
            assert asked["bytes"] == {1: 1024, 4: 250}[asked["nodes"]] * 10**9
            assert (asked["generators"], asked["slaves"], asked["dumps"]) == (8, 16, 1)


SUSTAINED = "more than 10TB/hr throughput of filesystem read and write operations"
"""In the abstract of "Oracle database filesystem" (SIGMOD 2011), "consistently over a period of 12 hours"."""


def test_the_figure_of_the_abstract_is_ten_terabytes_an_hour_rounded_to_one(calibration_data):
    (figure,) = DataPackage(calibration_data).read("dbfs-sustained").measurements
    (terabytes,) = re.findall(r"(\d+)TB/hr", SUSTAINED)
    assert figure.value == pytest.approx(float(terabytes) * 1e6 / 3600, abs=0.5)
    assert figure.half_width == pytest.approx(0.5e6 / 3600, abs=0.5)
    assert (figure.unit, dict(figure.conditions)["nodes"], figure.quality) == ("MB/s", "4", "C")
