"""The kind ``zfs``: records, the intent log, transaction groups, compression."""

from __future__ import annotations

import re

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.zfs.dataset import Zfs
from sim import InputError, Station, Use
from sim.engine.model.demands import demands_s

KIB = 1024
CALL_S = 5e-6
WAKE_S = 5e-6


class Drive:
    """One I/O at a time, at 1 GB/s."""

    def __init__(self):
        self.seen = []

    def path(self, io):
        self.seen.append(io)
        return (Use(Station("drive"), io.size_bytes / 1e9),)


def io(op, size, **more):
    return lambda number: FileIO(op, size, process=number, **more)


def zfs(below=None, **fields):
    return layer_of(Zfs, below or Drive(), **fields)


def copied_s(size):
    return CALL_S + size / 5e9


def test_a_read_that_is_not_in_memory_fetches_its_record():
    alone_s = copied_s(8 * KIB) + 128 * KIB / 1e9 + 128 * KIB / 5e9
    assert per_second(model_of(zfs(), io("read", 8 * KIB))) == pytest.approx(1 / alone_s, rel=0.01)
    assert per_second(model_of(zfs(resident=1.0), io("read", 8 * KIB))) == pytest.approx(
        1 / copied_s(8 * KIB), rel=0.01
    )


@pytest.mark.parametrize(
    ("record", "size", "read"), [(128, 8, 1), (8, 8, 0), (16, 24, 1), (16, 40, 1), (16, 32, 0)]
)
def test_a_partial_record_write_reads_the_record(record, size, read):
    """Blocks begin at multiples of the common divisor: those of 24 or 40 KiB leave part of one record of 16."""
    path = zfs(recordsize=f"{record}KiB").path(FileIO("write", size * KIB))
    read_s = demands_s(path).get(Station("drive"), 0.0)
    assert read_s == pytest.approx(read * record * KIB / 1e9)


def test_sustained_writes_are_whole_records_in_sequence():
    """Of 8 KiB in records of 16: twice as many bytes, and each record read before, at 1 GB/s in all."""
    load = model_of(zfs(recordsize="16KiB", dirty="4MiB"), io("write", 8 * KIB), 4)
    assert per_second(load) == pytest.approx(1e9 / (2 * 16 * KIB), rel=0.02)


def test_a_sequential_write_is_written_once():
    load = model_of(zfs(dirty="4MiB"), io("write", 64 * KIB, sequential=True), 4)
    assert per_second(load) == pytest.approx(1e9 / (64 * KIB), rel=0.02)


def test_compression_reduces_writes_by_its_ratio():
    load = model_of(zfs(dirty="4MiB", compressed=0.5), io("write", 64 * KIB, sequential=True), 4)
    assert per_second(load) == pytest.approx(2e9 / (64 * KIB), rel=0.02)


def test_a_durable_write_waits_for_a_log_block():
    """12 KiB hold 8, with two headers; the caller wakes up."""
    durable = io("write", 8 * KIB, durable="data")
    alone_s = copied_s(8 * KIB) + 12 * KIB / 1e9 + WAKE_S
    layer = zfs(Below(12 * KIB / 1e9), resident=1.0)
    assert per_second(model_of(layer, durable)) == pytest.approx(1 / alone_s, rel=0.02)


def test_writers_who_wait_share_the_next_log_block():
    durable = io("write", 8 * KIB, durable="data")
    one, many = (per_second(model_of(zfs(Below(1e-3), resident=1.0), durable, count)) for count in (1, 16))
    assert one == pytest.approx(1 / (1e-3 + copied_s(8 * KIB) + WAKE_S), rel=0.02)
    assert many > 7.5 * one


def test_a_log_device_takes_the_log_off_the_pool():
    durable = io("write", 8 * KIB, durable="data")
    alone_s = copied_s(8 * KIB) + 30e-6 + 12 * KIB / 2e9 + WAKE_S
    layer = zfs(Below(1e-3), resident=1.0, log="30us")
    assert per_second(model_of(layer, durable)) == pytest.approx(1 / alone_s, rel=0.02)


@pytest.mark.parametrize(("sync", "logs"), [("standard", True), ("always", True), ("disabled", False)])
def test_sync_says_whether_a_sync_is_one(sync, logs):
    assert bool(zfs(sync=sync).path(FileIO("flush", 0))) == logs


def test_sync_always_makes_every_write_wait():
    layer = zfs(Below(1e-3), resident=1.0, sync="always")
    assert per_second(model_of(layer, io("write", 8 * KIB))) < 1000


def test_a_large_durable_write_bypasses_the_log():
    drive = Drive()
    layer = zfs(drive)
    layer.path(FileIO("write", 128 * KIB, durable="data"))
    assert [each.size_bytes for each in drive.seen] == [128 * KIB]
    assert not list(layer.background())


@pytest.mark.parametrize("durable", ["no", "data"])
def test_the_engines_agree(durable):
    layer = zfs(resident=0.5, dirty="4MiB")
    assert engines_agree(model_of(layer, io("write", 8 * KIB, durable=durable), 3))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"recordsize": 12 * KIB}, "recordsize is 12KiB; allowed: a power of two from 512B to 16MiB"),
        ({"dirty": 512 * KIB}, "dirty is 512KiB; allowed: at least 1MiB, "),
        ({"recordsize": 4096 * KIB, "dirty": 2048 * KIB}, "dirty is 2MiB; allowed: at least 4MiB, "),
    ],
)
def test_invalid_dataset_is_refused(fields, says):
    with pytest.raises(InputError, match=re.escape(says)):
        Zfs(**fields).layer("zfs", lambda _copy: None)
