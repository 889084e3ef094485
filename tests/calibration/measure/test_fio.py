"""The real fio, where this machine has it: files are laid out, a job runs over them, and the importer reads it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

import measured_machine
from sim.data.importers import read
from sim.engine.errors import InputError
from sim.system.stack.build import stack_system
from stacksim.measuring import fio
from stacksim.measuring.jobs import Job

pytestmark = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")

BYTES = 1 << 20


@pytest.fixture
def tool(tmp_path, monkeypatch):
    monkeypatch.setattr(fio, "SECONDS", 0.2)
    monkeypatch.setattr(fio, "RAMP_SECONDS", 0.0)
    folder = tmp_path / "files: of whoever"
    folder.mkdir()
    return fio.Fio(fio.program_of(None), folder, asynchronous=False, file_bytes=BYTES, patience_s=120.0)


def test_files_are_whole_before_a_job_and_no_others_are_made(tool):
    tool.lay_out(2, BYTES)
    sizes = {each.name: each.stat().st_blocks * 512 for each in tool.place.iterdir()}
    assert sizes.keys() == {"data.0", "data.1"}
    assert all(size >= BYTES for size in sizes.values())
    result = tool.run(Job("write", 4096, 2, 1))
    assert fio.megabytes_per_s(result, "write") > 0.0
    assert {each.name for each in tool.place.iterdir()} == sizes.keys()


def test_importer_reads_the_job_that_was_run(tool, tmp_path):
    tool.lay_out(2, BYTES)
    result = tool.run(Job("read", 16384, 2, 1))
    (tmp_path / "stack.toml").write_text(measured_machine.STACK)
    (tmp_path / "result.json").write_text(json.dumps(result, indent=1))
    figures = read(tmp_path / "result.json", stack_system(tmp_path / "stack.toml"), {}).measurements
    figure = next(each for each in figures if each.measure == "throughput")
    assert dict(figure.conditions) == {"users": "2", "block": "16KiB", "op": "read"}
    assert figure.value == pytest.approx(fio.megabytes_per_s(result, "read"), rel=1e-3)


def test_a_raw_device_is_read_and_never_written(tmp_path, monkeypatch):
    monkeypatch.setattr(fio, "SECONDS", 0.2)
    monkeypatch.setattr(fio, "RAMP_SECONDS", 0.0)
    device = tmp_path / "a:device"
    device.write_bytes(bytes(range(256)) * (BYTES >> 8))
    raw = fio.RawFio(fio.program_of(None), device, asynchronous=False, file_bytes=0, patience_s=120.0)
    assert fio.megabytes_per_s(raw.run(Job("read", 4096, 2, 1)), "read") > 0.0
    with pytest.raises(InputError, match=r"^write-4KiB-users1-depth1: fio failed"):
        raw.run(Job("write", 4096, 1, 1))
    assert device.read_bytes() == bytes(range(256)) * (BYTES >> 8)


def test_a_missing_directory_is_one_line(tool):
    tool.place.rmdir()
    with pytest.raises(InputError, match=r"^the layout of the files: fio "):
        tool.lay_out(1, BYTES)


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (Job("read", 4096, 1, 1), {"--rw=randread"}),
        (Job("mixed", 4096, 1, 1), {"--rw=randrw"}),
        (Job("write", 4096, 1, 1, order="sequential"), {"--rw=write"}),
        (Job("write", 4096, 4, 1, "data"), {"--rw=randwrite", "--sync=dsync"}),
        (Job("write", 4096, 4, 1, "all"), {"--rw=randwrite", "--sync=sync"}),
    ],
)
def test_fio_gets_the_options_of_the_job(tool, monkeypatch, job, words):
    asked = []
    monkeypatch.setattr(fio.Fio, "_ran", lambda _tool, _name, said, _seconds, **_more: asked.extend(said))
    monkeypatch.setattr(fio, "_result", lambda _name, text: text)
    tool.run(job)
    assert words <= {*asked}
    assert {each for each in asked if "--sync" in each} == {each for each in words if "--sync" in each}


@pytest.mark.parametrize(
    ("job", "asynchronous", "engine"),
    [
        (Job("read", 4096, 1, 1), False, "psync"),
        (Job("read", 4096, 1, 1), True, "libaio"),
        (Job("read", 4096, 1, 4), False, "libaio"),
        (Job("write", 4096, 1, 1, "data"), True, "psync"),
    ],
)
def test_a_process_that_waits_for_a_flush_flushes_itself(tool, monkeypatch, job, asynchronous, engine):
    asked = []
    monkeypatch.setattr(fio, "_run", lambda _name, command, _patience: asked.extend(command) or ("", "", 0))
    monkeypatch.setattr(fio, "_result", lambda _name, text: text)
    replace(tool, asynchronous=asynchronous).run(job)
    assert f"--ioengine={engine}" in asked


def test_throughput_of_a_mix_adds_reads_and_writes():
    sides = {"read": {"bw_bytes": 3e6}, "write": {"bw_bytes": 1e6}}
    rates = [fio.megabytes_per_s({"jobs": [sides]}, op) for op in ("mixed", "read", "write")]
    assert rates == [4.0, 3.0, 1.0]
