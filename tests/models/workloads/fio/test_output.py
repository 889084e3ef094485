"""Results in fio's form: its numbers in its units, read back by the importer, and nothing invented."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from models.workloads.fio import fio_json, read_jobs, scenario
from sim import Closed, Delay, Exponential, Model, Station, Use
from sim.data.importers import read
from sim.engine.simulation.options import RunOptions
from sim.prediction.solvers import solution
from sim.system import Parameters, Scenario, Settings, System, choice, count, size

READ_S, WRITE_S, FLUSH_S = 1e-3, 2e-3, 10e-3


class Device:
    """Takes as many I/Os at once as come."""

    def path(self, io):
        return (Delay({"read": READ_S, "write": WRITE_S, "flush": FLUSH_S}[io.op]),)


class Disk:
    """One I/O at a time."""

    def path(self, _io):
        return (Use(Station("disk"), Exponential(READ_S)),)


@dataclass(frozen=True)
class RigSettings:
    users: int = count(1, "processes", role="clients")
    block: int = size(4096, "bytes of an I/O")
    op: str = choice("read", "what they do", ("read", "write"))


def _rig(settings, parameters):
    del parameters
    return Scenario(Model([Closed("io", clients=settings.users, path=Delay(1.0))]), "io", 1.0, "MB/s")


RIG = System("rig", "a rig", Settings.of(RigSettings), Parameters(()), _rig)


@pytest.fixture
def written(tmp_path):
    def write(text, top=None, engine="compiled", precision=0.05):
        file = tmp_path / "jobs.fio"
        file.write_text(text, encoding="utf-8")
        jobs = read_jobs(file)
        answered = []
        for group in jobs.groups:
            asked = scenario(group, top or Device())
            answered.append((asked, solution(asked, RunOptions(engine=engine, precision=precision))))
        return json.loads(json.dumps(fio_json(jobs, answered), allow_nan=False))

    return write


def test_a_job_in_the_units_of_fio(written):
    output = written("[global]\nbs=8k\n[a]\nruntime=30\nnumjobs=2\n")
    (job,) = output["jobs"]
    assert (job["jobname"], job["groupid"], job["error"], job["elapsed"]) == ("a", 0, 0, 30)
    assert output["global options"] == {"bs": "8k"}
    assert job["job options"] == {"runtime": "30", "numjobs": "2"}
    side = job["read"]
    assert side["iops"] == pytest.approx(2 / READ_S)
    assert side["bw_bytes"] == pytest.approx(2 / READ_S * 8192)
    assert side["bw"] == side["bw_bytes"] // 1024
    assert (side["runtime"], side["total_ios"]) == (30_000, 60_000)
    assert side["io_bytes"] == 30 * side["bw_bytes"]
    assert side["lat_ns"]["mean"] == pytest.approx(READ_S * 1e9)
    assert "percentile" not in side["clat_ns"]  # of constant reads none is known
    assert {job[side]["total_ios"] for side in ("write", "trim", "sync")} == {0}


def test_a_job_that_ends_takes_as_long_as_it_takes(written):
    (job,) = written("[a]\nsize=400k\nnumjobs=2\n")["jobs"]
    assert job["read"]["runtime"] == 100
    assert job["read"]["total_ios"] == 200
    assert job["read"]["io_bytes"] == 200 * 4096


def test_unknown_answers_are_left_out(written):
    mixed = written("[a]\nruntime=9\nrw=rw\nfsync=2\n")["jobs"][0]
    for side, time_s in (("read", READ_S), ("write", WRITE_S)):
        assert mixed[side]["clat_ns"]["mean"] == pytest.approx(time_s * 1e9, rel=1e-3)
        assert set(mixed[side]["clat_ns"]) == {"mean", "N"}
    assert mixed["sync"]["lat_ns"]["mean"] == pytest.approx(FLUSH_S * 1e9, rel=1e-3)
    assert mixed["sync"]["total_ios"] == pytest.approx(mixed["write"]["total_ios"] / 2, abs=1)
    assert "percentile" not in written("[a]\nruntime=9\n", Disk(), "analytic")["jobs"][0]["read"]["clat_ns"]


@pytest.mark.parametrize("pace", ["rate_iops=50", "rate=200k\nrate_process=poisson\niodepth=2", "thinktime=20ms"])
def test_the_latency_of_a_paced_job_is_that_of_its_ios(written, pace):
    made = written(f"[a]\nruntime=9\nioengine=io_uring\n{pace}\n")
    latency = made["jobs"][0]["read"]["clat_ns"]
    assert latency["mean"] == pytest.approx(READ_S * 1e9)
    assert "percentile" not in latency  # of constant reads none is known
    (group,) = made["stacksim"]["groups"]
    assert {name: each["known"] for name, each in group["latency"]["a"].items()} == {
        "mean": True,
        **dict.fromkeys(("p50", "p95", "p99"), False),
    }
    assert group["latency"]["a"]["p99"]["value"] is None


def test_the_latency_of_paced_ios_that_queue(written):
    """Two processes meet at one disk: percentiles are those of requests that were let go."""
    text = "[a]\nruntime=9\nnumjobs=2\nrate_iops=250\nrate_process=poisson\n"
    simulated, computed = (written(text, Disk(), engine)["jobs"][0]["read"] for engine in ("compiled", "analytic"))
    assert simulated["iops"] == pytest.approx(500, rel=0.05)
    mean, p99 = simulated["clat_ns"]["mean"], simulated["clat_ns"]["percentile"]["99.000000"]
    assert READ_S * 1e9 < mean < 2 * READ_S * 1e9
    assert mean < p99 < 10 * READ_S * 1e9
    assert computed["clat_ns"]["mean"] == pytest.approx(mean, rel=0.25)


def test_jobs_are_grouped_as_by_fio(written):
    text = "[global]\nruntime=9\ngroup_reporting\n[a]\n[b]\nrw=write\n[c]\nnew_group\n[d]\nstonewall\n[e]\n"
    jobs = written(text)["jobs"]
    assert [(job["jobname"], job["groupid"]) for job in jobs] == [("a", 0), ("c", 1), ("d", 2)]
    assert jobs[0]["read"]["iops"] == pytest.approx(1 / READ_S)
    assert jobs[0]["write"]["iops"] == pytest.approx(1 / WRITE_S)
    assert jobs[2]["read"]["iops"] == pytest.approx(2 / READ_S)
    assert "percentile" not in jobs[2]["read"]["clat_ns"]


def test_without_group_reporting_each_job_has_an_entry(written):
    jobs = written("[global]\nruntime=9\n[a]\n[b]\nnumjobs=2\n")["jobs"]
    assert [(job["jobname"], job["groupid"], round(job["read"]["iops"])) for job in jobs] == [
        ("a", 0, 1000),
        ("b", 0, 2000),
    ]


def test_additions_of_the_simulation_are_under_their_own_key(written):
    added = written("[global]\nruntime=9\nramp_time=5\n[a]\n[b]\nstonewall\n", Disk())["stacksim"]
    assert added["notes"] == ["ramp_time=5: warm-up is found and left out anyway"]
    assert [group["watched"] for group in added["groups"]] == ["a", "b"]
    assert added["groups"][0]["limit"]["place"] == "disk"
    throughput = added["groups"][0]["answers"]["throughput"]
    assert throughput["low"] <= throughput["value"] <= throughput["high"]
    assert throughput["known"]


@pytest.mark.parametrize("together", ["", "group_reporting\n"])
def test_importer_reads_simulated_output(written, tmp_path, together):
    text = f"[global]\nruntime=9\n{together}[a]\nbs=8k\nnumjobs=4\n[b]\nstonewall\nrw=write\n"
    file = tmp_path / "output.json"
    file.write_text(json.dumps(written(text), indent=1))
    reads, writes = read(file, RIG, {}).measurements
    assert dict(reads.conditions) == {"users": "4", "block": "8KiB", "op": "read"}
    assert (reads.value, reads.unit) == (pytest.approx(4 / READ_S * 8192 / 1e6), "MB/s")
    assert dict(writes.conditions) == {"users": "1", "block": "4KiB", "op": "write"}
    assert writes.value == pytest.approx(1 / WRITE_S * 4096 / 1e6)
