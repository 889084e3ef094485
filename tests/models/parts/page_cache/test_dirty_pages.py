"""Dirty pages as a level: bursts, knee and pace by closed form; ages; fsync behind a burst."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from layers import engines_agree, layer_of, model_of
from models.io import FileIO
from models.parts.page_cache.cache import PageCache
from sim import Closed, Delay, InputError, Model, Repeat, Station, Use
from sim.engine.simulation.over_time import over_time

MIB, GIB = 1 << 20, 1 << 30
IN, OUT = 2_000 * MIB, 200 * MIB
"""Bytes a second that one writer copies, and that storage takes."""


@dataclass
class Disk:
    """One I/O after the other, at ``OUT``."""

    rate: float = OUT

    def path(self, io):
        return (Use(Station("disk"), max(1e-6, io.size_bytes / self.rate)),)


def cached(io, jobs=1, below=None, **fields):
    fields = {"dirty": "4GiB", "background": "2GiB", "call": "0us", "copy": f"{IN}B/s"} | fields
    return model_of(layer_of(PageCache, below or Disk(), **fields), io, jobs)


def written(size_bytes=64 * 1024, *, sequential=True, **kind):
    return lambda process: FileIO(
        "write", size_bytes, process=process, file=process, sequential=sequential, **kind
    )


def rates(answer, size_bytes=64 * 1024):
    """Bytes a second in each part."""
    return answer.rates * size_bytes


@pytest.mark.parametrize("size_bytes", [4096, 64 * 1024, 4 * MIB])
def test_burst_ends_at_the_midpoint(size_bytes):
    """Background / in without write-back, then to (background + limit) / 2 at in - out."""
    answer = over_time(cached(written(size_bytes)), 60.0, resolution_s=0.1)
    knee_s = 2 * GIB / IN + GIB / (IN - OUT)
    assert answer.burst.end_s == pytest.approx(knee_s, rel=0.03)
    assert answer.burst.rate * size_bytes == pytest.approx(IN, rel=0.02)
    assert rates(answer, size_bytes)[300:].mean() == pytest.approx(OUT, rel=0.05)


def test_writers_are_paced_to_the_setpoint():
    """In the end they write at the rate of storage; the level is between midpoint and limit, at the setpoint."""
    answer = over_time(cached(written(), 4), 600.0)
    level = answer.levels["pagecache dirty"] * 4096
    assert level[-1] == pytest.approx(3.5 * GIB, rel=0.02)
    assert rates(answer)[-300:].mean() == pytest.approx(OUT, rel=0.01)
    assert answer.lowest * 64 * 1024 > 0.9 * OUT


@dataclass
class Lumps:
    """Storage that completes what it has all at once."""

    def path(self, io):
        return (Delay(8 * io.size_bytes / OUT),)


@pytest.mark.parametrize("below", [Disk(), Lumps()], ids=["one by one", "in lumps"])
def test_pace_falls_with_the_level(below):
    """At the midpoint nearly twice the rate of storage, and less the nearer the setpoint is (equation 1)."""
    answer = over_time(cached(written(), below=below, flushers=8), 30.0, resolution_s=0.05)
    level = answer.levels["pagecache dirty"] * 4096
    paced = np.flatnonzero(level[:-1] > 3.02 * GIB)[:544]
    expected = OUT * (1 + ((3.5 * GIB - level[paced]) / (0.5 * GIB)) ** 3)
    found, expected = (each.reshape(34, 16).mean(axis=1) for each in (rates(answer)[paced], expected))
    assert found == pytest.approx(expected, rel=0.15)
    assert found.mean() == pytest.approx(expected.mean(), rel=0.03)


def test_ratios_are_shares_of_memory():
    ratios = cached(written(), dirty_ratio=0.2, background_ratio=0.1, memory="20GiB", background=0, dirty="1GiB")
    sizes = cached(written())
    assert over_time(ratios, 10.0).rates == pytest.approx(over_time(sizes, 10.0).rates)


def test_threshold_above_the_limit_is_refused():
    with pytest.raises(InputError, match="background is 2048MiB, and dirty is 1024MiB; allowed: background below"):
        cached(written(), dirty="1GiB")


def test_dirty_bytes_are_conserved_with_skipped_time():
    """Bytes that were written and are not dirty have gone to storage."""
    answer = over_time(cached(written(4096)), 20.0, resolution_s=0.1)
    put = np.cumsum(answer.rates * 0.1) * 4096
    level = answer.levels["pagecache dirty"][1:] * 4096
    begins_s = 2 * GIB / IN
    times = np.arange(1, 201) * 0.1
    late = times > begins_s + 0.5
    assert (put - level)[late] == pytest.approx(((times - begins_s) * OUT)[late], rel=0.03)


def test_sixteen_gibibytes_take_few_steps():
    answer = over_time(cached(written(), dirty="16GiB", background="8GiB"), 600.0)
    assert answer.steps < 20_000_000
    assert answer.burst.end_s == pytest.approx(8 * GIB / IN + 4 * GIB / (IN - OUT), rel=0.05)


def test_light_load_is_written_once_it_is_old():
    """Below the background threshold pages go after 30 to 35 s: then 32.5 s of the load are dirty."""
    slow = cached(written(MIB), copy="20MiB/s")
    answer = over_time(slow, 200.0)
    level = answer.levels["pagecache dirty"] * 4096
    assert level[30] == pytest.approx(30 * 20 * MIB, rel=0.05)
    assert level[100:].mean() == pytest.approx(32.5 * 20 * MIB, rel=0.1)
    assert level.max() < 37 * 20 * MIB + 64 * MIB
    assert answer.rates.mean() * MIB == pytest.approx(20 * MIB, rel=0.01)


def test_age_is_that_of_the_fields():
    slow = cached(written(MIB), copy="20MiB/s", expire="10s", period="2s")
    level = over_time(slow, 200.0).levels["pagecache dirty"] * 4096
    assert level[100:].mean() == pytest.approx(11 * 20 * MIB, rel=0.25)


def test_random_writes_do_not_dirty_a_page_twice():
    """Of 1 GiB at most that much is dirty: writers below the midpoint stay free."""
    free = over_time(cached(written(4096, sequential=False), data="1GiB", resident=1), 20.0, resolution_s=0.5)
    assert free.burst is None
    assert free.levels["pagecache dirty"].max() <= GIB // 4096
    assert over_time(cached(written(4096, sequential=False), resident=1), 20.0, resolution_s=0.5).burst


def test_fsync_waits_for_the_burst_before_it():
    layer = layer_of(PageCache, Disk(), dirty="4GiB", background="2GiB", call="0us", copy=f"{IN}B/s", wake="0us")
    writes = Repeat(256, *layer.path(written(MIB, synced="all")(0)))
    flush = layer.path(FileIO("flush", 0, durable="all", synced="all"))
    model = Model([Closed("all", 1, (writes, *flush), group="all"), *layer.background()])
    cycle_s = 256 * MIB / IN + 256 * MIB / OUT + 1e-6
    assert over_time(model, 200.0).mean == pytest.approx(1 / cycle_s, rel=0.02)


def test_synced_file_is_written_at_the_threshold_as_well():
    """Before its fsync comes, writers go on at the rate of storage."""
    layer = layer_of(PageCache, Disk(), dirty="4GiB", background="2GiB", call="0us", copy=f"{IN}B/s", wake="0us")
    writer = Closed("writer", 1, layer.path(written(65536, synced="all")(0)))
    late = Closed("late", 1, (Delay(1000.0), *layer.path(FileIO("flush", 0, durable="all", synced="all"))))
    answer = over_time(Model([writer, late, *layer.background()]), 60.0)
    assert rates(answer)[-20:].mean() == pytest.approx(OUT, rel=0.02)
    assert answer.burst.end_s == pytest.approx(2 * GIB / IN + GIB / (IN - OUT), rel=0.1)


def test_written_pages_are_freed_once_memory_is_full():
    """Storage is fast enough; after 8 GiB each page costs 1 us more, beside 2.05 us of copying."""
    run = cached(written(), below=Disk(1e12), memory="8GiB", reclaim="1us")
    answer = over_time(run, 20.0, resolution_s=0.1)
    assert answer.burst.rate * 65536 == pytest.approx(IN, rel=0.01)
    assert answer.burst.end_s == pytest.approx(8 * GIB / IN, rel=0.03)
    assert answer.sustained * 65536 == pytest.approx(1 / (1 / IN + 1e-6 / 4096), rel=0.01)


@pytest.mark.parametrize("synced", ["no", "all"])
def test_engines_agree(synced):
    ios = [written(8192, synced=synced)(0), written(6000)(0), written(4096, sequential=False)(0)]
    ios.append(FileIO("flush", 0, durable="all", synced=synced))
    fields = {"dirty": "2MiB", "background": "1MiB", "cluster": "64KiB", "period": "1ms", "expire": "4ms"}
    layer = layer_of(PageCache, Disk(), data="16MiB", **fields)
    path = tuple(step for io in ios for step in layer.path(io))
    assert engines_agree(Model([Closed("all", 4, path, group="all"), *layer.background()]))


def test_hundred_writers_neither_stop_nor_exceed_the_limit():
    answer = over_time(cached(written(MIB), 100, dirty="64MiB", background="32MiB"), 60.0)
    assert answer.levels["pagecache dirty"].max() <= 64 * MIB // 4096
    assert rates(answer, MIB)[20:].mean() == pytest.approx(OUT, rel=0.02)
