"""tar, ls and rm on DBFS: published times come from requests and rules; take one out, and its figure is wrong."""

from __future__ import annotations

import math

import pytest

from examples import PRECISIONS, sizes
from models.database.file_store import FileStore
from models.database.namespace import Namespace
from models.database.row_chaining import Rows
from models.systems.dbfs import DBFS, DBFS_FILES
from models.workloads.directory_tree import Tree
from models.workloads.metadata_utilities import TreeTraversal, records
from sim import Closed, Delay, Repeat, Use
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.steps import iter_steps
from sim.prediction import RunOptions, predict
from sim.prediction.cells import summarise
from sim.prediction.report import datasets, report
from sim.system.settings import complete

PARAMETERS = DBFS_FILES.parameters
HALF = {"nodes": 4, "cells": 7}
TOGETHER = {"processes": 8, "files": 4000, "bytes": 4000 * 32_000, "precision": 0.05}
SMALL = {"files": 2000, "directories": 200, "bytes": 2000 * 32_000}


def answers(precision=0.02, **settings):
    prediction = predict(DBFS_FILES, settings, RunOptions(precision=precision), intervals=False)
    return {name: each.estimate.value for name, each in prediction.answers.items()}


def seconds(**settings):
    return answers(**settings)["elapsed"]


@pytest.fixture(scope="module", params=PRECISIONS)
def found(request):
    return report(datasets(["dbfs-file-ops"]), RunOptions(precision=request.param))


def test_every_figure_is_within_fifteen_per_cent(found):
    assert len(found.cells) == 14
    assert max(abs(cell.error) for cell in found.cells) <= 0.15
    measured = [cell for cell in found.cells if cell.measure == "elapsed"]
    assert len(measured) == 10
    assert summarise("all", measured).mape <= 0.06


def test_all_but_the_listings_of_the_half_rack_is_predicted(found):
    half = {cell.column: cell for cell in found.cells if cell.row.startswith("Half")}
    assert {column for column, cell in half.items() if cell.role == "fitted"} == {"ls -lFR", "ls -lFR | wc -l"}


def test_the_arithmetic_of_the_parameters_is_that_of_the_simulation(found):
    for cell in found.cells:
        if cell.role == "fitted":
            expected = 32.5 if cell.column.startswith("ls") else cell.published
            assert cell.predicted == pytest.approx(expected, rel=0.01)


def test_parameters_of_tables_4_to_6_are_taken_over_unchanged():
    for each in DBFS.parameters.entries:
        assert PARAMETERS[each.name] == each.value
        assert all(cell.startswith("dbfs-dd/") for cell in each.cells)
    assert not PARAMETERS.free()


def test_deleting_does_not_scale_because_space_goes_back_to_one_list():
    assert seconds(op="rm", **HALF) > 1.6 * seconds(op="rm")
    assert seconds(op="tar-x", **HALF) == pytest.approx(seconds(op="tar-x"), rel=0.02)


def test_with_a_list_for_each_node_deleting_would_scale(monkeypatch):
    remove = FileStore.remove

    def local(self):
        return tuple(Use(self.cpu, step.time) if step.place == self.segment else step for step in remove(self))

    alone = seconds(op="rm")
    monkeypatch.setattr(FileStore, "remove", local)
    assert seconds(op="rm", **HALF) == pytest.approx(alone, rel=0.03)
    assert seconds(op="rm", **HALF) < 0.85 * 280


def test_four_deleting_nodes_obey_the_bound_of_the_list():
    """Operational law: all files' times at the segment come one after the other."""
    assert seconds(op="rm", **HALF) >= 4 * 93_000 * PARAMETERS["free_s"] * 0.99


def test_names_are_created_in_one_directory_one_after_the_other():
    one, several = (seconds(directories=count, **TOGETHER) for count in (1, 8))
    assert one > 1.8 * several


def test_without_the_held_directory_they_would_not_be(monkeypatch):
    monkeypatch.setattr(Namespace, "_in_directory", lambda _self, *steps: Repeat(1, *steps))
    monkeypatch.setattr(Namespace, "create", lambda self: self.request(*self.store.change()))
    one, several = (seconds(directories=count, **TOGETHER) for count in (1, 8))
    assert one == pytest.approx(several, rel=0.03)


def test_without_restored_attributes_tar_would_be_too_quick(monkeypatch):
    monkeypatch.setattr(TreeTraversal, "_restored", lambda _self: ())
    assert seconds(op="tar-x") < 0.6 * 345


def test_without_waiting_for_the_first_read_tar_would_be_too_quick(monkeypatch):
    changed = PARAMETERS.changed({"first_read_s": PARAMETERS["first_read_s"] / 5})
    monkeypatch.setitem(DBFS_FILES.__dict__, "parameters", changed)
    assert seconds(op="tar-c") < 0.7 * 210


def test_pattern_costs_as_much_as_all_names():
    few, many = (answers(op="ls-wildcard", levels=1, directories=1, files=files) for files in (10_000, 100_000))
    assert many["elapsed"] == pytest.approx(10 * few["elapsed"], rel=0.01)
    assert few["elapsed"] == pytest.approx(10_000 * PARAMETERS["path_s"], rel=0.02)


def test_small_pages_cost_more_requests_and_system_time():
    direct, paged = (answers(op="tar-x", direct_io=choice, **SMALL) for choice in ("yes", "no"))
    assert paged["system_cpu"] > 1.2 * direct["system_cpu"]
    assert paged["elapsed"] > direct["elapsed"]


def test_a_file_that_is_read_ahead_costs_fewer_requests_than_its_records():
    direct, paged = (answers(op="tar-c", direct_io=choice, **SMALL) for choice in ("yes", "no"))
    assert paged["system_cpu"] < direct["system_cpu"]
    assert paged["elapsed"] < direct["elapsed"]


def test_a_mount_asks_for_its_space_one_query_at_a_time():
    """All rows take 5.8 s of a core, so that with a query each second one core in twelve does nothing else."""
    settings = {"op": "rm", "files": 20_000, "directories": 2000, "processes": 2}
    still, often = (answers(df_period=period, **settings) for period in (0, 1))
    assert still["node_cpu"] + 7 < often["node_cpu"] < still["node_cpu"] + 100 / 12 + 1
    scenario = DBFS_FILES.scenario(complete(DBFS_FILES.settings, {**settings, "df_period": 3}), PARAMETERS)
    (query,) = (each for each in scenario.model.workloads if each.group == "df")
    assert (type(query), query.clients) == (Closed, 1)


def test_df_takes_the_cores_but_not_the_time_of_a_lone_tar():
    still, often = (answers(df_period=period, **SMALL) for period in (0, 2))
    assert often["node_cpu"] > 1.4 * still["node_cpu"]
    assert often["elapsed"] == pytest.approx(still["elapsed"], rel=0.02)


ROWS = Rows(block_bytes=8000, empty_bytes=300, entry_bytes=8, extent_bytes=8 << 20, max_bytes=3964)


def test_rows_are_chained_where_large_files_are_created_together():
    assert ROWS.chained(1 << 30, together=1, pctfree=10) == 0
    assert ROWS.chained(1 << 30, together=64, pctfree=10) > 0.9
    shares = [ROWS.chained(1 << 30, together=64, pctfree=free) for free in (10, 30, 50, 70, 90)]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == 0
    assert ROWS.chained(32_000, together=64, pctfree=10) == 0


CREATED = {"files": 6400, "directories": 640, "processes": 64, "bytes": 6400 << 30}


def test_a_listing_waits_for_the_further_blocks_of_chained_rows():
    """64 processes wait for 100 names each, and the cores no longer limit."""
    chained, some, roomy = (seconds(op="ls", pctfree=free, **CREATED) for free in (10, 50, 90))
    assert chained > 1.1 * some > 1.3 * roomy
    least = 100 * (PARAMETERS["path_s"] + PARAMETERS["further_block_s"]) / 1.05
    assert chained > least


def test_further_blocks_in_the_buffer_cache_would_cost_little(monkeypatch):
    monkeypatch.setitem(DBFS_FILES.__dict__, "parameters", PARAMETERS.changed({"further_block_s": 1e-5}))
    chained, roomy = (seconds(op="ls", pctfree=free, **CREATED) for free in (10, 90))
    assert chained == pytest.approx(roomy, rel=0.05)


def test_rows_that_were_just_written_are_in_the_buffer_cache():
    chained = DBFS_FILES.scenario(complete(DBFS_FILES.settings, {"op": "tar-x", **CREATED}), PARAMETERS)
    waits = {step.time.mean for step in iter_steps(chained.model.workloads[0].path) if isinstance(step, Delay)}
    assert PARAMETERS["further_block_s"] not in waits


def test_a_chained_row_is_a_block_more():
    settings = {"op": "tar-x", "files": 640, "directories": 64, "processes": 64, "bytes": 640 << 30}
    chained, roomy = (
        DBFS_FILES.scenario(complete(DBFS_FILES.settings, {**settings, "pctfree": free}), PARAMETERS)
        for free in (10, 90)
    )

    def at_directory(scenario):
        path = scenario.model.workloads[0].path
        return sum(
            step.time.mean
            for step in iter_steps(path)
            if isinstance(step, Use) and step.station.name == "cluster request work"
        )

    assert at_directory(chained) > at_directory(roomy)


def test_a_tree_has_all_its_directories_and_names():
    for tree in (Tree(93_000, 9300, 9), Tree(1000, 1, 9), Tree(50, 10, 2), Tree(7, 3, 3)):
        assert sum(tree.directories_on(level) for level in range(tree.levels)) == pytest.approx(tree.directories)
        names = sum(tree.names_on(level) for level in range(tree.levels))
        assert names == pytest.approx(tree.files + tree.directories - 1)


@pytest.mark.parametrize("file_bytes", [1, 512, 10_240, 10_241, 32_258, 1_000_000])
def test_records_of_a_file_by_counting(file_bytes):
    """The file begins at any of the 20 blocks of a record."""
    blocks = math.ceil(file_bytes / 512)
    counted = sum(math.ceil((begin + blocks) / 20) for begin in range(20)) / 20
    assert sum(records(file_bytes)) == pytest.approx(counted)


@pytest.mark.parametrize("op", ["tar-x", "tar-c", "ls", "ls-wildcard", "ls-qualified", "rm"])
@pytest.mark.parametrize("rest", [{}, {"nodes": 2, "processes": 3, "directories": 2, "direct_io": "no"}])
@sizes("until_ns", 6 * 10**7, 2 * 10**8)
def test_engines_agree(op, rest, until_ns):
    settings = {"op": op, "files": 200, "directories": 20, "bytes": 200 * 300_000, "levels": 3, **rest}
    model = DBFS_FILES.scenario(complete(DBFS_FILES.settings, settings), PARAMETERS).model
    reference, compiled = (engine(model, 7, record=True) for engine in (ReferenceEngine, CompiledEngine))
    for stop_ns in (10**7, until_ns):
        reference.advance(stop_ns)
        compiled.advance(stop_ns)
        assert compiled.completions == reference.completions
        assert compiled.snapshot().places.tolist() == reference.snapshot().places.tolist()
    assert compiled.snapshot().workloads[:, -1].sum() > 1000  # steps


@pytest.mark.parametrize("op", ["ls", "rm"])
@pytest.mark.parametrize("rack", [{}, HALF])
def test_the_analytic_engine_agrees(op, rack):
    solved = predict(DBFS_FILES, {"op": op, **rack}, RunOptions(engine="analytic"), intervals=False)
    assert solved.answers["elapsed"].estimate.value == pytest.approx(seconds(op=op, **rack), rel=0.05)


def test_empty_and_single_files_work():
    for op in ("tar-x", "tar-c", "ls", "rm"):
        assert seconds(op=op, files=1, directories=1, levels=1, bytes=1) > 0
        assert seconds(op=op, files=10, directories=1, levels=1, bytes=5) > 0


def test_roles_name_figures_that_exist(found):
    known = {f"{cell.dataset}/{cell.row}/{cell.column}" for cell in found.cells}
    used = {cell for each in PARAMETERS.entries for cell in each.cells if cell.startswith("dbfs-file-ops/")}
    assert used
    assert used <= known
