"""The predictions of benchmarks/unseen/nvme.md. Run as a script, this file writes its tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from models.systems.nvme import NVME
from page_tables import banded, between, head, row, write, written
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "nvme.md"
MARKS = ("<!-- tables of several devices -->\n", "<!-- end of the tables -->\n")
DEVICES, PROCESSES, DEPTHS = (2, 4, 6, 8), (1, 2, 4, 8, 16), (1, 4, 16, 64, 128)
MEASURES = {"throughput": ("Thousand reads a second", 1.0), "p99": ("99th percentile of latency, µs", 1e-6)}
OPTIONS = RunOptions(precision=0.02, answers=("throughput",))


def lines():
    """A line for each number of devices and processes, of rates and then of latencies."""
    for measure, (title, _) in MEASURES.items():
        yield from (f"{title}:", "")
        yield from head("devices", "processes", *(f"depth {depth}" for depth in DEPTHS))
        for devices in DEVICES:
            for processes in PROCESSES:
                yield row(devices, processes, *(cell(devices, processes, depth, measure) for depth in DEPTHS))
        yield ""


def cell(devices, processes, depth, measure):
    """An answer and its band."""
    return banded(predicted(devices, processes, depth), measure, MEASURES[measure][1])


@cache
def predicted(devices, processes, depth):
    return predict(NVME, {"devices": devices, "processes": processes, "depth": depth}, OPTIONS)


def test_the_page_has_each_number_of_devices_and_processes_twice():
    found = [line.split(" | ")[:2] for line in written(PAGE, MARKS).splitlines() if line[:3].strip("| ").isdigit()]
    assert found == 2 * [[f"| {devices}", str(processes)] for devices in DEVICES for processes in PROCESSES]


def test_cell_equals_the_prediction():
    assert f" {cell(2, 1, 1, 'throughput')} " in written(PAGE, MARKS)


@pytest.mark.slow
def test_all_lines_equal_predictions():
    assert written(PAGE, MARKS) == between(lines())


if __name__ == "__main__":
    write(PAGE, MARKS, lines())
