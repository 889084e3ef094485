"""The figures of shared-file and ext4-exclusive are those that were published, with their conditions."""

from __future__ import annotations

import pytest

from models.systems.shared_file import SHARED_FILE
from sim.data.package import DataPackage
from sim.system.settings import complete

KIB, MIB = 1024, 1024 * 1024
SHARED = "shared-file"
EXCLUSIVE = "ext4-exclusive"

SPOTS = {
    (SHARED, "1K", "xfs (1thr)"): 20.943,
    (SHARED, "4K", "xfs (1thr)"): 73.668,
    (SHARED, "4K", "xfs (8thr)"): 290,
    (SHARED, "64K", "ext4 (1thr)"): 374,
    (SHARED, "128K", "xfs (1thr)"): 748,
    (SHARED, "8M", "ext4 (1thr)"): 1243,
    (EXCLUSIVE, "4k before", "IOPS"): 11.1,
    (EXCLUSIVE, "64k before", "IOPS"): 11.2,
    (EXCLUSIVE, "16k before", "BW"): 173,
}
"""Typed by hand."""


@pytest.fixture(scope="module")
def figures(calibration_data):
    package = DataPackage(calibration_data)
    return {name: package.read(name).measurements for name in (SHARED, EXCLUSIVE)}


def settings_of(figure):
    return complete(SHARED_FILE.settings, dict(figure.conditions))


def test_figures_are_complete_and_equal_samples_typed_by_hand(figures):
    found = {(each.dataset, each.row, each.column): each.value for table in figures.values() for each in table}
    assert [len(table) for table in figures.values()] == [29, 6]
    assert {key: found[key] for key in SPOTS} == SPOTS


def test_conditions_are_those_of_row_and_column(figures):
    for each in figures[SHARED]:
        settings = settings_of(each)
        unit = {"K": KIB, "M": MIB}[each.row[-1]]
        filesystem, threads = each.column.split()
        assert settings["block"] == int(each.row[:-1]) * unit
        assert (settings["filesystem"], settings["threads"]) == (filesystem, int(threads[1]))
        assert (settings["device"], settings["mount"], settings["kernel"]) == ("iodrive-duo", "direct", (2, 6))
    for each in figures[EXCLUSIVE]:
        settings = settings_of(each)
        assert settings["block"] == int(each.row.split("k")[0]) * KIB
        assert (settings["writers"], settings["depth"], settings["device"]) == (10, 10, "nvme")
        assert (settings["kernel"], settings["extents"]) == ((6, 2), "preallocated")


def test_every_size_was_written_by_one_thread_on_both_file_systems(figures):
    rows = [each.row for each in figures[SHARED] if each.column == "xfs (1thr)"]
    assert rows == [each.row for each in figures[SHARED] if each.column == "ext4 (1thr)"]
    sizes = [settings_of(each)["block"] for each in figures[SHARED] if each.column == "xfs (1thr)"]
    assert sizes == [KIB << power for power in range(14)]


def test_half_widths_are_half_the_last_digit_that_is_printed(figures):
    for each in figures[SHARED]:
        assert each.half_width == (0.0005 if each.value < 100 else 0.5)
    for each in figures[EXCLUSIVE]:
        assert each.half_width == (0.05 if each.value < 100 else 0.5)


def test_bandwidth_is_writes_times_block_within_the_rounding_of_both(figures):
    by_cell = {(each.row, each.column): each for each in figures[EXCLUSIVE]}
    for (row, column), writes in by_cell.items():
        if column == "IOPS":
            bandwidth, block = by_cell[row, "BW"], settings_of(writes)["block"]
            low, high = (1e3 * (writes.value + side * writes.half_width) * block / MIB for side in (-1, 1))
            assert low - bandwidth.half_width <= bandwidth.value <= high + bandwidth.half_width


def test_restated_figures_are_in_no_fit(calibration_data):
    dataset = DataPackage(calibration_data).read(EXCLUSIVE)
    assert {each.measure for each in dataset.fitted()} == {"iops"}
