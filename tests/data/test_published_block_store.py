"""The published figures of the block store: spot values typed by hand, counts, and arithmetic on them."""

from __future__ import annotations

from collections import Counter

import pytest

from models.systems.block_store import BLOCK_STORE
from sim.data.package import DataPackage
from sim.system.settings import complete

TYPED = {
    "2021 raw drive, write/4KiB 1 job depth 32/IO/s": 60_000,
    "2021 Ceph 15.2.4, read/4KiB 1 job depth 1/IO/s": 1_750,
    "2021 Vitastor 0.4.0, write/4KiB 1 job depth 1/IO/s": 7_087,
    "2021 Vitastor 0.4.0, read/4MiB 1 job depth 32/MB/s": 1_500,
    "2021 Vitastor 0.4.0 NBD, write/4KiB 1 job depth 128/IO/s": 94_400,
    "2024 raw drive, read/4KiB 1 job depth 16/IO/s": 120_000,
    "2024 Vitastor 1.3.1, write/4MiB 6 jobs depth 16/GB/s": 8_160,
    "2024 Vitastor 1.3.1, write/4KiB 12 jobs depth 128/%": 173.4,
}
"""Row/column and value, as the source prints them; GB/s as MB/s."""

RAW = {("2021", "read"): 9_800, ("2021", "write"): 27_000, ("2024", "read"): 14_700, ("2024", "write"): 60_000}


@pytest.fixture(scope="module")
def dataset(calibration_data):
    return DataPackage(calibration_data).read("block-store")


@pytest.fixture(scope="module")
def figures(dataset):
    return {figure.name: figure.value for figure in dataset.measurements}


def test_figures_typed_by_hand(figures):
    assert {name: figures[name] for name in TYPED} == TYPED
    assert len(figures) == 38


def test_counts_by_study_and_measure(dataset):
    counted = Counter((dict(each.conditions)["study"], each.measure) for each in dataset.measurements)
    assert counted == {
        ("2021", "throughput"): 14,
        ("2021", "bandwidth"): 4,
        ("2024", "throughput"): 14,
        ("2024", "bandwidth"): 2,
        ("2024", "server_cpu"): 4,
    }


def test_conditions_say_the_study_its_machines_and_its_network(dataset):
    for each in dataset.measurements:
        asked = complete(BLOCK_STORE.settings, dict(each.conditions))
        assert each.row.startswith(asked["study"])
        if asked["client"] != "raw":
            machines = (asked["nodes"], asked["drives"], asked["nic"] * 8 / 1e9)
            assert machines == ((4, 6, 25) if asked["study"] == "2021" else (3, 8, 50))
            assert (asked["network"], asked["scheme"]) == ("tcp", "2-replicas")


@pytest.mark.parametrize(
    ("study", "store", "op", "added_us"),
    [
        ("2021", "Vitastor 0.4.0", "read", 44.2),
        ("2021", "Vitastor 0.4.0", "write", 104.1),
        ("2024", "Vitastor 1.3.1", "read", 46.3),
        ("2024", "Vitastor 1.3.1", "write", 106.8),
    ],
)
def test_latency_the_store_adds_at_depth_1_agrees_between_the_studies(figures, study, store, op, added_us):
    found = figures[f"{study} {store}, {op}/4KiB 1 job depth 1/IO/s"]
    assert 1e6 / found - 1e6 / RAW[study, op] == pytest.approx(added_us, abs=0.05)


@pytest.mark.parametrize(
    ("op", "load", "copies", "taken"),
    [("read", "4KiB 12 jobs depth 128", 1, 18.08e-6), ("write", "4KiB 12 jobs depth 128", 2, 31.50e-6)],
)
def test_processor_time_of_a_drives_servers_by_request(figures, op, load, copies, taken):
    """Per cent of a core over requests a second of a drive, of which there are 24."""
    row = f"2024 Vitastor 1.3.1, {op}"
    a_drive = figures[f"{row}/{load}/IO/s"] * copies / 24
    assert figures[f"{row}/{load}/%"] / 100 / a_drive == pytest.approx(taken, rel=1e-3)


@pytest.mark.parametrize(("op", "copies", "taken"), [("read", 1, 0.543e-9), ("write", 2, 1.241e-9)])
def test_processor_time_of_a_drives_servers_by_byte(figures, op, copies, taken):
    row = f"2024 Vitastor 1.3.1, {op}/4MiB 6 jobs depth 16"
    a_drive = figures[f"{row}/GB/s"] * 1e6 * copies / 24
    assert figures[f"{row}/%"] / 100 / a_drive == pytest.approx(taken, rel=1e-3)


def test_only_the_other_store_is_not_predicted(dataset):
    for each in dataset.measurements:
        assert (dataset.why_unpredicted(each) is not None) == ("Ceph" in each.row)
