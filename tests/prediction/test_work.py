"""Many points by several workers: each has an outcome, whatever becomes of the others, and stores are shared."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace

import pytest

import own_system
import toy
from sim import InputError
from sim.prediction import Case, RunOptions, predict_case
from sim.prediction import points as points_module
from sim.prediction.crew import Crew
from sim.prediction.owner import new_owner
from sim.prediction.points import How, forecast, identified
from sim.prediction.processes import pool
from sim.prediction.store import Store
from sim.prediction.sweep import predict_all
from sim.prediction.work import outcomes_of

QUICK = RunOptions(precision=0.2, answers=("throughput",))


def cases(*clients, load=0):
    return [Case.of(own_system.OWN, {"clients": each, "load": load}) for each in clients]


def outcomes(asked, **choices):
    return [
        each
        for _, each in sorted(outcomes_of(asked, choices.pop("options", QUICK), **choices), key=lambda x: x[0])
    ]


def statuses(found):
    return [each.known.status for each in found]


def answers(found):
    return [json.dumps(each.prediction.record()) for each in found]


class Elsewhere(Executor):
    """Workers that see no file of this machine; what they are sent is counted."""

    def __init__(self):
        self.jobs = 0

    def submit(self, function, *arguments):
        self.jobs += len(arguments[1])
        future = Future()
        try:
            future.set_result(function(*arguments))
        except InputError as error:
            future.set_exception(error)
        return future


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "a.sqlite") as opened:
        yield opened


@pytest.fixture
def ran(monkeypatch):
    """The clients of each point that was run."""
    clients, predict = [], points_module.predict_case
    monkeypatch.setattr(
        points_module,
        "predict_case",
        lambda case, *rest, **more: clients.append(case.settings["clients"]) or predict(case, *rest, **more),
    )
    return clients


def test_failed_case_does_not_end_the_others(store, monkeypatch):
    asked = cases(1) + cases(1, load=2) + cases(200, 20, load=1) + cases(2)
    predict = points_module.predict_case

    def sometimes(case, *rest):
        if case.settings["clients"] == 2:
            raise ZeroDivisionError("oh")
        return predict(case, *rest)

    monkeypatch.setattr(points_module, "predict_case", sometimes)
    found = outcomes(asked, store=store)
    assert statuses(found) == ["done", "refused", "unstable", "done", "failed"]
    assert "ValueError: no such load" in found[1].known.reason
    assert "the arrivals ask 200% of station 'server'" in found[2].known.reason
    assert found[4].known.reason.startswith("internal error, please report it: ZeroDivisionError in ")
    assert [each.prediction is None for each in found] == [False, True, True, False, True]
    monkeypatch.undo()
    assert [forecast(How(QUICK), each, store).why.partition(": ")[0] for each in asked] == [
        *("in the store as done", "refused", "unstable", "in the store as done", "failed before")
    ]
    assert statuses(outcomes(asked, store=store))[4] == "done"


def test_predicting_all_ends_with_the_first_that_fails():
    with pytest.raises(InputError, match="no such load"):
        predict_all(cases(1) + cases(1, load=2), QUICK)


@pytest.mark.parametrize("engine", ["auto", "analytic"])
def test_stored_results_equal_those_of_a_run(store, ran, engine):
    asked, options = cases(1, 2, 30), RunOptions(engine, precision=0.2)
    first = outcomes(asked, options=options, store=store)
    assert sorted(ran) == [1, 2, 30]
    again = outcomes(cases(1, 2, 30), options=options, store=store)
    assert len(ran) == 3
    assert [repr(each) for each in again] == [repr(each) for each in first]
    assert answers(again) == answers(first) == answers(outcomes(asked, options=options))


def test_prediction_intervals_are_stored_as_well(store, ran):
    first = outcomes(cases(3), store=store, intervals=True)
    assert first[0].prediction.intervals["throughput"].ranges > 0.0
    assert answers(outcomes(cases(3), store=store, intervals=True)) == answers(first)
    assert answers(first) == [json.dumps(predict_case(cases(3)[0], QUICK, intervals=True).record())]
    assert ran == [3]
    outcomes(cases(3), store=store)
    assert ran == [3, 3]


def test_other_options_are_run_again(store, ran):
    outcomes(cases(1), store=store)
    outcomes(cases(1), store=store, options=RunOptions(precision=0.2, answers=("throughput",), seed=2))
    outcomes(cases(1, 2), store=store)
    assert sorted(ran) == [1, 1, 2]


def test_remote_workers_get_only_cases_not_in_the_store(store):
    there = Elsewhere()
    first = outcomes(cases(1, 2), store=store, executor=there)
    assert there.jobs == 2
    found = outcomes(cases(1, 2, 3) + cases(1, load=2), store=store, executor=there)
    assert there.jobs == 3
    assert statuses(found) == ["done"] * 3 + ["refused"]
    assert answers(found[:2]) == answers(first)


def test_remote_workers_with_another_engine_are_refused():
    class Older(Elsewhere):
        def submit(self, function, how, jobs):
            return super().submit(function, replace(how, version="0.0.1 a"), jobs)

    with pytest.raises(
        InputError, match=r"a worker has stacksim 0\.1\.0 .*, and here is 0\.0\.1 a; install the same"
    ):
        outcomes(cases(1), executor=Older())


def test_points_of_another_process_are_waited_for(store, ran, monkeypatch):
    """It has claimed two; of one it writes the result, and gives up the other."""
    other = new_owner()
    keys = [identified(How(QUICK), case).key for case in cases(1, 2)]
    store.take(keys, other)
    monkeypatch.setattr("sim.prediction.work._PAUSE_S", 0.01)
    entry = points_module.run(How(QUICK), points_module.Job(cases(1)[0], keys[0])).entry

    def finish():
        with Store(store.path) as theirs:
            theirs.write([entry])
            theirs.release(other)

    ran.clear()
    with closing(outcomes_of(cases(1, 2, 3), QUICK, store=store)) as found:
        first = next(found)
        assert first[0] == 2
        thread = threading.Thread(target=finish)
        thread.start()
        thread.join()
        assert sorted(number for number, _ in found) == [0, 1]
    assert sorted(ran) == [2, 3]


def test_an_iterator_that_is_closed_gives_up_its_claims(store):
    with closing(outcomes_of(cases(1, 2, 3, 4, 5, 6), QUICK, store=store)) as found:
        next(found)
    with Store(store.path) as other:
        keys = [identified(How(QUICK), case).key for case in cases(1, 2, 3, 4, 5, 6)]
        assert other.busy(keys, new_owner()) == set()


def test_a_point_that_ends_its_process_has_failed_and_the_others_are_done(store, monkeypatch):
    class Threads(ThreadPoolExecutor):
        def submit(self, function, how, asked, *rest):
            if any(case.settings["load"] == 3 for case in asked):
                future = Future()
                future.set_exception(BrokenProcessPool("a process ended"))
                return future
            return super().submit(function, how, asked, *rest)

    monkeypatch.setattr(Crew, "own", lambda *_: Crew(Threads(2), 2, here=True, again=lambda: Threads(2)))
    found = outcomes([*cases(1, 2), *cases(1, load=3), *cases(3, 4, 5)], store=store)
    assert statuses(found) == ["done", "done", "failed", "done", "done", "done"]
    assert "the process that ran it ended" in found[2].known.reason
    assert store.count() == 6


def test_processes_that_end_as_they_begin_are_one_line(monkeypatch):
    class Broken(ThreadPoolExecutor):
        def submit(self, *_):
            raise BrokenProcessPool("a process ended")

    monkeypatch.setattr(Crew, "own", lambda *_: Crew(Broken(1), 1, here=True, again=lambda: Broken(1)))
    with pytest.raises(InputError, match="if __name__ == '__main__'"):
        outcomes(cases(1, 2))


@pytest.mark.parametrize(
    ("points", "engine", "processes"),
    [(39, "auto", False), (40, "auto", True), (1, "reference", True), (1999, "analytic", False)],
)
def test_processes_work_where_they_pay(monkeypatch, points, engine, processes):
    made = []
    monkeypatch.setattr("sim.prediction.crew.pool", made.append)
    Crew.own(cases(1) * points, RunOptions(engine))
    assert bool(made) == processes


def test_cases_of_a_script_are_run_by_threads(monkeypatch):
    monkeypatch.setattr("sim.prediction.crew.pool", lambda _: pytest.fail("no other process can make it"))
    monkeypatch.setattr(toy.ToySettings, "__module__", "__main__")
    monkeypatch.setitem(sys.modules, "__main__", toy)
    Crew.own([Case.of(toy.TOY, {})] * 100, QUICK)


def test_processes_give_the_same_answers():
    with pool(1) as executor:
        assert answers(outcomes(cases(1, 2), executor=executor)) == answers(outcomes(cases(1, 2)))
