"""Errors of structures in docs/systems/dbfs.md, predictions in benchmarks/unseen/dbfs.md; a script writes both."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from models import data_folder
from page_tables import between, head, number, row, write, written
from sim.data.fitted import CROSSED, IN_SAMPLE, path_in, read
from sim.prediction import RunOptions, predict
from sim.prediction.structures import systems_of, weights
from sim.system.installed import find

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "systems" / "dbfs.md"
LARGER = ROOT / "benchmarks" / "unseen" / "dbfs.md"
FITS = ("<!-- fits of the structures -->\n", "<!-- end of the fits -->\n")
RACKS = ("<!-- larger racks -->\n", "<!-- end of the racks -->\n")

NODES, CELLS = (1, 4, 8, 16), (3, 7, 14, 28)
BLOCKS, OPS = ("8KiB", "128KiB", "1MiB"), ("write", "read")
OPTIONS = RunOptions(precision=0.05)


def fits():
    """A line for each structure: how likely it is, and its mean errors."""
    systems = systems_of(find("dbfs"))
    found = [read(path_in(data_folder(), each.name)) for each in systems]
    moved = [name for name in found[0].errors if name not in (IN_SAMPLE, CROSSED)]
    yield from head("structure", "weight", "in sample", "nine folds", *moved)
    for system, weight, fit in zip(systems, weights(systems), found, strict=True):
        errors = (fit.errors[name].system.mean for name in (IN_SAMPLE, CROSSED, *moved))
        yield row(f"`{system.name}`", f"{weight:.0%}", *(f"{each:.1%}" for each in errors))


def rack(nodes, cells, block, op):
    """Expectations of the structures, if they differ, and the interval of a measurement."""
    settings = {"nodes": nodes, "cells": cells, "users": 8, "block": block, "op": op}
    found = predict("dbfs", settings, OPTIONS)
    value, band = found.throughput.value, found.intervals["throughput"]
    expected = [value * each.ratios["throughput"] for each in found.structures] or [value]
    return f"{', '.join(map(number, expected))} ({number(band.low)} … {number(band.high)})"


def racks():
    """A table for each block, MB/s: what the structures expect, in the order of the table above, and the band."""
    for block in BLOCKS:
        yield from (f"Blocks of {block}, MB/s:", "")
        yield from head("nodes", "cells", *OPS)
        for nodes, cells in product(NODES, CELLS):
            yield row(nodes, cells, *(rack(nodes, cells, block, op) for op in OPS))
        yield ""


def test_page_lists_the_shipped_fits():
    assert written(PAGE, FITS) == between(fits())


@pytest.mark.parametrize("block", BLOCKS)
def test_page_has_a_line_for_each_rack(block):
    lines = written(LARGER, RACKS).splitlines()
    first = lines.index(f"Blocks of {block}, MB/s:") + 4
    found = [line.split(" | ")[:2] for line in lines[first : first + len(NODES) * len(CELLS)]]
    assert found == [[f"| {nodes}", str(cells)] for nodes, cells in product(NODES, CELLS)]


def test_rack_equals_the_prediction():
    assert f"| 8 | 14 | {rack(8, 14, '128KiB', 'write')} |" in written(LARGER, RACKS)


@pytest.mark.slow
def test_all_racks_equal_predictions():
    assert written(LARGER, RACKS) == between(racks())


if __name__ == "__main__":
    write(PAGE, FITS, fits())
    write(LARGER, RACKS, racks())
