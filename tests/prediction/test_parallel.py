"""Tasks side by side: in their order, and none goes on when another has failed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier, get_ident

import pytest

from sim.prediction import parallel
from sim.prediction.parallel import side_by_side


def test_answers_are_in_the_order_of_the_tasks():
    shares = []
    tasks = [lambda _look, number=number: number for number in range(5)]
    assert side_by_side(tasks, shares.append) == [0, 1, 2, 3, 4]
    assert shares == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_tasks_of_one_who_works_alone_run_at_the_same_time(monkeypatch):
    monkeypatch.setattr(parallel.os, "cpu_count", lambda: 3)
    all_at_work = Barrier(3, timeout=30.0)
    side_by_side([lambda _look: all_at_work.wait()] * 3)


def test_tasks_of_a_worker_beside_others_follow_one_another():
    shares = []
    with ThreadPoolExecutor(1) as workers:
        here, *threads = workers.submit(
            lambda: [get_ident(), *side_by_side([lambda _look: get_ident()] * 3, shares.append)]
        ).result()
    assert threads == [here] * 3
    assert shares == [1 / 3, 2 / 3, 1.0]


def test_a_failure_ends_the_tasks_that_look():
    def fails(_look):
        raise ValueError("as it should")

    def endless(look):
        for number in count():
            look(number)

    with pytest.raises(ValueError, match="as it should"):
        side_by_side([endless, fails])
