"""Exadata X3-2 to X11M: by hand what each step of the ladder takes and lets through, and how far off it is."""

from __future__ import annotations

import statistics

import pytest

from models import data_folder
from models.parts.generations import GENERATIONS
from models.systems.exadata import EXADATA
from sim import InputError
from sim.data.package import DataPackage
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from whole_system import changed

P = EXADATA.parameters
QUICK = RunOptions(precision=0.02, answers=("throughput",))
BYTES, HEADER, MIB = 8192, 128, 1 << 20
ALONE = {"clients": 1, "nodes": 1, "memory_hits": 0, "flash_hits": 1}
MANY = {"clients": 4096, "nodes": 16, "cells": 4, "flash_hits": 1}


def answers(system=EXADATA, **settings):
    found = predict(system, settings, QUICK, intervals=False).answers
    return {name: each.estimate.value for name, each in found.items()}


def rate(*args, **settings):
    return answers(*args, **settings)["throughput"]


def message_s(data_bytes, generation):
    return (HEADER + data_bytes) / GENERATIONS[generation].card_bytes_per_s


def served_s(generation, sent=0, returned=BYTES):
    """To the server of a cell with so much, and back with so much."""
    return P["round_trip_s"] + message_s(sent, generation) + message_s(returned, generation) + P["server_s"]


def grown(generation):
    """Flash after even growth from X3-2 to X11M."""
    share = (GENERATIONS[generation].year - 2012) / 13
    return (P["flash_x11m_bytes_per_s"] / P["flash_x3_2_bytes_per_s"]) ** share


# The ladder.


@pytest.mark.parametrize("generation", ["x8m-2", "x9m-2", "x11m"])
def test_a_read_from_memory_is_one_rdma_read(generation):
    expected_s = P["memory_s"] + BYTES / GENERATIONS[generation].card_bytes_per_s
    found = 1 / rate(**{**ALONE, "memory_hits": 1}, generation=generation)
    assert found == pytest.approx(expected_s, rel=1e-3)


@pytest.mark.parametrize("generation", ["x3-2", "x5-2", "x8m-2"])
def test_a_read_from_flash_asks_the_server_of_a_cell(generation):
    bytes_per_s = P["flash_x3_2_bytes_per_s"] * grown(generation)
    expected_s = served_s(generation) + P["flash_read_s"] + BYTES / bytes_per_s
    assert 1 / rate(**ALONE, generation=generation) == pytest.approx(expected_s, rel=1e-3)


def test_a_read_from_disk_waits_for_an_arm():
    alone = {**ALONE, "flash_hits": 0}
    expected_s = served_s("x3-2") + 12 / P["capacity_iops"]
    assert 1 / rate(**alone, generation="x3-2") == pytest.approx(expected_s, rel=1e-3)
    assert 1 / rate(**alone, generation="x3-2", disks="performance") == pytest.approx(
        served_s("x3-2") + 12 / P["performance_iops"], rel=1e-3
    )


def test_the_mean_is_made_of_steps_by_their_shares():
    memory, flash, disk = (
        1 / rate(**{**ALONE, **where}) for where in ({"memory_hits": 1}, {"flash_hits": 1}, {"flash_hits": 0})
    )
    found = 1 / rate(**{**ALONE, "memory_hits": 0.7, "flash_hits": 0.9})
    assert found == pytest.approx(0.7 * memory + 0.3 * (0.9 * flash + 0.1 * disk), rel=0.03)


def test_a_write_is_done_when_flash_has_all_copies_and_disks_do_not_matter():
    """A card sends one copy after the other; the cores of the database server work before."""
    one = {**ALONE, "op": "write", "generation": "x5-2", "cells": 4}
    taken_s = P["flash_write_s"] + 1 / (P["flash_x3_2_writes"] * grown("x5-2"))
    alone_s = served_s("x5-2", BYTES, 0) + taken_s + P["copy_x8m_2_s"]
    assert 1 / rate(**one, redundancy="external") == pytest.approx(alone_s, rel=2e-3)
    three = 1 / rate(**one, redundancy="high")
    more_s = 2 * (P["copy_x8m_2_s"] + message_s(BYTES, "x5-2"))
    assert three - alone_s == pytest.approx(more_s, rel=0.1)
    slow_disks = changed(EXADATA, later_capacity_iops=P["later_capacity_iops"] / 4)
    assert rate(slow_disks, **one) == pytest.approx(rate(**one), rel=1e-6)


@pytest.mark.parametrize(
    ("generation", "by_rdma"), [("x8-2", False), ("x8m-2", True), ("x9m-2", True), ("x10m", False)]
)
def test_redo_goes_to_persistent_memory_where_there_is_any(generation, by_rdma):
    redo, write = (answers(**ALONE, generation=generation, op=op)["mean"] for op in ("redo", "write"))
    if by_rdma:
        expected_s = P["memory_s"] + 2 * BYTES / GENERATIONS[generation].card_bytes_per_s
        assert redo == pytest.approx(expected_s, rel=0.01)
        assert redo < write / 3
    else:
        assert redo == pytest.approx(write, rel=1e-6)


# What limits.


def test_a_cell_limits_reads_from_flash():
    assert rate(**MANY, generation="x5-2") == pytest.approx(4 * P["flash_x5_2_reads"], rel=0.01)


def test_memory_passes_the_cells_by_and_the_card_of_a_database_server_limits():
    found = rate(generation="x9m-2", nodes=1, cells=14, clients=1024, memory_hits=1)
    assert found == pytest.approx(2 * 12.5e9 * 2048 / 2134 / BYTES, rel=0.01)
    slow = changed(EXADATA, server_s=100e-6, flash_x5_2_reads=100_000)
    assert rate(slow, generation="x9m-2", nodes=1, cells=14, clients=1024, memory_hits=1) == pytest.approx(found)


def test_the_cards_of_few_cells_limit_reads_from_memory():
    found = rate(generation="x9m-2", nodes=8, cells=2, clients=2048, memory_hits=1)
    assert found == pytest.approx(2 * 2 * 12.5e9 * 2048 / 2134 / BYTES, rel=0.02)


def test_copies_share_the_write_bandwidth_of_cells():
    found = {each: answers(**MANY, generation="x3-2", op="write", redundancy=each) for each in ("normal", "high")}
    for each, copies in (("normal", 2), ("high", 3)):
        assert found[each]["copies"] == pytest.approx(4 * P["flash_x3_2_writes"], rel=0.02)
        assert found[each]["copies"] == pytest.approx(copies * found[each]["throughput"])


def test_cores_of_a_database_server_limit_its_writes():
    found = answers(generation="x9m-2", nodes=1, cells=14, clients=2048, op="write")
    assert found["copies"] == pytest.approx(64 / P["copy_x9m_2_s"], rel=0.01)


SCAN = {"op": "scan", "block": "1MiB", "nodes": 4, "cells": 4, "clients": 512}


def test_a_scan_reads_flash_and_disks_at_once():
    both = P["flash_x3_2_bytes_per_s"] + P["performance_bytes_per_s"]
    found = answers(**SCAN, generation="x3-2", disks="performance", flash_hits=1)["bandwidth"]
    assert found == pytest.approx(4 * both / 1e9, rel=0.02)


def test_scan_half_in_flash_is_limited_by_disks():
    found = answers(**SCAN, generation="x3-2", flash_hits=0.5)["bandwidth"]
    assert found == pytest.approx(4 * P["capacity_bytes_per_s"] / 0.5 / 1e9, rel=0.03)


def test_a_scan_that_returns_all_is_limited_by_cards():
    whole = changed(EXADATA, returned=1.0)
    found = answers(whole, **{**SCAN, "nodes": 1}, generation="x11m", flash_hits=1)["bandwidth"]
    card = GENERATIONS["x11m"].card_bytes_per_s / 1e9
    assert found == pytest.approx(card, rel=0.02)
    assert answers(**SCAN, generation="x11m", flash_hits=1)["bandwidth"] > 10 * card


# Generations.


def test_flash_grows_evenly_between_the_generations_of_which_rates_are_stated():
    found = {each: rate(**MANY, generation=each) for each in ("x3-2", "x5-2")}
    growth = (P["flash_x11m_bytes_per_s"] / P["flash_x3_2_bytes_per_s"]) ** (3 / 13)
    assert found["x5-2"] / found["x3-2"] == pytest.approx(growth, rel=0.01)
    assert rate(changed(EXADATA, step=0.5), **MANY, generation="x3-2") == pytest.approx(
        found["x3-2"] / 2, rel=0.01
    )
    assert rate(changed(EXADATA, step=0.5), **MANY, generation="x5-2") == pytest.approx(found["x5-2"], rel=1e-3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"generation": "x8-2", "memory_hits": 0.5}, "memory_hits is 0.5 with x8-2; allowed: 0"),
        ({"op": "scan", "memory_hits": 1}, "of a scan with x9m-2; allowed: 0"),
        ({"op": "write", "redundancy": "high", "cells": 2}, "needs 3 cells, and there are 2; add cells"),
        ({"disks": "performance"}, "disks=performance with x9m-2; allowed: x3-2"),
        ({"generation": "x2-2"}, "x2-2"),
    ],
)
def test_settings_that_no_rack_has_are_refused(settings, words):
    with pytest.raises(InputError, match=words):
        predict(EXADATA, settings, QUICK)


def test_both_engines_say_the_same():
    for settings in ({"memory_hits": 0.5}, {"op": "write"}, {"op": "scan", "block": "1MiB"}, {"op": "redo"}):
        small = {"clients": 8, **settings}
        records = [
            predict(EXADATA, small, RunOptions(engine=engine, precision=0.1), intervals=False).record()
            for engine in ("reference", "compiled")
        ]
        assert [record.pop("engine") for record in records] == ["reference", "compiled"]
        assert records[0] == records[1]


# Published figures.


@pytest.fixture(scope="module")
def misses():
    cells = report(datasets(["exadata-generations"]), RunOptions(precision=0.03)).cells
    return {
        role: {
            f"{each.row}/{each.column}": each.predicted / each.published - 1 for each in cells if each.role == role
        }
        for role in ("predicted", "restated")
    }


def test_figures_that_were_held_out_come_out_as_the_page_says(misses):
    off = {name: miss for found in misses.values() for name, miss in found.items() if abs(miss) > 0.2}
    assert (len(misses["predicted"]), len(misses["restated"])) == (11, 18)
    assert {name for name in off if "8K Reads" in name} == {
        f"X3-2 {rack}/Flash IOPS, 8K Reads" for rack in ("Full Rack", "Half Rack", "Quarter", "Single Cell")
    }
    assert len(off) == 4 + 3
    assert statistics.median(map(abs, misses["predicted"].values())) < 0.18
    assert max(map(abs, off.values())) < 0.45


def test_no_parameter_was_set_by_a_figure_that_was_held_out():
    held = DataPackage(data_folder()).read("exadata-generations").never_fitted[0].values
    cells = {cell.removeprefix("exadata-generations/") for entry in P.entries for cell in entry.cells}
    assert cells
    assert not cells & set(held)
