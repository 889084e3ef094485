"""Time of a lock from core to core: arithmetic on writes of one file, and this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sim.calibration.host import lines
from sim.calibration.host.lines import BLOCK_BYTES, handovers_s


def test_handover_is_the_time_of_concurrent_writes_beyond_the_hold(monkeypatch):
    """Alone 3 us, 1 us of it without the lock: held for 2 us; together one ends each 2.4 us, or 2.6."""

    def writes_s(cores, size, _seconds):
        if len(cores) == 1:
            return {0: [1e-6, 1e-6, 9e-6], BLOCK_BYTES: [3e-6, 2.9e-6, 3.1e-6]}[size]
        return [2.4e-6, 2.6e-6]

    monkeypatch.setattr(lines, "writes_s", writes_s)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert handovers_s() == pytest.approx([0.4e-6, 0.6e-6])


def test_one_core_hands_nothing_over(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert handovers_s() == []


@pytest.mark.parametrize("lacking", [0, BLOCK_BYTES])
def test_a_core_that_others_keep_busy_hands_nothing_over(monkeypatch, lacking):
    monkeypatch.setattr(lines, "writes_s", lambda _cores, size, _seconds: [] if size == lacking else [3e-6])
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert handovers_s() == []


def test_writes_of_this_machine_take_a_time_and_leave_no_file_open():
    files = Path("/proc/self/fd")
    before = len([*files.iterdir()])
    alone = lines.writes_s(sorted(os.sched_getaffinity(0))[:1], 4096, 0.02)
    assert all(1e-8 < each < 0.1 for each in alone)
    assert len([*files.iterdir()]) == before
