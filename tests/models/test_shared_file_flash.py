"""Threads that write one file on flash: what lock, host, cards and extents leave of their concurrency."""

from __future__ import annotations

import statistics

import pytest

from layers import engines_agree
from models.systems.shared_file import SHARED_FILE, fio_on_flash
from sim import InputError
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from sim.system.settings import complete
from whole_system import changed

PARAMETERS = SHARED_FILE.parameters
QUICK = RunOptions(precision=0.01, answers=("throughput",))
DUO = {"device": "iodrive-duo", "mount": "direct", "kernel": "2.6"}
NVME = {"device": "nvme", "filesystem": "ext4", "mount": "direct", "extents": "preallocated"}
KIB, MIB = 1024, 1024 * 1024


def duo(system=SHARED_FILE, filesystem="xfs", **settings):
    """MB/s."""
    return predict(system, {**DUO, "filesystem": filesystem, **settings}, QUICK, intervals=False).throughput.value


def nvme(system=SHARED_FILE, **settings):
    """Thousand writes a second; ten jobs with ten writes in flight, if not said otherwise."""
    chosen = {**NVME, "kernel": "6.2", "writers": 10, "depth": 10, **settings}
    return predict(system, chosen, QUICK, intervals=False).answers["iops"].estimate.value


@pytest.fixture(scope="module")
def found():
    return report(datasets(["shared-file", "ext4-exclusive"]), QUICK)


def errors(found, dataset):
    return sorted(abs(cell.error) for cell in found.cells if cell.dataset == dataset)


def test_figures_of_both_datasets_are_met(found):
    shared, exclusive = errors(found, "shared-file"), errors(found, "ext4-exclusive")
    assert (len(shared), len(exclusive)) == (29, 6)
    assert statistics.median(shared) <= 0.02
    assert shared[-2] <= 0.08
    assert exclusive[-1] <= 0.015


def test_all_figures_were_used_for_parameters_or_repeat_one_that_was(found):
    assert {cell.role for cell in found.cells} == {"fitted", "restated"}
    assert all((cell.role == "restated") == (cell.unit == "MiB/s") for cell in found.cells)


@pytest.mark.parametrize("block", [KIB, 4 * KIB, 64 * KIB])
def test_a_small_write_of_one_thread_takes_the_sum_of_its_parts(block):
    parts = ("call_s", "duo_submit_s", "duo_xfs_s", "duo_serial_s", "duo_alone_s")
    time_s = sum(PARAMETERS[name] for name in parts) + block * PARAMETERS["duo_small_s_per_byte"]
    assert duo(block=block) == pytest.approx(block / 1e6 / time_s, rel=0.01)


def test_eight_threads_are_limited_by_the_serial_part_or_both_cards():
    serial = 4096 / 1e6 / PARAMETERS["duo_serial_s"]
    assert duo(threads=8) == pytest.approx(serial, rel=0.01)
    cards = 2 * 65536 / 1e6 / (PARAMETERS["duo_piece_s"] - PARAMETERS["duo_between_s"])
    assert 0.97 * cards <= duo(threads=8, block="1MiB") <= 1.005 * cards


def test_without_the_part_that_is_one_after_the_other_eight_threads_would_be_faster():
    assert duo(changed(SHARED_FILE, duo_serial_s=2e-6), threads=8) > 1.3 * 290


def test_without_the_second_card_large_writes_would_take_twice_as_long(monkeypatch):
    monkeypatch.setattr(fio_on_flash, "Striped", lambda cards, _unit: cards[0])
    assert duo(block="8MiB") < 0.55 * 1309
    assert duo(block="64KiB") == pytest.approx(399, rel=0.03)


def test_if_a_piece_always_took_the_same_time_half_a_mebibyte_would_be_too_fast():
    assert duo(changed(SHARED_FILE, duo_variation=0.08), block="512KiB") > 1.1 * 987


def test_eight_threads_gain_nothing_on_ext4_of_that_age_and_much_on_a_later_one():
    one, eight = duo(filesystem="ext4"), duo(filesystem="ext4", threads=8)
    assert 0.9 * one < eight < 1.02 * one
    assert duo(filesystem="ext4", threads=8, kernel="6.4") > 3 * one


def test_threads_of_one_writer_are_as_many_writers():
    assert duo(threads=8) == pytest.approx(duo(writers=8), rel=0.01)
    assert nvme(writers=1, threads=10) == pytest.approx(nvme(), rel=0.01)


def test_part_of_a_block_is_written_alone_since_linux_3_and_together_before():
    assert duo(threads=8, block=KIB) > 3 * duo(threads=8, block=KIB, kernel="3.0")


def test_writes_under_an_exclusive_lock_do_not_depend_on_the_block():
    rates = [nvme(block=block) for block in ("4KiB", "16KiB", "64KiB")]
    assert max(rates) < 1.01 * min(rates)
    assert nvme(changed(SHARED_FILE, nvme_handover_s=2e-5)) > 2 * rates[0]


def test_from_linux_6_3_on_the_lock_is_shared_and_the_extents_or_the_drive_limit():
    assert nvme(kernel="6.3") == pytest.approx(1e-3 / PARAMETERS["nvme_convert_s"], rel=0.01)
    drive_s = PARAMETERS["nvme_command_s"] + 65536 / PARAMETERS["nvme_bytes_per_s"]
    assert nvme(kernel="6.3", block="64KiB") == pytest.approx(1e-3 / drive_s, rel=0.02)
    written = nvme(kernel="6.3", extents="written")
    assert written == pytest.approx(1e-3 / (drive_s - 61440 / PARAMETERS["nvme_bytes_per_s"]), rel=0.02)


def test_asynchronous_writes_release_the_lock_early_unless_blocks_are_cut():
    """Of one that waits for its write the drive's time falls under the lock."""
    slow = changed(SHARED_FILE, nvme_latency_s=2e-4)
    early, cut, waited = nvme(slow), nvme(slow, aligned=False), nvme(slow, depth=1)
    assert early == pytest.approx(nvme(), rel=0.01)
    assert cut < 0.4 * early
    assert waited == pytest.approx(cut, rel=0.03)
    assert nvme(slow, filesystem="xfs", kernel="2.6", aligned=False) == pytest.approx(50, rel=0.01)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"depth": 2}, "depth is 2, but on device=lun dd writes, which waits for each block; give more writers"),
        ({**DUO, "filesystem": "xfs", "mount": "buffered"}, "mount is 'buffered'; allowed on device=iodrive-duo"),
        ({**NVME, "readers": 1}, "readers is 1; allowed on device=nvme: 0, since reads were not measured there"),
        ({**NVME, "filesystem": "psfs"}, "mount is 'direct'; allowed for psfs: buffered, dboptimize"),
        ({**DUO, "kernel": "2.4"}, "kernel is '2.4'; allowed: a release of Linux from 2.6 to 9.99"),
        ({**DUO, "device": "iodrive"}, "device is 'iodrive'; did you mean 'iodrive-duo'"),
    ],
)
def test_contradictory_settings_are_refused_in_one_line(settings, line):
    with pytest.raises(InputError, match=line) as caught:
        predict(SHARED_FILE, settings, QUICK, intervals=False)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {**DUO, "filesystem": "xfs", "threads": 3, "block": 256 * KIB},
        {**DUO, "filesystem": "ext4", "threads": 3},
        {**NVME, "kernel": "6.2", "writers": 2, "threads": 2, "depth": 3},
        {**NVME, "kernel": "6.3", "writers": 2, "depth": 3, "aligned": "no"},
    ],
)
def test_engines_agree(settings):
    assert engines_agree(SHARED_FILE.scenario(complete(SHARED_FILE.settings, settings), PARAMETERS).model)
