"""The figures of zfs-ufs are those of the source, with its conditions."""

from __future__ import annotations

import re

import pytest

from models.systems.zfs_ufs import ZFS_UFS
from sim.data.package import DataPackage
from sim.system.settings import complete

PHASES = {
    "db creation": "db-creation",
    "catalog": "catalog",
    "ts creation": "ts-creation",
    "data load[1]": "load",
    "index creation": "index",
    "key creation": "key",
}
CONFIGURATIONS = ("UFS", "ZFS (default)", "ZFS+comp", "ZFS+nochksum")
MEASURED_AGAIN = (
    "UFS(-,8K,8K) [default]",
    "UFS(forcedirectio,8K,8K)",
    "UFS(forcedirectio,8K,32K)",
    "ZFS(off,128K,8K) [default]",
    "ZFS(on,128K,8K)",
    "ZFS(on,8K,8K)",
    "ZFS(off,32K,32K)",
    "ZFS(off,128K,8K) (*)",
)
SAID = {
    "UFS catalog creation/CPU time": (330, "the corresponding oracle process consumes ~5:30 minutes of CPU"),
    "all datafiles/together": (2.8, "After all the data has been loaded, all datafiles together 2.8GB"),
    "machine/unused RAM": (3, "RAM of which at least 3GB are unused"),
    "128kByte request/physical I/Os": (3, "request will be split into three physical I/Os"),
}
"""Figures of the running text."""


@pytest.fixture(scope="module")
def figures(calibration_data):
    return DataPackage(calibration_data).read("zfs-ufs").measurements


def seconds(text):
    """Minutes and seconds; the author once wrote a point for the colon."""
    minutes, rest = re.split("[:.]", text, maxsplit=1)
    return 60 * int(minutes) + float(rest)


def published(text):
    """Value by row/column."""
    found = {}
    for row in PHASES:
        times = re.search(rf"^{re.escape(row)}((?: \d+:\d\d){{4}})$", text, re.MULTILINE)[1].split()
        found |= {f"{row}/{column}": seconds(each) for column, each in zip(CONFIGURATIONS, times, strict=True)}
    for row in MEASURED_AGAIN:
        times = re.search(rf"^{re.escape(row)} (\S+) (\S+)$", text, re.MULTILINE)
        found |= {f"{row}/db creation": seconds(times[1]), f"{row}/catalog creation": seconds(times[2])}
    return found | {cell: value for cell, (value, words) in SAID.items() if words in text}


def test_the_table_holds_the_figures_of_the_source(figures, source_text):
    found = {f"{each.row}/{each.column}": each.value for each in figures}
    assert found == pytest.approx(published(source_text("S1")), abs=1e-9)
    assert len(found) == len(figures) == 24 + 16 + 4


def test_every_figure_stands_under_its_heading(figures, source_text):
    text = source_text("S1")
    assert {each.table for each in figures} == {"Oracle on ZFS vs. UFS", "physmem=262144 (1GB)"}
    assert all(each.table in text for each in figures)


def test_half_widths_are_half_the_last_digit_that_is_printed(figures):
    for each in figures:
        if each.measure == "elapsed":
            assert each.half_width == (0.0005 if each.row in MEASURED_AGAIN else 0.5)


def test_conditions_are_those_of_the_source(figures):
    for each in figures:
        if each.measure == "none":
            assert not each.conditions
            continue
        asked = complete(ZFS_UFS.settings, dict(each.conditions))
        assert asked["memory"] == (1 if "physmem" in each.table else 4) << 30
        if each.row in PHASES:
            assert asked["phase"] == PHASES[each.row]
            assert asked["compression"] == ("comp" in each.column)
            assert asked["checksum"] == ("nochksum" not in each.column)
            assert asked["filesystem"] == each.column[:3].lower()
            assert asked["recordsize"] == 128 * 1024
        elif each.row in MEASURED_AGAIN:
            check_row(each, asked)


def check_row(figure, asked):
    """``UFS(forcedirectio,8K,32K)`` or ``ZFS(on,8K,8K)``: mount or compression, block or record, own block."""
    name, first, second, block = re.match(r"(UFS|ZFS)\((.+),(\d+)K,(\d+)K\)", figure.row).groups()
    assert asked["filesystem"] == name.lower()
    assert asked["block"] == int(block) * 1024
    assert asked["phase"] == ("db-creation" if figure.column == "db creation" else "catalog")
    assert asked["maxphys"] == (8388608 if figure.row.endswith("(*)") else 56 * 1024)
    if name == "UFS":
        assert asked["mount"] == ("buffered" if first == "-" else first)
    else:
        assert asked["compression"] == (first == "on")
        assert asked["recordsize"] == int(second) * 1024


def test_defaults_are_those_of_the_source(source_text):
    text, defaults = source_text("S1"), complete(ZFS_UFS.settings, {})
    assert f"db_block_size={defaults['block']}" in text
    assert f"maxphys still only {defaults['maxphys'] // 1024} kByte" in text
    assert f". {defaults['memory'] >> 30} GB RAM" in text
    assert f"recordsize is default ({defaults['recordsize'] // 1024}K)" in text
    assert f". {ZFS_UFS.parameters['cores']:.0f} x AMD Opteron" in text
