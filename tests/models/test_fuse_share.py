"""FUSE's share of one write of 128 KiB to DBFS, beside that of FUSE alone on a machine at hand, as documented."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from layers import made
from models.filesystem.fuse_daemon import Fuse
from models.io import IO
from models.systems.dbfs import DBFS
from models.systems.dbfs.costs import Costs
from sim.units import KIB

WRITE = IO("write", 128 * KIB)


@pytest.fixture
def alone(calibration_data):
    """Seconds by part, of a request of FUSE alone under the fit to six results of the virtual machine."""
    folder = calibration_data / "own" / "vm-2-cores"
    stated = tomllib.loads((folder / "fuse.toml").read_text("utf-8"))["parameters"]
    fitted = json.loads((folder / "fuse.json").read_text("utf-8"))["parameters"]
    values = {name: fitted[name]["value"] if name in fitted else stated[name]["value"] for name in stated}
    del values["cores"]
    return made(Fuse, **values).times.idle_s(WRITE.size_bytes)


def documented(name):
    """Two numbers of the line ``name`` in the table of the page, in microseconds."""
    text = (Path(__file__).parents[2] / "docs" / "dbfs.md").read_text("utf-8")
    (line,) = re.findall(rf"^\| {name}[^|]*\| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    return tuple(map(float, line))


@pytest.mark.parametrize("part", ["queue", "wake-ups", "handler", "copies"])
def test_the_parts_are_those_of_the_fits(alone, part):
    found = Costs(DBFS.parameters.values).fuse(WRITE)[part], alone[part]
    assert documented(part) == pytest.approx([seconds * 1e6 for seconds in found], abs=0.051)


def test_their_sum_is_fuse(alone):
    found = sum(Costs(DBFS.parameters.values).fuse(WRITE).values()), sum(alone.values())
    assert documented("FUSE") == pytest.approx([seconds * 1e6 for seconds in found], abs=0.051)


def test_a_call_is_fuse_the_system_call_and_the_messages_for_blocks():
    costs, parameters = Costs(DBFS.parameters.values), DBFS.parameters
    rest_s = costs.call(WRITE) - sum(costs.fuse(WRITE).values())
    assert rest_s == pytest.approx(parameters["call_s"] + 17 * parameters["message_write_s"])
