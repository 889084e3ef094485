"""The drive under synced writes: buffer and flash, flushes in a pipeline, and who waits for them."""

from __future__ import annotations

import math

import pytest

from layers import engines_agree, model_of, per_second
from models.io import FileIO
from models.parts.flash import Flash
from models.parts.host.flush_queue import FlushQueue
from sim import Closed, Hold, Model, Pool, simulate
from sim.system.quantities import BySize, TimeTable

KIB, MIB = 1024, 1024 * 1024
WRITE_S, FLUSH_S, SERIAL_S = 20e-6, 450e-6, 220e-6

BLOCK = 16 * KIB


def drive(*, queues=32, small_s=10e-6, byte_s=0.0, foreign_s=0.0, command_s=1e-9, **fields):
    """A drive with a protected cache of 1 MiB beside a command; each byte beyond a block takes ``byte_s``."""
    small_s, write_s = (time_s + foreign_s + command_s for time_s in (small_s, WRITE_S))
    streamed_s = BLOCK * byte_s
    sizes = (1, small_s), (BLOCK - 1, small_s), (BLOCK, write_s), (2 * BLOCK, write_s + streamed_s)
    latency, access = BySize(sizes), BySize(((BLOCK, 0.0), (2 * BLOCK, streamed_s)))
    known = {
        "unit_share": 0.0,
        "units": 1024,
        "placement": "free",
        "partial": 5e-6,
        "flush": FLUSH_S,
        "serial": SERIAL_S,
        "iops": 1 / command_s,
        "bandwidth": math.inf,
        "sustained": 1e9,
        "cache": MIB,
        "command": 128 * KIB,
        "variation": 0.01,
    }
    flash = Flash(latency=TimeTable(latency, latency), access=TimeTable(access, access), **known | fields)
    return FlushQueue(queues).layer("drive queue", lambda _copy: flash.layer("drive"))


def consumer(**fields):
    return drive(volatile=True, **fields)


def write(size_bytes=16 * KIB, durable="no"):
    return lambda process: FileIO("write", size_bytes, process=process, durable=durable)


def synced(device, jobs, size_bytes=16 * KIB):
    """Jobs that flush after each write."""

    def path(process):
        ios = FileIO("write", size_bytes, process=process), FileIO("flush", 0, process=process)
        return tuple(step for io in ios for step in device.path(io))

    return Model([Closed(f"job {n}", 1, path(n), group="all") for n in range(jobs)])


def rate(device, jobs=1, io=None):
    return per_second(model_of(device, io or write(), jobs), precision=0.01)


def synced_rate(device, jobs, size_bytes=16 * KIB):
    return per_second(synced(device, jobs, size_bytes), precision=0.01)


def sync_s(device, jobs, size_bytes):
    """Mean time of a flush after a write."""
    flush = Hold(Pool("sync", jobs), *device.path(FileIO("flush", 0)))
    write = device.path(FileIO("write", size_bytes))
    model = Model([Closed(f"job {n}", 1, (*write, flush), group="all") for n in range(jobs)])
    place = simulate(model, watch="all", answers=("throughput",), precision=0.01).places["sync"]
    return place.utilisation * jobs / place.visits


@pytest.mark.parametrize(("size_bytes", "seconds"), [(16 * KIB, 20e-6), (8 * KIB, 10e-6), (1 * KIB, 15e-6)])
def test_a_write_that_is_alone_takes_its_latency(size_bytes, seconds):
    assert rate(drive(), io=write(size_bytes)) == pytest.approx(1 / seconds, rel=0.01)


def test_other_jobs_make_each_write_longer():
    assert rate(drive(foreign_s=20e-6)) == pytest.approx(1 / (2 * WRITE_S), rel=0.01)


def test_many_writes_are_held_up_by_commands_or_by_bytes():
    assert rate(drive(command_s=5e-6, sustained=1e12), 32) == pytest.approx(200_000, rel=0.01)
    assert rate(drive(), 32) == pytest.approx(1e9 / (16 * KIB), rel=0.01)


def test_one_large_write_has_the_speed_of_a_stream_and_several_that_of_the_flash():
    """Bytes that the buffer does not take wait for the flash after it."""
    device = drive(byte_s=2e-9)
    beyond_bytes = 2 * MIB - MIB - 128 * KIB
    whole_s = WRITE_S + (2 * MIB - 16 * KIB) * 2e-9 + beyond_bytes / 1e9
    assert rate(device, 1, write(2 * MIB)) == pytest.approx(1 / whole_s, rel=0.01)
    assert rate(device, 4, write(2 * MIB)) == pytest.approx(1e9 / (2 * MIB), rel=0.01)


@pytest.mark.parametrize("jobs", [1, 2, 4, 8, 16, 32])
def test_flushes_that_come_at_once_pass_in_a_pipeline(jobs):
    """A round: all write, then each flush ends one first stage after the one before it."""
    round_s = WRITE_S + FLUSH_S + (jobs - 1) * SERIAL_S
    assert synced_rate(consumer(), jobs) == pytest.approx(jobs / round_s, rel=0.02)


def test_writes_wait_for_all_flushes_of_a_drive_without_protection():
    free = drive()
    assert synced_rate(free, 2) == pytest.approx(2 / (WRITE_S + FLUSH_S), rel=0.02)
    assert synced_rate(consumer(), 2) < 0.75 * synced_rate(free, 2)


def test_flushes_of_one_hardware_queue_are_merged():
    """Eight jobs of one queue: one flush alone, and one for the seven who came meanwhile."""
    one = synced_rate(consumer(queues=1), 8)
    assert one > 1.5 * synced_rate(consumer(), 8)
    flushing = simulate(synced(consumer(queues=1), 8), watch="all", answers=("throughput",)).places
    assert flushing["drive flush"].visits < 0.5 * one


@pytest.mark.parametrize("jobs", [2, 4, 8])
def test_a_merging_drive_needs_two_flushes_for_any_number_at_once(jobs):
    round_s = WRITE_S + FLUSH_S + SERIAL_S
    assert synced_rate(consumer(merged=1.0), jobs) == pytest.approx(jobs / round_s, rel=0.02)


def test_a_write_through_is_a_write_and_a_flush_or_padding_on_a_protected_drive():
    through = write(4 * KIB, durable="data")
    assert rate(consumer(), 1, through) == pytest.approx(1 / (10e-6 + FLUSH_S), rel=0.01)
    assert rate(drive(), 1, through) == pytest.approx(1 / 10e-6, rel=0.01)
    padded = drive(padding=100e-6)
    assert rate(padded, 1, through) == pytest.approx(1 / (100e-6 + 4 * KIB / 1e9), rel=0.02)


def test_a_flush_that_takes_no_time_passes_the_queue_alone():
    assert drive(flush=0.0).below.path(FileIO("flush", 0)) == (Hold(Pool("drive queue", 1024)),)


def test_ordered_flush_waits_for_writes_acknowledged_early():
    """The last command of a write is let through before it has gone; a flush in line begins when it has."""
    devices = (drive(order=order, flush=1e-6, serial=0.5e-6, cache=4096) for order in ("writes", "line"))
    waits_s = [sync_s(device, 1, 2 * MIB) for device in devices]
    assert waits_s[0] == pytest.approx(1e-6, abs=1e-7)
    assert waits_s[1] == pytest.approx(128 * KIB / 1e9 - WRITE_S, rel=0.05)


def test_a_flush_in_line_waits_for_the_whole_write_of_another():
    """Two jobs in order: one ends its write when the other's begins."""
    lined = drive(order="line", flush=1e-6, serial=0.5e-6)
    result = simulate(synced(lined, 2, 2 * MIB), watch="all", answers=("throughput",), precision=0.01)
    assert result.throughput.value == pytest.approx(1e9 / (2 * MIB), rel=0.02)
    assert result.places["drive programming"].utilisation > 0.98
    assert sync_s(lined, 2, 2 * MIB) > 10 * sync_s(lined, 1, 2 * MIB)


@pytest.mark.parametrize(("jobs", "commands"), [(1, 1), (2, 2)])
def test_a_small_write_after_a_large_one_waits_for_room_for_a_whole_command(jobs, commands):
    """The last command of the large write, and one of each other job, go first; then no more is owed."""
    device = drive(cache=4096)
    large, small = device.path(FileIO("write", 2 * MIB)), device.path(FileIO("write", 4 * KIB))
    after = Hold(Pool("small", 1), *small)
    others = [Closed(f"other {n}", 1, large, group="others") for n in range(1, jobs)]
    model = Model([Closed("job", 1, (*large, after), group="all"), *others])
    place = simulate(model, watch="all", answers=("throughput",), precision=0.01).places["small"]
    waited_s = place.utilisation / place.visits - 10e-6
    assert waited_s == pytest.approx(commands * 128 * KIB / 1e9 - WRITE_S, rel=0.12)


def test_a_part_of_a_page_passes_the_cap_as_its_page_does_before_it():
    slow = drive(sustained=1e9, command=4 * KIB, cache=4096, small_s=1e-9, partial=1e-9)
    assert rate(slow, 1, write(KIB)) == pytest.approx(1 / (4 * KIB / 1e9 + KIB / 1e9), rel=0.02)


def test_an_ordered_device_takes_a_small_write_after_the_whole_one_before_it():
    def behind(device):
        large = Closed("large", 4, device.path(FileIO("write", 2 * MIB)))
        small = Closed("small", 1, device.path(FileIO("write", 4 * KIB)), group="small")
        return simulate(Model([large, small]), watch="small", answers=("throughput",)).throughput.value

    assert behind(drive()) > 5 * behind(drive(order="writes"))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"volatile": True},
        {"volatile": True, "merged": 0.5},
        {"order": "line", "padding": 1e-5, "byte_s": 1e-10},
    ],
)
def test_engines_agree(fields):
    assert engines_agree(synced(drive(queues=2, **fields | {"variation": 0.3}), 5, 200 * KIB))
