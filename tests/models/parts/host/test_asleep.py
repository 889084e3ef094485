"""Who sleeps when there is nothing to do: wake-ups are paid by those who come to sleepers, and by no others."""

from __future__ import annotations

import pytest

from layers import engines_agree, per_second
from models.parts.host.asleep import Threads, wake_up
from sim import Closed, Constant, Delay, Exponential, Gamma, Model, Open, Poisson, Pool, Station, Use, simulate
from sim.engine.analytic.solve import solve

WAKE_S, WORK_S = 4e-4, 1e-4


def clients(number, threads, *, wake_s=WAKE_S, time=None, think=0.0):
    work = Use(Station("work", threads), time or Constant(WORK_S))
    path = Threads(Pool("threads", threads), wake_up(wake_s)).serve(work)
    return Model([Closed("clients", number, path, think=think, group="all")])


def test_wake_up_has_the_given_variation():
    assert wake_up(WAKE_S) == (Delay(Exponential(WAKE_S)),)
    assert wake_up(WAKE_S, 0.5) == (Delay(Gamma(WAKE_S, 0.5)),)
    assert wake_up(0.0, 0.5) == ()


def test_one_client_wakes_a_thread_each_time():
    expected = 1 / (WAKE_S + WORK_S)
    assert per_second(clients(1, 1), precision=0.01) == pytest.approx(expected, rel=0.02)
    assert per_second(clients(1, 4), precision=0.01) == pytest.approx(expected, rel=0.02)


def test_two_clients_keep_one_thread_awake():
    """It finds the other's request when it has served one: nobody ever wakes it again."""
    assert per_second(clients(2, 1)) == pytest.approx(1 / WORK_S, rel=0.01)


def test_throughput_grows_faster_than_the_clients_at_first():
    one, two, four = (per_second(clients(number, 4, think=Exponential(WORK_S))) for number in (1, 2, 4))
    assert two > 2.2 * one
    assert four > 4.5 * one


def test_threads_that_never_sleep_only_serve():
    assert per_second(clients(3, 2, wake_s=0.0)) == pytest.approx(2 / WORK_S, rel=0.01)


def test_one_thread_is_the_queue_with_an_exceptional_first_service():
    """Welch (1964); for M/M/1 with a set-up of exponential time D: E[T] = 1/(mu - lambda) + E[D]."""
    load, wait_s = 0.5 / WORK_S, 1 / (1 / WORK_S - 0.5 / WORK_S)
    work = Use(Station("work"), Exponential(WORK_S))
    path = Threads(Pool("threads"), wake_up(WAKE_S)).serve(work)
    model = Model([Open("all", Poisson(load), path)])
    latency = simulate(model, answers=("mean",), precision=0.02).groups["all"].latency.mean
    assert latency.value == pytest.approx(wait_s + WAKE_S, rel=0.04)


def test_awake_threads_serve_before_threads_being_woken():
    """Two threads, a long wake-up: one thread serves nearly all, as if there were one."""
    assert per_second(clients(2, 2, wake_s=1e-1), precision=0.01) == pytest.approx(1 / WORK_S, rel=0.05)


@pytest.mark.parametrize(("number", "threads"), [(1, 1), (3, 2), (5, 3)])
def test_engines_agree(number, threads):
    assert engines_agree(clients(number, threads, time=Exponential(WORK_S), think=Exponential(WORK_S)))


def test_no_thread_is_lost():
    """Of those that sleep, wake up and serve there are never more than there are, and all serve when needed."""
    result = simulate(clients(12, 3, time=Exponential(WORK_S)), watch="all", answers=("throughput",))
    assert result.throughput.value == pytest.approx(3 / WORK_S, rel=0.02)
    assert result.places["threads"].utilisation == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("number", "threads"), [(1, 1), (1, 4), (3, 4), (16, 2), (40, 4)])
def test_analytic_engine_is_within_its_interval(number, threads):
    model = clients(number, threads, wake_s=WORK_S / 4, time=Exponential(WORK_S), think=Exponential(2 * WORK_S))
    answer = solve(model).result("all", seed=1).throughput
    assert answer.low * 0.98 <= per_second(model, precision=0.02) <= answer.high * 1.02
