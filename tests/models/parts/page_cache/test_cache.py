"""The kind ``page cache``: what waits for storage, and what does not."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.page_cache.cache import PageCache
from sim import Closed, Exponential, Model, simulate

STEP_S = 1e-3
COPY_S = 1e-6 + 4096 / 4.096e9
"""A call and a copy of a page: 2 us."""
FIELDS = {"call": "1us", "copy": "4.096GB/s", "wake": "0us"}


def model(io, processes=1, below=None, **fields):
    return model_of(layer_of(PageCache, below or Below(STEP_S), **FIELDS | fields), io, processes)


def read(process):
    return FileIO("read", 4096, process=process, file=process)


def write(process):
    return FileIO("write", 4096, process=process, file=process)


def test_cached_read_is_a_call_and_a_copy():
    assert per_second(model(read, resident=1)) == pytest.approx(1 / COPY_S, rel=0.01)
    assert per_second(model(read, 8, resident=1, cores=2)) == pytest.approx(2 / COPY_S, rel=0.01)


@pytest.mark.parametrize("resident", [0, 0.75])
def test_a_random_read_waits_for_pages_not_cached(resident):
    expected = 1 / (COPY_S + (1 - resident) * STEP_S)
    assert per_second(model(read, resident=resident), precision=0.01) == pytest.approx(expected, rel=0.02)


def test_partial_pages_are_read_before_a_write():
    below = Below()
    layer = layer_of(PageCache, below, **FIELDS)
    layer.path(FileIO("read", 512, aligned_bytes=512))
    layer.path(FileIO("write", 5000, aligned_bytes=8))
    list(layer.background())
    assert [(io.op, io.size_bytes) for io in below.seen] == [("read", 4096), ("read", 8192), ("write", 8192)]


def test_sequential_reads_proceed_in_windows():
    """32 reads of 4 KiB come in a window of 128 KiB, of which one is fetched while the last is read."""
    run = model(lambda _: FileIO("read", 4096, sequential=True))
    assert per_second(run, precision=0.01) == pytest.approx(32 / STEP_S, rel=0.02)
    slow_copy = model(lambda _: FileIO("read", 4096, sequential=True), call="1ms")
    assert per_second(slow_copy, precision=0.01) == pytest.approx(1 / (1e-3 + 1e-6), rel=0.01)


@pytest.mark.parametrize("flushers", [1, 4])
def test_sustained_writes_have_the_rate_of_flushing(flushers):
    long = model(write, 16, flushers=flushers, dirty="64KiB")
    assert per_second(long) == pytest.approx(flushers / STEP_S, rel=0.02)


def test_a_burst_below_the_dirty_limit_does_not_wait():
    layer = layer_of(PageCache, Below(1.0), dirty="4MiB", **FIELDS)
    burst = Closed("all", 1, layer.path(write(0)), count=1000)
    result = simulate(Model([burst, *layer.background()]), watch="all", answers=("throughput",))
    assert result.elapsed.value == pytest.approx(1000 * COPY_S, rel=0.01)


def test_sequential_writes_are_flushed_in_clusters():
    run = model(lambda _: FileIO("write", 4096, sequential=True), flushers=1, cluster="64KiB", dirty="256KiB")
    assert per_second(run) == pytest.approx(16 / STEP_S, rel=0.02)


@pytest.mark.parametrize("writes", [1, 4])
def test_fsync_writes_the_dirty_pages_of_its_file_and_flushes(writes):
    """However many writes go before it: they are under way at the same time."""
    layer = layer_of(PageCache, Below(STEP_S), **FIELDS)
    ios = [*[FileIO("write", 4096, synced="all")] * writes, FileIO("flush", 0, durable="all", synced="all")]
    path = tuple(step for io in ios for step in layer.path(io))
    cycle_s = writes * COPY_S + STEP_S + STEP_S
    assert per_second(Model([Closed("all", 1, path, group="all")])) == pytest.approx(1 / cycle_s, rel=0.01)


def test_durable_write_waits_for_the_layer_below():
    layer = model(lambda _: FileIO("write", 4096, durable="data"))
    assert per_second(layer) == pytest.approx(1 / (COPY_S + STEP_S), rel=0.01)


def test_engines_agree():
    ios = [FileIO("read", 4096, sequential=True), FileIO("write", 4096), FileIO("write", 4096, synced="all")]
    ios.append(FileIO("flush", 0, durable="all", synced="all"))
    layer = layer_of(PageCache, Below(Exponential(1e-4)), resident=0.5, dirty="64KiB")
    path = tuple(step for io in ios for step in layer.path(io))
    assert engines_agree(Model([Closed("all", 4, path, group="all"), *layer.background()]))
