"""`dbfs` on cells of X3-2 to X11M: by hand what a cell moves, and what of the old racks limits then."""

from __future__ import annotations

import pytest

from models.parts.cell import CELL_BYTES_PER_S
from models.parts.generations import CAPACITY_BYTES_PER_S, GENERATIONS, SCANNED_BYTES_PER_S
from models.systems.dbfs.newer_cells import CELLS, put_together, streams
from models.systems.exadata import EXADATA
from sim.engine.simulation.options import ANALYTIC
from sim.prediction import RunOptions, predict
from sim.prediction.structures import structures_of
from sim.system.case import Case
from sim.system.installed import find

FULL = {"nodes": 4, "cells": 3, "users": 8, "op": "write"}


def rate(system="dbfs", **asked):
    return predict(system, {**FULL, **asked}, RunOptions(engine=ANALYTIC), intervals=False).throughput.value


@pytest.mark.parametrize(("cell", "op", "bytes_per_s", "arms"), [
    ("x2-2", "read", 1.8e9, True),
    ("x3-2", "read", 5.45e9, False),
    ("x11m", "read", 100e9, False),
    ("x8m-2", "read", 5.45e9 * (100 / 5.45) ** (7 / 13), False),  # seven of the thirteen years between
    ("x3-2", "write", 1.28e9, True),  # its flash takes 75,000 x 8 KiB = 0.61 GB/s, less than its disks
    ("x8m-2", "write", 75_000 * 8192 * (100 / 5.45) ** (7 / 13), False),
])  # fmt: skip
def test_cell_has_the_throughput_of_its_flash_or_disks(cell, op, bytes_per_s, arms):
    assert streams(cell, op) == (pytest.approx(bytes_per_s), arms)


@pytest.mark.parametrize("op", ["read", "write"])
def test_a_later_cell_is_no_slower(op):
    rates = [streams(cell, op)[0] for cell in GENERATIONS]
    assert rates == sorted(rates)
    assert [streams(cell, op)[0] for cell in CELL_BYTES_PER_S] == sorted(CELL_BYTES_PER_S.values())


def test_flash_of_cells_grows_as_that_of_the_system_exadata():
    parameters = EXADATA.parameters
    assert (parameters["flash_x3_2_bytes_per_s"], parameters["flash_x11m_bytes_per_s"]) == SCANNED_BYTES_PER_S
    assert parameters["capacity_bytes_per_s"] == CAPACITY_BYTES_PER_S


def test_no_arm_moves_in_flash_so_that_full_cells_are_the_disks_of_old_ones():
    """Half of the half rack's loss in one structure, and nothing in the other, is gone with flash."""
    old, new = (rate("dbfs-cells", cell=cell) for cell in ("x2-2", "x8m-2"))
    assert new > 2.5 * old
    (own, *others) = structures_of(Case.of("dbfs", {**FULL, "cell": "x8m-2", "link": "roce-100"}))
    assert all(each.ratios["throughput"] > 1.1 for each in others)
    assert own.ratios["throughput"] == 1.0


def test_port_of_a_hundred_gigabits_carries_its_payload():
    (port,) = find("dbfs").limits({**Case.of("dbfs", {"op": "read", "link": "roce-100", "cell": "x11m"}).settings})
    assert port.most == pytest.approx(12_500 * 2048 / 2134)
    assert rate(link="roce-100", cell="x8m-2") >= rate(cell="x8m-2")


def test_later_cells_are_reported_as_unmeasured():
    assert set(CELLS) == {*CELL_BYTES_PER_S, *GENERATIONS}
    for cell in CELLS:
        assert bool(put_together(cell)) == (cell not in CELL_BYTES_PER_S)
    found = predict("dbfs", {"cell": "x8m-2", "link": "roce-100"}, RunOptions(precision=0.05))
    assert any("cell=x8m-2 is put together" in note for note in found.notes)
    assert any("cell=x8m-2 (measured: x2-2)" in line for line in found.caveats.lines)
