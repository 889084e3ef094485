"""The lock of a scheduler is one for all queues, waited for by spinning, and costs more where it is contended."""

from __future__ import annotations

import pytest

from layered import Below, assert_engines_agree, clients, latency, rate, run
from models.parts.flash import Flash
from models.parts.host.block_scheduler import Scheduler
from models.parts.host.cores import Cores
from sim import ModelError
from sim.engine.analytic.solve import solve

US = 1e-6


def under(below=None, **fields):
    below = below or Below(50e-6)
    return Scheduler(**fields).layer("scheduler", lambda _: below)


def host(below=None, work_s=2e-6, **fields):
    return Cores(time=work_s, interrupt=0.0).layer("host", lambda _: under(below, **fields))


LOCKED = {"scheduler": "mq-deadline", "time": 1e-6, "contended": 3e-6}


def test_alone_an_io_finds_the_lock_free():
    assert latency(under(**LOCKED)) == pytest.approx(51 * US, abs=2e-9)
    assert latency(under(**LOCKED | {"scheduler": "none", "time": 0.0})) == pytest.approx(50 * US, abs=2e-9)


def test_one_process_works_for_itself_and_for_the_scheduler_on_one_core():
    """It is alone at the lock, however many of its I/Os are in flight."""
    assert rate(host(**LOCKED), 64) == pytest.approx(1 / 3e-6, rel=0.01)


@pytest.mark.parametrize("processes", [4, 9])
def test_many_processes_are_limited_by_the_contended_lock(processes):
    assert rate(host(**LOCKED), 64, processes=processes) == pytest.approx(1 / 3e-6, rel=0.01)


def test_waiter_for_the_lock_spins_on_its_core():
    """The lock lets each process have 3 of 6 µs for it, and 1 µs of work: the other 2 are spent spinning."""
    found = run(host(work_s=1e-6, **LOCKED | {"time": 3e-6}), 64, processes=2)
    assert found.throughput.value == pytest.approx(1 / 3e-6, rel=0.01)
    assert found.places["host core 1"].utilisation == pytest.approx(1.0, abs=0.01)


def test_a_scheduler_without_a_lock_for_all_costs_time_of_the_core_alone():
    assert rate(host(scheduler="kyber", time=1e-6), 64, processes=4) == pytest.approx(4 / 3e-6, rel=0.01)


def test_a_flush_passes_the_scheduler():
    assert latency(under(**LOCKED), op="flush", size=0) == pytest.approx(50 * US, abs=2e-9)


def test_an_io_waits_for_a_request_while_all_are_in_use():
    """Little's law: at most so many are below, however many are in flight; alone, none waits."""
    layer = under(scheduler="none", requests=4)
    assert rate(layer, 64) == pytest.approx(4 / 50e-6, rel=0.01)
    assert rate(layer, 3) == pytest.approx(3 / 50e-6, rel=0.01)
    assert_engines_agree(layer, 8)


def test_a_flush_needs_no_request():
    assert rate(under(scheduler="none", requests=1), 64, op="flush", size=0) == pytest.approx(64 / 50e-6, rel=0.01)


MEASURED = {
    "none": (381.1, 726.7, 785.7, 783.7),
    "kyber": (304.0, 605.4, 786.8, 785.8),
    "mq-deadline": (309.7, 505.1, 569.2, 498.8),
    "bfq": (241.2, 293.8, 309.9, 309.3),
}
"""ICPE 2024, one SSD, depth 128: thousand reads of 4 KiB a second of 1 to 4 processes."""


@pytest.mark.parametrize("scheduler", MEASURED)
def test_schedulers_are_as_fast_as_was_measured(scheduler):
    top = Cores().layer("host", lambda _: under(Flash().layer("ssd", None), scheduler=scheduler))
    for processes, thousands in enumerate(MEASURED[scheduler], start=1):
        found = rate(top, 128, processes=processes, precision=0.02) / 1e3
        assert found == pytest.approx(thousands, rel=0.08), processes


def test_the_engines_agree():
    assert_engines_agree(host(**LOCKED), 6, processes=3)


def test_the_analytic_engine_refuses_the_lock_by_name():
    with pytest.raises(ModelError, match="asks whether anything is at lock 'scheduler lock'"):
        solve(clients(host(**LOCKED), 8, processes=2))
