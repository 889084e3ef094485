"""Where the time of a prediction went: all phases, each under a clock of its own, and the same prediction."""

from __future__ import annotations

import time

import pytest

from sim.engine.simulation.options import RunOptions
from sim.prediction.prediction import predict_case
from sim.prediction.profile import Profile, profiled
from sim.system.case import Case

QUICK = RunOptions(precision=0.1, answers=("throughput",))


@pytest.mark.parametrize(
    ("options", "phases"),
    [
        (QUICK, ["importing", "building", "loading", "lowering", "simulating", "intervals"]),
        (RunOptions("analytic"), ["importing", "building", "computing", "intervals"]),
    ],
)
def test_the_prediction_is_the_same_and_no_time_is_counted_twice(options, phases):
    case = Case.of("dbfs", {})
    begun_s, profile = time.process_time(), Profile()
    prediction = profiled(case, options, profile)
    passed_s = time.process_time() - begun_s
    assert prediction.record() == predict_case(case, options, intervals=True).record()
    assert [each.name for each in profile.phases] == phases
    assert 0.8 * passed_s < sum(each.processor_s for each in profile.phases[1:]) <= passed_s


def test_slow_call_shows_in_its_phase(monkeypatch):
    def slow(*_):
        time.sleep(0.2)
        return {}

    monkeypatch.setattr("sim.prediction.prediction.prediction_intervals", slow)
    profile = Profile()
    profiled(Case.of("san", {}), QUICK, profile)
    assert max(profile.phases[1:], key=lambda each: each.elapsed_s).name == "intervals"
    assert profile.phases[-1].processor_s < 0.1 < profile.phases[-1].elapsed_s
