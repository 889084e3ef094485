"""The predictions of benchmarks/unseen/cubefs.md. Run as a script, this file writes its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.systems.cubefs import CUBEFS
from page_tables import banded, between, head, row, write, written
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "cubefs.md"
MARKS = ("<!-- table of the newer cluster -->\n", "<!-- end of the table -->\n")
NEWER = {
    "nic": "50Gb/s",
    "data_nodes": 5,
    "ssds_per_node": 4,
    "cpus_per_node": 80,
    "follower_read": "no",
    "hardware": "newer",
}
LOADS = {
    f"{order} {op} {block[:-3]}k": {"order": order, "op": op, "block": block}
    for order, block in (("sequential", "128KiB"), ("random", "4KiB"))
    for op in ("read", "write")
}
CLIENTS, PROCESSES = (1, 2, 4, 8), (1, 4, 16, 64)
SEEN = {(1, 1), (1, 16)}
"""Clients and processes of the figures that the fit has seen."""

OPTIONS = RunOptions(precision=0.02, answers=("throughput",))


def lines():
    """A line for each load and number of clients."""
    yield from head("", "clients", *(f"{each} process{'es' if each > 1 else ''}" for each in PROCESSES))
    for load in LOADS:
        for clients in CLIENTS:
            yield row(load, clients, *(cell(load, clients, processes) for processes in PROCESSES))


def cell(load, clients, processes):
    """Bandwidth and its band; in italics if the fit has seen the figure."""
    settings = {**NEWER, **LOADS[load], "clients": clients, "processes": processes}
    text = banded(predict(CUBEFS, settings, OPTIONS), "throughput")
    return f"*{text}*" if (clients, processes) in SEEN else text


def test_the_page_has_each_load_for_each_number_of_clients():
    found = [line.split(" | ")[:2] for line in written(PAGE, MARKS).splitlines() if line.startswith("| ")]
    assert found[1:] == [[f"| {load}", str(clients)] for load in LOADS for clients in CLIENTS]


def test_cell_equals_the_prediction():
    assert f" {cell('sequential read 128k', 1, 1)} " in written(PAGE, MARKS)


@pytest.mark.slow
def test_all_lines_equal_predictions():
    assert written(PAGE, MARKS) == between(lines())


if __name__ == "__main__":
    write(PAGE, MARKS, lines())
