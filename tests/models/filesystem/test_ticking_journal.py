"""The journal by the clock: one commit a tick at most, and who shares it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from layers import Below, engines_agree, per_second
from models.filesystem.ticking_journal import TickingJournal
from models.io import FileIO
from sim import Closed, Delay, Model, simulate
from sim.engines.reference import ReferenceEngine

STEP_S = 1e-4
JOURNAL = TickingJournal(
    "journal", "ext4", called=True, tick_s=1e-3, wake_s=0.0, asleep_s=0.0, commit_s=0.0, below=Below(STEP_S)
)


def synced(journal, jobs=1, durable="all"):
    """Jobs that write and sync."""

    def path(process):
        ios = FileIO("write", 4096, process=process), FileIO("flush", 0, process=process, durable=durable)
        return tuple(step for io in ios for step in journal.path(io))

    jobs_of = [Closed(f"job {n}", 1, path(n), group="all") for n in range(jobs)]
    return Model([*jobs_of, *journal.background()])


def of(**changed):
    return replace(JOURNAL, below=Below(STEP_S), **changed)


def committed(result):
    return result.places["journal thread"].visits


def run(model):
    return simulate(model, watch="all", answers=("throughput",), precision=0.01)


def test_the_parts_of_a_commit():
    def written(filesystem):
        below = Below()
        replace(JOURNAL, filesystem=filesystem, below=below).path(FileIO("flush", 0, durable="all"))
        return sorted((io.size_bytes, io.durable) for io in below.seen if io.op == "write")

    assert written("ext4") == [(4096, "data"), (8192, "no")]
    assert written("xfs") == [(1024, "data")]


@pytest.mark.parametrize(("filesystem", "steps"), [("ext4", 3), ("xfs", 2)])
def test_where_a_tick_is_short_each_fsync_waits_for_a_commit(filesystem, steps):
    model = synced(of(filesystem=filesystem, tick_s=1e-5))
    assert per_second(model) == pytest.approx(1 / ((1 + steps) * STEP_S), rel=0.01)


def test_within_a_tick_one_fsync_commits_and_the_others_flush():
    """In a tick of 10 ms: one of 4 steps, 48 of 2."""
    result = run(synced(of(tick_s=10e-3)))
    assert committed(result) == pytest.approx(100, rel=0.05)
    assert result.throughput.value == pytest.approx(49 / 10e-3, rel=0.02)


def test_fdatasync_only_flushes():
    journal = of(called=False)
    assert per_second(synced(journal, durable="data")) == pytest.approx(1 / (2 * STEP_S), rel=0.01)
    assert not list(journal.background())


@pytest.mark.parametrize("jobs", [1, 4, 16])
def test_however_many_jobs_there_is_one_commit_a_tick(jobs):
    assert committed(run(synced(of(), jobs))) <= 1000 * 1.05


def test_those_who_come_together_share_a_commit():
    assert per_second(synced(of(tick_s=1e-5), 8)) == pytest.approx(8 / (4 * STEP_S), rel=0.02)


def test_who_comes_after_the_flush_of_a_commit_waits_for_it_and_flushes_again():
    """A write and a commit end after 4 steps; who comes after 3.5 of them is done after 5."""
    journal = of(tick_s=1.0)
    first = (*journal.path(FileIO("write", 4096)), *journal.path(FileIO("flush", 0, durable="all")))
    late = (Delay(3.5 * STEP_S), *journal.path(FileIO("flush", 0, durable="all")))
    jobs = [Closed(name, 1, path, count=1, group=name) for name, path in (("first", first), ("late", late))]
    engine = ReferenceEngine(Model([*jobs, *journal.background()]), 7, record=True)
    engine.advance(10**7)
    assert [each.ended_ns for each in engine.completions] == pytest.approx([4e5, 5e5])


def test_thread_and_caller_wake_up():
    slow = per_second(synced(of(tick_s=1e-5, wake_s=STEP_S)), precision=0.01)
    assert slow == pytest.approx(1 / (6 * STEP_S), rel=0.02)


@pytest.mark.parametrize(("filesystem", "steps", "woken"), [("ext4", 3, 1), ("xfs", 2, 2)])
def test_one_thread_of_ext4_and_two_workers_of_xfs_leave_a_deep_sleep(filesystem, steps, woken):
    deep = per_second(synced(of(filesystem=filesystem, tick_s=1e-5, asleep_s=STEP_S)))
    assert deep == pytest.approx(1 / ((1 + steps + woken) * STEP_S), rel=0.01)


def test_the_thread_works_for_a_commit_before_it_writes():
    """Who comes meanwhile still shares it."""
    assert per_second(synced(of(tick_s=1e-5, commit_s=STEP_S))) == pytest.approx(1 / (5 * STEP_S), rel=0.01)


@pytest.mark.parametrize("filesystem", ["ext4", "xfs"])
def test_engines_agree(filesystem):
    assert engines_agree(synced(of(filesystem=filesystem, wake_s=5e-6), 5))
