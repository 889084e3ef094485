"""Answers that a system reads off a result: each has an interval, from parts of the run or from its runs."""

from __future__ import annotations

import math

import pytest

from sim import Closed, Exponential, Model, Station, Use
from sim.estimates import point
from sim.solvers import solution
from sim.system import Measure, Scenario

DISK = Station("disk")


def scenario(count=None):
    """A disk that is half in use, told as a percentage by a measure of no interval of its own."""
    load = Closed("o", clients=1, think=Exponential(1e-3), path=Use(DISK, Exponential(1e-3)), count=count)
    busy = Measure("%", lambda result: point(100.0 * result.places["disk"].utilisation))
    model = Model([load])
    return Scenario(model, watch="o", amount=1.0, unit="1/s", measures={"busy": busy})


@pytest.mark.parametrize("count", [None, 2000])
def test_an_answer_of_no_interval_gets_one_from_the_parts_of_the_run(count):
    asked = scenario(count)
    held = 0
    for seed in range(20):
        found = asked.answers(solution(asked, solver="compiled", seed=seed))["busy"].estimate
        assert found.low < found.value < found.high
        assert found.precision < 0.05
        held += found.low <= 50.0 <= found.high
    assert held >= 16  # of 20 intervals at 95 %, fewer in three of ten thousand


def test_without_parts_there_is_none():
    asked = scenario()
    bare = Scenario(asked.model, watch="o", amount=1.0, unit="1/s")
    assert solution(bare, solver="compiled", seed=1).parts == ()
    assert math.isnan(asked.answers(solution(bare, solver="compiled", seed=1))["busy"].estimate.low)
