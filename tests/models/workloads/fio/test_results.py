"""Results of fio as jobs: options are read as in a job file, and what was measured is held against its answers."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import damage
import models.stacks
from examples import examples
from fio_jobs import ACCEPTED, malformed
from models.workloads.fio import read_jobs
from models.workloads.fio.job_sections import GLOBAL, sections
from sim import InputError, ModelError
from sim.cli.measured import held_against
from sim.data.importers import read
from sim.system import find

SIDE = {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0}


def did(bw_bytes, size, mean_ns):
    """So many bytes a second in I/Os of one size, over ten seconds."""
    ios = bw_bytes // size
    return SIDE | {
        "io_bytes": 10 * bw_bytes,
        "bw_bytes": bw_bytes,
        "iops": float(ios),
        "runtime": 10_000,
        "total_ios": 10 * ios,
        "lat_ns": {"mean": mean_ns},
    }


def entry(name, options, read=SIDE, write=SIDE, flushes=(0, 0.0)):
    sync = {"total_ios": flushes[0], "lat_ns": {"mean": flushes[1]}}
    return {
        "jobname": name,
        "groupid": 0,
        "error": 0,
        "job options": options,
        "read": read,
        "write": write,
        "sync": sync,
    }


def results(folder, *entries, **common):
    path = folder / "ran.json"
    path.write_text(json.dumps({"global options": common, "jobs": entries}, indent=1), "utf-8")
    return path


def as_results(folder, text):
    """Results fio would write of the jobs of a file, with the options of each."""
    file = folder / "jobs.fio"
    file.write_text(text, "utf-8")
    common, entries = {}, []
    for section in sections(file):
        options = {option.name: option.text for option in section.options}
        if section.name == GLOBAL:
            common |= options
        else:
            entries.append(entry(section.name, {**common, **options}))
    return file, results(folder, *entries)


@pytest.mark.parametrize("name", ACCEPTED)
def test_every_option_of_a_job_file_is_taken_from_results(tmp_path, name):
    file, ran = as_results(tmp_path, ACCEPTED[name])
    of_file, of_results = (
        [[replace(job, options={}) for job in group] for group in read_jobs(each).groups] for each in (file, ran)
    )
    assert of_results == of_file


MISTAKES = [text for text, line, _ in malformed() if line == 7]
"""One option each that is refused."""


@pytest.mark.parametrize("text", MISTAKES)
def test_options_refused_in_a_job_file_are_refused_in_results(tmp_path, text):
    try:
        _, ran = as_results(tmp_path, text)
    except InputError:
        return  # no text of an option
    with pytest.raises(InputError, match=r"ran\.json, line "):
        read_jobs(ran)


def figures(path, stack="nvme-xfs"):
    system, (dataset,) = held_against([str(path)], find(stack))
    assert dataset.system == system.name
    return dataset, {each.measure: (each.value, each.unit) for each in dataset.measurements}


MIX = {"rw": "randrw", "rwmixread": "70", "bs": "8k", "direct": "1", "ioengine": "libaio", "iodepth": "4"}


def test_a_mix_that_no_setting_says_is_held_against_its_jobs(tmp_path):
    path = results(
        tmp_path, entry("mix", MIX, did(70 * 8192, 8192, 120e3), did(30 * 8192, 8192, 150e3)), runtime="10"
    )
    with pytest.raises(InputError, match="70% of it are reads; allowed for nvme-xfs: 50%"):
        read(path, find("nvme-xfs"), {})
    dataset, found = figures(path)
    assert found["throughput"] == (pytest.approx(100 * 8192 / 1e6), "MB/s")
    assert found["read"] == (pytest.approx(70 * 8192 / 1e6), "MB/s")
    assert found["read_latency"] == (pytest.approx(120.0), "µs")
    assert found["write_latency"] == (pytest.approx(150.0), "µs")
    assert {each.measure for each in dataset.fitted()} == {"throughput", "read_latency", "write_latency"}


def test_flushes_have_a_latency_of_their_own_and_other_jobs_their_names(tmp_path):
    common = {"direct": "1", "runtime": "10", "filename": "data"}
    reads = [entry("reads", {"rw": "randread", "bs": "4k", "numjobs": "2"}, did(5 * 4096, 4096, 90e3))] * 2
    log = {"rw": "write", "bs": "8k", "fsync": "1", "rate_iops": "200"}
    path = results(
        tmp_path, *reads, entry("log", log, write=did(200 * 8192, 8192, 40e3), flushes=(2000, 900e3)), **common
    )
    _, found = figures(path, stack_with_a_flush(tmp_path))
    assert found["iops"] == (pytest.approx(10.0), "I/O/s")
    assert found["mean"][0] == pytest.approx(90e-6)
    assert found["log throughput"] == (pytest.approx(200 * 8192 / 1e6), "MB/s")
    assert found["log write_latency"] == (pytest.approx(40.0), "µs")
    assert found["log sync_latency"] == (pytest.approx(900.0), "µs")


def stack_with_a_flush(folder):
    path = folder / "ours.toml"
    stack = Path(models.stacks.__file__).with_name("nvme-xfs.toml").read_text("utf-8")
    path.write_text(stack.replace('units = "units"\n', 'units = "units"\nflush = "50us"\n'), "utf-8")
    return str(path)


def test_sizes_that_are_drawn_are_held_against_their_jobs(tmp_path):
    split = {"rw": "randread", "bssplit": "4k/60:64k/40", "direct": "1", "runtime": "10"}
    side = did(1_000_000, 4096, 90e3) | {"iops": 35.4, "total_ios": 354}
    _, found = figures(results(tmp_path, entry("split", split, side)))
    assert (found["throughput"][0], found["iops"][0]) == (pytest.approx(1.0), pytest.approx(35.4))


def test_jobs_one_after_the_other_are_refused(tmp_path):
    second = entry("b", MIX | {"stonewall": None}, did(8192, 8192, 1e3)) | {"groupid": 1}
    path = results(tmp_path, entry("a", MIX, did(8192, 8192, 1e3)), second, runtime="10")
    with pytest.raises(InputError, match="job 'b' ran after another; allowed: jobs that ran at once"):
        figures(path)


def test_a_bandwidth_that_its_bytes_contradict_is_refused(tmp_path):
    path = results(tmp_path, entry("mix", MIX, did(81920, 8192, 1e5) | {"io_bytes": 1000}, did(8192, 8192, 1e5)))
    with pytest.raises(InputError, match="io_bytes 1000 in 10 s, which make 100, and bw_bytes says 81,920"):
        figures(path)


MIXED = json.dumps(
    {"jobs": [entry("mix", MIX | {"runtime": "10"}, did(70 * 8192, 8192, 120e3), did(30 * 8192, 8192, 150e3))]}
)


@settings(max_examples=examples(60), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(damage.files(MIXED.encode(), damage.record))
def test_damaged_results_are_read_or_refused_in_one_line(content):
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "ran.json"
        path.write_bytes(content)
        refused = ""
        try:
            figures(path)
        except (InputError, ModelError) as error:
            refused = str(error)
        assert "\n" not in refused
