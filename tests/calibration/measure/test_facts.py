"""Storage behind a directory, from texts of /proc and /sys: mount, device, loop, limits; and the stack chosen."""

from __future__ import annotations

import errno
import os
import re
from contextlib import nullcontext
from dataclasses import replace

import pytest

import measured_machine
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction.solvers import solution, solved_case
from sim.system.case import Case
from sim.system.stack.job import job_of
from stacksim.measuring import facts as facts_module
from stacksim.measuring.choice import stack_texts, system_of
from stacksim.measuring.facts import facts_of
from stacksim.measuring.jobs import candidates
from stacksim.measuring.limits import lowest


@pytest.fixture
def facts(tmp_path):
    """The facts of a folder of the machine, made if it is missing."""
    root, folder = tmp_path / "root", tmp_path / "mnt"
    folder.mkdir()
    measured_machine.linux(root, folder)

    def of(name=""):
        (folder / name).mkdir(exist_ok=True, parents=True)
        return facts_of(folder / name, root)

    return of


def test_the_innermost_mount_counts_and_the_last_of_those_on_one_folder(facts):
    assert (facts().filesystem, facts().mount_point) == ("ext4", "/")
    assert facts("xfs/deep").source == "/dev/sda1"
    assert facts("xfsother").source == "/dev/vda"  # the name begins alike, and is no folder within


def test_a_blank_in_the_name_of_a_mount_is_understood(facts):
    assert facts("with blank").filesystem == "fuse.bindfs"


@pytest.mark.parametrize(("name", "kind"), [("", "disk"), ("with blank", "fuse"), ("nfs", "network")])
def test_kind_of_storage_is_recognised(facts, name, kind):
    assert facts(name).kind == kind


def test_a_partition_has_the_queue_of_its_disk(facts):
    of_partition = facts("xfs")
    assert (of_partition.device, of_partition.model, of_partition.scheduler) == ("sda", "Wonder 2000", "none")


def test_the_device_and_its_scheduler(facts):
    assert (facts().device, facts().scheduler, facts().rotational) == ("vda", "mq-deadline", True)
    assert facts("nfs").device == ""


def test_a_loop_device_cached_in_memory_is_reported(tmp_path, facts):
    mountinfo = tmp_path / "root/proc/self/mountinfo"
    mountinfo.write_text(mountinfo.read_text().replace("8:1 /", "7:0 /"))
    loop = facts("xfs")
    assert loop.cached_below
    assert loop.backing_file == "/images/x.img"
    assert any("cached in memory" in note for note in loop.notes)


def test_the_stack_has_the_scheduler_of_the_device_and_its_requests(facts):
    plain = replace(facts(), throttled=(), queues=2)
    assert (plain.requests, plain.sector_bytes) == (256, 4096)
    assert 'scheduler = "none"\nrequests = 512\n' in stack_texts(plain)[0]  # over a thread of the host
    assert 'scheduler = "mq-deadline"\nrequests = 512\n' in stack_texts(replace(plain, device="nvme0n1"))[0]
    assert 'kind = "scheduler"' not in stack_texts(facts("xfs"))[0]  # which does not tell of requests


def idle_states(root, **disabled):
    """Three idle states, as on a server: polling, a light one and a deep one."""
    for number, (exit_us, residency_us) in enumerate([(0, 0), (2, 2), (133, 600)]):
        folder = root / f"sys/devices/system/cpu/cpu0/cpuidle/state{number}"
        folder.mkdir(parents=True)
        for name, value in {"latency": exit_us, "residency": residency_us, "disable": 0, **disabled}.items():
            (folder / name).write_text(f"{value}\n")


def test_a_slow_request_finds_its_core_in_the_deepest_idle_state(tmp_path, facts):
    """One request in flight waits for the core; with many, there is always one that is awake."""
    idle_states(tmp_path / "root")
    sleeps = replace(facts(), throttled=(), scheduler="none")
    assert (sleeps.halted_s, sleeps.awake_s) == (133e-6, 600e-6)

    def seconds(halted_s, access_s):
        """Of a read that is alone."""
        system = system_of(stack_texts(replace(sleeps, halted_s=halted_s))[-1])
        scenario = Case.of(system, {"op": "read"}).changed({"read_access": access_s})
        return 1.0 / solution(scenario, RunOptions(precision=0.01, answers=("throughput",))).throughput.value

    assert seconds(133e-6, 10e-3) - seconds(6e-6, 10e-3) == pytest.approx(127e-6, rel=0.2)
    assert seconds(133e-6, 50e-6) - seconds(6e-6, 50e-6) < 30e-6


def test_limits_of_both_versions_of_control_groups(facts):
    assert facts().throttled == ("read_iops 500", "rbps=max wbps=1048576 riops=max wiops=max")
    assert facts("xfs").throttled == ()


def test_machine_is_described(facts, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    assert (facts().cores, facts().memory_bytes, facts().kernel) == (3, 8000000 * 1024, "6.18")


def test_a_mount_that_takes_no_writes(tmp_path, facts):
    mountinfo = tmp_path / "root/proc/self/mountinfo"
    mountinfo.write_text(mountinfo.read_text().replace("ext4 /dev/sda1 rw", "ext4 x ro"))
    assert facts("xfs").read_only
    assert not facts().read_only


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: None, "No such file or directory; name a directory that exists"),
        (lambda path: path.write_text("x"), "is no directory"),
        (lambda path: path.symlink_to(path), "a directory"),
    ],
)
def test_path_that_is_no_directory_is_refused(tmp_path, make, message):
    make(tmp_path / "x")
    with pytest.raises(InputError, match=message):
        facts_of(tmp_path / "x", tmp_path)


@pytest.fixture
def device(tmp_path, monkeypatch):
    """A raw device of 1 MiB, which Linux calls sda."""
    measured_machine.linux(tmp_path / "root", tmp_path / "mnt")
    path = tmp_path / "device"
    path.write_bytes(bytes(1 << 20))
    monkeypatch.setattr(facts_module.Path, "is_block_device", lambda each: each.name == "device")
    monkeypatch.setattr(facts_module.os, "major", lambda _: 8)
    monkeypatch.setattr(facts_module.os, "minor", lambda _: 1)
    return path


def test_a_raw_device_is_named_twice_or_refused(tmp_path, device):
    root = tmp_path / "root"
    with pytest.raises(InputError, match=r"raw device, which is never written to; .* read: --raw .*device$"):
        facts_of(device, root)
    with pytest.raises(InputError, match="name the same one twice"):
        facts_of(device, root, tmp_path)
    with pytest.raises(InputError, match="is no raw device; leave --raw out"):
        facts_of(tmp_path, root, tmp_path)
    (tmp_path / "by-name").symlink_to(device)
    raw = facts_of(tmp_path / "by-name", root, device)
    assert (raw.path, raw.kind, raw.device, raw.total_bytes) == (str(device), "raw", "sda", 1 << 20)
    assert raw.read_only


def test_a_raw_device_that_cannot_be_read_or_is_empty_is_one_line(tmp_path, device, monkeypatch):
    device.write_bytes(b"")
    with pytest.raises(InputError, match="has no bytes; is there a medium in it"):
        facts_of(device, tmp_path / "root", device)

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(facts_module.os, "open", refused)
    with pytest.raises(InputError, match="cannot be read: Permission denied; name another"):
        facts_of(device, tmp_path / "root", device)


@pytest.mark.parametrize("number", [(8, 1), (7, 0), (254, 0)])
def test_the_stack_of_a_raw_device_knows_no_writes(tmp_path, device, monkeypatch, number):
    monkeypatch.setattr(facts_module.os, "major", lambda _: number[0])
    monkeypatch.setattr(facts_module.os, "minor", lambda _: number[1])
    for text in stack_texts(facts_of(device, tmp_path / "root", device)):
        assert not re.search(r"write_|half of each", text)
        system = system_of(text)
        assert {job.op for job in candidates(system)} == {"read"}
        assert Case.of(system, {"users": 3}).scenario.model.places


@pytest.mark.parametrize("filesystem", ["proc", "sysfs", "cgroup2", "devpts"])
def test_where_no_files_can_be_it_says_so(tmp_path, facts, filesystem):
    mountinfo = tmp_path / "root/proc/self/mountinfo"
    mountinfo.write_text(mountinfo.read_text() + f"30 22 0:60 / {tmp_path}/mnt/kernel rw - {filesystem} none rw\n")
    with pytest.raises(InputError, match=f"is on {filesystem}, where no files of one's own can be"):
        facts("kernel")


def test_without_proc_the_error_names_linux(tmp_path):
    with pytest.raises(InputError, match="needs Linux"):
        facts_of(tmp_path, tmp_path / "nothing")


@pytest.mark.parametrize(("name", "one_thread"), [("loop", True), ("xfs", False), ("nfs", False)])
def test_a_virtual_device_is_served_by_one_thread(tmp_path, facts, name, one_thread):
    mountinfo = tmp_path / "root/proc/self/mountinfo"
    mountinfo.write_text(mountinfo.read_text() + f"30 22 7:0 / {tmp_path}/mnt/loop rw - xfs /dev/loop0 rw\n")
    assert ('name = "thread"' in stack_texts(facts(name))[-1]) is one_thread


def test_a_device_that_a_control_group_limits_has_these_limits(facts):
    limited = system_of(*stack_texts(facts()))
    for op, block, most in (("read", 4096, 500 * 4096), ("write", 4096, 1048576), ("write", 512, 1048576)):
        found = Case.of(limited, {"op": op, "block": block, "depth": 64})
        rate = solved_case(found, RunOptions(precision=0.02, answers=("throughput",)))[1].throughput.value
        assert rate * block == pytest.approx(most, rel=0.03)
    assert 'kind = "limits"' not in stack_texts(facts("xfs"))[0]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("write_bps 7", "write_bps 5", "read_iops 3"), {("write", "bps"): 5, ("read", "iops"): 3}),
        (("rbps=max wbps=1048576 riops=9 wiops=max",), {("write", "bps"): 1048576, ("read", "iops"): 9}),
        ((), {}),
    ],
)
def test_lowest_of_several_limits_holds(lines, expected):
    assert lowest(lines) == expected


@pytest.mark.parametrize(("threads", "said"), [(1, "threads = { value = 1,"), (4, "threads = { value = 10,")])
def test_a_daemon_with_one_thread_has_no_more(tmp_path, facts, threads, said):
    daemon = tmp_path / "root/proc/77"
    for each in range(threads):
        (daemon / f"task/{77 + each}").mkdir(parents=True)
    (daemon / "fd").mkdir()
    (daemon / "fdinfo").mkdir()
    (daemon / "fd/4").symlink_to("/dev/fuse")
    (daemon / "fdinfo/4").write_text("pos:\t0\nfuse_connection:\t41\n")
    found = facts("with blank")
    assert found.daemon_threads == 0
    (daemon / "fdinfo/4").write_text("pos:\t0\nfuse_connection:\t40\n")
    found = facts("with blank")
    assert found.daemon_threads == threads
    assert said in stack_texts(found)[0]


@pytest.mark.parametrize(("answer", "said"), [(errno.ENODATA, "true"), (errno.ENOTSUP, "false")])
def test_daemon_with_attributes_gets_a_request_before_each_write(facts, monkeypatch, answer, said):
    def refused(_path, name):
        assert name == "security.capability"
        raise OSError(answer, "no such attribute")

    monkeypatch.setattr("os.getxattr", refused)
    assert f"\nattributes = {said}\n" in stack_texts(facts("with blank"))[0]


def test_a_driver_on_the_core_of_the_caller_is_recognised(facts):
    caller, virtual = map(system_of, stack_texts(replace(facts(), throttled=(), device="zram0")))

    def rate(system, depth):
        asked = Case.of(system, {"depth": depth})
        return solved_case(asked, RunOptions(precision=0.02, answers=("throughput",)))[1].throughput.value

    assert rate(caller, 8) <= rate(caller, 1)
    assert rate(virtual, 8) > 2.0 * rate(virtual, 1)


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"device": "zram0"}, True),
        ({"kind": "memory", "device": ""}, False),
        ({"kind": "fuse", "device": ""}, True),
    ],
)
def test_buffered_jobs_are_those_of_files_in_memory_and_not_of_devices(facts, tmp_path, changes, refused):
    system = system_of(stack_texts(replace(facts(), throttled=(), **changes))[0])
    (tmp_path / "buffered.fio").write_text("[a]\nrw=randread\nbs=4k\nsize=1m\ntime_based\nruntime=1\n")
    part = job_of(system, tmp_path / "buffered.fio").systems[0]
    with pytest.raises(InputError, match="needs a page cache") if refused else nullcontext():
        Case.of(part, {}).scenario  # noqa: B018


@pytest.mark.parametrize("device", ["vda", "loop7"])
def test_virtio_and_loop_devices_have_a_stack_for_each_way_of_completion(facts, device):
    together, each = stack_texts(replace(facts(), throttled=(), device=device))
    assert 'kind = "virtqueue"' in together
    assert 'name = "thread"' in each
    settings = [{(one.name, one.default) for one in system_of(text).settings} for text in (together, each)]
    assert settings[0] == settings[1]  # so that one plan is for both


@pytest.mark.parametrize("name", ["", "xfs", "with blank", "nfs", "shm"])
def test_each_kind_has_a_stack_that_works(tmp_path, facts, name):
    mountinfo = tmp_path / "root/proc/self/mountinfo"
    mountinfo.write_text(mountinfo.read_text() + f"30 22 0:50 / {tmp_path}/mnt/shm rw - tmpfs tmpfs rw\n")
    for text in stack_texts(facts(name)):
        system = system_of(text)
        assert system.parameters.free()
        assert Case.of(system, {"users": 3}).scenario.model.places


def test_the_lock_of_a_file_is_known_for_some_file_systems_only(facts):
    assert 'filesystem = "ext4"' in stack_texts(facts())[0]
    assert 'kind = "file"' not in stack_texts(facts("nfs"))[0]


@pytest.mark.parametrize(
    ("write_cache", "fua", "flush", "through"),
    [
        ("write back", "1", 100e-6, "true"),
        ("write back", "0", 100e-6, "false"),
        ("write through", "0", 0.0, "false"),
    ],
)
def test_device_with_a_volatile_cache_is_flushed(tmp_path, facts, write_cache, fua, flush, through):
    queue = tmp_path / "root/sys/devices/vda/queue"
    (queue / "write_cache").write_text(f"{write_cache}\n")
    (queue / "fua").write_text(f"{fua}\n")
    text = stack_texts(facts())[0]
    assert system_of(text).parameters.values.flush == flush
    assert f"fua = {through}" in text
    assert 'kind = "flush queue"\ncount = 1\n' in text
