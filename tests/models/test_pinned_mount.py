"""One user of a FUSE mount on one core and on two: the host's numbers give the time of a call, by hand."""

from __future__ import annotations

import csv
import json
import tomllib

import pytest

from benchmarks.own_tables import WAKE
from sim.engine.units import KIB, MB
from sim.prediction import predict
from sim.system.stack.build import stack_system

BELOW_S = 0.7e-6


@pytest.fixture
def folder(calibration_data):
    return calibration_data / "own" / "vm-2-cores"


@pytest.fixture
def host(folder):
    return json.loads((folder / "host.json").read_text("utf-8"))


def test_stack_has_the_measured_values_of_the_host(folder, host):
    stated = tomllib.loads((folder / "pinned.toml").read_text("utf-8"))["parameters"]["copy"]["value"]
    assert stated == f"{host['copy_bytes_per_s']['value'] / 1e9:.3g}GB/s"
    measured_s = {"together": host["same_core_s"]["value"], "apart": host["switch_s"]["value"]}
    assert {where: f"{wake_s * 1e6:.3g}us" for where, wake_s in measured_s.items()} == WAKE


@pytest.mark.parametrize("where", WAKE)
def test_a_call_is_two_wake_ups_two_copies_and_the_daemon(folder, where):
    """16 KiB: queue 0.1 us, handler 2 us, below 0.7 us; two wake-ups; two copies, one of them below."""
    predicted = predict(stack_system(folder / "pinned.toml"), {"block": "16KiB", "wake": WAKE[where]})
    by_hand_s = 0.1e-6 + 2e-6 + BELOW_S + 2 * float(WAKE[where].removesuffix("us")) * 1e-6 + 2 * 16 * KIB / 6.18e9
    assert 16 * KIB / (predicted.throughput.value * MB) == pytest.approx(by_hand_s, rel=0.02)


def test_predicted_cells_are_those_measured_later(folder):
    """Each cell has both, but for the one that was fitted."""
    before, measured = (
        {
            (row["op"], row["block"], row["wake"])
            for row in csv.DictReader((folder / name).read_text("utf-8").splitlines())
        }
        for name in ("before/pinned.csv", "pinned-predicted.csv")
    )
    assert before - measured == {("write", "1KiB", WAKE["together"])}
    assert measured < before
