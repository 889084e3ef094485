"""Repeats: two always, more where they disagree; what trends, warm caches and other processes are told by."""

from __future__ import annotations

import statistics

import pytest

from stacksim.measuring import neighbours
from stacksim.measuring.jobs import Job
from stacksim.measuring.rounds import MOST, run_rounds

JOBS = [Job(op, block, users, 1) for op in ("read", "write") for block in (4096, 65536) for users in (1, 4)]


def ran(rate):
    """Rounds of runs that have ``rate(job, number of the run, how often the job ran)`` in MB/s."""
    seen: list[Job] = []

    def run(job):
        seen.append(job)
        value = rate(job, len(seen), seen.count(job)) * 1e6
        sides = {op: {"bw_bytes": int(value) if op == job.op else 0} for op in ("read", "write")}
        return {"jobs": [{"error": 0, **sides}]}

    return run_rounds(JOBS, run, lambda *_: None), seen


def test_steady_figures_are_measured_twice():
    rounds, seen = ran(lambda _job, number, _again: 100.0 + number % 3)
    assert len(seen) == 2 * len(JOBS)
    assert rounds.notes(JOBS) == []


def test_only_jobs_that_disagree_are_repeated_and_the_median_counts():
    rounds, seen = ran(lambda job, _number, again: 50.0 if (job, again) == (JOBS[5], 2) else 100.0)
    assert seen.count(JOBS[5]) == MOST
    assert len(seen) == 2 * len(JOBS) + MOST - 2
    assert statistics.median(rounds.values(JOBS[5])) == 100.0


def test_a_job_that_is_never_steady_is_reported_by_name():
    rounds, _ = ran(lambda job, _number, again: 100.0 * (1.5 if job == JOBS[6] and again % 2 else 1.0))
    (note,) = rounds.notes(JOBS)
    assert note.startswith(f"1 of 8 jobs are not steady after 4 runs: {JOBS[6].name}")


@pytest.mark.parametrize(("change", "word"), [(-0.025, "fall"), (0.025, "rise")])
def test_a_trend_is_reported(change, word):
    rounds, _ = ran(lambda _job, number, _again: 100.0 * (1.0 + change * number))
    assert any(note.startswith(f"figures {word} by") for note in rounds.notes(JOBS))


def test_reads_that_a_cache_learns_are_reported():
    rounds, _ = ran(lambda job, _number, again: 300.0 if job.op == "read" and again > 1 else 100.0)
    assert any("a cache takes part" in note for note in rounds.notes(JOBS))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("cpu 100 0 100 800 0 0 0 0 0 0", "cpu 200 0 200 1600 0 0 0 0 0 0", "other processes keep 20% of all"),
        ("cpu 0 0 0 1000 0 0 0 0 0 0", "cpu 0 0 0 1900 0 0 0 100 0 0", "gave 10% of all cores to other guests"),
        ("cpu 0 0 0 1000 0 0 0 0 0 0", "cpu 9 0 9 1982 0 0 0 1 0 0", None),
        ("nothing", "nothing", None),
    ],
)
def test_other_load_on_the_machine_is_reported(tmp_path, monkeypatch, before, after, words):
    texts = iter([before, before, after, before, after, after])
    (tmp_path / "proc").mkdir()
    monkeypatch.setattr(neighbours, "LOOKS_SECONDS", 0.0)
    monkeypatch.setattr(neighbours.Path, "read_text", lambda *_, **__: f"{next(texts)}\n")
    notes = neighbours.Watch(tmp_path).notes()
    assert bool(words) == bool(notes)
    assert not words or words in notes[0]
