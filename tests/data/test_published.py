"""The figures under calibration-data/ are those of the sources, with the conditions stated there."""

from __future__ import annotations

import re

import pytest

from sim.data.package import DataPackage

ROUNDING = {"Quarter-X2-2 (1 db-node)": 2.5, "Half-X2-2 (4 db node)": 10.0}
SOURCES = {
    *(f"S{number}" for number in range(5)),
    *("CubeFS", "ICPE", "mdcallag", "pspacer", "ext4", "SIGMOD", "vitastor", "pingcap"),
    *("oracle-2012", "dba-stuff-2012", "dba-stuff-2015", "bach-2015", "oracle-x5-2", "network-world-2019"),
    *("oracle-pmem", "dbi-2021", "oracle-x9m", "x11m-data-sheet", "percona-lab"),
}
"""Short names of what the figures were taken from."""

CELLS = {"1": "3", "4": "7"}
"""Table 2 of the paper: storage cells by database nodes."""

BLOCKS = {"1k": "1KiB", "4k": "4KiB", "8k": "8KiB", "32k": "32KiB", "128k": "128KiB", "1m": "1MiB"}
USERS = {"4": "1", "5": "4", "6": "8"}
"""Users a node, by table."""


@pytest.fixture(scope="module")
def figures(calibration_data):
    return DataPackage(calibration_data).read("dbfs-dd").measurements


def test_every_figure_names_its_source(calibration_data):
    package = DataPackage(calibration_data)
    assert {figure.source for name in package.names() for figure in package.read(name).measurements} == SOURCES
    assert all(package.read(name).sources for name in package.names())


def calibration_tables(text):
    """Value by (table, row, column); tables 4, 5, 6 are those with columns such as 1u-1k-write, in order."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if re.match(r"Exadata Configuration\t\d+u-", line)]
    return {
        (str(table), row, column): float(value)
        for table, start in enumerate(starts, 4)
        for row, *values in (line.split("\t") for line in lines[start + 1 : start + 3])
        for column, value in zip(lines[start].split("\t")[1:], values, strict=True)
    }


def test_dbfs_dd_holds_the_72_figures_of_the_paper(figures, source_text):
    found = {(figure.table, figure.row, figure.column): figure.value for figure in figures}
    assert found == calibration_tables(source_text("S0"))
    assert len(figures) == len(found) == 72


def test_dbfs_dd_conditions_match_row_and_column(figures):
    for figure in figures:
        nodes = re.search(r"\((\d) db", figure.row)[1]
        users, block, op = re.fullmatch(r"(\d)u-(\w+)-(\w+)", figure.column).groups()
        assert users == USERS[figure.table]
        assert dict(figure.conditions) == {
            "nodes": nodes,
            "cells": CELLS[nodes],
            "users": users,
            "block": BLOCKS[block],
            "op": op,
            "direct_io": "yes",
        }


def test_dbfs_dd_rounding_is_half_the_step_of_the_figures(figures):
    for figure in figures:
        assert figure.half_width == ROUNDING[figure.row]
        assert figure.value % (2 * figure.half_width) == 0


def test_dbfs_dd_grade_and_unit(figures):
    assert {(figure.source, figure.measure, figure.unit, figure.quality) for figure in figures} == {
        ("S0", "throughput", "MB/s", "B")
    }


def test_the_package_keeps_the_standard(calibration_data):
    import frictionless

    report = frictionless.validate(calibration_data / "datapackage.json")
    assert report.flatten(["rowNumber", "fieldNumber", "type", "message"]) == []
    assert report.valid


def test_every_data_set_can_be_read(calibration_data):
    package = DataPackage(calibration_data)
    for name in package.names():
        assert package.read(name).measurements
