"""Copies and pipelines: the published times come from their mechanisms; take one out, and its figure is wrong."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import examples
from layers import engines_agree
from models.systems.file_copy.system import CP8M_BYTES, FILE_COPY, UTILITIES
from models.systems.other_scenario import elapsed
from sim import Model, simulate
from sim.engine.events.compiled import CompiledEngine
from sim.prediction import RunOptions, predict
from sim.prediction.cells import summarise
from sim.prediction.report import datasets, report
from sim.system.settings import complete
from whole_system import changed, idle_parameters, idle_settings

PARAMETERS = FILE_COPY.parameters
MIB = 1024 * 1024
UFS = {"filesystem": "ufs", "mount": "buffered", "file": 1000 * MIB}


def answers(system=FILE_COPY, **settings):
    """Every answer as a number."""
    return {name: each.estimate.value for name, each in predict(system, settings, intervals=False).answers.items()}


def seconds(system=FILE_COPY, **settings):
    return answers(system, **settings)["elapsed"]


@pytest.fixture(scope="module")
def found():
    return report(datasets(["direct-copy"]), RunOptions())


def test_every_figure_is_predicted_within_six_per_cent(found):
    assert len(found.cells) == 17
    assert len(found.unpredicted) == 5
    assert max(abs(cell.error) for cell in found.cells) <= 0.06
    unused = [cell for cell in found.cells if cell.role in ("predicted", "restated")]
    assert len(unused) == 6
    assert summarise("unused", unused).mape <= 0.03
    (independent,) = (cell for cell in unused if cell.role == "predicted")
    assert (independent.row, independent.column) == ("/usr/bin/cp", "real")


def test_roles_name_figures_that_exist(found):
    known = {f"{cell.dataset}/{cell.row}/{cell.column}" for cell in found.cells}
    used = {cell for parameter in PARAMETERS.entries for cell in parameter.cells}
    assert used
    assert used <= known
    assert all(bool(each.cells) == (each.basis == "derived") for each in PARAMETERS.entries)


def test_a_direct_copy_takes_its_calls_one_after_the_other():
    """Closed form: nothing overlaps, so the times of all calls add up."""
    for block in (4096, 10_000, MIB):
        calls, rest = divmod(8 * MIB, block)
        fixed_s = PARAMETERS["psfs_user_s"] + PARAMETERS["psfs_call_s"] + PARAMETERS["psfs_latency_s"]
        each_byte_s = PARAMETERS["psfs_io_s_per_byte"] + 1 / PARAMETERS["psfs_bytes_per_s"]
        expected = 2 * ((calls + bool(rest)) * fixed_s + 8 * MIB * each_byte_s)
        assert seconds(cp_block=block, file=8 * MIB) == pytest.approx(expected, rel=1e-4)


def test_without_a_fixed_cost_of_an_io_small_blocks_are_nearly_as_fast_as_large_ones():
    cheap = changed(
        FILE_COPY, psfs_latency_s=PARAMETERS["psfs_latency_s"] / 5, psfs_call_s=PARAMETERS["psfs_call_s"] / 5
    )
    assert seconds(file=64 * MIB) > 20 * seconds(file=64 * MIB, utility="cp8M")
    assert seconds(cheap, file=64 * MIB) < 7 * seconds(file=64 * MIB, utility="cp8M")


def test_the_page_cache_hides_the_block_size():
    """Direct calls of 4 KiB take 22 times as long; through pages 8 MiB are slower, as they read alone at first."""
    small, large = (seconds(mount="buffered", file=256 * MIB, cp_block=block) for block in (4096, CP8M_BYTES))
    assert 0.9 * large < small <= large


def test_storage_sees_calls_under_direct_io_and_clusters_from_the_page_cache():
    direct, buffered = (
        predict(FILE_COPY, {"file": 4 * MIB, "mount": mount}, intervals=False).result
        for mount in ("direct", "buffered")
    )
    ios = {name: each.places["lun"].visits * each.measured_s for name, each in (("d", direct), ("b", buffered))}
    assert ios["d"] == pytest.approx(2 * 4 * MIB / 4096)
    assert ios["b"] <= 2 * 4 * MIB / PARAMETERS["psfs_cluster_bytes"] + 2


def test_file_smaller_than_a_block_takes_both_utilities_equally_long():
    assert seconds(file=41, utility="cp8M") == seconds(file=41, utility="cp")


def arm_moves(**settings):
    found = predict(FILE_COPY, {**UFS, "file": 80 * MIB, **settings}, intervals=False).result
    place = found.places["disk place"]
    return place.visits * (1.0 - place.hit_ratio) * found.measured_s


def test_the_arm_moves_once_a_turn_between_reading_and_writing():
    assert arm_moves(utility="cp8M") == pytest.approx(2 * 80 / 8, abs=1.5)
    assert arm_moves(utility="mmap-cp") == pytest.approx(2 * 80, abs=4)


def test_if_the_arm_moved_in_no_time_the_stock_cp_would_be_as_fast_as_cp8m():
    still = changed(FILE_COPY, reposition_s=1e-3)
    assert seconds(still, **UFS, utility="mmap-cp") < 1.03 * seconds(still, **UFS, utility="cp8M")
    assert seconds(**UFS, utility="mmap-cp") > 1.15 * seconds(**UFS, utility="cp8M")


def test_buffered_mount_adds_page_lookups_and_copies_to_system_time():
    free = changed(FILE_COPY, ufs_page_s_per_byte=PARAMETERS["ufs_page_s_per_byte"] / 5)
    pair = {**UFS, "utility": "mmap-cp", "against": "mmap-cp", "against_mount": "direct"}
    assert answers(**pair)["system_cpu_added"] == pytest.approx(32, rel=0.05)
    assert 0 < answers(free, **pair)["system_cpu_added"] < 32 / 5


def test_a_buffered_mount_adds_the_work_for_its_ios():
    """The kernel works for any I/O alike: by bytes, not by calls."""
    copied = {"filesystem": "psfs", "utility": "cp8M", "file": 256 * MIB}
    direct, buffered = (answers(**copied, mount=mount)["system_cpu"] for mount in ("direct", "buffered"))
    both_s = 2 * 256 * MIB * PARAMETERS["psfs_io_s_per_byte"]
    assert direct == pytest.approx(both_s, rel=0.01)
    assert buffered == pytest.approx(both_s + 2 * 256 * MIB * PARAMETERS["psfs_copy_s_per_byte"], rel=0.02)


def test_dd_behind_gzip_gains_only_because_its_writes_overlap():
    """A pipe that cannot hold one of gzip's writes makes gzip wait for dd's direct writes again."""
    wide, narrow = (
        answers(file=64 * MIB, utility="dd-gzip-dd", against="dd-gzip", pipe=pipe)["elapsed_saved"]
        for pipe in (64 * 1024, 4096)
    )
    assert wide == pytest.approx(5, abs=0.5)
    assert narrow < 0


def test_gzip_writes_a_fixed_share_of_its_input():
    for write in (4096, 16384):
        result = predict(
            FILE_COPY, {"file": 256 * MIB, "utility": "gzip", "gzip_write": write}, intervals=False
        ).result
        written = result.places["lun"].visits * result.measured_s - 256 * MIB / 32768
        assert written * write == pytest.approx(256 * MIB * PARAMETERS["gzip_share"], rel=0.08)


def test_a_pipeline_lies_between_its_slowest_part_and_the_sum():
    whole = seconds(file=64 * MIB, utility="dd-gzip")
    work = 64 * MIB * PARAMETERS["gzip_s_per_byte"]
    assert work < whole < seconds(file=64 * MIB, utility="gzip")


def test_every_setting_has_an_effect_on_the_model():
    other = {
        "filesystem": "ufs",
        "mount": "buffered",
        "utility": "tar",
        "file": MIB,
        "cp_block": 8192,
    }
    pipes = {"gzip_read": 4096, "gzip_write": 4096, "dd_block": MIB, "pipe": 4096}
    assert idle_settings(FILE_COPY, other) == []
    assert idle_settings(FILE_COPY, pipes, {"utility": "dd-gzip-dd"}) == []
    assert idle_settings(FILE_COPY, {"tar_block": 512}, {"utility": "tar"}) == []


def test_every_parameter_has_an_effect_on_some_model():
    axes = ("psfs", "ufs"), ("direct", "buffered"), ("cp", "mmap-cp", "gzip")
    cases = [dict(zip(("filesystem", "mount", "utility"), values, strict=True)) for values in product(*axes)]
    assert idle_parameters(FILE_COPY, cases) == []


@pytest.mark.parametrize("filesystem", ["psfs", "ufs"])
@pytest.mark.parametrize("mount", ["direct", "buffered"])
@pytest.mark.parametrize("utility", UTILITIES)
def test_engines_agree(filesystem, mount, utility):
    settings = {
        "filesystem": filesystem,
        "mount": mount,
        "utility": utility,
        "file": 4 * MIB + 41,
        "dd_block": MIB,
    }
    model = FILE_COPY.scenario(complete(FILE_COPY.settings, settings), PARAMETERS).model
    assert engines_agree(model, (10**7, 10**9, 10**12), finished=True)


SIZES = st.integers(1, 20_000)


@settings(max_examples=examples(15))
@given(
    utility=st.sampled_from(UTILITIES),
    mount=st.sampled_from(["direct", "buffered"]),
    file=st.integers(1, 200_000),
    blocks=st.fixed_dictionaries(
        dict.fromkeys(("cp_block", "tar_block", "gzip_read", "gzip_write", "dd_block"), SIZES)
    ),
    pipe=st.integers(4096, 20_000),
)
@example(
    utility="dd-gzip",
    mount="direct",
    file=100_000,
    blocks={"cp_block": 1, "tar_block": 1, "gzip_read": 32_768, "gzip_write": 1, "dd_block": 10_000},
    pipe=4096,
)
def test_copies_of_any_size_end(utility, mount, file, blocks, pipe):
    given = {"utility": utility, "mount": mount, "file": file, "pipe": pipe, **blocks}
    model = FILE_COPY.scenario(complete(FILE_COPY.settings, given), PARAMETERS).model
    engine = CompiledEngine(model, 1, record=True)
    engine.advance(10**14)
    assert engine.finished


def test_elapsed_time_of_an_endless_load_is_refused():
    settings = complete(FILE_COPY.settings, {"file": MIB})
    endless = [
        type(each)(each.name, clients=1, path=each.path)
        for each in FILE_COPY.scenario(settings, PARAMETERS).model.workloads
    ]
    with pytest.raises(ValueError, match="the load is endless"):
        elapsed(simulate(Model(endless)))
