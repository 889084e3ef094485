"""Pages of a block on dies that follow each other; where two reads meet at one die, one of them waits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from layered import assert_engines_agree, latency, rate, run
from models.storage.flash_dies import DieTimes, FlashDies, pages_of

US, KIB = 1e-6, 1024
TIMES = DieTimes(command_s=1 * US, fixed_s=9 * US, die_s=50 * US, variation=0.01)


def device(window=1024, dies=16, **times):
    return FlashDies.of("ssd", window=window, dies=dies, times=replace(TIMES, **times))


def test_a_part_of_a_page_takes_a_whole_one():
    assert [pages_of(size) for size in (1, 512, 4096, 4097, 65536)] == [1, 1, 1, 2, 16]


def test_alone_a_read_takes_the_parts_of_its_way():
    assert latency(device()) == pytest.approx(60 * US, rel=0.002)


def test_the_pages_of_a_block_are_read_at_once_and_leave_one_after_the_other():
    assert latency(device(dies=64), size=16 * KIB) == pytest.approx(60 * US, rel=0.02)
    assert latency(device(transfer_s=2 * US), size=16 * KIB) == pytest.approx(68 * US, rel=0.02)
    assert latency(device(dies=2), size=16 * KIB) == pytest.approx(110 * US, rel=0.02)  # two pages a die


def test_two_reads_meet_at_one_of_many_dies_by_chance():
    """The second waits for what is left of the first: half of 50 µs, in 50 of 60 µs, at one die of 16."""
    found = run(device(), 2, precision=0.003).groups["all"].latency
    assert found.mean.value == pytest.approx((60 + 25 / 16 * 50 / 60) * US, rel=0.01)
    assert found.p99.value > 85 * US


def test_the_controller_is_the_ceiling_where_there_are_dies_enough():
    assert rate(device(dies=256), 512) == pytest.approx(1 / US, rel=0.01)
    assert rate(device(dies=4), 512) == pytest.approx(4 / (50 * US), rel=0.02)


def test_a_window_lets_no_more_in_and_so_costs_throughput_when_it_is_small():
    assert rate(device(window=1), 16) == pytest.approx(1 / (60 * US), rel=0.01)
    assert rate(device(window=8), 64) < 0.8 * rate(device(), 64)


def test_transfer_is_the_ceiling_of_large_blocks():
    assert rate(device(dies=64, transfer_s=2 * US), 64, size=64 * KIB) == pytest.approx(1 / (32 * US), rel=0.01)


def test_the_engines_agree():
    assert_engines_agree(device(window=4, transfer_s=2 * US), 8, size=16 * KIB)
