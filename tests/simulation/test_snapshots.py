"""Batches cut from a run whose counters are written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recorded import Recorded, snapshots_of
from sim import Closed, Delay, Model, Station, Use
from sim.engine.simulation.snapshots import BATCHES, Snapshots, place_column

MODEL = Model(
    [Closed("a", clients=1, path=Use(Station("disk"), 1e-3)), Closed("b", clients=1, path=Delay(1e-3), group="a")]
)


def counts(intervals):
    """Of every interval the number of its place in the run."""
    return {"a": {"completed": np.arange(1, intervals + 1), "steps": 3}, "b": {"completed": 100, "steps": 2}}


def test_a_run_is_extended_interval_by_interval_and_merged_two_by_two():
    engine = Recorded(MODEL, 12, workloads=counts(12))
    snapshots = Snapshots(engine, 1000)
    assert snapshots.intervals == 0
    snapshots.extend(4)
    assert snapshots.intervals == 4
    assert snapshots.counter("completed", [0]).tolist() == [0, 1, 3, 6, 10]
    assert snapshots.steps == 20
    snapshots.merge()
    assert snapshots.intervals == 2
    assert snapshots.counter("completed", [0]).tolist() == [0, 3, 10]
    snapshots.extend(2)
    assert snapshots.history.now_ns.tolist() == [0, 2000, 4000, 6000, 8000]
    assert snapshots.counter("completed", [0, 1]).tolist() == [0, 203, 410, 621, 836]
    assert snapshots.times_ns([0, 1, 4]).tolist() == [2000, 6000]
    assert snapshots.batches("completed", [0], [1, 2, 4]).tolist() == [7, 26]


def test_a_slice_takes_a_nanosecond_at_least():
    snapshots = Snapshots(Recorded(MODEL, 3, interval_ns=1), 0)
    snapshots.extend(3)
    assert snapshots.history.now_ns.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("intervals", "warmup", "size", "batches"),
    [(160, 10, 2, 75), (256, 0, 4, 64), (256, 1, 3, 85), (160, 32, 2, 64), (100, 0, 1, 100), (40, 20, 1, 20)],
)
def test_batches_are_of_one_size_and_a_rest_joins_the_warm_up(intervals, warmup, size, batches):
    edges = snapshots_of(MODEL, intervals).edges(warmup)
    assert edges[-1] == intervals
    assert np.diff(edges).tolist() == [size] * batches
    assert warmup <= edges[0] < warmup + size
    assert BATCHES == 64
    assert intervals - warmup < BATCHES or BATCHES <= batches < 2 * BATCHES


def test_the_warm_up_is_the_longest_of_all_series():
    snapshots = snapshots_of(MODEL, 100)
    settled, late, trend = np.ones(100), np.ones(100), np.arange(100.0)
    late[:20] = 9.0
    assert snapshots.warmup([settled]) == 0
    assert snapshots.warmup([settled, late, settled]) == 20
    assert snapshots.warmup([late, trend]) is None


def test_requests_batch_by_batch():
    counters = {"a": {"completed": 3, "latency_ns": 3000}, "b": {"completed": 1, "latency_ns": 500}}
    snapshots = snapshots_of(MODEL, 6, workloads=counters, latencies_ns={"a": {100: 3, 50: 1}})
    batches = snapshots.request_batches([0, 1], 0, [2, 4, 6])
    assert batches.times_ns.tolist() == [2000, 2000]
    assert batches.completed.tolist() == [8, 8]
    assert batches.latency_ns.tolist() == [7000, 7000]
    assert batches.histograms()[:, [50, 100]].tolist() == [[2, 6], [2, 6]]
    assert not batches.runs


def test_window_is_the_difference_of_counters():
    snapshots = snapshots_of(MODEL, 6, places={"disk": {"busy_ns": [1, 2, 3, 4, 5, 6], "visits": 7}})
    window = snapshots.window(2, 5)
    assert window.now_ns == 3000
    assert place_column(window, "busy_ns").tolist() == [12]
    assert place_column(window, "visits").tolist() == [21]
    assert snapshots.window(4).now_ns == 2000
    assert place_column(snapshots.window(4), "busy_ns").tolist() == [11]


def test_the_sign_of_a_place_counter_is_one_more_digit():
    snapshots = snapshots_of(MODEL, 2, places={"disk": {"busy_ns": 1 << 62}})
    assert place_column(snapshots.window(0), "busy_ns").tolist() == [2.0**63]
