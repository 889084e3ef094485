"""Loads that are not alike share the cores that copy by time, and not by I/O."""

from __future__ import annotations

import pytest

from sim.engine.simulation.options import RunOptions
from sim.prediction import predict
from sim.system import find

SMALL_S, LARGE_S = 2e-6, 100e-6
TEXT = """
title = "a reader of small pieces beside two writers of large ones, on one core"

[[load]]
block = "4KiB"

[[load]]
name = "writers"
clients = 2
op = "write"
block = "1MiB"
%s
[[layer]]
kind = "copy"
cores = %d
read_call = "2us"
write_call = "100us"
read_rate = "unlimited"
write_rate = "unlimited"
"""
BESIDE = """
[[layer]]
kind = "cores"
count = 1
time = "2us"
interrupt = 0
"""
MEMORY = """
[[layer]]
kind = "host"
memory = "1000GB/s"
"""


@pytest.mark.parametrize(("layers", "more_s"), [("", 0.0), (BESIDE, 2e-6), (MEMORY, 0.0)])
def test_each_process_has_its_share_of_a_core(tmp_path, layers, more_s):
    """A third of one core each; by I/O, the reader would wait for both writes, and do 1 / 202 us."""
    path = tmp_path / "stack.toml"
    path.write_text(TEXT % (layers, 1))
    prediction = predict(find(str(path)), {}, RunOptions(precision=0.01))
    means_s = (prediction.answers[name].estimate.value for name in ("mean", "writers_mean"))
    assert tuple(means_s) == pytest.approx((3 * (SMALL_S + more_s), 3 * (LARGE_S + more_s)), rel=0.05)


def test_enough_cores_need_no_time_slices(tmp_path):
    path = tmp_path / "stack.toml"
    path.write_text(TEXT % ("", 3))
    prediction = predict(find(str(path)), {}, RunOptions(precision=0.01))
    assert prediction.answers["mean"].estimate.value == pytest.approx(SMALL_S, rel=0.01)
