"""Threads that sleep, by the analytic engine: late by a wake-up, wherever they stand; nothing else is read so."""

from __future__ import annotations

import pytest

from models.parts.host.asleep import Threads, wake_up
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    Constant,
    Delay,
    Exponential,
    Fork,
    Hold,
    IfAny,
    Lock,
    Lookup,
    Model,
    ModelError,
    NoSteadyStateError,
    Open,
    Poisson,
    Pool,
    Put,
    Repeat,
    Station,
    Take,
    Uniform,
    Use,
)
from sim.engine.analytic.sleepers import WakeUp, awake
from sim.engine.analytic.solve import solve
from sim.engine.model.symmetry import symmetry

WAKE_S, WORK_S = 4e-4, 1e-4
WORK = Use(Station("work"), Exponential(WORK_S))


def served(threads=1, *steps):
    return Threads(Pool("threads", threads), wake_up(WAKE_S)).serve(*(steps or (WORK,)))


def closed(path, clients=1):
    return Model([Closed("all", clients, path)])


def throughput(model):
    return solve(model).result("all", seed=1).throughput.value


@pytest.mark.parametrize("threads", [1, 4])
def test_a_client_alone_wakes_a_thread_each_time(threads):
    assert throughput(closed(served(threads))) == pytest.approx(1 / (WAKE_S + WORK_S))


def test_many_clients_leave_no_thread_time_to_sleep():
    path = served(2, Delay(Constant(WORK_S)))
    assert throughput(closed(path, 64)) == pytest.approx(2 / WORK_S, rel=0.01)


def test_open_arrivals_at_one_thread_wait_for_a_wake_up_more():
    """Welch (1964): E[T] = 1 / (mu - lambda) + E[D], all times exponential."""
    model = Model([Open("all", Poisson(0.5 / WORK_S), served(1, Delay(Exponential(WORK_S))))])
    latency = solve(model).result("all", seed=1).groups["all"].latency.mean
    assert latency.value == pytest.approx(2 * WORK_S + WAKE_S, rel=0.001)


AROUND = {
    "repeat": lambda path: Repeat(3, *path),
    "hold": lambda path: Hold(Pool("pool", 3), *path, tokens=2),
    "shared": lambda path: Hold(Lock("lock").shared, *path),
    "exclusive": lambda path: Hold(Lock("lock").exclusive, *path),
    "choose": lambda path: Choose((0.3, path), (0.7, ())),
    "fork": lambda path: Fork(path, path),
    "left behind": lambda path: Fork(path, wait=False),
    "lookup": lambda path: Lookup(Cache("cache", 2), Uniform(4), (), path, sequential=True, write=True),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_sleeping_threads_are_found_anywhere_in_a_path(around):
    """Steps around them are unchanged; a delay and a hold take their place."""
    path = (Delay(1e-3), around(served()), WORK)
    model = closed(path)
    ((workload, _),) = awake(symmetry(model)).workloads
    delayed = (WakeUp(Exponential(WAKE_S)), Hold(Pool("threads"), WORK))
    assert workload.path == (path[0], around(delayed), path[2])
    assert throughput(model) > 0


def test_model_without_sleeping_threads_is_unchanged():
    folded = symmetry(closed((Delay(1e-3), Repeat(2, WORK))))
    assert awake(folded) is folded


def test_other_forms_of_sleeping_are_refused():
    path, full = served(), Buffer("full", 1)
    asks = IfAny(full, Take(full), Put(full))
    for other in ((*path[:-1], WORK, path[-1]), (asks, *path)):
        with pytest.raises(ModelError, match=r"asks whether anything is at buffer '.*' \(IfAny\)"):
            solve(closed(other))
    with pytest.raises(NoSteadyStateError, match="goes one way; they are full or empty in the end"):
        solve(closed((*path, path[-1])))


def test_the_answer_says_how_far_off_it_may_be():
    found = solve(closed(served(4), 3)).groups["all"].accuracy
    assert found.what == "threads that sleep"
