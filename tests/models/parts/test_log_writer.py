"""The kind ``log writer``: sessions post it, its workers write in turn, batches grow with the sessions."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.log_writer import ALL_WORKERS, LogWriter
from sim import Closed, Model, simulate

WRITE_S = 1e-3
FIELDS = {"cpu": "100us", "dispatch": "10us", "post": "20us", "wake": "50us"}


def commit(process):
    return FileIO("write", 512, process=process, durable="data")


def model(sessions=1, **fields):
    return model_of(layer_of(LogWriter, Below(WRITE_S), **FIELDS | fields), commit, sessions)


def test_one_session_pays_for_three_wake_ups_a_write_and_half_a_post():
    """The log writer, the worker and the session wake up; the log writer's work for the batch hides behind it."""
    cycle_s = 100e-6 + 3 * 50e-6 + WRITE_S + 20e-6 / 2
    assert per_second(model(), precision=0.005) == pytest.approx(1 / cycle_s, rel=0.01)


def test_sessions_share_writes_and_the_log_writer_waits_for_all_its_workers():
    result = simulate(model(32), watch="all", answers=("throughput",), precision=0.02)
    writes = result.places["logwriter log file parallel write"]
    assert result.throughput.value > 10 * per_second(model())
    assert result.throughput.value / writes.visits > 8
    assert writes.utilisation <= 1.0
    assert result.places[f"logwriter {ALL_WORKERS}"].utilisation > 0.1


def test_one_worker_writes_one_batch_at_a_time():
    """A session that returns during a write is in the next batch: at most all sessions in two writes."""
    result = simulate(model(16, workers=1), watch="all", answers=("throughput",), precision=0.02)
    assert result.places["logwriter log file parallel write"].utilisation > 0.7
    assert result.throughput.value < 16 / WRITE_S


def test_without_commits_there_is_no_log_writer():
    below = Below(WRITE_S)
    layer = layer_of(LogWriter, below, **FIELDS)
    others = [FileIO("read", 512), FileIO("write", 512)]
    assert [len(layer.path(io)) for io in others] == [1, 1]
    assert below.seen == others
    assert not list(layer.background())
    assert Model([Closed("all", 1, layer.path(others[0])), *layer.background()])


def test_a_worker_writes_the_log_in_sequence_and_through():
    below = Below(WRITE_S)
    layer = layer_of(LogWriter, below, write="2KiB", **FIELDS)
    layer.path(commit(0))
    list(layer.background())
    assert {(io.size_bytes, io.durable, io.sequential, io.aligned_bytes) for io in below.seen} == {
        (2048, "data", True, 2048)
    }


def test_engines_agree():
    assert engines_agree(model(5))
