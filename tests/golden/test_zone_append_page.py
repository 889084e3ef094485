"""The predictions of benchmarks/unseen/zone-append.md. Run as a script, this file writes its table."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

from models import data_folder
from page_tables import banded, between, head, number, row, write, written
from sim.data.packages import DataPackage
from sim.prediction import RunOptions, predict
from sim.system import find

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "benchmarks" / "unseen" / "zone-append.md"
STACK = str(ROOT / "docs" / "stacks" / "zone-append.toml")
MARKS = ("<!-- table of depths -->\n", "<!-- end of the table -->\n")
DEPTHS = (1, 2, 4, 8, 16, 32, 64)
MEASURED = {
    (int(dict(each.conditions)["depth"]), each.measure): each.value
    for each in DataPackage(data_folder() / "present-day").read("zone-append").measurements
}
SATURATED = 8
"""From this depth on, queues of units wander, and their 99th percentile is not told."""


def lines():
    """A line for each depth, beside simple curves."""
    yield from head(
        "depth", "appends/s", "mean, µs", "p50, µs", "p99, µs", "nearest", "ratio", "capped", "power law"
    )
    for depth in DEPTHS:
        yield row(depth, *answers(depth), *map(number, baselines(depth)))


def answers(depth):
    found = predicted(depth)
    cells = [banded(found, "throughput")]
    cells += [number(found.answers[each].estimate.value * 1e6) for each in ("mean", "p50", "p99")]
    if depth > SATURATED:
        cells[2:] = ["–", "–"]
    for place, measure in enumerate(("iops", "mean", "p50", "p99")):
        if (depth, measure) in MEASURED:
            cells[place] += f", *{number(MEASURED[depth, measure])}*"
    return cells


def baselines(depth):
    one, four = MEASURED[1, "iops"], MEASURED[4, "iops"]
    power = math.log(four / one) / math.log(4)
    return one if depth < 2 else four, one * depth, min(one * depth, four), one * depth**power


@cache
def predicted(depth):
    quick = RunOptions(precision=0.02, answers=("throughput",))
    return predict(find(STACK), {"depth": depth}, quick)


def test_page_has_each_depth():
    found = [line.split(" | ")[0] for line in written(PAGE, MARKS).splitlines()]
    assert [each for each in found if each[2:].isdigit()] == [f"| {depth}" for depth in DEPTHS]


@pytest.mark.long
def test_page_has_the_predictions():
    assert written(PAGE, MARKS) == between(list(lines())), "python tests/golden/test_zone_append_page.py"


@pytest.mark.parametrize(("depth", "within"), [(1, 0.05), (4, 0.07)])
def test_measured_depths(depth, within):
    found = predicted(depth).answers
    assert found["throughput"].estimate.value == pytest.approx(MEASURED[depth, "iops"], rel=within)
    for each in ("mean", "p50", "p99"):
        assert found[each].estimate.value * 1e6 == pytest.approx(MEASURED[depth, each], rel=within)


if __name__ == "__main__":
    write(PAGE, MARKS, list(lines()))
