"""Flat files, loads and dumps on DBFS: take a mechanism out, and its figure is wrong."""

from __future__ import annotations

import pytest

from examples import PRECISIONS, sizes
from layers import engines_agree
from models.database.lob_map import LobMap
from models.io import IO
from models.parts.cell import Cell, MirroredCells
from models.systems.dbfs import DBFS
from models.systems.dbfs.load import DBFS_LOAD, WORK
from sim import Closed, InputError, Model, Repeat, simulate
from sim.prediction import RunOptions, predict
from sim.prediction.cells import summarise
from sim.prediction.report import datasets, report
from sim.system.settings import complete
from whole_system import idle_settings

PARAMETERS = DBFS_LOAD.parameters
HALF = {"nodes": 4, "cells": 7, "bytes": "250GB"}


def megabytes(work, precision=0.02, **settings):
    options = RunOptions(precision=precision)
    return predict(DBFS_LOAD, {"work": work, **settings}, options, intervals=False).throughput.value


def with_parameters(monkeypatch, **values):
    monkeypatch.setitem(DBFS_LOAD.__dict__, "parameters", PARAMETERS.changed(values))


@pytest.fixture(scope="module", params=PRECISIONS)
def cells(request):
    return report(datasets(["dbfs-external-table", "dbfs-dump"]), RunOptions(precision=request.param)).cells


def test_every_figure_is_within_ten_per_cent(cells):
    assert len(cells) == 8
    assert max(abs(cell.error) for cell in cells) <= 0.10
    assert summarise("all", cells).mape <= 0.04


def test_the_half_rack_is_predicted(cells):
    for cell in cells:
        assert cell.role == ("predicted" if cell.row.startswith("Half") else "fitted")


def test_figures_of_one_node_are_met(cells):
    for cell in cells:
        if cell.role == "fitted":
            assert abs(cell.error) <= 0.04


def test_parameters_of_tables_4_to_6_are_taken_over_unchanged():
    for each in DBFS.parameters.entries:
        assert PARAMETERS[each.name] == each.value
    assert not PARAMETERS.free()


def test_roles_name_figures_that_exist():
    package = datasets(["dbfs-external-table", "dbfs-dump"])
    known = {each.cell for dataset in package for each in dataset.measurements}
    used = {cell for each in PARAMETERS.entries for cell in each.cells if not cell.startswith("dbfs-dd/")}
    assert used
    assert used <= known


def test_work_of_a_slave_equals_the_bisection(monkeypatch):
    """250 MB/s lie between a hundredth less work and a hundredth more."""
    found = []
    for factor in (0.96, 1.04):
        with_parameters(monkeypatch, load_s_per_byte=factor * PARAMETERS["load_s_per_byte"])
        found.append(megabytes("load"))
    assert found[0] > 250 > found[1]


@pytest.mark.long
def test_loads_of_four_nodes_lose_to_the_arms_that_they_share():
    assert megabytes("load", 0.05, **HALF) < 3.6 * megabytes("load")


@sizes("nodes", 2, 4)
def test_with_arms_for_each_node_they_lose_nothing(nodes):
    assert megabytes("load", 0.05, nodes=nodes, cells=3 * nodes, bytes="250GB") > 3.9 / 4 * nodes * megabytes(
        "load"
    )


def test_without_moving_arms_the_load_would_scale(monkeypatch):
    with_parameters(monkeypatch, position_s=PARAMETERS["position_s"] / 5)
    assert megabytes("load", 0.05, **HALF) > 1.15 * 810


def test_more_slaves_never_load_less():
    rates = [megabytes("load", slaves=slaves) for slaves in (4, 8, 16, 32)]
    assert rates == sorted(rates)


def test_odd_buffer_sizes_have_the_rate_of_sizes_around_them():
    """Between the rates of buffers around it, whatever is left of 1 MiB."""
    small, odd, large = (megabytes("load", readsize=size) for size in ("640KiB", "700KiB", "768KiB"))
    assert odd == pytest.approx(small, rel=0.01)
    assert large == pytest.approx(small, rel=0.1)


def test_imports_slow_down_with_the_size_of_the_dump():
    few, some, many = (megabytes("import", bytes=size) for size in ("10GB", "250GB", "1024GB"))
    assert few == pytest.approx(0.6 * 245, rel=0.02)
    assert some > 1.15 * many
    assert megabytes("export", bytes="10GB") == pytest.approx(megabytes("export"), rel=0.02)


def test_an_import_that_took_chunks_from_any_place_would_be_too_fast(monkeypatch):
    """The buffer evens out places that are near in time; the map is followed for long far behind in the file."""
    assert megabytes("import") == pytest.approx(115, rel=0.025)
    monkeypatch.setattr(LobMap, "in_sequence", lambda self, moved: Repeat(1, *moved(self)))
    assert megabytes("import") > 1.05 * 115


def test_without_the_map_an_import_of_1024_gb_would_be_too_fast(monkeypatch):
    monkeypatch.setattr(LobMap, "path", lambda self, io: self.below.path(io))
    assert megabytes("import") > 1.2 * 115


def test_a_file_far_larger_than_any_that_was_measured_is_refused():
    with pytest.raises(InputError, match=r"a file has 100 TB; allowed where it is read: up to 10 TB.* dumps$"):
        megabytes("import", bytes="100TB")
    with pytest.raises(InputError, match=r"a file has 12.5 TB; .* more generators$"):
        megabytes("load", bytes="100TB")
    assert megabytes("export", 0.05, bytes="100TB") > 200


def test_reads_and_writes_cross_the_card_in_two_directions():
    """Slaves read 250 MB/s and write them twice: on a card of both directions together these would meet."""
    scenario = DBFS_LOAD.scenario(complete(DBFS_LOAD.settings, {"work": "load"}), PARAMETERS)
    cards = {place.name for place in scenario.model.places if "card" in place.name}
    assert cards == {"node 1 card out", "node 1 card back"}
    both = DBFS_LOAD.scenario(complete(DBFS_LOAD.settings, {"work": "load", "link": "ddr"}), PARAMETERS)
    assert {place.name for place in both.model.places if "card" in place.name} == {"node 1 card"}


def test_exports_gain_from_more_cells():
    assert megabytes("export", nodes=4, cells=3) < megabytes("export", **HALF)


def test_a_disk_alone_does_its_published_number_of_small_ios():
    position_s = PARAMETERS["position_s"]
    disks = MirroredCells(tuple(Cell.of_places(f"cell {number}", 1.8e9, position_s) for number in range(3)))
    path = disks.path(IO("read", 512))
    result = simulate(Model([Closed("many", clients=2000, path=path)]), precision=0.02)
    assert result.throughput.value == pytest.approx(10_800, rel=0.03)


@pytest.mark.parametrize("work", list(WORK))
@pytest.mark.parametrize("nodes", [1, 2])
def test_engines_agree(work, nodes):
    settings = {"work": work, "nodes": nodes, "slaves": 16, "generators": 3, "dumps": 2, "bytes": "10GB"}
    model = DBFS_LOAD.scenario(complete(DBFS_LOAD.settings, settings), PARAMETERS).model
    assert engines_agree(model, (10**6, 10**8))


def test_every_setting_has_an_effect():
    other = {"nodes": 1, "cells": 4, "slaves": 17, "generators": 3, "bytes": "1GB", "readsize": "128KiB"}
    other |= {"direct_io": "no", "link": "ddr", "cell": "v1", "work": "import"}
    assert idle_settings(DBFS_LOAD, other, {"work": "load", "nodes": 2}) == []
    assert idle_settings(DBFS_LOAD, {"dumps": 2}, {"work": "export"}) == []
