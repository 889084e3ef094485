"""Jobs as workloads: how many I/Os are in flight, of which kind, how fast, and how many."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import pytest

from models.io import FileIO
from models.workloads.fio import Job, loads, read_jobs, scenario
from models.workloads.fio.said import said
from sim import Closed, Constant, Delay, Empirical, Exponential, InputError, StacksimError, Station, Use
from sim.engine.simulation.options import RunOptions
from sim.prediction.solvers import solution

READ_S, WRITE_S, FLUSH_S = 1e-3, 2e-3, 10e-3
TIMES = {"read": READ_S, "write": WRITE_S, "flush": FLUSH_S}

THROUGHPUT = ("throughput",)


@dataclass
class Device:
    """Takes as many I/Os at once as come, and keeps what it was asked for."""

    times: dict = field(default_factory=lambda: TIMES)
    asked: list = field(default_factory=list)

    def path(self, io):
        self.asked.append(io)
        return (Delay(self.times[io.op]),)


@dataclass
class Disk:
    """One I/O at a time, and some time on the way to it."""

    def path(self, io):
        return (Delay(READ_S), Use(Station("disk"), Exponential(TIMES[io.op] / 10)))


@pytest.fixture
def jobs(tmp_path):
    def read(text):
        file = tmp_path / "jobs.fio"
        file.write_text(f"[a]\nruntime=9\n{text}\n")
        return read_jobs(file).jobs

    return read


def answers(jobs, top=None, engine="compiled", precision=0.01):
    asked = scenario(jobs, top or Device())
    options = RunOptions(engine=engine, precision=precision, answers=THROUGHPUT)
    return {name: each.estimate.value for name, each in asked.answers(solution(asked, options)).items()}


@pytest.mark.parametrize(
    ("text", "iops"),
    [
        ("rw=read", 1 / READ_S),
        ("rw=randwrite", 1 / WRITE_S),
        ("numjobs=3", 3 / READ_S),
        ("iodepth=8\nnumjobs=2", 2 / READ_S),
        ("iodepth=8\nnumjobs=2\nioengine=libaio", 2 / READ_S),
        ("iodepth=8\nnumjobs=2\nioengine=libaio\ndirect=1", 16 / READ_S),
        ("iodepth=8\nioengine=io_uring", 8 / READ_S),
        ("iodepth=8\nioengine=io_uring\nthinktime=3ms", 1 / (READ_S + 3e-3)),
        ("rw=randrw\nrwmixread=75", 1 / (0.75 * READ_S + 0.25 * WRITE_S)),
        ("rw=write\nfsync=1", 1 / (WRITE_S + FLUSH_S)),
        ("rw=write\nfdatasync=4", 1 / (WRITE_S + FLUSH_S / 4)),
        ("rw=randrw\nfsync=2", 1 / (0.5 * READ_S + 0.5 * (WRITE_S + FLUSH_S / 2))),
        ("rate_iops=50\nnumjobs=2", 100),
        ("rate_iops=5000\nnumjobs=2", 2 / READ_S),
        ("rate=512k\nrate_process=poisson", 128),
        ("rw=randrw\nrate_iops=10,30", 40),
    ],
)
def test_ios_a_second(jobs, text, iops):
    found = answers(jobs(text))
    assert found["iops"] == pytest.approx(iops, rel=0.02)
    assert found["throughput"] == pytest.approx(found["iops"] * 4096 / 1e6)


def test_throughput_is_at_most_the_pace_of_a_job(jobs):
    asked = scenario(jobs("rate_iops=50\nnumjobs=2\nbs=8k"), Device())
    found = asked.answers(solution(asked, RunOptions(precision=0.05, answers=THROUGHPUT)))
    assert found["throughput"].most == pytest.approx(100 * 8192 / 1e6)
    assert found["iops"].most == pytest.approx(100)
    free = scenario(jobs("numjobs=2"), Device())
    assert math.isinf(free.answers(solution(free, RunOptions(precision=0.05)))["throughput"].most)


def test_reads_writes_and_flushes_have_a_latency_each(jobs):
    found = answers(jobs("rw=randrw\nrwmixread=75\nfsync=2\nbs=4k,64k"))
    assert found["read_latency"] == pytest.approx(READ_S * 1e6)
    assert found["write_latency"] == pytest.approx(WRITE_S * 1e6)
    assert found["sync_latency"] == pytest.approx(FLUSH_S * 1e6, rel=1e-3)
    assert found["read"] + found["write"] == pytest.approx(found["throughput"])
    assert found["write"] / found["read"] == pytest.approx(16 / 3)


def test_the_pace_is_no_latency(jobs):
    assert answers(jobs("rate_iops=50"))["read_latency"] == pytest.approx(READ_S * 1e6)


def test_a_process_that_was_late_catches_up(jobs):
    """One read in fifty lasts as long as five intervals; without credit the pace would be lost for that time."""
    slow = Empirical([READ_S] * 49 + [50e-3])
    assert answers(jobs("rate_iops=100"), Device({"read": slow}))["iops"] == pytest.approx(100, rel=0.01)


def test_sizes_come_in_their_shares(jobs):
    (job,) = jobs("rw=randread\nbssplit=4k/60:64k/40")
    assert answers([job])["throughput"] == pytest.approx((0.6 * 4096 + 0.4 * 65536) / READ_S / 1e6, rel=0.02)
    device = Device()
    loads([job], device)
    assert [io.size_bytes for io in device.asked] == [4096, 65536]


def test_a_size_is_moved_and_done(tmp_path):
    file = tmp_path / "jobs.fio"
    file.write_text("[a]\nsize=100k\nbs=8k\nnumjobs=2\nioengine=io_uring\niodepth=4\n")
    (job,) = read_jobs(file).jobs
    assert job.count == 12
    assert answers([job])["elapsed"] == pytest.approx(3 * READ_S)


def test_layers_get_process_file_order_and_durability(jobs):
    device = Device()
    loads(jobs("rw=write\nbs=64k\nsync=dsync\nnumjobs=2\noffset_increment=4k\nfile_append=1\nfsync=1"), device)
    write = FileIO("write", 65536, 0, 0, sequential=True, aligned_bytes=4096, durable="data", appends=True)
    flush = FileIO("flush", 0, 0, 0, sequential=False, aligned_bytes=4096, durable="all")
    write, flush = (replace(io, synced="all", processes=2) for io in (write, flush))
    second = [replace(io, file=1, process=1) for io in (write, flush)]
    assert device.asked == [write, flush, *second]


def test_reads_are_never_durable(jobs):
    device = Device()
    loads(jobs("rw=rw\nsync=1"), device)
    assert [(io.op, io.durable) for io in device.asked] == [("read", "no"), ("write", "all")]


@pytest.mark.parametrize(("process", "think"), [("linear", Constant(0.02)), ("poisson", Exponential(0.02))])
def test_tokens_of_a_pace_come_evenly_or_at_random(jobs, process, think):
    pace, _ = loads(jobs(f"rate_iops=50\nrate_process={process}"), Device())
    assert pace.think == think


def test_a_file_named_by_the_number_of_a_process_is_shared_by_those_of_that_number(jobs):
    device = Device()
    loads(
        jobs("numjobs=2\nfilename_format=data.$jobnum\n[b]\nnumjobs=2\nruntime=9\nfilename_format=data.$jobnum"),
        device,
    )
    assert [(io.process, io.file) for io in device.asked] == [(0, 0), (1, 1), (2, 0), (3, 1)]


def test_a_named_file_is_shared_by_all_who_name_it(jobs):
    device = Device()
    loads(jobs("filename=x\nnumjobs=2\n[b]\nfilename=y\n[c]\nfilename=x\n[d]\nnumjobs=2"), device)
    assert [(io.process, io.file) for io in device.asked] == [(0, 0), (1, 0), (2, 1), (3, 0), (4, 2), (5, 3)]


def test_each_job_is_a_group_with_answers_of_its_own(tmp_path):
    file = tmp_path / "jobs.fio"
    file.write_text("[global]\nruntime=9\n[a]\n[b]\nrw=write\nbs=8k\nnumjobs=2\n")
    found = answers(read_jobs(file).jobs)
    assert found["iops"] == pytest.approx(1 / READ_S)
    assert found["b iops"] == pytest.approx(2 / WRITE_S)
    assert found["b throughput"] == pytest.approx(2 / WRITE_S * 8192 / 1e6)


def test_a_job_that_ends_is_refused_beside_others(tmp_path):
    file = tmp_path / "jobs.fio"
    file.write_text("[global]\nsize=1m\n[a]\n[b]\n")
    with pytest.raises(InputError, match=r"job 'a' ends, and others run beside it; add time_based=1"):
        scenario(read_jobs(file).jobs, Device())


def test_background_workloads_come_along():
    refill = Closed("refill", clients=1, path=Delay(1.0))
    assert scenario([Job()], Device(), [refill]).model.groups == ("fio", "refill")


MODELS = [
    "rw=randrw\nrwmixread=70\nioengine=libaio\ndirect=1\niodepth=4\nnumjobs=2\nbssplit=4k/50:8k/50",
    "rw=write\nfsync=2\nnumjobs=3",
    "rw=randrw\nrate_iops=300,100\nrate_process=poisson\nnumjobs=2\n[b]\nruntime=9\nrw=read\nthinktime=1ms",
    "rate_iops=200\nnumjobs=3",
]


@pytest.mark.parametrize("text", MODELS)
def test_the_event_engines_agree(jobs, text):
    asked = scenario(jobs(text), Disk())
    results = [solution(asked, RunOptions(engine=name, precision=0.1)) for name in ("reference", "compiled")]
    assert replace(results[0], engine="", parts=()) == replace(results[1], engine="", parts=())


@pytest.mark.parametrize("text", MODELS)
def test_the_analytic_engine_is_within_its_error(jobs, text):
    asked = scenario(jobs(text), Disk())
    computed = solution(asked, RunOptions(engine="analytic"))
    simulated = solution(asked, RunOptions(precision=0.02, answers=THROUGHPUT))
    assert computed.throughput.low * 0.97 <= simulated.throughput.value <= computed.throughput.high * 1.03
    assert any("approximate" in warning for warning in computed.warnings)


def test_a_process_without_anything_to_do_is_refused():
    class Nothing:
        def path(self, _io):
            return ()

    with pytest.raises(StacksimError, match="empty"):
        scenario([Job()], Nothing())


@pytest.mark.parametrize(
    ("text", "durable", "beside"),
    [
        ("rw=randwrite", "no", {}),
        ("rw=randwrite\nfdatasync=1", "data", {}),
        ("rw=randwrite\nsync=dsync", "data", {}),
        ("rw=randwrite\nfsync=1", "all", {}),
        ("rw=randwrite\nsync=dsync\nfsync=1", "all", {}),
        ("rw=randwrite\nsync=sync\nfdatasync=1", "all", {}),
        ("rw=randwrite\nfsync=8", "no", {"fsync": 8}),
    ],
)
def test_flush_after_each_write_counts_as_a_durable_write(jobs, text, durable, beside):
    words = said(jobs(text))
    assert words["durable"].value == durable
    assert {name: words[name].value for name in ("fsync", "fdatasync") if name in words} == beside


def test_order_is_a_condition(jobs):
    assert [said(jobs(f"rw={rw}"))["order"].value for rw in ("randread", "read")] == ["random", "sequential"]
