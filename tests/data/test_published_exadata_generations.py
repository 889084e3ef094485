"""The published figures of Exadata X3-2 to X11M: spot values typed by hand, what is held out, and arithmetic."""

from __future__ import annotations

from hashlib import sha256

import pytest

from models.systems.exadata import EXADATA
from sim.data.package import DataPackage
from sim.system.settings import complete

TYPED = {
    "X3-2 Full Rack/Flash IOPS, 8K Reads": 1_900_000,
    "X3-2 Single Cell/Flash Cache Data Bandwidth, High Cap Disk": 6.75,
    "X3-2 Quarter/Disk IOPS, High Perf Disk": 14_400,
    "QUAR (1/4) HP/IOPS": 10_800,
    "hard disk LUNs/IOPS": 2396,
    "X5-2 full rack, High Capacity/random 8K read IOPS": 4_144_000,
    "X8M-2/8K flash write I/Os per second": 980_000,
    "X9M rack/8k read IOs per second": 27_600_000,
    "8K database reads/to less than": 19e-6,
    "SQL single-block read latency/X11M": 14e-6,
    "X11M storage server/Flash SQL scan throughput": 100,
}
"""Row/column and value, as the sources print them; latencies in seconds."""


@pytest.fixture(scope="module")
def dataset(calibration_data):
    return DataPackage(calibration_data).read("exadata-generations")


def test_figures_typed_by_hand(dataset):
    found = {each.name: each.value for each in dataset.measurements}
    assert {name: found[name] for name in TYPED} == pytest.approx(TYPED)
    assert len(found) == len(dataset.measurements) == 68


def test_half_is_held_out_by_the_hash_of_its_name(dataset):
    names = [each.name for each in dataset.predicted()]
    held = {name for name in names if int(sha256(f"{dataset.name}/{name}".encode()).hexdigest()[0], 16) % 2 == 0}
    assert {*dataset.never_fitted[0].values} == held
    assert {*dataset.for_fit[0].values} == {*names} - held
    assert (len(names), len(held)) == (56, 29)


def test_conditions_are_settings_of_seven_generations(dataset):
    asked = [complete(EXADATA.settings, dict(each.conditions)) for each in dataset.predicted()]
    assert len({each["generation"] for each in asked}) == 7
    for each in asked:
        assert each["block"] == (1 << 20 if each["op"] == "scan" else 8192)


def test_racks_of_x3_2_are_multiples_of_a_cell(dataset):
    """The number of cells in a storage expansion rack is inferred: this bears it out."""
    found = {each.name: each.value for each in dataset.measurements}
    for name, value in found.items():
        if name.startswith("X3-2 Single Cell"):
            for rack, cells in (("Full Rack", 18), ("Half Rack", 9), ("Quarter", 4)):
                assert found[name.replace("Single Cell", rack)] == pytest.approx(cells * value, rel=0.045)
