"""The stack of an SSD whose erased blocks run out, against the arithmetic of its page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim import over_time
from sim.prediction import RunOptions, predict
from sim.system import find
from sim.system.case import Case

QUICK = RunOptions(precision=0.02, answers=("throughput",))


def after(seconds, **settings):
    model = Case.of(find("ssd-preconditioned"), {"block": 65536} | settings).scenario.model
    return over_time(model, seconds, resolution_s=10.0)


@pytest.mark.parametrize(("history", "erased"), [("fresh", 7.68e12 * 1.145), ("sequential", 7.68e12 * 0.145)])
def test_burst(history, erased):
    answer = after(3000.0, history=history)
    assert answer.burst.rate * 65536 == pytest.approx(4.3e9, rel=0.01)
    assert answer.burst.end_s == pytest.approx(erased / 4.3e9, rel=0.02)


def test_drive_written_at_random_before_has_no_burst():
    answer = after(3000.0)
    assert answer.burst is None
    assert answer.mean * 65536 == pytest.approx(932e6, rel=0.02)


def test_first_minutes_of_an_erased_drive_are_no_answer():
    assert after(600.0, history="fresh").mean == pytest.approx(4.6 * after(600.0).mean, rel=0.03)


@pytest.mark.parametrize(("capacity", "spare", "predicted"), [(7.68e12, 0.145, 228_000), (6.4e12, 0.374, 473_000)])
def test_long_run_by_hand(capacity, spare, predicted):
    system = find("ssd-preconditioned")
    system = replace(system, parameters=system.parameters.changed({"capacity": capacity, "spare": spare}))
    found = predict(system, {"block": 4096}, QUICK, intervals=False)
    assert found.answers["throughput"].estimate.value * 1e6 / 4096 == pytest.approx(predicted, rel=0.02)
