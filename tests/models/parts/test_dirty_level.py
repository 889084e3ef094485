"""Write-back as a level: bursts, saw-teeth and rewrites by value, and a terabyte of memory."""

from __future__ import annotations

import numpy as np
import pytest

from layers import layer_of
from models.io import FileIO
from models.parts.array_cache.kind import ArrayCache
from sim import Closed, InputError, Model, Station, Use, over_time, simulate

PAGE, CALL_S = 8192, 50e-6
OFTEN = 2 / CALL_S
"""I/Os a second that two controllers pass."""


class Disks:
    """Ten of them, each of which takes as long whatever the size."""

    def __init__(self, seconds):
        self.seconds = seconds

    def path(self, _io):
        return (Use(Station("disks", 10), self.seconds),)


def model(disk_s, op="write", size=PAGE, *, sequential=False, **fields):
    given = {"memory": "1GiB", "data": "100TiB", "followed": "level"}
    layer = layer_of(ArrayCache, Disks(disk_s), **given | fields)
    ios = [FileIO(op, size, process=number, sequential=sequential) for number in range(4)]
    loads = [Closed(f"process {each.process}", 4, layer.path(each), group="all") for each in ios]
    return Model([*loads, *layer.background()])


def test_burst_fills_up_to_the_high_watermark_and_then_more_slowly():
    """Dirty are at most 0.4 of the pages; destaging begins at 0.8 of these."""
    dirty, drain = 0.4 * (16 << 30) / PAGE, 10 / 1e-3
    answer = over_time(model(1e-3, memory="16GiB"), 100.0, resolution_s=0.1)
    assert answer.burst.rate == pytest.approx(OFTEN, rel=0.01)
    assert answer.burst.end_s == pytest.approx(0.8 * dirty / OFTEN + 0.2 * dirty / (OFTEN - drain), rel=0.05)
    assert answer.sustained == pytest.approx(drain, rel=0.02)


def test_saw_tooth_between_the_watermarks():
    dirty, drain = 0.4 * (8 << 30) / PAGE, 10 / 1.6e-4
    answer = over_time(model(1.6e-4, memory="8GiB"), 100.0, resolution_s=0.1)
    level = answer.levels["arraycache dirty pages"]
    assert answer.stalled == 0.0
    assert answer.mean == pytest.approx(OFTEN, rel=0.01)
    later = level[200:]
    assert (later.min() / dirty, later.max() / dirty) == pytest.approx((0.6, 0.8), abs=0.02)
    rises = np.diff((np.diff(later) > 0).astype(int)) > 0
    period_s = 0.2 * dirty / OFTEN + 0.2 * dirty / (drain - OFTEN)
    assert 0.1 * np.diff(np.flatnonzero(rises)).mean() == pytest.approx(period_s, rel=0.05)


def test_level_where_rewrites_are_as_many_as_are_destaged():
    """By (1): a share 1 − μ / λ of the pages addressed, if that lies between the watermarks."""
    drain = 10 / 1.5e-3
    answer = over_time(model(1.5e-3, data="350MiB", memory="1GiB"), 40.0)
    level = answer.levels["arraycache dirty pages"][-1] * PAGE / (350 << 20)
    assert level == pytest.approx(1.0 - drain / OFTEN, abs=0.05)
    assert answer.mean == pytest.approx(OFTEN, rel=0.01)


def test_data_smaller_than_memory_end_as_all_dirty():
    answer = over_time(model(1.0, data="64MiB"), 20.0)
    assert answer.levels["arraycache dirty pages"][-1] == pytest.approx((64 << 20) / PAGE, rel=0.01)
    assert answer.rates[-1] == pytest.approx(OFTEN, rel=0.01)


def test_full_memory_of_few_rewrites_passes_as_much_as_pages_followed_one_by_one():
    found = [
        simulate(model(5e-3, memory="1MiB", data="64MiB", followed=each), precision=0.01).groups["all"].throughput
        for each in ("pages", "level")
    ]
    assert found[1].value == pytest.approx(found[0].value, rel=0.02)


def test_runs_are_destaged_in_chunks_and_random_reads_hit_as_many_as_fit():
    run = over_time(model(1e-3, size=128 << 10, sequential=True), 60.0)
    assert run.sustained == pytest.approx(10 / 1e-3 / 2, rel=0.02)
    reads = simulate(model(1e-3, "read", memory="1GiB", data="4GiB"), precision=0.01).groups["all"].throughput
    assert reads.value == pytest.approx(10 / 1e-3 / 0.75, rel=0.02)


def test_terabyte_of_memory_takes_few_steps():
    dirty, drain = 0.4 * (1 << 40) / PAGE, 10 / 1e-3
    answer = over_time(model(1e-3, memory="1TiB"), 7200.0)
    assert answer.burst.end_s == pytest.approx(0.8 * dirty / OFTEN + 0.2 * dirty / (OFTEN - drain), rel=0.02)
    assert answer.sustained == pytest.approx(drain, rel=0.02)
    assert answer.steps < 10_000_000


def test_both_engines_agree():
    made = model(1e-3, memory="2MiB", data="16MiB")
    answers = [over_time(made, 0.3, engine=engine, skip=False) for engine in ("compiled", "reference")]
    assert np.array_equal(answers[0].rates, answers[1].rates)
    assert all(np.array_equal(answers[0].levels[name], answers[1].levels[name]) for name in answers[0].levels)


def test_skewed_loads_are_refused():
    with pytest.raises(InputError, match=r"skew is 0.5, and a level tells nothing of pages; give skew = 0"):
        layer_of(ArrayCache, Disks(1.0), skew=0.5, followed="level")
