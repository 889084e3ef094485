"""Held against fio itself: it accepts what is simulated, refuses what is unknown, and has no other options."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from fio_jobs import ACCEPTED, option_names
from models.workloads.fio import fio_json, job_options, read_jobs, scenario
from sim import Delay, InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction.solvers import solution

FIO = shutil.which("fio")

pytestmark = pytest.mark.skipif(FIO is None, reason="fio is not installed; apt-get install fio")


class Device:
    def path(self, _io):
        return (Delay(1e-3),)


def fio(*arguments):
    return subprocess.run([str(FIO), *arguments], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_job_files_are_accepted_by_fio(tmp_path, name):
    file = tmp_path / "jobs.fio"
    file.write_text(ACCEPTED[name])
    read_jobs(file)
    told = fio("--parse-only", str(file))
    assert told.returncode == 0, told.stderr


@pytest.mark.parametrize("option", ["iodept=4", "bsize=4k", "RW=read", "groupreporting=1"])
def test_options_unknown_to_fio_are_refused(tmp_path, option):
    file = tmp_path / "jobs.fio"
    file.write_text(f"[a]\nsize=1m\n{option}\n")
    assert fio("--parse-only", str(file)).returncode
    with pytest.raises(InputError, match="no option"):
        read_jobs(file)


def test_every_option_of_fio_is_known_here():
    names = option_names(fio("--cmdhelp=all").stdout)
    for engine in ("libaio", "io_uring"):
        names |= option_names(fio(f"--enghelp={engine}").stdout)
    assert len(names) > 200
    assert not {name for name in names if name not in job_options.KNOWN}


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("bs=4k\nsize=10k", (2, 0)),
        ("bs=4k,8k\nrw=write\nsize=64k", (0, 8)),
        ("bs=1m\nsize=8m\nio_size=3m", (3, 0)),
        ("bs=4KB\nsize=1M", (256, 0)),
        ("bssplit=8k/100\nbs=4k\nsize=64k", (8, 0)),
    ],
)
def test_fio_makes_as_many_ios(tmp_path, text, counts):
    file = tmp_path / "jobs.fio"
    file.write_text(f"[a]\n{text}\n")
    (job,) = read_jobs(file).jobs
    file.write_text(f"[a]\nioengine=null\n{text}\n")
    (entry,) = json.loads(fio("--output-format=json", str(file)).stdout)["jobs"]
    assert (entry["read"]["total_ios"], entry["write"]["total_ios"]) == counts
    assert job.count == sum(counts)


def test_fio_too_leaves_the_wait_for_a_pace_out_of_latency(tmp_path):
    """20 ms lie between two I/Os, and none of it is in the latencies of either."""
    file = tmp_path / "jobs.fio"
    file.write_text(f"[a]\nrate_iops=50\nruntime=1\nsize=1m\nfilename={tmp_path / 'data'}\n")
    jobs = read_jobs(file)
    asked = scenario(jobs.jobs, Device())
    ours = fio_json(jobs, [(asked, solution(asked, RunOptions(precision=0.1)))])
    theirs = json.loads(fio("--output-format=json", str(file)).stdout)
    for output in (ours, theirs):
        side = output["jobs"][0]["read"]
        assert side["iops"] == pytest.approx(50, rel=0.2)
        assert side["clat_ns"]["mean"] < 10e6
    assert theirs["jobs"][0]["read"]["clat_ns"]["percentile"]["50.000000"] < 10e6
    assert "percentile" not in ours["jobs"][0]["read"]["clat_ns"]  # of a constant time nobody knows them


def _keys(record, prefix=""):
    """The names of all entries, and of those in them."""
    for name, value in record.items():
        yield prefix + name
        if isinstance(value, dict) and name != "job options":
            yield from _keys(value, f"{prefix}{name} ")


def test_every_entry_of_a_job_has_the_place_that_fio_gives_it(tmp_path):
    file, data = tmp_path / "jobs.fio", tmp_path / "data"
    file.write_text(f"[a]\nrw=randrw\nfsync=2\nsize=64k\nfilename={data}\n")
    jobs = read_jobs(file)
    asked = scenario(jobs.jobs, Device())
    (ours,) = fio_json(jobs, [(asked, solution(asked, RunOptions(precision=0.1)))])["jobs"]
    (theirs,) = json.loads(fio("--output-format=json", str(file)).stdout)["jobs"]
    assert not set(_keys(ours)) - set(_keys(theirs))
