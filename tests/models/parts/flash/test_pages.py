"""Pages of a block on dies that follow each other; where two reads meet at one die, one of them waits."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from layered import assert_engines_agree, latency, rate, run
from models.parts.flash import Flash
from sim import InputError
from sim.system.quantities import BySize, TimeTable, linear

US, KIB = 1e-6, 1024
COMMAND_S, FIXED_S, DIE_S = 1 * US, 9 * US, 50 * US


def device(window=1024, dies=16, transfer_s=0.0, **fields):
    known = Flash(
        latency=linear(COMMAND_S + FIXED_S + DIE_S, transfer_s / (4 * KIB)),
        access=linear(DIE_S),
        page=4 * KIB,
        units=dies,
        variation=0.01,
        iops=1 / COMMAND_S,
        bandwidth=4 * KIB / transfer_s if transfer_s else math.inf,
        depth=window,
    )
    return replace(known, **fields).layer("ssd")


@pytest.mark.parametrize(("size", "pages"), [(1, 1), (512, 1), (4096, 1), (4097, 2), (65536, 16)])
def test_a_part_of_a_page_takes_a_whole_one(size, pages):
    """One unit reads them one after the other."""
    assert latency(device(dies=1), size=size) == pytest.approx(10 * US + pages * DIE_S, rel=0.005)


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


def test_a_read_of_up_to_a_page_is_answered_before_its_die_is_free():
    """30 of the 50 µs that a die is busy come after the answer."""
    whole = (4 * KIB + 1, 60 * US), (8 * KIB, 60 * US)
    latencies = BySize(((4 * KIB, 30 * US), *whole))
    early = {"latency": TimeTable(latencies, BySize(whole)), "early": 30 * US}
    for size, seconds in ((512, 30 * US), (4 * KIB, 30 * US), (8 * KIB, 60 * US)):
        assert latency(device(dies=64, **early), size=size) == pytest.approx(seconds, rel=0.03)
    assert rate(device(dies=4, **early), 64) == pytest.approx(4 / (50 * US), rel=0.02)


def test_an_answer_before_the_access_begins_is_refused():
    with pytest.raises(InputError, match=r"^early is more than access"):
        device(early=60 * US)


@pytest.mark.parametrize(("size", "early"), [(16 * KIB, 0.0), (4 * KIB, 20 * US)])
def test_the_engines_agree(size, early):
    assert_engines_agree(device(window=4, transfer_s=2 * US, early=early), 8, size=size)


def test_further_pages_keep_the_controller_one_after_the_other():
    """64 KiB are sixteen pages: fifteen after the first, of 2 µs each; a read of one page has none."""
    known = {"further": 2 * US, "dies": 1024, "latency": linear(60 * US, 2 * US / (4 * KIB))}
    assert latency(device(**known)) == pytest.approx(62 * US, rel=0.002)
    assert rate(device(**known), 256, size=64 * KIB) == pytest.approx(1 / (31 * US), rel=0.01)
    assert rate(device(**known), 256) == pytest.approx(1 / COMMAND_S, rel=0.01)


def test_pages_of_a_larger_read_may_occupy_their_dies_longer():
    access = BySize(((4 * KIB, 50 * US), (4 * KIB + 1, 80 * US), (8 * KIB, 80 * US)))
    layer = device(access=TimeTable(access, access), latency=linear(100 * US), dies=1)
    assert rate(layer, 8) == pytest.approx(1 / (50 * US), rel=0.01)
    assert rate(layer, 8, size=8 * KIB) == pytest.approx(1 / (160 * US), rel=0.01)
