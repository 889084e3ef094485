"""Job files of fio: what is read, what is noted, and what is refused with one line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import damage
from fio_jobs import ACCEPTED, malformed
from models.workloads.fio import Job, read_jobs, scenario
from models.workloads.fio import job_options as options
from models.workloads.fio.said import asks
from sim import Delay, InputError
from sim.system.stack.kinds import IO_URING


@pytest.fixture
def jobs(tmp_path):
    def read(text):
        file = tmp_path / "jobs.fio"
        file.write_text(text, encoding="utf-8")
        return read_jobs(file)

    return read


@pytest.fixture
def job(jobs):
    return lambda text: jobs(f"[a]\n{text}\n").jobs[0]


@pytest.mark.parametrize("name", ACCEPTED)
def test_job_file_is_read(jobs, name):
    assert jobs(ACCEPTED[name]).jobs


@pytest.mark.parametrize(
    "text", ["[global]\nioengine=io_uring\n[a]\nsize=1m\n", "[a]\nioengine=io_uring\nsize=1m\n"]
)
def test_io_uring_is_required_wherever_the_file_names_it(jobs, text):
    """A layer below that cannot serve it refuses what is asked."""
    assert asks(jobs(text).jobs)[IO_URING] == "ioengine=io_uring of job 'a'"


def test_defaults_are_those_of_fio(job):
    read = job("size=1m\ndirect=0")
    assert replace(read, notes=()) == Job("a", size_bytes=1 << 20, options={"size": "1m", "direct": "0"})


@pytest.mark.parametrize(
    ("text", "what", "value"),
    [
        ("bs=4k", "read_sizes", ((4096, 1.0),)),
        ("bs=4KB", "read_sizes", ((4096, 1.0),)),
        ("bs=4096b", "read_sizes", ((4096, 1.0),)),
        ("bs=1M", "write_sizes", ((1 << 20, 1.0),)),
        ("bs=4k,64k", "write_sizes", ((65536, 1.0),)),
        ("bs=4k,64k,1m", "write_sizes", ((65536, 1.0),)),
        ("bssplit=4k/60:64k/40", "write_sizes", ((4096, 0.6), (65536, 0.4))),
        ("bssplit=4k/60:64k/:8k/", "read_sizes", ((4096, 0.6), (65536, 0.2), (8192, 0.2))),
        ("bssplit=4k:64k,8k/100", "read_sizes", ((4096, 0.5), (65536, 0.5))),
        ("bssplit=4k/0:8k/100\nbs=1m", "read_sizes", ((8192, 1.0),)),
        ("rw=write", "reads", 0.0),
        ("rw=rw", "reads", 0.5),
        ("rw=rw\nrwmixread=70\nrwmixwrite=40", "reads", 0.6),
        ("rw=rw\nrwmixwrite=40\nrwmixread=70", "reads", 0.7),
        ("rw=rw\nrwmixread=70\nrwmixwrite=40\nrwmixread=20", "reads", 0.2),
        ("rw=randread\nrwmixread=70", "reads", 1.0),
        ("rw=randread", "random", True),
        ("iodepth=32", "in_flight", 1),
        ("iodepth=32\nioengine=libaio", "in_flight", 1),
        ("iodepth=32\nioengine=libaio\ndirect=1", "in_flight", 32),
        ("iodepth=32\nioengine=libaio\nbuffered=0", "in_flight", 32),
        ("iodepth=32\nioengine=io_uring", "in_flight", 32),
        ("iodepth=32\nioengine=io_uring\nthinktime=1ms", "in_flight", 1),
        ("direct=1\nbuffered=1", "direct", False),
        ("size=50%", "size_bytes", None),
        ("size=1m\nio_size=8k", "size_bytes", 8192),
        ("size=1m\nruntime=30", "size_bytes", None),
        ("runtime=2m", "runtime_s", 120.0),
        ("runtime=500ms", "runtime_s", 0.5),
        ("runtime=1H", "runtime_s", 3600.0),
        ("thinktime=5", "think_s", 5e-6),
        ("thinktime=5ms", "think_s", 5e-3),
        ("fsync=8\nrw=write", "sync_every", 8),
        ("fsync=8\nrw=read", "sync_every", 0),
        ("fdatasync=1\nrw=write", "sync_data_only", True),
        ("sync=1", "durable", "all"),
        ("sync=dsync", "durable", "data"),
        ("rate_iops=1k", "pace", 1024.0),
        ("rate=1m", "pace", 256.0),
        ("rate=1m,0", "pace", 256.0),
        ("rate=1m\nbssplit=4k/50:12k/50", "pace", 128.0),
        ("rate_iops=500\nbssplit=4k/50:12k/50", "pace", 250.0),
        ("rate_iops=100,300\nrw=randrw\nrwmixread=90", "pace", 400.0),
        ("rate_iops=100,300\nrw=randrw\nrwmixread=90", "reads", 0.25),
        ("rate=0", "pace", 0.0),
        ("filename=x\ndirectory=/d", "file", "/d/x"),
        ("filename_format=data.$jobnum", "file", "/data.$jobnum"),
        ("filename_format=$jobname.$jobnum.$filenum\nfilename=x", "file", "/x"),
        ("filename_format=$jobname.$filenum", "file", "/a.0"),
        ("group_reporting", "together", True),
        ("group_reporting=0", "together", False),
        ("stonewall=0", "behind", False),
        ("name=b", "name", "b"),
    ],
)
def test_a_value_is_read_as_fio_reads_it(job, text, what, value):
    assert getattr(job(text), what) == value


def test_global_section_applies_to_later_sections(jobs):
    read = jobs("[global]\nbs=8k\n[a]\nsize=1m\n[global]\nbs=16k\nrw=write\n[b]\nrw=read\nsize=1m\n")
    assert [(job.reads, job.mean_bytes("read")) for job in read.jobs] == [(1.0, 8192), (1.0, 16384)]
    assert read.options == {"bs": "16k", "rw": "write"}


def test_section_overrides_an_alias_in_global(jobs):
    read = jobs("[global]\nrwmixread=70\nrwmixwrite=40\nbuffered=1\n[a]\nrw=rw\nrwmixread=20\ndirect=1\n")
    assert (read.jobs[0].reads, read.jobs[0].direct) == (0.2, True)


def test_stonewall_begins_a_group(jobs):
    text = "[a]\nstonewall\n[b]\n[c]\nstonewall\n[d]\nwait_for_previous=1\n[e]\nnew_group\n"
    assert [[job.name for job in group] for group in jobs(text).groups] == [["a", "b"], ["c"], ["d", "e"]]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("iodepth=8", "iodepth=8: ioengine=psync has one I/O in flight"),
        ("iodepth=8\nioengine=libaio", "iodepth=8: libaio waits for buffered I/O; one is in flight"),
        ("ramp_time=0.4s", "ramp_time=0.4s: warm-up is found and left out anyway"),
        ("ramp_time=5", "ramp_time=5: warm-up is found and left out anyway"),
        ("fallocate=none", "fallocate=none: the stack says what is simulated"),
        ("fixedbufs=1", "fixedbufs=1: the stack says what is simulated"),
        ("size=20%", "size=20%: of an unknown file; the job goes on"),
        ("size=1m\nruntime=9", "runtime=9: the steady state; size does not end it"),
        (
            "random_distribution=zipf:1.2\nrw=randread\ndirect=1",
            "random_distribution=zipf:1.2: no layer asks for addresses",
        ),
    ],
)
def test_options_given_otherwise_are_noted(jobs, text, note):
    assert note in jobs(f"[a]\n{text}\n").notes


@pytest.mark.parametrize(
    ("text", "aligned_bytes"),
    [
        ("bs=4k", 4096),
        ("bs=1m", 1 << 20),
        ("bs=12k", 4096),
        ("bs=4000", 32),
        ("bs=64k\noffset=512", 512),
        ("bs=64k\noffset_increment=4k", 4096),
        ("bssplit=4k/50:64k/50", 4096),
        ("bs=64k\nrw=randread\nba=4k", 4096),
        ("bs=64k\nrw=read\nba=4k", 65536),
    ],
)
def test_alignment_is_the_greatest_common_divisor_of_offsets_and_sizes(job, text, aligned_bytes):
    assert job(text).aligned_bytes("read") == aligned_bytes


MALFORMED = list(malformed())


@pytest.mark.parametrize(("text", "line", "name"), MALFORMED, ids=range(len(MALFORMED)))
def test_a_mistake_is_one_line_with_its_place(jobs, text, line, name):
    with pytest.raises(InputError) as refusal:
        jobs(text)
    message = str(refusal.value)
    assert "\n" not in message
    assert name in message
    assert "jobs.fio" + (f", line {line}:" if line else " ") in message


def test_hundred_malformed_job_files_are_covered():
    assert len(MALFORMED) >= 100


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("iodept=4", "did you mean 'iodepth'?"),
        ("bs=4kib", "fio reads KiB as 1000 bytes; write 4k"),
        ("ioengine=libaoi", "allowed: io_uring, libaio, psync, pvsync, pvsync2, sync"),
        ("bssplit=4k/50", "its percentages add up to 50"),
        ("loops=2", "that changes the answer and is not simulated; allowed: 1"),
        ("bsrange=1k-4k", "take it out"),
    ],
)
def test_error_says_how_to_fix_the_job_file(jobs, text, hint):
    with pytest.raises(InputError, match=r"^.*$") as refusal:
        jobs(f"[a]\n{text}\n")
    assert hint in str(refusal.value)


def test_every_option_is_of_one_kind():
    kinds = (set(options.READ), options.WITHOUT_EFFECT, options.IN_THE_STACK, set(options.REFUSED))
    assert sum(map(len, kinds)) == len(set().union(*kinds))
    assert set(options.ALIASES.values()) <= set().union(*kinds)


VALID = (
    "[global]\nbs=4k,8k\nrate_iops=100,300\n[a]\nrw=randrw\nsize=1m\n[b]\nstonewall\nbssplit=4k/60:8k/40\nrate=0\n"
)


class Device:
    def path(self, _io):
        return (Delay(1e-3),)


def _lines(content):
    """Lines of it in another order, or one more."""
    lines = content.split(b"\n")
    more = st.sampled_from([f"{name}={text}" for name in options.KNOWN for text in ("1", "4k", "x", "1,2", "50%")])
    return st.permutations(lines).map(b"\n".join) | st.tuples(more, st.integers(0, len(lines))).map(
        lambda put: b"\n".join([*lines[: put[1]], put[0].encode(), *lines[put[1] :]])
    )


@given(damage.files(VALID.encode(), _lines) | st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_is_a_model_or_refused(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "any.fio"
    file.write_bytes(content)
    try:
        assert all(scenario(group, Device()).model.workloads for group in read_jobs(file).groups)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  (one line, whichever it is)
