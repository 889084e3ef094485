"""FUSE's share of one write of 128 KiB to DBFS, beside that of FUSE alone on a machine at hand, as documented."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from layers import made
from models.io import IO
from models.parts.fuse.daemon import Fuse
from models.parts.fuse.request import RequestTimes
from models.systems.dbfs import DBFS
from models.systems.dbfs.costs import Costs
from sim.data.package import DataPackage
from sim.engine.units import KIB, MB

DOCUMENT = Path(__file__).parents[2] / "docs" / "stacks" / "fuse-passthrough.md"
WRITE = IO("write", 128 * KIB)
COSTS = Costs(DBFS.parameters.values)


@pytest.fixture
def alone(calibration_data):
    """Seconds by part, of a request of FUSE alone under the fit to six results of the virtual machine."""
    folder = calibration_data / "own" / "vm-2-cores"
    stated = tomllib.loads((folder / "fuse.toml").read_text("utf-8"))["parameters"]
    fitted = json.loads((folder / "fuse.json").read_text("utf-8"))["parameters"]
    values = {name: fitted[name]["value"] if name in fitted else stated[name]["value"] for name in stated}
    del values["cores"]
    kind = made(Fuse, **values)
    return RequestTimes(kind.queue, kind.handler, 1.0 / kind.copy, kind.wake).idle_s(WRITE.size_bytes)


def documented(name, *seconds):
    """The line ``name`` in the table of the page says so, in microseconds."""
    (line,) = re.findall(rf"^\| {name}[^|]*\| ([\d.]+) \| ([\d.]+) \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert tuple(map(float, line)) == pytest.approx([each * 1e6 for each in seconds], abs=0.051)


@pytest.mark.parametrize("part", ["queue", "wake-ups", "handler", "copies"])
def test_the_parts_are_those_of_the_fits(alone, part):
    documented(part, COSTS.fuse(WRITE)[part], alone[part])


def test_the_sums_are_those_of_the_parts(alone):
    fuse_s, alone_s = sum(COSTS.fuse(WRITE).values()), sum(alone.values())
    documented("FUSE", fuse_s, alone_s)
    rest_s = DBFS.parameters["call_s"] + 17 * DBFS.parameters["cluster_request_write_s"]
    memory_s = 0.7e-6 + WRITE.size_bytes / 4.0e9  # the steps below FUSE in fuse.toml
    documented("system call", rest_s, memory_s)
    documented("one write", COSTS.call(WRITE), alone_s + memory_s)
    assert COSTS.call(WRITE) == pytest.approx(fuse_s + rest_s)


def test_quoted_figures_equal_the_data(calibration_data):
    (published,) = [
        each.value
        for each in DataPackage(calibration_data).read("dbfs-dd").measurements
        if each.cell == "dbfs-dd/Quarter-X2-2 (1 db-node)/1u-128k-write"
    ]
    table = (calibration_data / "own" / "vm-2-cores" / "fuse-fitted.csv").read_text("utf-8")
    (measured,) = re.findall(r"^1,128KiB,write,([\d.]+),MB/s", table, re.MULTILINE)
    documented("published", *(WRITE.size_bytes / (value * MB) for value in (published, float(measured))))


def test_the_stream_behind_the_file_takes_longer_than_the_write_in_front_of_it():
    (text,) = re.findall(r"behind the file takes (\d+) µs", DOCUMENT.read_text("utf-8"))
    behind_s = COSTS.session(WRITE)
    assert float(text) == pytest.approx(behind_s * 1e6, abs=0.51)
    assert behind_s > COSTS.call(WRITE)
