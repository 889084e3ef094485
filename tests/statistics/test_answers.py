"""Answers that a system reads off a result: each has an interval, from parts of the run or from its runs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sim import Buffer, Closed, Delay, Exponential, Model, Put, Station, Take, Use, simulate
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.answers import tolerances
from sim.engine.statistics.estimates import Estimate, point
from sim.prediction.solvers import solution
from sim.system import Measure, Scenario
from sim.system.scenario import Answer

DISK = Station("disk")


def scenario(count=None):
    """A disk that is half in use, told as a percentage by a measure of no interval of its own."""
    load = Closed("o", clients=1, think=Exponential(1e-3), path=Use(DISK, Exponential(1e-3)), count=count)
    busy = Measure("%", lambda result: point(100.0 * result.places["disk"].utilisation))
    model = Model([load])
    return Scenario(model, watch="o", amount=1.0, unit="1/s", measures={"busy": busy})


@pytest.mark.parametrize("count", [None, 2000])
def test_an_answer_without_an_interval_gets_one_from_the_parts_of_the_run(count):
    asked = scenario(count)
    held = 0
    for seed in range(20):
        found = asked.answers(solution(asked, RunOptions("compiled", seed)))["busy"].estimate
        assert found.low < found.value < found.high
        assert found.precision < 0.05
        held += found.low <= 50.0 <= found.high
    assert held >= 16  # of 20 intervals at 95 %, fewer in three of ten thousand


def test_an_answer_without_parts_has_no_interval():
    asked = scenario()
    bare = Scenario(asked.model, watch="o", amount=1.0, unit="1/s")
    assert solution(bare, RunOptions("compiled", 1)).parts == ()
    assert math.isnan(asked.answers(solution(bare, RunOptions("compiled", 1)))["busy"].estimate.low)


def test_fixed_measures_need_no_parts_of_a_run():
    share = Measure.of_whole(lambda result: point(result.throughput.value))
    model = Model([Closed("c", clients=1, path=Delay(1e-3))])
    fixed = Scenario(model, watch="c", amount=1.0, unit="1/s", measures={"cost": Measure.fixed("s/GB", 0.79)})
    result = solution(fixed, RunOptions("compiled", 1))
    assert result.parts == ()
    assert fixed.answers(result)["cost"] == Answer(Estimate(0.79, 0.79, 0.79, 0.95), "s/GB")
    assert solution(replace(fixed, measures={**fixed.measures, "share": share}), RunOptions("compiled", 1)).parts


def test_fill_of_a_byte_buffer_is_known_up_to_the_range_of_its_counter():
    """A gigabyte, full at once: in 9 s its level times nanoseconds is beyond 2^63, in 18 s beyond 2^64."""
    for seconds, known in ((12, True), (20, False)):
        buffer = Buffer("b", 10**9)
        path = [Delay(1e-3), Put(buffer, 10**9), Delay(seconds), Take(buffer, 1)]
        filler = Closed("f", clients=1, path=path, count=1)
        share = simulate(Model([filler]), precision=0.5, answers=["throughput"]).places["b"].utilisation
        assert share == pytest.approx(1.0, rel=1e-3) if known else math.isnan(share)


@pytest.mark.parametrize("count", [None, 300])
def test_a_run_goes_on_for_an_answer_of_the_systems_own(count):
    """Utilisation takes a longer run than the throughput: think times make most of a cycle."""
    rare = Closed("o", clients=1, think=Exponential(1e-3), path=Use(DISK, Exponential(1e-5)), count=count)
    busy = Measure("%", lambda result: point(100.0 * result.places["disk"].utilisation))
    asked = Scenario(Model([rare]), watch="o", amount=1.0, unit="1/s", measures={"busy": busy})
    runs = {
        watched: solution(asked, RunOptions("compiled", precision=0.05, answers=watched))
        for watched in (("throughput",), ("throughput", "busy"))
    }
    few, more = (asked.answers(each)["busy"].estimate for each in runs.values())
    assert few.precision > 0.1 or not few.known
    assert more.precision <= tolerances(0.05)["mean"]
    assert more.known
    assert runs["throughput", "busy"].judged == {"busy": True}


def test_imprecise_measure_of_a_system_is_marked_and_warned_of():
    asked = scenario()
    short = RunOptions("compiled", precision=0.001, answers=("busy",), max_steps=100_000)
    result = solution(asked, short)
    assert not asked.answers(result)["busy"].estimate.known
    assert any(line.startswith("busy is not known well enough: ±") for line in result.warnings)


def test_unknown_answer_is_refused_with_the_allowed_ones():
    with pytest.raises(
        InputError, match=r"no answer 'bussy' to watch; did you mean 'busy'\? allowed: busy, mean, "
    ):
        solution(scenario(), RunOptions("compiled", answers=("bussy",)))
    with pytest.raises(InputError, match="no answer 'busy' to watch; allowed: mean, p50, p95, p99, throughput"):
        simulate(scenario().model, answers=("busy",))
