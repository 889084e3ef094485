"""Times of threads of this machine: plausible numbers, and how they are written down."""

from __future__ import annotations

import os
import tomllib
from contextlib import contextmanager

import pytest

from sim.calibration.host import host
from sim.calibration.host.host import GAPS_S, HostMeasured, Seen, measure_host
from stacksim.measuring import choice


def measured(
    switch_s=5e-6, same_core_s=1e-6, halted_s=40e-6, awake_s=200e-6, copy=5e9, memory=None, line_s=None, load=0.1
):
    switch, same, halted, copied = (
        Seen(value, value / 1.1, 1.1 * value) for value in (switch_s, same_core_s, halted_s, copy)
    )
    return HostMeasured(
        switch, same, halted, awake_s, copied, memory, line_s and Seen(line_s, line_s, line_s), load
    )


def test_measured_times_of_this_machine_are_plausible():
    found = measure_host(rounds=50, after_gap=5)
    assert 1e-9 <= found.switch_s.value < 0.1
    assert 1e-9 <= found.same_core_s.value < 0.1
    assert found.halted_s.value >= 0.0
    assert found.awake_s in (0.0, *GAPS_S)
    assert 1e8 < found.copy_bytes_per_s.value < 1e12


def test_a_measurement_leaves_the_process_on_all_its_cores():
    before = os.sched_getaffinity(0)
    measure_host(rounds=5, after_gap=2)
    assert os.sched_getaffinity(0) == before


def test_numbers_follow_from_round_trips(monkeypatch):
    """14 us there and back, 2 us of them calls: 6 us a wake-up; 40 us more once the core slept, from 400 us on.

    4 us there and back on one core: 1 us.
    """

    @contextmanager
    def machine(*, apart):
        yield lambda gap_s: (14e-6 if apart else 4e-6) + (40e-6 if gap_s >= 400e-6 else 0.0)

    monkeypatch.setattr(host, "_own_calls", lambda rounds: [1e-6] * rounds)
    monkeypatch.setattr(host, "_echoed", machine)
    found = measure_host(rounds=10, after_gap=4)
    assert found.switch_s.value == pytest.approx(6e-6)
    assert found.same_core_s.value == pytest.approx(1e-6)
    assert found.halted_s.value == pytest.approx(40e-6)
    assert found.awake_s == pytest.approx(400e-6)


def test_a_measured_host_is_written_as_a_layer():
    layer = tomllib.loads(measured().layer())["layer"][0]
    assert layer == {
        "kind": "host",
        "switch": "5us",
        "busy": "1us",
        "awake": "200us",
        "halted": "40us",
        "copy": "5GB/s",
    }
    assert tomllib.loads(measured(memory=40e9).layer())["layer"][0]["memory"] == "40GB/s"
    assert tomllib.loads(measured(line_s=0.25e-6).layer())["layer"][0]["line"] == "0.25us"
    assert "halted" not in tomllib.loads(measured(awake_s=0.0).layer())["layer"][0]


def test_a_busy_machine_is_reported():
    assert not measured().notes
    assert measured(load=3.2).notes == (
        "other work runs on this machine (load average 3.2); measure when it is quiet",
    )


@pytest.fixture
def begins_with(monkeypatch):
    """First values of the fit of a mount on a machine so measured."""

    def begun(**found):
        monkeypatch.setattr(choice, "measure_host", lambda: measured(**found))
        choice.this_machine.cache_clear()
        return choice.this_machine()

    yield begun
    choice.this_machine.cache_clear()


def test_the_fit_of_a_mount_begins_between_one_core_and_two(begins_with):
    """A wake-up of 1 us on one core and 16 us on two: 4 us; a copy within a factor of 2.5."""
    assert begins_with(switch_s=16e-6, same_core_s=1e-6, copy=4e9) == {
        "line": 'line = { prior = "host.line" }\n',
        "memory": "",
        "wake": "4us",
        "wake_low": "1us",
        "wake_high": "16us",
        "copy": "4GB/s",
        "copy_low": "1.6GB/s",
        "copy_high": "10GB/s",
    }


def test_the_stack_of_files_in_memory_has_the_memory_that_cores_share(begins_with):
    found = begins_with(memory=30e9)["memory"]
    assert tomllib.loads(found)["layer"] == [{"kind": "host", "memory": "30GB/s"}]


def test_the_lock_of_a_mount_is_handed_over_as_was_measured(begins_with):
    """Within a factor of 2.5; one that no machine takes is not believed."""
    line = tomllib.loads(begins_with(line_s=0.25e-6)["line"])["line"]
    assert (line["value"], line["range"], line["basis"]) == ("0.25us", ["0.1us", "0.625us"], "derived")
    choice.this_machine.cache_clear()
    assert tomllib.loads(begins_with(line_s=1e-9)["line"])["line"]["value"] == "0.02us"


def test_on_one_core_a_wake_up_of_a_mount_may_still_differ(begins_with):
    found = begins_with(switch_s=2e-6, same_core_s=2e-6)
    assert [found[each] for each in ("wake", "wake_low", "wake_high")] == ["2us", "0.8us", "5us"]
