"""A log-structured merge tree: write amplification, thresholds, log and reads, each by value."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from key_ranges import compacted
from layered import Below, assert_engines_agree, clients, latency
from models.io import FileIO
from models.parts.lsm.kind import Lsm
from sim import Buffer, Closed, Delay, InputError, Model, Put, Take
from sim.engine.simulation.over_time import over_time

MIB = 1 << 20
SMALL = {"memtable": MIB, "base": 4 * MIB, "data": 400 * MIB, "chunk": MIB // 4, "write": 0.0, "log": "none"}
WRITE = 64 << 10
US = 1e-6


def lsm(below=None, **fields):
    below = below or Below(0.0)
    return Lsm(**SMALL | fields).layer("db", lambda _: below)


def series(layer, seconds, **options):
    """Bytes a second that a writer gets, and levels, over time."""
    answer = over_time(clients(layer, 1, "write", WRITE), seconds, **{"resolution_s": seconds / 100} | options)
    return answer.rates * WRITE, answer.levels


def rate(layer, count, size):
    """Writes a second while the first memtable fills."""
    return over_time(clients(layer, count, "write", size), 0.5, skip=False).mean


class SlowReads:
    """Reads, which only merges do, take ``seconds`` for each chunk."""

    def __init__(self, seconds):
        self.seconds = seconds

    def path(self, io):
        return (Delay(self.seconds if io.op == "read" else 0.0),)


class Tally:
    """Counts chunks that are written."""

    written = Buffer("written", 10**9)

    def path(self, io):
        return (Put(self.written),) if io.op == "write" else (Delay(0.0),)


def write_amplification(seconds, rate=10.0 * MIB, **fields):
    """Bytes that flushes and merges write for each that comes at a low rate, in the second half of the time."""
    layer = lsm(Tally(), merge=1e12, **fields)
    writer = Closed("writer", 1, (Delay(WRITE / rate), *layer.path(FileIO("write", WRITE))))
    never = Closed("never", 1, (Take(Tally.written, 10**9),))
    answer = over_time(Model([writer, never, *layer.background()]), seconds, skip=False)
    written, half = answer.levels["written"], len(answer.rates) // 2
    came = answer.rates[half:].sum() * answer.resolution_s * WRITE
    return (written[-1] - written[half]) * layer.kind.chunk / came


def test_writers_fill_the_memtables_at_once_and_then_wait_for_flushes():
    rates, levels = series(lsm(limit=2.0 * MIB, trigger=62, slowdown=200, stop=250), 20.0)
    assert rates[:5].sum() * 0.2 == pytest.approx(3 * MIB, abs=0.5 * MIB)  # two, and what was flushed meanwhile
    assert rates[10:].mean() == pytest.approx(2.0 * MIB, rel=0.02)
    assert levels["db level 0"][-1] == pytest.approx(40, abs=1)


def test_one_level_writes_each_file_at_the_flush_and_twice_at_merges():
    """Four files of level 0 are merged with the four of level 1, which holds all data: 1 + (4 + 4) / 4."""
    assert write_amplification(100.0, data=4 * MIB, levels="full") == pytest.approx(3.0, rel=0.02)


@pytest.mark.parametrize("fanout", [4, 10])
def test_write_amplification_of_two_levels_is_that_of_key_ranges(fanout):
    few, many = (deque(compacted(4, fanout, 2, flushes), maxlen=1)[0] for flushes in (600, 1200))
    ours = write_amplification(60.0, rate=20.0 * MIB, data=4 * fanout * MIB, fanout=fanout, levels="full")
    merged = sum(after - before for before, after in zip(few[0], many[0], strict=True)) / 600
    assert ours == pytest.approx(1.0 + merged, rel=0.15)


def test_delayed_writes_slow_down_by_0_64_with_each_memtable():
    """From four files on: the first memtables at the full rate, then each at 0.64 of the one before."""
    layer = lsm(SlowReads(1e6), merge=1e12, trigger=1, slowdown=4, stop=16, delayed_rate=float(MIB))
    _, levels = series(layer, 40.0, resolution_s=0.05, skip=False)
    arrived = [float(np.argmax(levels["db level 0"] >= files - 0.5)) * 0.05 for files in range(7, 12)]
    slower = np.diff(arrived)
    assert slower[1:] / slower[:-1] == pytest.approx(1 / 0.64, rel=0.1)


def test_writes_stop_while_level_0_is_full():
    layer = lsm(SlowReads(1e6), merge=1e12, trigger=1, slowdown=7, stop=8, delayed_rate=1e9)
    rates, levels = series(layer, 40.0)
    assert levels["db level 0"][-1] == 8
    assert rates[-50:].max() == 0.0


def test_writes_are_delayed_while_a_level_is_far_beyond_its_target():
    free, soft = (
        series(lsm(limit=30.0 * MIB, merge=1e9, slowdown=250, stop=255, levels="full", soft=each), 120.0)[1]
        for each in (1 << 40, 100 * MIB)
    )
    assert "db pending compaction" not in free
    assert soft["db pending compaction"][-50:].mean() > 0.5
    assert soft["db level 1"].max() < free["db level 1"].max()


def test_threads_merge_different_levels_at_once():
    """With one, level 2 grows beyond its target, as level 0 comes first."""
    one, three = (
        series(lsm(SlowReads(0.01), merge=1e9, levels="full", mergers=each), 60.0)[1]["db level 2"][-1]
        for each in (1, 3)
    )
    assert three < one - 10


def test_a_get_reads_its_block_and_those_that_filters_pass_wrongly():
    """Of levels 0 to 2, two filters of 10 bits a key pass wrongly with 0.6185^10 = 0.82 % each."""
    layer = lsm(Below(100 * US), get=5 * US, data=40 * MIB)
    assert latency(layer, op="read") == pytest.approx((5 + 100 * (1 + 2 * 0.6185**10)) * US, rel=0.005)
    layer = lsm(Below(100 * US), get=5 * US, data=40 * MIB, bloom=0.0, cached=0.75)
    assert latency(layer, op="read") == pytest.approx((5 + 25 * 3) * US, rel=0.01)


def test_writers_share_the_flush_of_a_synced_log():
    """One writes and flushes in 100 us + 100 us; half of many share a flush: who returns is late for the next."""
    layer = lsm(Below(100 * US), log="synced", record=4096, write=1 * US, memtable=1 << 30)
    one, many = (rate(layer, count, 4096) for count in (1, 64))
    assert one == pytest.approx(1 / (201 * US), rel=0.01)
    assert many == pytest.approx(32 / (200 * US), rel=0.01)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 10 + 500 / 4),  # four writes an append, for which the last of them waits
        ({"log_depth": 32}, 10),
        ({"log_depth": 2}, 500 / 8),
        ({"log_depth": 32, "barrier": 64 << 10}, (16 * 10 + 500) / 16),  # four appends, the last one waited for
        ({"log_depth": 32, "barrier": 4096}, 10 + 500 / 4),
    ],
)
def test_appended_log_waits_for_depth_and_barrier(fields, expected):
    layer = lsm(
        Below(500 * US),
        record=4096,
        write=10 * US,
        log="appended",
        log_buffer=16 << 10,
        memtable=1 << 30,
        **fields,
    )
    assert 1.0 / rate(layer, 1, 4096) == pytest.approx(expected * US, rel=0.02)


@pytest.mark.parametrize("fields", [{"levels": "full"}, {"mergers": 3, "levels": "full", "log": "synced"}])
def test_both_engines_give_the_same_levels(fields):
    model = clients(lsm(Below(1e-4), limit=20.0 * MIB, slowdown=6, stop=9, **fields), 3, "write", WRITE)
    ours, theirs = (over_time(model, 20.0, engine=engine, skip=False) for engine in ("reference", "compiled"))
    assert (ours.rates == theirs.rates).all()
    assert all((ours.levels[name] == theirs.levels[name]).all() for name in ours.levels)


def test_thresholds_out_of_order_are_refused():
    with pytest.raises(
        InputError, match="trigger, slowdown and stop are 4, 4, 36; allowed: each above the one before"
    ):
        lsm(slowdown=4)


def test_engines_agree_on_gets():
    assert_engines_agree(lsm(Below(1e-4)), 4, op="read")
