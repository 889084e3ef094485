"""The figures of file-sync are those of their source: some typed by hand, all counted and held to arithmetic."""

from __future__ import annotations

from collections import Counter

import pytest

from models.systems.file_sync import FILE_SYNC
from sim.data.package import DataPackage
from sim.system.settings import complete

TYPED = {
    "dell32 ext4 fsync=0_16K 1 jobs/writes/s repeat 1": 43_400,
    "dell32 ext4 fsync=1_16K 2 jobs/sync latency repeat 2": 907.8,
    "dell32 ext4 fdatasync=1_16K 1 jobs/writes/s repeat 2": 2_095,
    "dell32 ext4 fsync=1_2M 2 jobs/writes/s repeat 1": 632,
    "socket2 ext4 fdatasync=0_16K 2 jobs/writes/s repeat 2": 90_700,
    "socket2 ext4 fsync=1_2M 1 jobs/sync latency repeat 1": 139.1,
    "hetz ext4 fsync=1_16K 1 jobs/sync latency repeat 2": 12.4,
    "hetz ext4 fdatasync=1_2M 2 jobs/writes/s repeat 1": 2_370,
    "gcpL xfs fsync=1_2M 2 jobs/sync latency repeat 1": 2_667.5,
    "gcpL ext4 fsync=0_16K 2 jobs/writes/s repeat 2": 16_959,
    "gcpR ext4 fdatasync=1_16K 1 jobs/sync latency repeat 1": 46.8,
    "gcpR xfs fsync=1_2M 1 jobs/writes/s repeat 2": 268,
}
"""Row/column and value, as the source prints them."""

HOSTS = {("dell32", "ext4"), ("socket2", "ext4"), ("hetz", "ext4")} | {
    (host, filesystem) for host in ("gcpL", "gcpR") for filesystem in ("ext4", "xfs")
}
TESTS = {f"{sync}={on}_{block}" for sync in ("fsync", "fdatasync") for on in (0, 1) for block in ("16K", "2M")}


@pytest.fixture(scope="module")
def figures(calibration_data):
    return DataPackage(calibration_data).read("file-sync").measurements


@pytest.fixture(scope="module")
def by_run(figures):
    """Writes/s and sync latency, by row and number of the repeat."""
    runs = {}
    for each in figures:
        runs.setdefault((each.row, each.column[-1]), {})[each.measure] = each.value
    return runs


def test_figures_typed_by_hand(figures):
    found = {f"{each.row}/{each.column}": each.value for each in figures}
    assert {cell: found[cell] for cell in TYPED} == TYPED
    assert len(found) == len(figures) == 321


def test_each_test_was_run_twice_with_one_and_two_jobs_on_each_host(figures):
    rates = [each for each in figures if each.measure == "throughput"]
    counted = Counter(each.row for each in rates)
    rows = {f"{host} {fs} {test} {jobs} jobs" for host, fs in HOSTS for test in TESTS for jobs in (1, 2)}
    assert set(counted) == rows
    assert set(counted.values()) == {2}
    assert {each.row for each in figures if each.measure == "sync_latency"} == {
        row for row in rows if "=1_" in row
    }


def test_conditions_match_the_row(figures):
    for each in figures:
        host, filesystem, test, jobs, _ = each.row.split(" ")
        name, on = test.split("_")[0].split("=")
        asked = complete(FILE_SYNC.settings, dict(each.conditions))
        assert (asked["host"], asked["filesystem"], asked["jobs"]) == (host, filesystem, int(jobs))
        assert asked["sync"] == (name if on == "1" else "none")
        assert asked["block"] == {"16K": 16 << 10, "2M": 2 << 20}[test.split("_")[1]]
        assert each.table == test


def test_units_and_rounding(figures):
    for each in figures:
        unit = ("writes/s", 0.5) if each.measure == "throughput" else ("µs", 0.05)
        assert (each.unit, each.half_width) == unit


def test_a_sync_is_never_longer_than_the_whole_of_a_write_and_its_sync(by_run):
    """By Little's law a job that writes x times a second has 1 / x for a write and its sync."""
    for (row, _), run in by_run.items():
        if "sync_latency" in run:
            jobs = int(row.split(" ")[3])
            cycle_us = jobs / run["throughput"] * 1e6
            assert run["sync_latency"] < cycle_us, row


def test_time_of_a_run_beside_its_syncs_is_that_of_a_write(by_run):
    """With one job and 16 KiB, within a tenth, or 11 µs, of what a write takes in a run without sync."""
    for (row, repeat), run in by_run.items():
        host, filesystem, test, jobs, _ = row.split(" ")
        if jobs == "1" and test.endswith("16K") and "sync_latency" in run:
            alone = by_run[f"{host} {filesystem} fsync=0_16K 1 jobs", repeat]["throughput"]
            rest_us = 1e6 / run["throughput"] - run["sync_latency"]
            assert rest_us == pytest.approx(1e6 / alone, rel=0.1, abs=11)


def test_only_the_large_writes_of_one_host_are_not_predicted(calibration_data):
    dataset = DataPackage(calibration_data).read("file-sync")
    for each in dataset.measurements:
        listed = each.row.startswith("dell32") and "_2M" in each.row
        assert (dataset.why_unpredicted(each) is not None) == listed
