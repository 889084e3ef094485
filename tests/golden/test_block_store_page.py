"""The predictions of benchmarks/unseen/block-store.md. Run as a script, this file writes its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.systems.block_store import BLOCK_STORE
from page_tables import banded, between, head, row, write, written
from sim.engine.units import MB
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "block-store.md"
MARKS = ("<!-- table of the unseen half -->\n", "<!-- end of the table -->\n")

LOADS = {
    "4 KiB, depth 1": {"jobs": 1, "depth": 1},
    "4 KiB, 12 × 128": {"jobs": 12, "depth": 128},
    "4 MiB, 6 × 16": {"jobs": 6, "depth": 16, "block": "4MiB"},
}
SCHEMES = ("2-replicas", "3-replicas", "ec-2-1")
NETWORKS = ("tcp", "rdma")
OPTIONS = RunOptions(precision=0.02, answers=("throughput",))


def lines():
    """A line for each load, direction, network and scheme."""
    yield from head("load", "", "network", "scheme", "rate", "processor of a drive's servers, %")
    for load in LOADS:
        for op in ("read", "write"):
            for network in NETWORKS:
                yield from (line(load, op, network, scheme) for scheme in SCHEMES if modelled(load, op, scheme))


def modelled(load, op, scheme):
    """Reads are the same with all schemes; whole stripes are not modelled."""
    return scheme == "2-replicas" if op == "read" else not (scheme == "ec-2-1" and "MiB" in load)


def line(load, op, network, scheme):
    """Rate and processor time, each with its band; in italics what is measured with two replicas."""
    settings = {**LOADS[load], "op": op, "network": network, "scheme": scheme}
    prediction = predict(BLOCK_STORE, settings, OPTIONS)
    unit, scale = ("MB/s", MB / (4 << 20)) if "MiB" in load else ("IO/s", 1.0)
    cells = [f"{banded(prediction, 'throughput', scale)} {unit}", banded(prediction, "server_cpu")]
    schemes = "any" if op == "read" else scheme
    seen = network == "tcp" and scheme == "2-replicas"
    return row(load, op, network, schemes, *(f"*{each}*" if seen else each for each in cells))


def test_the_page_has_each_load_network_and_scheme():
    found = [each.split(" | ")[:4] for each in written(PAGE, MARKS).splitlines()[3:] if each]
    assert len(found) == len(NETWORKS) * (3 * 1 + 2 * 3 + 2)


@pytest.mark.parametrize("network", NETWORKS)
def test_line_equals_the_prediction(network):
    assert line("4 KiB, depth 1", "write", network, "3-replicas") in written(PAGE, MARKS)


@pytest.mark.slow
def test_all_lines_equal_predictions():
    assert written(PAGE, MARKS) == between(lines())


if __name__ == "__main__":
    write(PAGE, MARKS, lines())
