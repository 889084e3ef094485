"""What threads of this machine take: numbers that can be, and how they are written down."""

from __future__ import annotations

import os
import tomllib

import pytest

from sim.calibration.measure import host
from sim.calibration.measure.host import GAPS_S, HostMeasured, Seen, measure_host


def measured(switch_s=5e-6, halted_s=40e-6, awake_s=200e-6):
    seen = [Seen(value, value / 1.1, 1.1 * value) for value in (switch_s, halted_s, 5e9)]
    return HostMeasured(seen[0], seen[1], awake_s, seen[2])


def test_this_machine_has_times_that_a_machine_may_have():
    found = measure_host(rounds=50, after_gap=5)
    assert 1e-9 <= found.switch_s.value < 0.1
    assert found.halted_s.value >= 0.0
    assert found.awake_s in (0.0, *GAPS_S)
    assert 1e8 < found.copy_bytes_per_s.value < 1e12


def test_a_measurement_leaves_the_process_on_all_its_cores():
    before = os.sched_getaffinity(0)
    measure_host(rounds=5, after_gap=2)
    assert os.sched_getaffinity(0) == before


def test_numbers_follow_from_round_trips(monkeypatch):
    """14 us there and back, 2 us of them calls: 6 us a wake-up; 40 us more once the core slept, from 400 us on."""

    class Machine:
        def __enter__(self):
            return lambda gap_s: 14e-6 + (40e-6 if gap_s >= 400e-6 else 0.0)

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(host, "_own_calls", lambda rounds: [1e-6] * rounds)
    monkeypatch.setattr(host, "_echoed", Machine)
    found = measure_host(rounds=10, after_gap=4)
    assert found.switch_s.value == pytest.approx(6e-6)
    assert found.halted_s.value == pytest.approx(40e-6)
    assert found.awake_s == pytest.approx(400e-6)


def test_it_is_written_as_a_layer():
    layer = tomllib.loads(measured().layer())["layer"][0]
    assert layer == {"kind": "host", "switch": "5us", "awake": "200us", "halted": "40us", "copy": "5GB/s"}
    assert "halted" not in tomllib.loads(measured(awake_s=0.0).layer())["layer"][0]


def test_a_busy_machine_is_told():
    assert not measured().notes
    busy = HostMeasured(Seen(9e-6, 4e-6, 30e-6), Seen(0.0, 0.0, 0.0), 0.0, Seen(5e9, 4e9, 6e9))
    assert "half of the wake-ups took between 4us and 30us: other work" in busy.notes[0]
