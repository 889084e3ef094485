"""`stacksim measure` of a raw device: named twice it is read, and nothing is ever written to it."""

from __future__ import annotations

import pytest

import measured_machine
from measured_machine import only
from sim.engine.errors import InputError
from stacksim.measuring import facts as facts_module


@pytest.fixture
def device(tmp_path, monkeypatch):
    """A raw device."""
    (tmp_path / "device").write_bytes(bytes(1 << 20))
    monkeypatch.setattr(facts_module.Path, "is_block_device", lambda each: each.name == "device")
    return "device"


def test_a_raw_device_named_twice_is_read_alone(machine, tmp_path, device, monkeypatch):
    monkeypatch.setattr("stacksim.measuring.work.fit", lambda *_: (_ for _ in ()).throw(InputError("far enough")))
    status, out, err = machine("--raw", device, "--yes", "-q", path=device)
    assert (status, err) == (2, "stacksim: far enough\n")
    assert "a raw device of 0.00105 GB, which is only read" in out
    assert "and writes about 0 GB" in out
    calls = (tmp_path / "bin/calls").read_text().splitlines()
    assert len(calls) == 34
    wanted = ("--readonly", "--rw=randread", f"--filename={tmp_path / device}")
    assert all(word in call.split() for call in calls for word in wanted)
    assert 'title = "Random reads of raw on ' in (tmp_path / "measured/meta.toml").read_text()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("stacksim")] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "is a raw device, which is never written to; name a directory on it, or have it read: --raw device"),
        (("--raw", "data"), "the device is 'device', and --raw 'data'; name the same one twice"),
    ],
)
def test_a_raw_device_that_is_not_named_twice_is_refused(machine, device, words, message):
    status, _, err = machine("--dry-run", *words, path=device)
    assert (status, err.count("\n")) == (2, 1)
    assert message in err


def test_a_stack_with_writes_is_refused_for_a_raw_device(machine, tmp_path, device):
    (tmp_path / "stack.toml").write_text(measured_machine.STACK.replace('["read"]', '["read", "write"]'))
    status, _, err = machine("--dry-run", "--raw", device, path=device)
    assert (status, err.count("\n")) == (2, 1)
    assert 'a raw device is only read; write its setting as op = { default = "read", options = ["read"] }' in err


def test_a_raw_device_needs_fio(machine, device, monkeypatch):
    only(monkeypatch, "dd")
    status, _, err = machine("--dry-run", "--raw", device, path=device)
    assert (status, err) == (
        2,
        "stacksim: fio is not installed, and a raw device is read by nothing else; apt-get install fio\n",
    )
