"""Looks at candidates ahead: the same answer whoever looks, and nothing is lost when a process dies."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future
from itertools import count
from multiprocessing import parent_process

import pytest

from one_server import SERVER
from sim.decision import ahead
from sim.decision.ahead import Ahead
from sim.decision.goals import Goal
from sim.decision.loads import Load
from sim.decision.search import search
from sim.decision.space import space_of
from sim.decision.trials import Asked, Trial, Trials
from sim.engine.simulation.options import RunOptions


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(ahead, "ALONE_S", 1e-9)
    monkeypatch.setattr(ahead, "CHUNK_S", 0.0)


def searched(workers):
    space = space_of(SERVER, ["speed=1..12", "rate=0", "clients=4,8"])
    goal = Goal("p99<=10ms", "p99", at_least=False, limit=0.01, unit="s")
    trials = Trials(SERVER, space.fixed, (Asked(Load(), (goal,)),), RunOptions(precision=0.05))
    return search(trials, space, None, workers=workers)


def told(found):
    return [(each.candidate.design, each.trial, each.looked_at, each.final) for each in found.options]


def test_two_processes_find_the_results_of_one():
    assert told(searched(workers=2)) == told(searched(workers=1))


def who(case, _asked, _options):
    """True if another process looked; from speed 8 on, it dies of it."""
    there = parent_process() is not None
    if case.settings["speed"] >= 8 and there:
        os._exit(1)
    return Trial("open", "there" if there else "here")


def looks(workers, needed=lambda _candidate: True):
    space = space_of(SERVER, ["speed=1..12"])
    trials = Trials(SERVER, {}, (Asked(Load(), ()),), RunOptions())
    tried = Ahead(trials, who, workers).tried(space.candidates(), needed)
    return [(candidate.design["speed"], trial.reason) for candidate, trial in tried]


def test_search_continues_in_this_process_if_a_worker_dies():
    who_looked = dict(looks(workers=2))
    assert list(who_looked) == list(range(1, 13))
    assert [who_looked[speed] for speed in (1, 2, 3, 4)] == ["here", "there", "there", "there"]
    assert {who_looked[speed] for speed in range(8, 13)} == {"here"}


def test_a_single_worker_is_this_process():
    assert {who_looked for _, who_looked in looks(workers=1)} == {"here"}


def test_unneeded_case_is_not_submitted():
    assert [speed for speed, _ in looks(workers=2, needed=lambda each: each.design["speed"] < 4)] == [1, 2, 3]


class InOrder(Executor):
    """One process that is never done before it is asked; says what happens in which order."""

    def __init__(self):
        self.said = []

    def submit(self, call, *given):
        future, size = Future(), len(given[1])
        self.said.append(size)
        future.result = lambda: self.said.append("done") or call(*given)
        return future


def test_two_chunks_of_the_intended_length_are_pending_for_each_process(monkeypatch):
    """Each look takes a tenth of a second: alone until a quarter has passed, then three at a time."""
    executor, clock = InOrder(), count(0.0, 0.1)
    for name, value in (("ALONE_S", 0.25), ("CHUNK_S", 0.3), ("pool", lambda _workers: executor)):
        monkeypatch.setattr(ahead, name, value)
    monkeypatch.setattr(ahead, "perf_counter", lambda: next(clock))
    space = space_of(SERVER, ["speed=1..24"])
    trials = Trials(SERVER, {}, (Asked(Load(), ()),), RunOptions())
    tried = Ahead(trials, who, workers=2).tried(space.candidates(), lambda _candidate: True)
    assert [candidate.design["speed"] for candidate, _ in tried] == list(range(1, 25))
    assert executor.said == [3, 3, 3, 3, "done", 3, "done", 3, "done", 3, *["done"] * 4]
