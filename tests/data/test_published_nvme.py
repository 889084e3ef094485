"""The published figures of NVMe reads: counts, spot values, and arithmetic that a slip of the pen would break."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.data.package import DataPackage

SPOTS = {
    "nvme": {
        ("One SSD, io_uring, none; procs 1", "QD 1 kIOPS"): (14.5, "kIO/s"),
        ("One SSD, io_uring, none; procs 1", "QD 32 p99"): (224e-6, "s"),
        ("One SSD, io_uring, none; procs 2", "QD 128 mean"): (342.1e-6, "s"),
        ("One SSD, io_uring, none; procs 8", "QD 256 p99"): (3555e-6, "s"),
        ("One SSD, SPDK; procs 1", "QD 256 kIOPS"): (783.3, "kIO/s"),
        ("1 SSD, QD 128 each, by scheduler (lock); scheduler mq-deadline", "procs 4 kIOPS"): (498.8, "kIO/s"),
        ("1 SSD, QD 128 each, by scheduler (lock); scheduler spdk", "procs 2 kIOPS"): (790.6, "kIO/s"),
        ("8 SSDs, QD 128 each, by scheduler (lock); scheduler spdk", "procs 1 kIOPS"): (1338.4, "kIO/s"),
    },
    "nvme-blocks": {
        ("One SSD, one process, block size; block 512", "QD 1 mean"): (52.3e-6, "s"),
        ("One SSD, one process, block size; block 4k", "QD 16 kIOPS"): (141.7, "kIO/s"),
        ("One SSD, one process, block size; block 8k", "QD 128 p99"): (1090e-6, "s"),
        ("One SSD, one process, block size; block 64k", "QD 256 mean"): (7912.0e-6, "s"),
    },
}


@pytest.fixture(scope="module", params=SPOTS)
def dataset(request, calibration_data):
    return DataPackage(calibration_data).read(request.param)


def test_every_cell_of_the_tables_is_quoted(dataset):
    rows = Counter(each.row.split(";")[0] for each in dataset.measurements)
    expected = {
        "nvme": {
            "One SSD, io_uring, none": 4 * 9 * 3,
            "One SSD, SPDK": 9 * 3,
            "1 SSD, QD 128 each, by scheduler (lock)": 5 * 4,
            "8 SSDs, QD 128 each, by scheduler (lock)": 5,
        },
        "nvme-blocks": {"One SSD, one process, block size": 8 * 9 * 3},
    }
    assert rows == expected[dataset.name]


def test_spot_values(dataset):
    figures = {(each.row, each.column): (each.value, each.unit) for each in dataset.measurements}
    for cell, figure in SPOTS[dataset.name].items():
        assert figures[cell] == figure, cell


def test_rate_times_latency_equals_ios_in_flight(dataset):
    """Little's law: within 1 %, or 0.3 µs and the rounding of what depth 1 does."""
    runs: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for each in dataset.measurements:
        if "QD" in each.column:
            runs.setdefault(each.conditions, {})[each.measure] = each.value
    assert len(runs) == {"nvme": 45, "nvme-blocks": 72}[dataset.name]
    for conditions, answers in runs.items():
        settings = dict(conditions)
        in_flight = int(settings["processes"]) * int(settings["depth"])
        assert answers["throughput"] * 1e3 * answers["mean"] == pytest.approx(in_flight, rel=0.022), settings
        assert answers["mean"] < answers["p99"]


def test_conditions_match_row_and_column(dataset):
    for each in dataset.measurements:
        settings = dict(each.conditions)
        if "QD" in each.column:
            assert each.column.split()[1] == settings["depth"]
        if "procs" in each.row + each.column:
            words = f"{each.row} {each.column}".split()
            assert words[words.index("procs") + 1] == settings["processes"]
        if "block " in each.row:
            assert each.row.split()[-1].replace("k", "KiB").replace("512", "512B") == settings["block"]
        if "; scheduler" in each.row:
            scheduler = each.row.split()[-1]
            driver, policy = ("spdk", "none") if scheduler == "spdk" else ("io_uring", scheduler)
            assert (settings["driver"], settings["scheduler"]) == (driver, policy)
        assert settings["devices"] == ("8" if each.row.startswith("8 SSDs") else "1")
