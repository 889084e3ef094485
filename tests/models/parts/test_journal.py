"""The kind ``journal``: flushes and blocks of fsync and fdatasync, and who shares a commit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.host.cores import Cores
from models.parts.journal import Journal
from sim import Closed, Delay, Exponential, InputError, Model, ModelError, simulate
from sim.engine.analytic.solve import solve
from sim.engine.events.reference import ReferenceEngine

STEP_S = 1e-3


def fsync(_process):
    return FileIO("write", 4096, durable="all")


def plain(below=None, **fields):
    """A journal without ticks, of threads that never sleep."""
    return layer_of(Journal, below, **{"tick": "0s", "wake": "0s", **fields})


def commits(**fields):
    """The I/Os of one commit: op, bytes, durable."""
    below = Below()
    plain(below, extents="unwritten", **fields).path(FileIO("flush", 0))
    return [(io.op, io.size_bytes, io.durable) for io in below.seen]


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({"filesystem": "ext4"}, 4),  # data; descriptor and metadata; flush; commit block
        ({"filesystem": "xfs"}, 3),  # data; flush; record
        ({"filesystem": "ext4", "fua": False}, 5),
        ({"filesystem": "xfs", "fua": False}, 4),
    ],
)
def test_fsync_waits_for_its_writes_and_flushes(fields, seconds):
    assert per_second(model_of(plain(**fields), fsync)) == pytest.approx(1 / (seconds * STEP_S), rel=0.01)


def test_the_blocks_of_a_commit():
    flush = ("flush", 0, "no")
    assert commits(filesystem="ext4") == [("write", 8192, "no"), flush, ("write", 4096, "data")]
    assert commits(filesystem="xfs", metadata=3) == [flush, ("write", 2048, "data")]
    assert commits(filesystem="xfs", fua=False) == [flush, ("write", 1024, "no"), flush]


@pytest.mark.parametrize("filesystem", ["ext4", "xfs"])
@pytest.mark.parametrize(
    ("fields", "appends", "journalled"),
    [({}, False, False), ({}, True, True), ({"extents": "preallocated"}, False, True)],
)
def test_fdatasync_is_a_flush_unless_blocks_or_the_size_have_changed(filesystem, fields, appends, journalled):
    layer = plain(filesystem=filesystem, **fields)
    whole = {"ext4": 4, "xfs": 3}[filesystem]
    model = model_of(layer, lambda _: FileIO("write", 4096, durable="data", appends=appends))
    assert per_second(model) == pytest.approx(1 / ((whole if journalled else 2) * STEP_S), rel=0.01)


@pytest.mark.parametrize(("durable", "steps"), [("no", 4), ("all", 4), ("data", 2)])
def test_a_flush_from_above_is_an_fsync_or_an_fdatasync(durable, steps):
    layer = plain()
    path = (*layer.path(FileIO("write", 4096)), *layer.path(FileIO("flush", 0, durable=durable)))
    assert per_second(Model([Closed("all", 1, path)])) == pytest.approx(1 / (steps * STEP_S), rel=0.01)


def test_reads_and_non_durable_writes_pass_unchanged():
    below = Below()
    for io in (FileIO("read", 512, durable="all"), FileIO("write", 512, process=3)):
        assert plain(below).path(io) == (Delay(STEP_S),)
    assert below.seen[1] == FileIO("write", 512, process=3)


def test_fsyncs_during_a_commit_share_the_next_one():
    model = model_of(plain(Below(Exponential(STEP_S))), fsync, 8)
    result = simulate(model, watch="all", answers=("throughput",), precision=0.02)
    busy, batch = result.places["journal thread"].utilisation, result.places["journal commit"].batch
    assert busy > 0.9
    assert batch > 3
    assert result.throughput.value == pytest.approx(busy / (3 * STEP_S) * batch, rel=0.03)


def test_shared_commits_lose_no_fsync_and_pile_up_no_calls():
    layer = layer_of(Journal, Below(2e-5), extents="unwritten")
    result = simulate(model_of(layer, fsync, 64), watch="all", answers=("throughput",), precision=0.02)
    assert result.places["journal called"].utilisation <= 1
    assert result.places["journal commit"].visits == pytest.approx(result.throughput.value, rel=0.01)
    assert result.throughput.value > 20 * per_second(model_of(layer, fsync))


def test_simultaneous_fsyncs_share_one_commit():
    assert per_second(model_of(plain(), fsync, 8)) == pytest.approx(8 / (4 * STEP_S), rel=0.01)


def test_the_time_of_a_file_is_committed_once_a_tick():
    """A commit of 4 ms, then flushes of 2 ms each, by a clock of 19.5 ms."""
    model = model_of(plain(tick="19.5ms"), fsync)
    result = simulate(model, watch="all", answers=("throughput",), precision=0.02)
    assert result.throughput.value == pytest.approx(8.75 / 19.5e-3, rel=0.03)
    assert result.places["journal commit"].visits == pytest.approx(1 / 19.5e-3, rel=0.03)


def test_files_have_times_of_their_own():
    layer = plain(tick="19.5ms")
    model = model_of(layer, lambda process: FileIO("write", 4096, file=process, durable="all"), 2)
    result = simulate(model, watch="all", answers=("throughput",), precision=0.02)
    assert result.places["journal commit"].visits == pytest.approx(2 / 19.5e-3, rel=0.03)


@pytest.mark.parametrize("jobs", [1, 4, 16])
def test_any_number_of_writers_of_a_file_cause_one_commit_a_tick(jobs):
    layer = plain(Below(1e-4), tick="1ms")
    result = simulate(model_of(layer, fsync, jobs), watch="all", answers=("throughput",), precision=0.02)
    assert result.places["journal called"].visits / 2 == pytest.approx(1000, rel=0.05)  # put and taken


@pytest.mark.parametrize(("after_s", "steps"), [(1.5, 4), (2.5, 4), (3.5, 5)])
def test_fsync_before_the_flush_of_a_commit_shares_it_and_a_later_one_flushes_again(after_s, steps):
    """Data take one step, then a commit of ext4 three: metadata, flush, record."""
    layer = plain(Below(STEP_S), tick="1s")
    first = layer.path(fsync(0))
    late = (Delay(after_s * STEP_S), *layer.path(FileIO("flush", 0, durable="all")))
    jobs = [Closed(name, 1, path, count=1, group=name) for name, path in (("first", first), ("late", late))]
    engine = ReferenceEngine(Model([*jobs, *layer.background()]), 7, record=True)
    engine.advance(10**7)
    last = steps if after_s < 2 else steps + (after_s < 3)
    assert sorted(each.ended_ns for each in engine.completions) == pytest.approx([4e6, last * 1e6])


@pytest.mark.parametrize(("filesystem", "steps"), [("ext4", 5), ("xfs", 4.5)])
def test_thread_and_caller_wake_up(filesystem, steps):
    """XFS: besides, the worker that ends what was written."""
    model = model_of(plain(filesystem=filesystem, wake="500us"), fsync)
    assert per_second(model, precision=0.005) == pytest.approx(1 / (steps * STEP_S), rel=0.01)


@pytest.mark.parametrize(("filesystem", "steps"), [("ext4", 5), ("xfs", 5)])
def test_one_thread_of_ext4_and_two_workers_of_xfs_leave_a_deep_sleep(filesystem, steps):
    model = model_of(plain(filesystem=filesystem, deep="1ms"), fsync)
    assert per_second(model, precision=0.005) == pytest.approx(1 / (steps * STEP_S), rel=0.01)


def test_a_thread_that_is_called_while_it_writes_does_not_sleep():
    """Two files in turn: the thread goes from one commit to the next."""
    layer = plain(Below(Exponential(STEP_S)), wake="1ms")
    result = simulate(model_of(layer, fsync, 16), watch="all", answers=("throughput",), precision=0.02)
    batch = result.places["journal commit"].batch
    assert result.throughput.value == pytest.approx(batch / (3 * STEP_S), rel=0.05)


def test_the_thread_works_for_a_commit_before_it_writes():
    assert per_second(model_of(plain(work="1ms"), fsync)) == pytest.approx(1 / (5 * STEP_S), rel=0.01)


@pytest.mark.parametrize("filesystem", ["ext4", "xfs"])
def test_engines_agree(filesystem):
    layer = layer_of(Journal, Below(1e-4), filesystem=filesystem, tick="1ms")
    assert engines_agree(model_of(layer, fsync, 3))


def test_analytic_engine_answers_flushes_and_refuses_commits_by_name():
    flushed = model_of(plain(), lambda _: FileIO("write", 4096, durable="data"))
    assert solve(flushed).result("all", seed=1).throughput.value == pytest.approx(1 / (2 * STEP_S))
    with pytest.raises(ModelError, match="buffer 'journal time of file 0'"):
        solve(model_of(plain(tick="4ms"), fsync))
    with pytest.raises(ModelError, match="buffer 'journal called'"):
        solve(model_of(plain(), fsync))


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"filesystem": "btrfs"}, "filesystem is 'btrfs'; .*allowed: ext4, xfs"),
        ({"tick": "-1ms"}, "tick is '-1ms'; allowed: a time from 0, such as 25us or 1.5ms"),
        ({"metadata": 0}, "metadata is '0'; allowed: a whole number from 1"),
    ],
)
def test_a_wrong_field_is_refused_in_one_line(fields, line):
    with pytest.raises(InputError, match=line):
        layer_of(Journal, **fields)


def test_the_thread_of_a_journal_works_on_a_core():
    """One core, of which a write takes 1 ms, and the thread as long for a commit, which eight share: 8 in 9 ms.

    A thread that needs no core would leave it to the writes: 8 in 8 ms.
    """
    journal = plain(Below(0.0), extents="unwritten", work="1ms")
    cores = Cores(count=1, time=STEP_S, interrupt=0.0).layer("cores", lambda _: journal)
    shared = per_second(model_of(cores, lambda process: replace(fsync(process), process=process), processes=8))
    assert shared == pytest.approx(8 / 9 / STEP_S, rel=0.02)
