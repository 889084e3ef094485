"""Checkpoints of PostgreSQL against closed forms: when they come, images in the log, spread writes, evictions."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from layers import layer_of, model_of
from models.io import FileIO
from models.parts.checkpoints.levels import emptied, first_touches
from models.parts.checkpoints.postgresql import PAGE_BYTES, Checkpoints
from models.popularity import zipf
from sim import Buffer, Closed, Delay, Model, Put, Station, Use
from sim.engine.simulation.over_time import over_time

MIB = 1 << 20
PAGES = 32 * MIB // PAGE_BYTES


class Volume:
    """One transfer at a time at some bytes a second; what is flushed takes a millisecond."""

    def __init__(self, bytes_per_s=1e12):
        self.bytes_per_s = bytes_per_s

    def path(self, io):
        if io.op == "flush":
            return (Use(Station("flush"), 1e-3),)
        return (Use(Station(f"volume {io.op}"), io.size_bytes / self.bytes_per_s),)


def model(volume=None, clients=4, **fields):
    few = {"data": "32MiB", "shared_buffers": "32MiB", "max_wal_size": "32MiB", "cpu": "1us", "wake": "1us"}
    layer = layer_of(Checkpoints, volume or Volume(), **{**few, "cores": 64, **fields})
    return model_of(
        layer, lambda number: FileIO("write", 512, process=number, processes=clients, durable="data"), clients
    )


def ran(seconds, volume=None, engine="auto", **fields):
    return over_time(
        model(volume, **fields), seconds, resolution_s=seconds / 400, watch="all", engine=engine, skip=False
    )


def level(answer, name):
    return next(values for each, values in answer.levels.items() if each.endswith(name))


def begun(answer):
    """Times at which checkpoints begin: the number of pages touched falls."""
    touched = level(answer, "pages touched")
    falls = np.flatnonzero(np.diff(touched) < -0.04 * touched.max())
    return np.array([part for part in falls if part - 1 not in falls]) * answer.resolution_s


@pytest.mark.parametrize("exponent", [0.0, 0.99])
def test_chances_of_first_touches_give_the_expected_number_of_pages(exponent):
    touched, accesses = 0.0, 0.0
    steps = first_touches(PAGES, exponent)
    for (low, chance), (high, _) in pairwise(steps[:-1]):
        assert touched == low
        accesses += (high - low) / chance
        touched = high
        assert zipf(PAGES, exponent).touched(accesses) == pytest.approx(touched, rel=0.01, abs=2.0)
    assert steps[-1] == (PAGES, 0.0)
    assert touched > 0.7 * PAGES


def test_level_is_emptied_at_once_whatever_it_holds():
    source, sink = Buffer("source", 10_000, 7_777), Buffer("sink", 10_000)
    away = [*emptied(source, lambda lump: (Put(sink, lump),)), Delay(1.0)]
    back = [Delay(1.5), *emptied(sink, lambda lump: (Put(source, lump),)), Delay(9.0)]
    answer = over_time(Model([Closed("away", 1, away), Closed("back", 1, back)]), 1.2, resolution_s=0.1)
    assert answer.levels["source"][-1] == 0
    assert answer.levels["sink"][-1] == 7_777


def test_pages_touched_follow_the_closed_form_of_uniform_changes():
    answer = ran(2.0, max_wal_size="8GiB")
    changes = np.cumsum(answer.rates) * answer.resolution_s
    expected = PAGES * -np.expm1(-changes / PAGES)
    assert level(answer, "pages touched")[1:] == pytest.approx(expected, rel=0.06, abs=60)


def test_interval_between_checkpoints_is_that_of_the_log():
    record = 65536
    answer = ran(8.0, clients=1, image="0B", record=f"{record}B", max_wal_size="320MiB", completion=0.9)
    due_bytes = int(320 / 16 / 1.9) * 16 * MIB
    times = begun(answer)
    assert len(times) >= 3
    per_interval = answer.rates.mean() * np.diff(times).mean() * record
    assert per_interval == pytest.approx(due_bytes, rel=0.03)


def test_timed_checkpoints_come_at_the_timeout_after_the_last_began():
    answer = ran(10.0, max_wal_size="64GiB", checkpoint_timeout="2s")
    assert begun(answer) == pytest.approx([2.0, 4.0, 6.0, 8.0], abs=0.06)


@pytest.mark.parametrize(
    "when", [{"max_wal_size": "64GiB", "checkpoint_timeout": "3s"}, {"max_wal_size": "96MiB"}]
)
def test_writes_are_spread_over_the_share_of_the_interval(when):
    large = {"data": "512MiB", "shared_buffers": "512MiB", "record": "8192B", "image": "0B"}
    answer = ran(10.0, Volume(1e9), **large, **when)
    parts = (begun(answer) / answer.resolution_s).round().astype(int)
    assert len(parts) >= 2
    assert (level(answer, "pages to write")[parts[0] : parts[1]] > 0).mean() == pytest.approx(0.9, abs=0.06)


def test_every_dirty_page_is_written_once():
    answer = ran(7.0, max_wal_size="64GiB", checkpoint_timeout="2s")
    dirty, to_write = level(answer, "pages dirty"), level(answer, "pages to write")
    assert np.all(to_write <= dirty + 32)
    touched = level(answer, "pages touched")[np.flatnonzero(np.diff(level(answer, "pages touched")) < 0)]
    assert to_write.max() == pytest.approx(touched.max(), abs=0.03 * touched.max() + 64)


def test_log_per_transaction_is_high_after_a_checkpoint_begins():
    """The volume limits: a page of the log for each transaction with an image, a small record without."""
    volume = Volume(8e6)
    answer = ran(12.0, volume, record="100B", max_wal_size="64GiB", checkpoint_timeout="6s", clients=1)
    first, last = answer.rates[5:25].mean(), answer.rates[180:198].mean()
    touched = level(answer, "pages touched")[190] / PAGES
    expected = 2 * PAGE_BYTES / (PAGE_BYTES * (2.0 - touched))  # two pages each at first
    assert last / first == pytest.approx(expected, rel=0.15)
    assert answer.rates[202:215].mean() < 0.7 * last


def test_full_page_writes_off_has_no_such_fall():
    answer = ran(
        12.0, Volume(8e6), image="0B", max_wal_size="64GiB", checkpoint_timeout="6s", clients=1, record="100B"
    )
    assert answer.rates[5:25].mean() == pytest.approx(answer.rates[180:198].mean(), rel=0.05)


def test_misses_of_shared_buffers_read_and_evict():
    volume = Volume(4e6)
    fields = {"max_wal_size": "64GiB", "image": "0B", "record": "64B", "clients": 2}
    held = ran(10.0, volume, **fields).rates[200:].mean()
    missed = ran(10.0, volume, shared_buffers="16MiB", page_cache="0B", **fields)
    assert level(missed, "pages evicted").max() > 0
    reads = ran(10.0, volume, shared_buffers="16MiB", page_cache="32MiB", **fields)
    assert missed.rates[200:].mean() <= 1.02 * reads.rates[200:].mean() < 0.9 * held
    assert Checkpoints(data=1 << 25, shared_buffers=1 << 24, page_cache=0).missed == pytest.approx(0.5, abs=1e-3)
    assert Checkpoints(data=1 << 25, shared_buffers=1 << 24, page_cache=1 << 25).read == 0.0


def test_both_engines_agree():
    fields = {"max_wal_size": "32MiB", "shared_buffers": "16MiB", "volume": Volume(1e8), "clients": 3}
    compiled, reference = (
        ran(0.4, engine=engine, record="65536B", **fields) for engine in ("compiled", "reference")
    )
    assert np.array_equal(compiled.rates, reference.rates)
    assert all(np.array_equal(compiled.levels[name], reference.levels[name]) for name in compiled.levels)
    assert len(begun(compiled)) >= 1


def test_trigger_counts_whole_segments():
    assert Checkpoints(max_wal_size=1 << 30).due_bytes == 33 * 16 * MIB  # 64 segments / 1.9
    assert Checkpoints(max_wal_size=32 * MIB).due_bytes == 16 * MIB
    kind = Checkpoints(max_wal_size=1 << 30, completion=0.5)
    assert kind.due_shares * kind.share_bytes == pytest.approx(kind.due_bytes, rel=1e-3)
    assert math.isclose(kind.missed, 0.875, abs_tol=1e-2)
