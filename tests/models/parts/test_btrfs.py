"""Btrfs by hand: checksums, new places, and a tree log that all who wait share."""

from __future__ import annotations

import pytest

from layers import engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.btrfs import Btrfs
from sim import Delay, Station, Use

KIB = 1024
FLUSH_S = 1e-3
CHECKED_S = 1 / 10e9


class Drive:
    """Any number of I/Os at once, at 1 GB/s each, and a flush of 1 ms."""

    def __init__(self):
        self.seen = []

    def path(self, io):
        self.seen.append(io)
        return (Delay(FLUSH_S if io.op == "flush" else io.size_bytes / 1e9),)


class Arm(Drive):
    """One I/O at a time."""

    def path(self, io):
        (step,) = super().path(io)
        return (Use(Station("arm"), step.time),)


def io(op, size, **more):
    return lambda number: FileIO(op, size, process=number, file=number, **more)


def btrfs(below=None, **fields):
    return layer_of(Btrfs, below or Drive(), wake=0.0, **fields)


LOGGED_S = 16 * KIB / 1e9 + FLUSH_S + 4 * KIB / 1e9
"""Tree blocks at once, the flush, the superblock."""


@pytest.mark.parametrize("durable", ["data", "all"])
def test_a_durable_write_waits_for_its_data_and_for_the_tree_log(durable):
    alone_s = 4 * KIB * CHECKED_S + 4 * KIB / 1e9 + LOGGED_S
    found = per_second(model_of(btrfs(), io("write", 4 * KIB, durable=durable)), precision=0.01)
    assert found == pytest.approx(1 / alone_s, rel=0.01)


def test_reads_add_only_the_checksum():
    found = per_second(model_of(btrfs(), io("read", 64 * KIB)), precision=0.01)
    assert found == pytest.approx(1 / (64 * KIB / 1e9 + 64 * KIB * CHECKED_S), rel=0.01)


def test_metadata_are_written_twice_unless_they_are_single():
    """One I/O at a time: two tree blocks, or four."""
    for duplicate, copies in ((True, 4), (False, 2)):
        each_s = 4 * KIB * CHECKED_S + (copies * 16 + 2 * 4) * KIB / 1e9 + FLUSH_S
        found = per_second(
            model_of(btrfs(Arm(), duplicate=duplicate), io("write", 4 * KIB, durable="all")), precision=0.01
        )
        assert found == pytest.approx(1 / each_s, rel=0.01)


def test_syncs_during_a_log_write_share_the_next():
    """Sixty-four syncs at once take two logs: that under way and the next."""
    alone, many = (
        per_second(model_of(btrfs(), io("write", 4 * KIB, durable="all"), count), precision=0.02)
        for count in (1, 64)
    )
    assert 32 * alone == pytest.approx(many, rel=0.02)


def test_writes_at_random_are_a_run_below():
    drive = Drive()
    model_of(btrfs(drive), io("write", 4 * KIB))
    assert [each.sequential for each in drive.seen] == [True]
    drive.seen.clear()
    model_of(btrfs(drive), io("read", 4 * KIB))
    assert [each.sequential for each in drive.seen] == [False]


def test_both_engines_agree():
    assert engines_agree(model_of(btrfs(), io("write", 16 * KIB, durable="all"), 5))
