"""Figures that lessons begin with: of the datasets, of present-day stacks, of the catalogue of hardware."""

from __future__ import annotations

import json

import pytest

from sim.data.package import DataPackage
from sim.engine.errors import InputError
from stacksim.notebook import published


@pytest.fixture(scope="module")
def reads(calibration_data):
    return DataPackage(calibration_data / "present-day").read("nvme-reads").measurements


def test_a_figure_of_each_kind_is_found():
    assert published("dbfs-dd", "Quarter-X2-2 (1 db-node)", "1u-1k-write").value == 35
    nvme = published("nvme-reads", "procs 8", "QD 64 kIOPS")
    assert (nvme.value, nvme.unit, nvme.half_width) == (774.7, "kIO/s", 0.05)
    assert nvme.conditions == {"jobs": "8", "depth": "64", "block": "4KiB", "op": "read"}
    cap = published("hardware", "m5.large", "burst_iops")
    assert (cap.value, cap.unit, cap.half_width) == (18_750, "1/s", 0)
    assert cap.source.startswith("Amazon EC2 user guide")


@pytest.mark.parametrize(
    ("dataset", "row", "column", "told"),
    [
        ("nvme-rads", "procs 8", "QD 64 kIOPS", "did you mean 'nvme-reads'"),
        ("nvme-reads", "procs 9", "QD 64 kIOPS", "did you mean 'procs"),
        ("nvme-reads", "procs 8", "QD 65 kIOPS", "did you mean 'QD"),
        ("hardware", "gp3", "iop", "did you mean 'iops'"),
        ("hardware", "gp33", "iops", "did you mean 'gp3'"),
    ],
)
def test_unpublished_figure_is_refused_with_the_nearest(dataset, row, column, told):
    with pytest.raises(InputError, match=told):
        published(dataset, row, column)


def test_rows_and_columns_of_reads_match_the_conditions(reads):
    for figure in reads:
        named = {"jobs": figure.row.split()[1], "depth": figure.column.split()[1]}
        assert dict(figure.conditions) == named | {"block": "4KiB", "op": "read"}


def test_no_more_reads_are_done_than_are_in_flight_at_the_latency_of_one_alone(reads):
    """Little's law: all in flight, each for as long as a read alone takes; two in a hundred by chance."""
    in_flight = [int(known["jobs"]) * int(known["depth"]) for known in (dict(each.conditions) for each in reads)]
    (alone,) = [figure.value for figure, several in zip(reads, in_flight, strict=True) if several == 1]
    for figure, several in zip(reads, in_flight, strict=True):
        assert alone <= figure.value <= 1.02 * several * alone


def test_the_schema_is_that_of_the_other_figures(calibration_data):
    schemas = [
        json.loads((folder / "measurement.schema.json").read_text("utf-8"))
        for folder in (calibration_data, calibration_data / "present-day")
    ]
    assert schemas[0] == schemas[1]


def test_the_package_keeps_the_standard(calibration_data):
    import frictionless

    assert frictionless.validate(calibration_data / "present-day" / "datapackage.json").valid
