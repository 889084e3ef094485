"""Processes on NVMe devices: closed forms, what each mechanism explains, and how far off the figures are."""

from __future__ import annotations

import numpy as np
import pytest

from layers import engines_agree
from models.parts.host.time_slices import TimeSlices
from models.systems.nvme.parameters import PARAMETERS as DEFINED
from sim import InputError
from sim.data.fitted import path_in, read
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from sim.system import find
from sim.system.settings import complete
from whole_system import changed, idle_parameters, idle_settings, model_of

NVME = find("nvme")
PARAMETERS = NVME.parameters
QUICK = RunOptions(precision=0.02)


def answers(system=NVME, **settings):
    """Throughput in kIO/s, latencies in µs."""
    prediction = predict(system, settings, QUICK, intervals=False)
    values = {name: each.estimate.value for name, each in prediction.answers.items()}
    return {name: value if name == "throughput" else value * 1e6 for name, value in values.items()}


def rate(system=NVME, **settings):
    return answers(system, **settings)["throughput"]


_BLOCKS = "One SSD, one process, block size; block"


@pytest.fixture(scope="module")
def found():
    return report(datasets(["nvme", "nvme-blocks"]), RunOptions())


def errors(found, dataset, *measures, rows=""):
    chosen = [
        abs(cell.error)
        for cell in found.cells
        if cell.dataset == dataset and cell.measure in measures and cell.row.startswith(rows)
    ]
    assert chosen
    return np.median(chosen), np.percentile(chosen, 95), max(chosen)


def test_by_depth_mean_and_99th_percentile_are_as_measured(found):
    median, most, worst = errors(found, "nvme", "mean", "p99", rows="One SSD")
    assert median < 0.025
    assert most < 0.14
    assert worst < 0.20
    assert errors(found, "nvme", "throughput", "mean", rows="One SSD")[2] < 0.07


def test_schedulers_and_spdk_are_as_measured(found):
    for rows in ("1 SSD", "8 SSDs", "One SSD, SPDK"):
        median, _, worst = errors(found, "nvme", "throughput", rows=rows)
        assert median < 0.025, rows
        assert worst < 0.10, rows


def test_99th_percentiles_by_block_size_are_as_measured_but_for_the_jump_at_depth_8(found):
    median, _, worst = errors(found, "nvme-blocks", "p99")
    assert median < 0.22
    assert worst < 0.60


def test_rates_and_means_of_all_blocks_are_as_measured_with_one_set_of_times(found):
    median, most, _ = errors(found, "nvme-blocks", "throughput", "mean")
    assert median < 0.06
    assert most < 0.20


def test_roles_name_figures_that_exist(found):
    known = {f"{cell.dataset}/{cell.row}/{cell.column}" for cell in found.cells}
    used = {cell for parameter in PARAMETERS.entries for cell in parameter.cells}
    assert used
    assert used <= known
    assert all(bool(each.cells) == (each.basis in ("derived", "fitted")) for each in PARAMETERS.entries)


def test_the_shipped_fit_is_of_these_figures_and_predicts_those_that_it_has_not_seen(found):
    """`stacksim fit nvme nvme-blocks` writes it."""
    fitted = read(path_in(NVME.data_package, "nvme"))
    assert fitted.stale(DEFINED, datasets(["nvme", "nvme-blocks"])) is None
    held_out = [abs(cell.held_out) for cell in found.cells if cell.held_out is not None]
    assert len(held_out) == 115
    assert np.median(held_out) < 0.02
    assert np.percentile(held_out, 95) < 0.19


def test_alone_a_read_takes_the_sum_of_its_parts():
    parts = ("core_s", "interrupt_s", "command_s", "fixed_s", "die_s")
    assert answers()["mean"] == pytest.approx(1e6 * sum(map(PARAMETERS.__getitem__, parts)), rel=0.01)
    over_spdk = ("spdk_s", "command_s", "fixed_s", "die_s")
    assert answers(driver="spdk")["mean"] == pytest.approx(
        1e6 * sum(map(PARAMETERS.__getitem__, over_spdk)), rel=0.01
    )


def test_one_process_is_as_fast_as_its_core_and_many_as_the_controller():
    assert rate(depth=128) == pytest.approx(1e-3 / PARAMETERS["core_s"], rel=0.01)
    assert rate(depth=128, processes=6) == pytest.approx(1e-3 / PARAMETERS["command_s"], rel=0.02)


@pytest.mark.parametrize("processes", [4, 10])
def test_a_lock_is_the_ceiling_of_all_processes_and_one_over_spdk_passes_it_by(processes):
    locked = {"depth": 128, "processes": processes, "scheduler": "bfq"}
    assert rate(**locked) == pytest.approx(1e-3 / PARAMETERS["bfq_contended_s"], rel=0.03)
    assert rate(**locked | {"driver": "spdk"}) == pytest.approx(1e-3 / PARAMETERS["command_s"], rel=0.02)


def test_kyber_has_no_lock_for_all():
    assert rate(depth=128, processes=2, scheduler="kyber") == pytest.approx(
        2 * rate(depth=128, scheduler="kyber"), rel=0.02
    )


def test_a_free_lock_on_another_core_costs_more():
    near = changed(NVME, moved_s=2e-8)
    two = {"depth": 128, "processes": 2, "scheduler": "mq-deadline"}
    assert rate(near, **two) > 1.04 * rate(**two)
    alone = two | {"processes": 1}
    assert rate(near, **alone) == pytest.approx(rate(**alone), rel=0.01)


def test_several_devices_raise_the_controller_ceiling_at_a_small_cost_of_the_core():
    many = {"depth": 128, "processes": 8}
    assert rate(**many, devices=4) > 2.5 * rate(**many)
    share = PARAMETERS["core_s"] / (PARAMETERS["core_s"] + PARAMETERS["switch_s"])
    assert rate(depth=128, devices=8) == pytest.approx(share * rate(depth=128), rel=0.01)


def test_the_depth_of_a_process_counts_over_all_devices():
    """With little in flight more devices hardly help: two reads seldom meet at one die."""
    one, eight = (answers(depth=4, processes=2, devices=devices) for devices in (1, 8))
    assert eight["throughput"] == pytest.approx(one["throughput"], rel=0.05)


def test_more_polling_processes_than_cores_cost_latency_and_no_throughput():
    few, many = (answers(driver="spdk", depth=16, processes=processes) for processes in (10, 15))
    assert many["throughput"] > 0.9 * few["throughput"]
    assert many["p99"] > 3e6 * PARAMETERS["slice_s"] / 4 > 2 * few["p99"]


def test_reads_meet_at_dies_long_before_all_are_busy():
    spread = changed(NVME, dies=1024)
    crowd = {"processes": 4, "depth": 16}
    assert answers(spread, **crowd)["p99"] < 0.5 * answers(**crowd)["p99"]
    assert answers(spread, **crowd)["mean"] < 0.8 * answers(**crowd)["mean"]


def test_further_pages_keep_the_controller_and_each_its_die():
    large = {"run": "blocks", "block": "64KiB", "depth": 64}
    controller_s = PARAMETERS["command_s"] + 15 * PARAMETERS["further_s"]
    assert rate(**large) == pytest.approx(1e-3 / controller_s, rel=0.03)
    assert rate(changed(NVME, dies=22), **large) < 0.8 * rate(**large)


def test_interrupts_that_are_held_back_cost_those_in_the_middle():
    """A read of 64 KiB alone is slower than the interval, and with many in flight the core is busy meanwhile."""
    often = changed(NVME, interval_s=1.8e-5)
    for settings in ({"depth": 1, "block": "64KiB"}, {"depth": 256}):
        assert rate(run="blocks", **settings) == pytest.approx(rate(often, run="blocks", **settings), rel=0.03)
    assert rate(run="blocks", depth=16) < 0.85 * rate(often, run="blocks", depth=16)


def test_a_page_alone_is_as_fast_as_the_interval_between_interrupts_and_no_faster():
    """It would be there before; from depth 2 on several share an interrupt."""
    assert rate(run="blocks") == pytest.approx(1e-3 / PARAMETERS["interval_s"], rel=0.03)


def test_every_setting_has_an_effect_on_the_model():
    other = {"devices": 2, "processes": 2, "depth": 2, "scheduler": "kyber", "driver": "spdk"}
    assert {*other, "block", "run", "op"} == {each.name for each in NVME.settings}
    assert idle_settings(NVME, other) == []
    blocks = [{}, *({"run": "blocks", "block": size} for size in (8192, 16384))]
    assert len({model_of(NVME, each) for each in blocks}) == 3


def test_every_parameter_has_an_effect_on_some_model():
    base = {"processes": 11, "devices": 2, "depth": 2}
    chosen = [
        {},
        {"driver": "spdk"},
        *({"run": "blocks", "block": size} for size in ("4KiB", "8KiB")),
        *({"scheduler": each} for each in ("kyber", "bfq")),
    ]
    chosen += [{"scheduler": "mq-deadline"}, {"scheduler": "mq-deadline", "processes": 1}]
    cases = [base | each for each in chosen]
    assert idle_parameters(NVME, cases, lambda each: each.value * (2 if each.value % 1 == 0 else 1.25)) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"scheduler": "cfq"}, "scheduler is 'cfq'"),
        ({"op": "write"}, "op is 'write'"),
        ({"block": "100"}, "block is '100'"),
        ({"processes": 0}, "processes is '0'"),
        ({"driver": "libaio"}, "driver is 'libaio'"),
    ],
)
def test_bad_settings_are_refused_in_one_line(settings, words):
    with pytest.raises(InputError, match=words) as caught:
        predict(NVME, settings)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"scheduler": "mq-deadline", "devices": 2},
        {"driver": "spdk", "processes": 12},
        {"run": "blocks", "block": "64KiB"},
    ],
)
def test_engines_agree(settings):
    chosen = complete(NVME.settings, {"processes": 3, "depth": 4} | settings)
    model = NVME.scenario(chosen, PARAMETERS).model
    assert engines_agree(model, (10**5, 10**6, 4 * 10**6))


def test_cores_without_a_process_take_no_slices():
    """Slices of shared cores begin evenly, one after the other: an idle core would move those of the others."""
    two = TimeSlices.of("host", cores=8, processes=2, slice_s=1e-3)
    assert [core.name for core in two.cores] == ["host core 1", "host core 2"]
    assert not two.behind()
    begins = [
        each.path[0].time.mean for each in TimeSlices.of("host", cores=3, processes=6, slice_s=3e-3).behind()
    ]
    assert begins == pytest.approx([0.0, 0.0, 1e-3, 1e-3, 2e-3, 2e-3])
