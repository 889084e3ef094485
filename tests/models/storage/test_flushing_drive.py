"""The drive under synced writes: buffer and flash, flushes in a pipeline, and who waits for them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from layers import engines_agree, model_of, per_second
from models.io import FileIO
from models.storage.flushing_drive import FlushingDrive
from sim import Closed, Hold, Model, Pool, simulate

KIB, MIB = 1024, 1024 * 1024
WRITE_S, FLUSH_S, SERIAL_S = 20e-6, 450e-6, 220e-6

DRIVE = FlushingDrive(
    name="drive",
    volatile=False,
    ordered=False,
    lined=False,
    block_bytes=16 * KIB,
    latency_s=WRITE_S,
    byte_s=0.0,
    small_s=10e-6,
    sector_s=5e-6,
    foreign_s=0.0,
    flush_s=FLUSH_S,
    serial_s=SERIAL_S,
    merged=0.0,
    padding_s=0.0,
    command_s=1e-9,
    bytes_per_s=1e9,
    buffer_bytes=1 * MIB,
    command_bytes=128 * KIB,
    queues=32,
    variation=0.01,
)
CONSUMER = replace(DRIVE, volatile=True)


def write(size_bytes=16 * KIB, durable="no"):
    return lambda process: FileIO("write", size_bytes, process=process, durable=durable)


def synced(drive, jobs, size_bytes=16 * KIB):
    """Jobs that flush after each write."""

    def path(process):
        ios = FileIO("write", size_bytes, process=process), FileIO("flush", 0, process=process)
        return tuple(step for io in ios for step in drive.path(io))

    return Model([Closed(f"job {n}", 1, path(n), group="all") for n in range(jobs)])


def rate(drive, jobs=1, io=None):
    return per_second(model_of(drive, io or write(), jobs), precision=0.01)


def synced_rate(drive, jobs, size_bytes=16 * KIB):
    return per_second(synced(drive, jobs, size_bytes), precision=0.01)


def sync_s(drive, jobs, size_bytes):
    """Mean time of a flush after a write."""
    flush = Hold(Pool("sync", jobs), *drive.path(FileIO("flush", 0)))
    write = drive.path(FileIO("write", size_bytes))
    model = Model([Closed(f"job {n}", 1, (*write, flush), group="all") for n in range(jobs)])
    place = simulate(model, watch="all", answers=("throughput",), precision=0.01).places["sync"]
    return place.utilisation * jobs / place.visits


@pytest.mark.parametrize(("size_bytes", "seconds"), [(16 * KIB, 20e-6), (8 * KIB, 10e-6), (1 * KIB, 15e-6)])
def test_a_write_that_is_alone_takes_its_latency(size_bytes, seconds):
    assert rate(DRIVE, io=write(size_bytes)) == pytest.approx(1 / seconds, rel=0.01)


def test_other_jobs_make_each_write_longer():
    assert rate(replace(DRIVE, foreign_s=20e-6)) == pytest.approx(1 / (2 * WRITE_S), rel=0.01)


def test_many_writes_are_held_up_by_commands_or_by_bytes():
    assert rate(replace(DRIVE, command_s=5e-6, bytes_per_s=1e12), 32) == pytest.approx(200_000, rel=0.01)
    assert rate(DRIVE, 32) == pytest.approx(1e9 / (16 * KIB), rel=0.01)


def test_one_large_write_goes_at_the_speed_of_one_stream_and_several_at_that_of_the_flash():
    """What the buffer does not take waits for the flash after it."""
    drive = replace(DRIVE, byte_s=2e-9)
    beyond_bytes = 2 * MIB - drive.buffer_bytes - drive.command_bytes
    whole_s = WRITE_S + (2 * MIB - 16 * KIB) * 2e-9 + beyond_bytes / 1e9
    assert rate(drive, 1, write(2 * MIB)) == pytest.approx(1 / whole_s, rel=0.01)
    assert rate(drive, 4, write(2 * MIB)) == pytest.approx(1e9 / (2 * MIB), rel=0.01)


@pytest.mark.parametrize("jobs", [1, 2, 4, 8, 16, 32])
def test_flushes_that_come_at_once_pass_in_a_pipeline(jobs):
    """A round: all write, then each flush ends one first stage after the one before it."""
    round_s = WRITE_S + FLUSH_S + (jobs - 1) * SERIAL_S
    assert synced_rate(CONSUMER, jobs) == pytest.approx(jobs / round_s, rel=0.02)


def test_writes_wait_for_all_flushes_of_a_drive_without_protection():
    free = replace(CONSUMER, volatile=False)
    assert synced_rate(free, 2) == pytest.approx(2 / (WRITE_S + FLUSH_S), rel=0.02)
    assert synced_rate(CONSUMER, 2) < 0.75 * synced_rate(free, 2)


def test_flushes_of_one_hardware_queue_are_merged():
    """Eight jobs of one queue: one flush alone, and one for the seven who came meanwhile."""
    one = synced_rate(replace(CONSUMER, queues=1), 8)
    assert one > 1.5 * synced_rate(CONSUMER, 8)
    flushing = simulate(synced(replace(CONSUMER, queues=1), 8), watch="all", answers=("throughput",)).places
    assert flushing["drive flushing"].visits < 0.5 * one


@pytest.mark.parametrize("jobs", [2, 4, 8])
def test_a_drive_that_merges_needs_two_flushes_however_many_come_at_once(jobs):
    round_s = WRITE_S + FLUSH_S + SERIAL_S
    assert synced_rate(replace(CONSUMER, merged=1.0), jobs) == pytest.approx(jobs / round_s, rel=0.02)


def test_a_write_through_the_cache_is_a_write_and_a_flush_without_protection_and_padding_with_it():
    through = write(4 * KIB, durable="data")
    assert rate(CONSUMER, 1, through) == pytest.approx(1 / (10e-6 + FLUSH_S), rel=0.01)
    assert rate(DRIVE, 1, through) == pytest.approx(1 / 10e-6, rel=0.01)
    padded = replace(DRIVE, padding_s=100e-6)
    assert rate(padded, 1, through) == pytest.approx(1 / (100e-6 + 4 * KIB / 1e9), rel=0.02)


def test_a_drive_that_takes_no_time_for_flushes_is_sent_none():
    assert replace(DRIVE, flush_s=0.0).path(FileIO("flush", 0)) == ()


def test_a_flush_in_line_waits_until_what_was_acknowledged_before_its_time_has_gone():
    """The last command of a write is let through before it has gone; a flush in line begins when it has."""
    plain = replace(DRIVE, ordered=True, flush_s=1e-6, serial_s=0.5e-6, buffer_bytes=0)
    lined = replace(plain, lined=True)
    waits_s = [sync_s(each, 1, 2 * MIB) for each in (plain, lined)]
    assert waits_s[0] == pytest.approx(1e-6, abs=1e-7)
    assert waits_s[1] == pytest.approx(128 * KIB / 1e9 - WRITE_S, rel=0.05)


def test_a_flush_in_line_waits_for_the_whole_write_of_another():
    """Two jobs in order: one ends its write when the other's begins."""
    lined = replace(DRIVE, ordered=True, lined=True, flush_s=1e-6, serial_s=0.5e-6)
    result = simulate(synced(lined, 2, 2 * MIB), watch="all", answers=("throughput",), precision=0.01)
    assert result.throughput.value == pytest.approx(1e9 / (2 * MIB), rel=0.02)
    assert result.places["drive flash"].utilisation > 0.98
    assert sync_s(lined, 2, 2 * MIB) > 10 * sync_s(lined, 1, 2 * MIB)


@pytest.mark.parametrize(("jobs", "commands"), [(1, 1), (2, 2)])
def test_a_small_write_after_a_large_one_waits_for_room_for_a_whole_command(jobs, commands):
    """The last command of the large write, and one of each other job, go first; then no more is owed."""
    drive = replace(DRIVE, buffer_bytes=0)
    large, small = drive.path(FileIO("write", 2 * MIB)), drive.path(FileIO("write", 4 * KIB))
    after = Hold(Pool("small", 1), *small)
    others = [Closed(f"other {n}", 1, large, group="others") for n in range(1, jobs)]
    model = Model([Closed("job", 1, (*large, after), group="all"), *others])
    place = simulate(model, watch="all", answers=("throughput",), precision=0.01).places["small"]
    waited_s = place.utilisation / place.visits - 10e-6
    assert waited_s == pytest.approx(commands * 128 * KIB / 1e9 - WRITE_S, rel=0.12)


def test_a_part_of_a_page_passes_the_cap_as_its_page_does_before_it():
    slow = replace(DRIVE, bytes_per_s=1e9, command_bytes=4 * KIB, buffer_bytes=0, small_s=1e-9, sector_s=1e-9)
    assert rate(slow, 1, write(KIB)) == pytest.approx(1 / (4 * KIB / 1e9 + KIB / 1e9), rel=0.02)


def test_an_ordered_device_takes_a_small_write_after_the_whole_one_before_it():
    def behind(drive):
        large = Closed("large", 4, drive.path(FileIO("write", 2 * MIB)))
        small = Closed("small", 1, drive.path(FileIO("write", 4 * KIB)), group="small")
        return simulate(Model([large, small]), watch="small", answers=("throughput",)).throughput.value

    assert behind(DRIVE) > 5 * behind(replace(DRIVE, ordered=True))


@pytest.mark.parametrize(
    "drive",
    [
        DRIVE,
        CONSUMER,
        replace(CONSUMER, merged=0.5),
        replace(DRIVE, ordered=True, lined=True, padding_s=1e-5, byte_s=1e-10),
    ],
)
def test_engines_agree(drive):
    assert engines_agree(synced(replace(drive, queues=2, variation=0.3), 5, 200 * KIB))


def test_a_drive_without_a_ceiling_in_bytes_has_none():
    assert rate(replace(DRIVE, bytes_per_s=math.inf), 64) == pytest.approx(64 / WRITE_S, rel=0.02)
