"""Answers of fio beside its bandwidth, and which runs a system is a model of."""

from __future__ import annotations

import json

import pytest

from sim import InputError
from sim.data.importers import fio
from sim.system.installed import find

SIDE = {
    "bw_bytes": 40_960_000,
    "iops": 10_000.0,
    "total_ios": 20_000,
    "lat_ns": {"mean": 400_000.0},
    "clat_ns": {"mean": 390_000.0, "percentile": {"50.000000": 380_000, "99.000000": 896_000}},
}
IDLE = {"bw_bytes": 0, "iops": 0.0, "total_ios": 0, "lat_ns": {"mean": 0.0}, "clat_ns": {"mean": 0.0}}
OPTIONS = {"rw": "randread", "bs": "4k", "iodepth": "4"}


def job(side=SIDE, **options):
    """An entry of fio that only read, or only wrote."""
    options = {**OPTIONS, **options}
    sides = {"read": IDLE, "write": IDLE, "write" if "write" in options["rw"] else "read": side}
    return {"jobname": "j", "groupid": 0, "error": 0, "job options": options, **sides}


@pytest.fixture
def said(tmp_path):
    """The answers in a file of these jobs, by measure and unit."""

    def read(*jobs, system="nvme"):
        path = tmp_path / "fio.json"
        path.write_text(json.dumps({"jobs": jobs}), "utf-8")
        found = [*fio.answers(path, find(system))]
        assert all(each.of_tool for each in found)
        return {(each.measure, each.unit): each for each in found}

    return read


def values(found):
    return {key: each.value for key, each in found.items()}


def test_rates_and_latencies_are_those_of_fio(said):
    assert values(said(job())) == {
        ("throughput", "MB/s"): pytest.approx(40.96),
        ("iops", "IO/s"): 10_000.0,
        ("throughput", "IO/s"): 10_000.0,
        ("mean", "s"): pytest.approx(400e-6),
        ("p99", "s"): pytest.approx(896e-6),
    }


def test_a_percentile_is_as_coarse_as_the_buckets_of_fio(said):
    p99 = said(job())["p99", "s"]
    assert p99.half_width == pytest.approx(p99.value / 128)


def test_latency_counts_from_submission_if_fio_measured_it(said):
    asked = {**SIDE, "lat_ns": {"mean": 400_000.0, "percentile": {"99.000000": 950_000}}}
    assert values(said(job(asked)))["p99", "s"] == pytest.approx(950e-6)


def test_several_entries_add_rates_weigh_means_and_lack_percentiles(said):
    fast = {**SIDE, "total_ios": 60_000, "iops": 30_000.0, "bw_bytes": 122_880_000, "lat_ns": {"mean": 200_000.0}}
    found = values(said(job(numjobs="2"), job(fast, numjobs="2")))
    assert found["iops", "IO/s"] == 40_000.0
    assert found["mean", "s"] == pytest.approx((20_000 * 400e-6 + 60_000 * 200e-6) / 80_000)
    assert ("p99", "s") not in found


def test_answers_missing_from_fio_output_are_left_out(said):
    assert [*said(job({"bw_bytes": 40_960_000}))] == [("throughput", "MB/s")]


@pytest.mark.parametrize(
    ("options", "sync"), [({}, "none"), ({"fsync": "1"}, "fsync"), ({"fdatasync": "1"}, "fdatasync")]
)
def test_flushes_are_a_setting_and_leave_out_latencies_of_writes_alone(said, options, sync):
    found = said(job(rw="randwrite", iodepth="1", **options), system="file-sync")
    assert {each.settings["sync"] for each in found.values()} == {sync}
    assert (("mean", "s") in found) == (sync == "none")


@pytest.mark.parametrize("options", [{"fsync": "8"}, {"fsync": "1", "fdatasync": "1"}])
def test_other_flushes_are_refused(said, options):
    with pytest.raises(InputError, match="allowed: one of fsync and fdatasync, after each write, which is 1"):
        said(job(rw="randwrite", iodepth="1", **options), system="file-sync")


@pytest.mark.parametrize(
    ("system", "loads"),
    [("nvme", {"randread"}), ("file-sync", {"randwrite"}), ("shared-file", {"write", "randwrite"})],
)
def test_a_run_that_the_system_is_no_model_of_is_refused(said, system, loads):
    for word in ("read", "write", "randread", "randwrite", "rw"):
        if word in loads:
            assert said(job(rw=word, iodepth="1"), system=system)
        else:
            with pytest.raises(
                InputError, match=f"rw is '{word}'; allowed for {system}: {', '.join(sorted(loads, key=len))}"
            ):
                said(job(rw=word, iodepth="1"), system=system)


def test_processes_of_fio_are_those_of_the_system_not_its_machines(said):
    found = said(job(numjobs="1", iodepth="1", rw="read"), system="cubefs")
    assert found["throughput", "MB/s"].settings["processes"] == "1"
